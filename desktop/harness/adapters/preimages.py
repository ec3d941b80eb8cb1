"""Bytes kept as files that are named by their digest: `ab/abcd...`.

Used for the bytes that a write replaced, and, on a folder of its own, for the
artifacts of the log. A file appears under its name only when it is whole and on
the disk (written beside, synced, renamed), so a crash leaves the old state or the
new one. Reading checks the digest all the same, because disks and people change
files. It deliberately forgets nothing: what is no longer named anywhere is for
somebody else to find out.

The first byte of a file says how the rest is kept: `r` as it is, `z` deflated. The
fastest level of zlib is used, since a person waits for the write that follows.
"""

import errno
import os
import re
import tempfile
import zlib
from pathlib import Path

from desktop.harness.core.errors import StorageError, StorageFullError
from desktop.harness.core.ids import Digest, digest_of

_NAME = re.compile(r"[0-9a-f]{64}")
_RAW, _DEFLATED = b"r", b"z"


class KeptFiles:
    """Bytes by digest, in files beneath one folder (made at need, 0700, files 0600)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, data: bytes) -> Digest:
        """Keep bytes durably and return their digest; kept twice is kept once.

        Raises StorageFullError, StorageError.
        """
        digest = digest_of(data)
        path = self._path(digest)
        try:
            if not _holds(path, data):
                _write(path, _packed(data))
        except OSError as error:
            raise _not_kept(error, self._folder) from error
        return digest

    def get(self, digest: Digest) -> bytes:
        """Kept bytes. Raises StorageError when they are gone, or not what was kept."""
        if not _NAME.fullmatch(digest):
            raise StorageError(f"Nothing is kept under the name {digest[:80]!r}.")
        try:
            kept = self._path(digest).read_bytes()
        except FileNotFoundError:
            raise StorageError(f"What was kept as {digest[:12]} is no longer there.") from None
        except OSError as error:
            raise StorageError(f"What was kept as {digest[:12]} cannot be read: {error.strerror}.") from error
        data = _unpacked(kept)
        if data is None or digest_of(data) != digest:
            raise StorageError(f"What was kept as {digest[:12]} is damaged and was not used.")
        return data

    def _path(self, digest: Digest) -> Path:
        return self._folder / digest[:2] / digest


def _packed(data: bytes) -> bytes:
    deflated = zlib.compress(data, 1)
    return _DEFLATED + deflated if len(deflated) < len(data) else _RAW + data


def _unpacked(kept: bytes) -> bytes | None:
    if kept[:1] == _RAW:
        return kept[1:]
    try:
        return zlib.decompress(kept[1:]) if kept[:1] == _DEFLATED else None
    except zlib.error:
        return None


def _holds(path: Path, data: bytes) -> bool:
    try:
        return _unpacked(path.read_bytes()) == data
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes) -> None:
    is_new = not path.parent.is_dir()
    for folder in (path.parent.parent, path.parent):  # with parents=True only the last one would be private
        folder.mkdir(mode=0o700, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    if is_new:
        _sync_folder(path.parent.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename last. Windows has no such call and needs none."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _not_kept(error: OSError, folder: Path) -> StorageError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFullError("The disk is full, so nothing was written; free some space and try again.")
    return StorageError(f"Paddock cannot write in {folder}: {error.strerror}. Nothing was changed.")
