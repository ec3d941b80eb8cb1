"""The scripted server on a loop of its own in a thread, for tests that have no loop.

The lists of the server may be read from outside while it runs; nothing else of it may be touched.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from desktop.proof.script import Script
from desktop.proof.server import ScriptedServer


@contextmanager
def server_thread(replies: Script = (), **options: Any) -> Iterator[ScriptedServer]:
    """Run a `ScriptedServer` with these options until the block ends."""
    server = ScriptedServer(replies, **options)
    ready = threading.Event()
    stop = asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with server:
            ready.set()
            await stop.wait()

    def run() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(serve())
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="scripted-server", daemon=True)
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
