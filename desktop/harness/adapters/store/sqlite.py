"""The store: the one object that the engine is handed.

It holds no rules of its own. Each method hands a job to one of two lanes, the one
that writes or the one that reads, and awaits it; what a job does stands in the
module named after it.
"""

import asyncio
import contextlib
import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.harness.adapters.store import appending, checking, faults, locks, plain_tables, reading
from desktop.harness.adapters.store.database import finish, make_private_folder, open_database, open_reader
from desktop.harness.adapters.store.lane import Lane
from desktop.harness.core.codec import storable
from desktop.harness.core.events import Event, Record
from desktop.harness.core.ids import ArtifactId, Digest, ProjectId, Seq, SessionId
from desktop.harness.ports import Clock, Fault, Head, PreImages, Write

if TYPE_CHECKING:
    from sqlite_utils import Database


class SqliteStore:
    """The log in `folder/paddock.db`, with its locks in `folder/locks`.

    `artifacts` keeps bytes by their digest. Making a store touches nothing and starts no thread; the first
    job does. Every method raises StorageError after `close`.
    """

    def __init__(self, folder: Path, clock: Clock, artifacts: PreImages) -> None:
        self._locks_folder = folder / "locks"
        self._clock = clock
        self._artifacts = artifacts
        path = folder / "paddock.db"
        self._writer = Lane("paddock-log-writer", path, lambda: open_database(path))
        self._reader = Lane("paddock-log-reader", path, lambda: open_reader(path))
        self._held: set[locks.HeldLock] = set()

    # --- the log

    async def append(self, *writes: Write) -> list[Record]:
        """Commit the events of all writes in one transaction; the records, in order.

        Raises BusyError when a fence is an old one, StorageError when an act of the runner shows none.
        """
        return await self._writer.run(lambda db: appending.append(db, writes, self._clock.now_ms()))

    async def create(
        self,
        session: SessionId,
        events: Sequence[Event],
        *,
        parent: SessionId | None = None,
        fork_seq: Seq | None = None,
    ) -> list[Record]:
        """Begin a session (or project log), as a branch after `fork_seq` of `parent` when one is given."""
        return await self._writer.run(
            lambda db: appending.create(
                db, session, events, self._clock.now_ms(), parent=parent, fork_seq=fork_seq
            )
        )

    async def read(self, session: SessionId, *, after: Seq = Seq(0), upto: Seq | None = None) -> list[Record]:
        """The records of a session in order, shared ones included; damaged and missing ones as `Damaged`."""
        return await self._reader.run(lambda db: reading.read(db, session, after, upto))

    async def heads(self) -> list[Head]:
        """Where each session stands, newest first, without project logs."""
        return await self._reader.run(functools.partial(reading.heads, leave_out=appending.PROJECT_LOG))

    async def verify(self, session: SessionId | None = None) -> list[Fault]:
        """Check one session with all it shares, or everything; one job a session, to let others in."""
        if session is not None:
            known = SessionId(storable(session))
            return await self._reader.run(lambda db: checking.check_session(db, known))
        found = await self._reader.run(checking.check_file)
        for name in await self._reader.run(checking.names):
            check = functools.partial(checking.check_session, session=name, is_own_only=True)
            found += await self._reader.run(check)
        return found

    async def version(self) -> int:
        """A number that changes when another process has committed.

        Asked on the connection that writes, since its own commits do not count. A connection made anew
        counts as a change.
        """

        def ask(db: "Database") -> int:
            return self._writer.connections << 32 | int(db.execute("PRAGMA data_version").fetchone()[0])

        return await self._writer.run(ask)

    # --- locks

    def lock(self, session: SessionId) -> locks.HeldLock:
        """Take the right to run a session and raise its fence.

        Raises BusyError at once when it is taken. Waits for one commit, so call it in a thread.
        """
        path = self._lock_path(session)
        self._writer.submit(lambda db: None).result()  # in a folder of a newer Paddock no file may appear
        with _as_storage_errors(path):
            make_private_folder(path.parent)
            handle = locks.take(path)
        try:
            fence = self._writer.submit(lambda db: appending.raise_fence(db, session)).result()
        except BaseException:
            os.close(handle)
            raise
        held = locks.HeldLock(handle, fence, self._held.discard)
        self._held.add(held)
        return held

    def is_locked(self, session: SessionId) -> bool:
        """Whether a living process, this one included, holds the session."""
        path = self._lock_path(session)
        with _as_storage_errors(path):
            return locks.is_taken(path)

    def _lock_path(self, session: SessionId) -> Path:
        appending.check_name(session)
        return self._locks_folder / locks.file_name(session)

    # --- what is no log

    async def summaries(self) -> Mapping[SessionId, tuple[Seq, str]]:
        """The kept summary of each session with the seq it was made at."""
        return await self._reader.run(plain_tables.summaries)

    async def keep_summaries(self, summaries: Mapping[SessionId, tuple[Seq, str]]) -> None:
        """Keep summaries in place of older ones."""
        await self._writer.run(lambda db: plain_tables.keep_summaries(db, summaries))

    async def put_artifact(self, data: bytes) -> ArtifactId:
        """Keep bytes under their hash, durably."""
        return ArtifactId(await self._reader.run(lambda db: self._artifacts.keep(data)))

    async def artifact(self, artifact: ArtifactId) -> bytes:
        """Kept bytes. Raises StorageError when they are gone or damaged."""
        return await self._reader.run(lambda db: self._artifacts.get(Digest(artifact)))

    async def get_note(self, key: str) -> str | None:
        """A small plain value that is no part of the log."""
        return await self._reader.run(lambda db: plain_tables.get_note(db, key))

    async def put_note(self, key: str, value: str | None) -> None:
        """Keep or (None) forget a note."""
        await self._writer.run(lambda db: plain_tables.put_note(db, key, value))

    async def project_of(self, real_path: str, device: int, inode: int) -> ProjectId:
        """The project of a folder; another path or another inode is another project."""
        return await self._writer.run(lambda db: plain_tables.project_of(db, real_path, device, inode))

    async def close(self) -> None:
        """Finish what is queued, put the log into its one file, end the threads and free the locks."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._reader.close()
        self._writer.close(finish)
        for held in tuple(self._held):
            held.release()


@contextlib.contextmanager
def _as_storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise faults.from_disk(error, path) from error
