"""What a database file says of itself, read without SQLite.

Opening a database in WAL mode writes beside it, even for reading. A database that
belongs to a newer Paddock must stay exactly as it is, so its version is looked up
in the bytes: in the file's header, and in the newest committed copy of the first
page that still waits in the write-ahead log. The layouts are those of
https://www.sqlite.org/fileformat2.html, sections 1.3 and 4.1.
"""

import struct
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"SQLite format 3\x00"
_VERSION_AT = 60
_LOG_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24


def is_foreign(path: Path) -> bool:
    """Whether there is a file with something in it that is no SQLite database."""
    start = _start(path)
    return bool(start) and not start.startswith(_MAGIC)


def stored_version(path: Path) -> int:
    """The `user_version` of the database at `path`; 0 when there is none yet. Raises OSError."""
    start = _start(path)
    version = _version(start) if len(start) >= _VERSION_AT + 4 else 0
    try:
        with Path(f"{path}-wal").open("rb") as log:
            waiting = _waiting_version(log)
    except FileNotFoundError:
        waiting = None
    return version if waiting is None else waiting


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_VERSION_AT + 4)
    except FileNotFoundError:
        return b""


def _version(page: bytes) -> int:
    return int(struct.unpack_from(">i", page, _VERSION_AT)[0])


def _waiting_version(log: BinaryIO) -> int | None:
    """The version in the last committed first page of a write-ahead log, if it holds one."""
    header = log.read(_LOG_HEADER_BYTES)
    if len(header) < _LOG_HEADER_BYTES:
        return None
    page_bytes, salts = struct.unpack_from(">I", header, 8)[0], header[16:24]
    committed = pending = None
    while len(frame := log.read(_FRAME_HEADER_BYTES)) == _FRAME_HEADER_BYTES and frame[8:16] == salts:
        number, size_after_commit = struct.unpack_from(">II", frame)
        if number == 1:
            page = log.read(page_bytes)
            if len(page) < page_bytes:
                break
            pending = _version(page)
        else:
            log.seek(page_bytes, 1)
        if size_after_commit:
            committed = pending
    return committed
