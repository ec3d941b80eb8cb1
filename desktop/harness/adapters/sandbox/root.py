"""The one folder a session may touch, held open from the moment it was opened.

`HeldFolder` is the workspace that tools are handed: names are judged, links are
followed by hand, the way down is walked beneath the held root, and the folder is
refused when another one stands at its path. It decides nothing about approvals.

A path means what it says beneath the root, case and composition included; a name
that only looks the same is named in the refusal and never taken instead.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from desktop.harness.adapters.sandbox.descent import ClosedError, Descent, Way, best_way, is_within
from desktop.harness.adapters.sandbox.links import final_parts
from desktop.harness.adapters.sandbox.place import Place, identity_of, is_link
from desktop.harness.adapters.sandbox.refusals import (
    moved_on,
    not_a_folder,
    not_found,
    not_regular,
    refusal_of,
)
from desktop.harness.adapters.sandbox.temporary import is_temporary
from desktop.harness.adapters.sandbox.writing import Writer
from desktop.harness.core.errors import Refusal, ToolError, UsageError
from desktop.harness.core.names import Name, outside, parse_name, shown
from desktop.harness.core.protected import folded
from desktop.harness.core.toolspec import Change
from desktop.harness.core.visible import for_name
from desktop.harness.ports import Entry, FileInfo, FileKind

MAX_READ_BYTES = 256_000_000
_TRIES = 16
_CHUNK_BYTES = 1 << 20
_WINDOWS = sys.platform == "win32"
_T = TypeVar("_T")


class HeldFolder:
    """A workspace (see `ports.Workspace`). Safe to use from several threads.

    `closed` is Paddock's own folder, outside for every tool even when it lies in this one.
    Raises UsageError when the path is no folder that can be opened.
    """

    def __init__(self, path: str, *, closed: Path | None = None, way: Way | None = None) -> None:
        asked = Path(path).absolute()
        try:
            real = asked.resolve(strict=True)
            if not real.is_dir():
                raise UsageError(f"{for_name(path)} is a file; open a folder.")
            if closed is not None and is_within(str(real), closed):
                raise UsageError("Paddock keeps its own records in this folder; open another one.")
            with os.scandir(real):
                pass
            self._descent = Descent(str(real), way=way or best_way(), closed=closed)
        except OSError as error:
            raise UsageError(_why_not_opened(error, path)) from error
        self._root = str(real)
        self._starts = [_components(str(real)), _components(str(asked))]
        self._writer = Writer(self._descent)

    @property
    def root(self) -> str:
        """The real path, for showing and for a command's working folder."""
        return self._root

    def identity(self) -> tuple[int, int]:
        """Device and inode of the held folder."""
        return self._descent.identity

    def check_root(self) -> None:
        """Raises ToolError(ROOT_CHANGED) when the folder is gone or another one stands at its path."""
        try:
            status = os.lstat(self._root)
        except OSError:
            status = None
        if status is None or identity_of(status) != self._descent.identity:
            raise ToolError(
                Refusal.ROOT_CHANGED,
                "The opened folder is gone or was replaced; ask the person to open it again.",
            )

    def resolve(self, path: str) -> str:
        """The final relative path, links inside followed; it need not exist."""
        self.check_root()
        return "/".join(self._final(path)) or "."

    def info(self, path: str) -> FileInfo | None:
        """What stands there, links inside followed; None when nothing does."""
        self.check_root()
        try:
            return self._act(path, lambda place, name, parts: _info(parts, place.stat(name)))
        except ToolError as error:
            if error.code is Refusal.NOT_FOUND:
                return None
            raise

    def read(self, path: str, *, limit_bytes: int | None = None, offset: int = 0) -> bytes:
        """Bytes of a regular file. Never blocks on a pipe, device or socket.

        Raises ToolError: TOO_BIG without a limit above 256 MB, NOT_REGULAR, ...
        """
        self.check_root()
        return self._act(path, lambda place, name, parts: _read(place, name, path, limit_bytes, offset))

    def entries(self, path: str) -> list[Entry]:
        """The names in a folder, sorted. Bytes that are no UTF-8 come as lone surrogates."""
        self.check_root()
        return self._act(path, lambda place, name, parts: self._entries(place, name, path, parts))

    def apply(self, change: Change) -> None:
        """Carry out one change if the path still has `change.before`; atomic and synced."""
        self.check_root()
        self._writer.apply(change)

    def clean_strays(self, path: str) -> int:
        """Remove temporary files that died writers left in a folder; how many."""
        self.check_root()
        return self._writer.sweep(path)

    def close(self) -> None:
        """Let the folder go."""
        self._descent.close()

    def _final(self, path: str) -> tuple[str, ...]:
        name = parse_name(path, windows=_WINDOWS)
        parts = final_parts(self._descent, self._beneath(name, path), path, self._inside)
        if any("\ud800" <= char <= "\udfff" for char in "".join(parts)):
            raise ToolError(Refusal.BAD_NAME, f"{shown(path)} leads to a name that is no text.")
        if name.is_folder and parts:
            self._demand_folder(parts, path)
        return parts

    def _beneath(self, name: Name, path: str) -> tuple[str, ...]:
        if not name.drive:
            return name.parts
        words = [name.drive.rstrip("/"), *name.parts]
        for start in self._starts:
            if _same_words(words[: len(start)], start):
                return tuple(words[len(start) :])
        raise outside(path)

    def _inside(self, target: str) -> list[str] | None:
        words = _components(target)
        for start in self._starts:
            if _same_words(words[: len(start)], start):
                return words[len(start) :]
        return None

    def _demand_folder(self, parts: tuple[str, ...], path: str) -> None:
        try:
            self._descent.down(parts).close()
        except FileNotFoundError:
            return
        except NotADirectoryError:
            raise not_a_folder(path) from None
        except OSError as error:
            raise refusal_of(error, path) from error

    def _act(self, path: str, act: Callable[[Place, str, tuple[str, ...]], _T]) -> _T:
        """Do something to the final name; again when a link was swapped in on the way."""
        for _ in range(_TRIES):
            parts = self._final(path)
            try:
                with self._descent.down(parts[:-1]) as place:
                    return act(place, parts[-1] if parts else ".", parts)
            except ClosedError as error:
                raise outside(path) from error
            except FileNotFoundError as error:
                raise self._missing(path, parts) from error
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise refusal_of(error, path) from error
        raise moved_on(path)

    def _missing(self, path: str, parts: tuple[str, ...]) -> ToolError:
        """Nothing is there; a name that only looks like the one that is missing is told."""
        for depth, part in enumerate(parts):
            try:
                with self._descent.down(parts[:depth]) as place:
                    names = [name for name, _ in place.listed()]
            except (OSError, ClosedError):
                break
            if part not in names:
                return not_found(path, _twin_of(part, names))
        return not_found(path)

    def _entries(self, place: Place, name: str, path: str, parts: tuple[str, ...]) -> list[Entry]:
        status = place.stat(name)
        if not stat.S_ISDIR(status.st_mode) and not is_link(status):
            raise not_a_folder(path)
        with self._descent.down(parts) as folder:
            found = folder.listed()
        prefix = "".join(f"{part}/" for part in parts)
        listed = [_entry(prefix, name, status) for name, status in found if self._is_listed(name, status)]
        return sorted(listed, key=lambda entry: entry.path)

    def _is_listed(self, name: str, status: os.stat_result) -> bool:
        try:
            self._descent.refuse_closed(status)
        except ClosedError:
            return False
        return not is_temporary(name)


