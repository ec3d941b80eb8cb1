"""A thread that owns one connection and does one job after the other.

A connection of SQLite belongs to the thread that made it. Whoever needs it hands
a job to the lane and awaits it, from any event loop, or waits for it in a thread
of their own. There are two lanes, one that writes and one that reads, so that a
long check delays no append, and a busy database no view.

The connection is made by the first job and made anew when it failed for good, so
a lane is of use again as soon as the disk is. Cancelling a wait takes a job back
only while it has not begun; a begun one is finished.
"""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from desktop.harness.adapters.store import faults
from desktop.harness.adapters.store.database import Reads
from desktop.harness.core.errors import StorageError

T = TypeVar("T")
C = TypeVar("C", bound=Reads)


class _Awaited:
    """The answer to a job that an event loop waits for, with what `Lane` needs of a `Future`.

    A `Future` of threads wrapped for a loop costs twice as much, which is felt beside a small commit.
    """

    __slots__ = ("_loop", "waiter")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.waiter: asyncio.Future[Any] = self._loop.create_future()

    def set_running_or_notify_cancel(self) -> bool:
        """Whether somebody still waits."""
        return not self.waiter.cancelled()

    def set_result(self, result: Any) -> None:
        """Hand the result over; from the lane's thread."""
        self._tell(self.waiter.set_result, result)

    def set_exception(self, error: BaseException) -> None:
        """Raise this where the job is awaited; from the lane's thread."""
        self._tell(self.waiter.set_exception, error)

    def _tell(self, tell: Callable[[Any], None], what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._tell_waiter, tell, what)

    def _tell_waiter(self, tell: Callable[[Any], None], what: Any) -> None:
        if not self.waiter.done():
            tell(what)


class Lane(Generic[C]):
    """Jobs for one connection, in the order in which they came."""

    def __init__(self, name: str, path: Path, connect: Callable[[], C]) -> None:
        self._name = name
        self._path = path
        self._connect = connect
        self._jobs: SimpleQueue[tuple[Callable[[Any], Any], Future[Any] | _Awaited] | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._last: Callable[[C], None] | None = None
        self._db: C | None = None
        self.connections = 0
        """How many connections were made so far."""

    def submit(self, job: Callable[[C], T]) -> Future[T]:
        """Queue a job; the first one starts the thread. Raises StorageError after `close`."""
        future: Future[T] = Future()
        self._put(job, future)
        return future

    def _put(self, job: Callable[[C], Any], answer: Future[Any] | _Awaited) -> None:
        with self._gate:
            if self._is_closed:
                raise StorageError("The log is closed.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._jobs.put((job, answer))

    async def run(self, job: Callable[[C], T]) -> T:
        """Await a job. Raises what the job raises; errors of SQLite and the disk as StorageError."""
        answer = _Awaited()
        self._put(job, answer)
        result: T = await answer.waiter
        return result

    def close(self, last: Callable[[C], None] | None = None) -> None:
        """Let no more jobs in, finish those that wait, do `last`, close the connection and end the thread."""
        with self._gate:
            is_first, self._is_closed = not self._is_closed, True
            thread = self._thread
        if thread is None:
            return
        if is_first:
            self._last = last
            self._jobs.put(None)
        thread.join()

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, answer = item
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(self._perform(job))
                except BaseException as error:  # noqa: BLE001 - it is raised where the job is awaited
                    answer.set_exception(error)
            del item, job, answer
        if self._last is not None and self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._last(self._db)
        self._disconnect()

    def _perform(self, job: Callable[[C], T]) -> T:
        try:
            if self._db is None:
                self._db = self._connect()
                self.connections += 1
            return job(self._db)
        except sqlite3.Error as error:
            if faults.is_lasting(error):
                self._disconnect()
            raise faults.from_sqlite(error, self._path) from error
        except OSError as error:
            raise faults.from_disk(error, self._path) from error

    def _disconnect(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None
