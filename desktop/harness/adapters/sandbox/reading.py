"""Looking at one name in a held folder: what it is, and a regular file's bytes.

The kind is asked before anything is opened and again of what was opened, so that a
pipe, socket or device is never waited for. A link is never followed here.
"""

import errno
import os
import stat

from desktop.harness.adapters.sandbox.place import Place, is_link
from desktop.harness.adapters.sandbox.refusals import not_regular, refusal_of
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import shown
from desktop.harness.ports import Entry, FileInfo, FileKind

MAX_READ_BYTES = 256_000_000
_CHUNK_BYTES = 1 << 20


def kind_of(status: os.stat_result) -> FileKind:
    """What a status stands for."""
    if is_link(status):
        return FileKind.LINK
    if stat.S_ISREG(status.st_mode):
        return FileKind.FILE
    return FileKind.FOLDER if stat.S_ISDIR(status.st_mode) else FileKind.OTHER


def entry_of(prefix: str, name: str, status: os.stat_result) -> Entry:
    """A listed name; `prefix` is the path of its folder with a slash."""
    kind = kind_of(status)
    return Entry(path=prefix + name, kind=kind, size_bytes=status.st_size if kind is FileKind.FILE else 0)


def info_of(parts: tuple[str, ...], status: os.stat_result) -> FileInfo:
    """The facts of a final path. Raises OSError(ELOOP) for a link that was swapped in."""
    if is_link(status):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return FileInfo(
        path="/".join(parts) or ".",
        kind=kind_of(status),
        size_bytes=status.st_size,
        mode=stat.S_IMODE(status.st_mode),
        modified_ms=status.st_mtime_ns // 1_000_000,
        links=status.st_nlink,
    )


def read_at(place: Place, name: str, path: str, limit_bytes: int | None, offset: int) -> bytes:
    """Bytes of a regular file. Raises ToolError, and OSError(ELOOP) for a link that was swapped in."""
    status = place.stat(name)
    if is_link(status):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    _demand_regular(status, path)
    fd = place.open(name, os.O_RDONLY)
    try:
        _demand_regular(os.fstat(fd), path)
        return _bytes_of(fd, path, limit_bytes, offset)
    finally:
        os.close(fd)


def _demand_regular(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise refusal_of(IsADirectoryError(errno.EISDIR, ""), path)
    if not stat.S_ISREG(status.st_mode):
        raise not_regular(path)


def _bytes_of(fd: int, path: str, limit_bytes: int | None, offset: int) -> bytes:
    left = MAX_READ_BYTES + 1 if limit_bytes is None else limit_bytes
    os.lseek(fd, offset, os.SEEK_SET)
    chunks: list[bytes] = []
    while left > 0 and (chunk := os.read(fd, min(left, _CHUNK_BYTES))):
        chunks.append(chunk)
        left -= len(chunk)
    if limit_bytes is None and left <= 0:
        raise ToolError(
            Refusal.TOO_BIG,
            f"{shown(path)} is larger than {MAX_READ_BYTES // 1_000_000} MB; read a part of it.",
        )
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
