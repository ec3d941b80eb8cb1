"""Walking a folder beneath a held descriptor without ever following a link.

Each step opens one name relative to its folder and refuses links, so no swap of a
folder for a link while the walk goes on leads outside. Only regular files are
opened for reading, and never in a way that could block.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import Any

from desktop.harness.core.errors import Refusal, ToolError

MAX_DEPTH = 128
_FOLDER = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Ignored:
    """Which paths a walk leaves out: folder names, and patterns where the last that matches decides.

    The rules are data, `{"names": [name], "patterns": [[regular expression, whether it ignores]]}`;
    folders are matched with a `/` at their end.
    """

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self._names = frozenset(rules.get("names", ()))
        self._patterns = [(re.compile(text), bool(ignores)) for text, ignores in rules.get("patterns", ())]

    def covers(self, path: str, *, is_folder: bool) -> bool:
        """Whether a relative path is left out."""
        if is_folder and path.rpartition("/")[2] in self._names:
            return True
        asked = path + "/" if is_folder else path
        return next((ignores for pattern, ignores in reversed(self._patterns) if pattern.match(asked)), False)

    def covers_start(self, path: str) -> bool:
        """Whether the patterns leave out a folder that somebody asked for by name."""
        steps = path.split("/")
        return any(self.covers("/".join(steps[: n + 1]), is_folder=True) for n in range(len(steps)))


class Walk:
    """One walk; afterwards `skipped` says how many names were left out, by reason."""

    def __init__(self, root: int, ignored: Ignored) -> None:
        self._root = root
        self._ignored = ignored
        self.skipped: dict[str, int] = {}

    def files(self, start: str) -> Iterator[tuple[str, int]]:
        """Relative path and open descriptor of each regular file at or beneath `start`, in order of names.

        The descriptor is closed when the next file is asked for. Raises ToolError(NOT_FOUND).
        """
        steps = [step for step in start.split("/") if step not in {"", "."}]
        if "/".join(steps) and self._ignored.covers_start("/".join(steps)):
            self._ignored = Ignored({})
        with contextlib.ExitStack() as stack:
            folder = self._root
            for step in steps[:-1]:
                folder = _opened(step, folder, _FOLDER)
                stack.callback(os.close, folder)
            if not steps:
                yield from self._beneath(folder, "", 0)
                return
            kind = os.stat(steps[-1], dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISDIR(kind):
                inner = _opened(steps[-1], folder, _FOLDER)
                stack.callback(os.close, inner)
                yield from self._beneath(inner, "/".join(steps), 0)
            else:
                yield from self._file(steps[-1], folder, "/".join(steps))

    def skip(self, reason: str) -> None:
        """Count one name that was left out."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def _beneath(self, folder: int, prefix: str, depth: int) -> Iterator[tuple[str, int]]:
        with os.scandir(folder) as entries:
            names = sorted((entry.name, _kind(entry)) for entry in entries)
        for name, kind in names:
            path = f"{prefix}/{name}" if prefix else name
            if self._ignored.covers(path, is_folder=kind == "folder"):
                self.skip("ignored")
            elif kind == "file":
                yield from self._file(name, folder, path)
            elif kind == "folder" and depth < MAX_DEPTH:
                yield from self._folder(name, folder, path, depth)
            else:
                self.skip("too deep" if kind == "folder" else "links and special files")

    def _folder(self, name: str, parent: int, path: str, depth: int) -> Iterator[tuple[str, int]]:
        try:
            folder = os.open(name, _FOLDER, dir_fd=parent)
        except OSError:
            self.skip("unreadable")
            return
        try:
            yield from self._beneath(folder, path, depth + 1)
        finally:
            os.close(folder)

    def _file(self, name: str, folder: int, path: str) -> Iterator[tuple[str, int]]:
        try:
            file = os.open(name, _FILE, dir_fd=folder)
        except OSError:
            self.skip("unreadable")
            return
        try:
            if stat.S_ISREG(os.fstat(file).st_mode):
                yield path, file
            else:
                self.skip("links and special files")
        finally:
            os.close(file)


def open_root(path: str, device: int, inode: int) -> int:
    """A descriptor of the folder, if it is still the same one. Raises ToolError(ROOT_CHANGED)."""
    try:
        root = os.open(path, _FOLDER)
    except OSError as error:
        raise ToolError(Refusal.ROOT_CHANGED, "The folder is gone or can't be read.") from error
    found = os.fstat(root)
    if (found.st_dev, found.st_ino) != (device, inode):
        os.close(root)
        raise ToolError(Refusal.ROOT_CHANGED, "Another folder stands at the path of the opened one.")
    return root


def _opened(name: str, folder: int, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        raise ToolError(Refusal.NOT_FOUND, "There is no such file or folder.") from error


def _kind(entry: "os.DirEntry[str]") -> str:
    try:
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else "other"
    except OSError:
        return "other"
