"""Opening the database: look first, then connect, then bring it up to date.

Folder and file get their rights from the first moment on (0700, 0600; SQLite gives
its two companions the rights of the file). A database of a newer Paddock, or a
file that is none, is never touched. Before a step that rewrites what is there, the
whole database is copied to `backups/`.
"""

import contextlib
import os
import sqlite3
import stat
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from desktop.harness.adapters.store import faults, header
from desktop.harness.adapters.store.schema import STEPS, Step
from desktop.harness.core.errors import NewerDataError

if TYPE_CHECKING:
    from sqlite_utils import Database

BUSY_TIMEOUT_S = 30.0
_PAGE_BYTES = 1024
"""Small pages suit records of one to four kilobytes and many small commits. With SQLite's own 4096, thirty
turns took 150 KB more than their text and a write-ahead log of 1.2 MB; with 1024 it is 45 KB and 0.45 MB, as
fast (measured)."""
_KEPT_LOG_BYTES = 4 << 20
"""The write-ahead log is moved into the database at about this size, and cut back to it."""


_GATE = threading.Lock()
_OPEN: Counter[Path] = Counter()
"""The open connections of this process by path.

While there is one, nobody here may open and close the file otherwise: closing any descriptor of a file drops
the locks that SQLite holds on it, and the next process to leave would take the write-ahead log away under us
(https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""


class _Counted(sqlite3.Connection):
    """A connection that is counted while it is open."""

    def __init__(self, path: Path, **options: Any) -> None:
        super().__init__(path, **options)
        self._counted: Path | None = path
        _OPEN[path] += 1

    def close(self) -> None:
        """Close, and count one less."""
        with _GATE:
            super().close()
            if self._counted is not None:
                _OPEN[self._counted] -= 1
                self._counted = None


class Reads(Protocol):
    """What is enough to read: a plain connection, or the wrapper around one."""

    def execute(self, sql: str, parameters: Any = ..., /) -> sqlite3.Cursor:
        """Run one statement."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


def open_reader(path: Path, *, steps: Sequence[Step] = STEPS) -> sqlite3.Connection:
    """A plain connection that only reads. The list of chats is shown over it, before sqlite-utils is loaded.

    A database that is not there yet, or is not up to date, is opened for writing first. Raises as
    `open_database`.
    """
    connection = _connected(path, len(steps))
    try:
        if _version(connection) != len(steps):
            open_database(path, steps=steps).close()
        connection.text_factory = _text
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def open_database(path: Path, *, steps: Sequence[Step] = STEPS) -> "Database":
    """A connection to the database at `path`, made and brought up to date when need be.

    Waits up to 30 s while another process writes. Raises StorageError, sqlite3.Error and OSError.
    """
    connection = _connected(path, len(steps))
    try:
        db = _dressed(connection)
        _bring_up(db, path, steps)
    except BaseException:
        connection.close()
        raise
    return db


@contextlib.contextmanager
def transaction(db: "Database") -> Iterator[None]:
    """All or nothing, with the right to write taken at the beginning.

    A transaction that reads first and asks later can be told that it read the past. The connection is asked
    directly here and in what appends: the wrapper reads each statement for its kind, as costly as running it.
    """
    db.conn.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.conn.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            db.rollback()
        raise


def finish(db: "Database") -> None:
    """Move everything into the one file, unless somebody reads it right now."""
    db.execute("PRAGMA busy_timeout = 200")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _connected(path: Path, known: int) -> sqlite3.Connection:
    with _GATE:
        if not _OPEN[path]:
            _prepare(path, known)
        return _Counted(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)


def _prepare(path: Path, known: int) -> None:
    if header.is_foreign(path):
        raise faults.damaged(path)
    _refuse_newer(header.stored_version(path), known, path)
    make_private_folder(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        _tighten(path, 0o600)
    finally:
        os.close(handle)


def make_private_folder(folder: Path) -> None:
    """Make a folder for its owner only; one that is there and ours is closed to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _tighten(folder, 0o700)


def _tighten(path: Path, mode: int) -> None:
    """Take rights from others. A shared folder such as /tmp (sticky bit) stays what it is."""
    if os.name != "posix":
        return
    found = path.stat()
    if (
        found.st_uid == os.geteuid()
        and not found.st_mode & stat.S_ISVTX
        and stat.S_IMODE(found.st_mode) != mode
    ):
        path.chmod(mode)


def _dressed(connection: sqlite3.Connection) -> "Database":
    from sqlite_utils import Database  # after the first paint, in the thread of its lane

    connection.text_factory = _text
    db = Database(connection, execute_plugins=False)
    db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # heeded only while the file is empty
    db.enable_wal()
    db.execute("PRAGMA synchronous = FULL")
    db.execute(f"PRAGMA wal_autocheckpoint = {_KEPT_LOG_BYTES // _PAGE_BYTES}")
    db.execute(f"PRAGMA journal_size_limit = {_KEPT_LOG_BYTES}")
    return db


def _bring_up(db: "Database", path: Path, steps: Sequence[Step]) -> None:
    if _version(db) == len(steps):
        return
    with transaction(db):
        version = _version(db)
        _refuse_newer(version, len(steps), path)
        if version and any(step.is_rewriting for step in steps[version:]):
            _back_up(db, path, version)
        for step in steps[version:]:
            db.executescript(step.script)
        db.execute(f"PRAGMA user_version = {len(steps)}")


def _back_up(db: "Database", path: Path, version: int) -> None:
    """Copy the database as it is, through a connection that sees what is committed."""
    folder = path.parent / "backups"
    make_private_folder(folder)
    target = folder / f"{path.stem}-{version}.db"
    beside = target.with_suffix(".part")
    beside.unlink(missing_ok=True)
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with (
        contextlib.closing(sqlite3.connect(path)) as source,
        contextlib.closing(sqlite3.connect(beside)) as copy,
    ):
        source.backup(copy)
    beside.replace(target)


def _refuse_newer(version: int, known: int, path: Path) -> None:
    if version > known:
        raise NewerDataError(
            f"The log in {path.parent} was written by a newer Paddock, and nothing in it was changed; "
            "please use the newer one."
        )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _version(db: Reads) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])