def _twin_of(part: str, names: list[str]) -> str:
    twin = next((name for name in names if folded(name) == folded(part)), None)
    if twin is None:
        return ""
    return f"{shown(twin)} is there, spelled differently ({len(twin)} characters, not {len(part)})."


def _why_not_opened(error: OSError, path: str) -> str:
    name = for_name(path)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return f"There is no folder {name}."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"The folder {name} can't be opened: the system does not permit it."
    return f"The folder {name} can't be opened: {error.strerror}."


def _components(path: str) -> list[str]:
    if _WINDOWS:
        path = path.removeprefix("\\\\?\\").replace("\\", "/")  # the form in which junctions are read
    return path.rstrip("/").split("/")


def _same_words(words: list[str], start: list[str]) -> bool:
    if _WINDOWS:
        return [word.casefold() for word in words] == [word.casefold() for word in start]
    return words == start


def _kind(status: os.stat_result) -> FileKind:
    if is_link(status):
        return FileKind.LINK
    if stat.S_ISREG(status.st_mode):
        return FileKind.FILE
    return FileKind.FOLDER if stat.S_ISDIR(status.st_mode) else FileKind.OTHER


def _entry(prefix: str, name: str, status: os.stat_result) -> Entry:
    kind = _kind(status)
    return Entry(path=prefix + name, kind=kind, size_bytes=status.st_size if kind is FileKind.FILE else 0)


def _info(parts: tuple[str, ...], status: os.stat_result) -> FileInfo:
    if is_link(status):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return FileInfo(
        path="/".join(parts) or ".",
        kind=_kind(status),
        size_bytes=status.st_size,
        mode=stat.S_IMODE(status.st_mode),
        modified_ms=status.st_mtime_ns // 1_000_000,
        links=status.st_nlink,
    )


def _read(place: Place, name: str, path: str, limit_bytes: int | None, offset: int) -> bytes:
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
