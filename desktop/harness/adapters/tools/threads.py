"""File work off the loop, and never left behind.

A thread can't be stopped. Whoever is cancelled while it works waits for its end before
the cancellation goes on, so that nothing is still being written when a run is over.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


async def in_thread(work: Callable[[], _T]) -> _T:
    """The result of blocking work. CancelledError leaves after the work has ended."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # taken, so that nobody misses it
        raise
