"""Which files of a folder are nobody's work: caches, dependencies, build results.

A short list of folder names is built in; the folder's own `.gitignore` adds to it. That file
is data from a stranger: it can only make searching and watching skip more, never allow
anything, and patterns that could take a regular expression very long are dropped.
A `.gitignore` in a deeper folder is not read.

The rules can be asked (`covers`) or handed on as plain data (`as_data`) to whoever
shares no code with this module.
"""

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

BUILT_IN_FOLDERS = frozenset(
    ".git .hg .svn .bzr node_modules bower_components __pycache__ .venv venv .tox .nox .mypy_cache "
    ".pytest_cache .ruff_cache .hypothesis .eggs .cache .gradle .idea .next .nuxt .parcel-cache "
    ".svelte-kit .terraform .turbo .yarn DerivedData Pods .dart_tool .ipynb_checkpoints $RECYCLE.BIN "
    ".Trash .Spotlight-V100".split()
)
"""Folders of these names are left out at any depth."""
_BUILT_IN_FILES = ("*~", ".*.sw[a-p]", ".#*", ".~lock.*#", "4913", ".DS_Store", "Thumbs.db")
_MAX_FILE_BYTES = 256_000
_MAX_PATTERNS = 2_000
_MAX_PATTERN = 200
_MAX_STARS_IN_SEGMENT = 3
_MAX_DOUBLE_STARS = 3


class IgnoreRules:
    """The rules of one folder. May be asked from any thread; reads `.gitignore` again when it has changed."""

    def __init__(self, root: str) -> None:
        self._file = Path(root) / ".gitignore"
        self._stamp: tuple[int, int] | None = (-1, -1)
        self._patterns: tuple[tuple[re.Pattern[str], bool], ...] = ()

    def covers(self, path: str, is_folder: bool) -> bool:
        """Whether a relative path (with `/`) is left out, by itself or with a folder above it."""
        *folders, name = path.split("/")
        if BUILT_IN_FOLDERS.intersection(folders) or (is_folder and name in BUILT_IN_FOLDERS):
            return True
        asked = path + "/" if is_folder else path
        for pattern, ignores in reversed(self._current()):
            if pattern.match(asked):
                return ignores
        return False

    def as_data(self) -> dict[str, Any]:
        """The rules as `{"names": [folder name], "patterns": [[regular expression, whether it ignores]]}`.

        The last pattern that matches decides; folders are matched with a `/` at their end.
        """
        patterns = [[pattern.pattern, ignores] for pattern, ignores in self._current()]
        return {"names": sorted(BUILT_IN_FOLDERS), "patterns": patterns}

    def _current(self) -> tuple[tuple[re.Pattern[str], bool], ...]:
        stamp = self._stamp_of_file()
        if stamp != self._stamp:
            self._patterns = _compiled([*_BUILT_IN_FILES, *_harmless(_text_of(self._file).splitlines())])
            self._stamp = stamp
        return self._patterns

    def _stamp_of_file(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat(follow_symlinks=False)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


def _compiled(lines: Iterable[str]) -> tuple[tuple[re.Pattern[str], bool], ...]:
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(lines)
    return tuple(
        (pattern.regex, bool(pattern.include))
        for pattern in spec.patterns
        if pattern.include is not None and pattern.regex is not None
    )


def _harmless(lines: list[str]) -> Iterable[str]:
    """Lines whose expression can't take long: few stars that could share a text in many ways."""
    for line in lines[:_MAX_PATTERNS]:
        segments = line.split("/")
        stars = max(segment.count("*") for segment in segments)
        doubles = sum("**" in segment for segment in segments)
        if len(line) <= _MAX_PATTERN and stars <= _MAX_STARS_IN_SEGMENT and doubles <= _MAX_DOUBLE_STARS:
            yield line


def _text_of(path: Path) -> str:
    """The text of a regular file; empty for anything else."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        fd = os.open(path, flags)
    except OSError:
        return ""
    try:
        is_regular = stat.S_ISREG(os.fstat(fd).st_mode)
        return os.read(fd, _MAX_FILE_BYTES).decode("utf-8", "replace") if is_regular else ""
    except OSError:
        return ""
    finally:
        os.close(fd)
