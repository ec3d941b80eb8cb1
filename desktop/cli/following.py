"""Printing a session's records while a verb makes it go on, and only those.

Records are printed by their seq: the feed says early that there are new ones, the log says which, so none is
missed and none comes twice.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from desktop.cli.exits import Exit, of_status
from desktop.cli.output import Output
from desktop.cli.record_words import words_of
from desktop.harness.api import Door, Record, Seq, SessionId, SessionView, Status, record_as_json


class Following:
    """The printing of one session from some record on. `printed` keeps what was shown."""

    def __init__(self, door: Door, session: SessionId, out: Output, *, after: Seq) -> None:
        self._door = door
        self._session = session
        self._out = out
        self._seq = after
        self.printed: list[Record] = []

    async def during(self, act: Callable[[], Awaitable[None]]) -> SessionView:
        """Carry out `act`, then wait until nothing runs here any more; print all the while."""
        feed = self._door.sessions.feed(self._session)
        printing = asyncio.ensure_future(self._print_feed(feed.__aiter__().__anext__))
        try:
            with cancel_on_interrupt(lambda: self._door.sessions.cancel(self._session)):
                await act()
                view = await self._door.sessions.settled(self._session)
        finally:
            printing.cancel()
            with suppress(asyncio.CancelledError):
                await printing
            await self._print_rest()
        return view

    async def _print_feed(self, newest: Callable[[], Awaitable[Record]]) -> None:
        with suppress(StopAsyncIteration):
            while True:
                record = await newest()
                if record.seq == self._seq + 1:
                    self._print(record)
                elif record.seq > self._seq:
                    await self._print_rest()

    async def _print_rest(self) -> None:
        for record in await self._door.sessions.records(self._session, after=self._seq):
            if record.seq > self._seq:
                self._print(record)

    def _print(self, record: Record) -> None:
        self._seq = record.seq
        self.printed.append(record)
        if self._out.is_json:
            self._out.item(record_as_json(record))
        elif words := words_of(record):
            self._out.line(words)


async def follow(
    door: Door, session: SessionId, out: Output, act: Callable[[], Awaitable[None]], *, after: Seq
) -> tuple[Following, int]:
    """Carry out a verb on a session and print what it commits; the exit code of how that left it."""
    following = Following(door, session, out, after=after)
    view = await following.during(act)
    return following, ending(view, out)


def ending(view: SessionView, out: Output) -> int:
    """The exit code of a session that came to rest; says on standard error why it did not end well."""
    code = of_status(view.status)
    if view.problem and code is not Exit.DONE:
        out.complain(view.problem)
        if view.status in (Status.INTERRUPTED, Status.RUNNING):
            return Exit.FAULT
    elif code is Exit.BUSY:
        out.complain("The chat is in use by another Paddock, which goes on with it.")
    return code


@contextmanager
def cancel_on_interrupt(cancel: Callable[[], Awaitable[None]]) -> Iterator[None]:
    """Let Ctrl+C cancel the run; the second one ends the program."""
    loop = asyncio.get_running_loop()
    running = asyncio.current_task()
    asked: list[asyncio.Future[None]] = []

    def on_interrupt() -> None:
        if asked and running is not None:
            running.cancel()
        else:
            asked.append(asyncio.ensure_future(_quietly(cancel)))

    try:
        loop.add_signal_handler(signal.SIGINT, on_interrupt)
    except (NotImplementedError, RuntimeError, ValueError):
        yield  # not the main thread, or a platform without: Ctrl+C then ends the program
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _quietly(cancel: Callable[[], Awaitable[None]]) -> None:
    await cancel()
