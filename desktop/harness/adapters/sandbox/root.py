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
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from desktop.harness.adapters.sandbox.descent import ClosedError, Descent, Way, best_way, is_within
from desktop.harness.adapters.sandbox.paths import Paths
from desktop.harness.adapters.sandbox.place import Place, identity_of, is_link
from desktop.harness.adapters.sandbox.reading import entry_of, info_of, read_at
from desktop.harness.adapters.sandbox.refusals import moved_on, not_a_folder, not_found, refusal_of
from desktop.harness.adapters.sandbox.temporary import is_temporary
from desktop.harness.adapters.sandbox.writing import Writer
from desktop.harness.core.errors import Refusal, ToolError, UsageError
from desktop.harness.core.names import outside, shown
from desktop.harness.core.protected import folded
from desktop.harness.core.toolspec import Change
from desktop.harness.core.visible import for_name
from desktop.harness.ports import Entry, FileInfo

_TRIES = 16
_T = TypeVar("_T")


class HeldFolder:
    """A workspace (see `ports.Workspace`). Safe to use from several threads.

    `closed` is Paddock's own folder, outside for every tool even when it lies in this one.
    Raises UsageError when the path is no folder that can be opened.
    """

    def __init__(self, path: str, *, closed: Path | None = None, way: Way | None = None) -> None:
        if not path.strip():
            raise UsageError("Name the folder to open.")
        asked = Path(path).absolute()
        try:
            real = Path(os.path.realpath(asked, strict=True))
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
        self._paths = Paths(self._descent, str(real), str(asked))
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
        return "/".join(self._paths.final(path)) or "."

    def info(self, path: str) -> FileInfo | None:
        """What stands there, links inside followed; None when nothing does."""
        self.check_root()
        try:
            return self._act(path, lambda place, name, parts: info_of(parts, place.stat(name)))
        except ToolError as error:
            if error.code is Refusal.NOT_FOUND:
                return None
            raise

    def read(self, path: str, *, limit_bytes: int | None = None, offset: int = 0) -> bytes:
        """Bytes of a regular file. Never blocks on a pipe, device or socket.

        Raises ToolError: TOO_BIG without a limit above 256 MB, NOT_REGULAR, ...
        """
        self.check_root()
        return self._act(path, lambda place, name, parts: read_at(place, name, path, limit_bytes, offset))

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

    def _act(self, path: str, act: Callable[[Place, str, tuple[str, ...]], _T]) -> _T:
        """Do something to the final name; again when a link was swapped in on the way."""
        for _ in range(_TRIES):
            parts = self._paths.final(path)
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
        listed = [entry_of(prefix, name, status) for name, status in found if self._is_listed(name, status)]
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
