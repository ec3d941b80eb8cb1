"""`python -m desktop.proof SCRIPT.json [--port N]`: the scripted server as a process, for benches.

Prints its base URL as the first line and serves until it is terminated or its standard input ends (so it
never outlives the test that started it). What it saw is at `/proof/report` beside `/v1`.
"""

import argparse
import asyncio
import json
import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from desktop.proof.referee import Profile
from desktop.proof.script import replies_from_json
from desktop.proof.server import ScriptedServer


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m desktop.proof", description="A scripted model server.")
    parser.add_argument("script", type=Path, help="a JSON list of replies")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--repeat-last", action="store_true", help="the last reply never runs out")
    parser.add_argument("--forget", action="store_true", help="keep only the bytes of the newest request")
    parser.add_argument("--off", default="", help="letters of rules that are not applied")
    parser.add_argument("--stay", action="store_true", help="go on when standard input ends")
    return parser.parse_args()


def _until_input_ends(ended: Callable[[], object]) -> None:
    while os.read(0, 4096):
        pass
    ended()


async def _serve(options: argparse.Namespace) -> None:
    replies = replies_from_json(json.loads(options.script.read_text("utf-8")))
    profile = Profile(off=frozenset(options.off))
    server = ScriptedServer(
        replies,
        profile=profile,
        repeat_last=options.repeat_last,
        keep=not options.forget,
        port=options.port,
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    async with server:
        print(server.base_url, flush=True)
        if not options.stay:
            ended = partial(loop.call_soon_threadsafe, stop.set)
            threading.Thread(target=_until_input_ends, args=(ended,), daemon=True).start()
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(_serve(_arguments()))
