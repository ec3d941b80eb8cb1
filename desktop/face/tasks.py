"""Tasks that are kept until they end, and whose errors are always told to somebody."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Tasks:
    """Starts coroutines on the running loop; each failure goes to `on_error`, once."""

    def __init__(self, on_error: Callable[[BaseException], None]) -> None:
        self._on_error = on_error
        self._running: set[asyncio.Task[Any]] = set()
        self._named: dict[str, asyncio.Task[Any]] = {}

    def spawn(self, work: Coroutine[Any, Any, Any], *, instead_of: str = "") -> asyncio.Task[Any]:
        """Start some work. With `instead_of`, earlier work under the same name is cancelled first."""
        task = asyncio.get_event_loop().create_task(work)
        if instead_of:
            self.stop(instead_of)
            self._named[instead_of] = task
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def stop(self, name: str) -> None:
        """Cancel the work of a name, if it still runs."""
        if (task := self._named.pop(name, None)) is not None:
            task.cancel()

    async def close(self) -> None:
        """Cancel everything and wait until it has ended."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        self._named = {name: kept for name, kept in self._named.items() if kept is not task}
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_error(error)
