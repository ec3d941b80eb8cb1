"""Errors of SQLite and of the disk, as sentences that say what is safe.

The code decides, never the words of the message: SQLite's words change.
"""

import errno
import shutil
import sqlite3
from pathlib import Path

from desktop.harness.core.errors import StorageError, StorageFullError

_FULL_BELOW_BYTES = 1 << 20
_SAFE = "Everything stored before is safe."

_LASTING = frozenset(
    {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN}
)


def is_lasting(error: sqlite3.Error) -> bool:
    """Whether the connection should be made anew before it is used again."""
    return _primary(error) in _LASTING


def from_sqlite(error: sqlite3.Error, path: Path) -> StorageError:
    """What went wrong with the database at `path`."""
    match _primary(error):
        case sqlite3.SQLITE_FULL:
            return _full()
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StorageError(f"Another program keeps the log busy, so nothing was stored. {_SAFE}")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_AUTH:
            return StorageError(f"Paddock may not write in {path.parent}, so nothing was stored. {_SAFE}")
        case sqlite3.SQLITE_IOERR:
            return _full() if _is_full(path) else StorageError(f"The disk failed ({error}). {_SAFE}")
        case sqlite3.SQLITE_CONSTRAINT:
            return StorageError(f"The log refused a change ({error}); nothing was stored.")
    return StorageError(f"The log could not be used ({error}); nothing was stored. {_SAFE}")


def from_disk(error: OSError, path: Path) -> StorageError:
    """What went wrong with a file at or beside `path`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full()
    return StorageError(f"Paddock cannot use {path}: {error.strerror}. {_SAFE}")


def damaged(path: Path) -> StorageError:
    """The database cannot be read as one."""
    return StorageError(
        f"The log at {path} is damaged and was left as it is; the files in your folders are not affected."
    )


def _full() -> StorageFullError:
    return StorageFullError(
        f"The disk is full, so nothing was stored. {_SAFE} Free some space and try again."
    )


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _FULL_BELOW_BYTES
    except OSError:
        return False


def _primary(error: sqlite3.Error) -> int:
    """The low byte of the result code; the rest is detail. Errors of the binding itself have none."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
