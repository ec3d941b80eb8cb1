"""Three things to ask, made from what is really in a folder, so that each of them does something when tried.

A short look: some hundred names two folders deep, the beginning of a dozen files. Links and hidden files
are left alone, only plain words are taken over, and nothing fails. Call it away from the window's thread.
"""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_PROSE = (".md", ".txt", ".rst", ".tex", ".csv", ".html")
_CODE = (".py", ".js", ".ts", ".java", ".c", ".rs", ".go", ".sh", ".css", ".json", ".toml")
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "venv", "build", "dist", "target"})
_MOST_NAMES, _DEPTH = 400, 2
_MOST_FILES, _MOST_BYTES = 12, 16_384
_FIRST = ("start-here", "readme", "index", "notes")
"""Names that invite to be read first."""
_SPELLINGS = (
    ("colour", "color"),
    ("favourite", "favorite"),
    ("neighbour", "neighbor"),
    ("centre", "center"),
    ("grey", "gray"),
    ("organise", "organize"),
    ("programme", "program"),
    ("catalogue", "catalog"),
    ("color", "colour"),
    ("favorite", "favourite"),
    ("neighbor", "neighbour"),
    ("gray", "grey"),
)
_WORD = re.compile(r"\b[a-z]{4,14}\b")
_LIST = "List the files"


def examples_in(folder: str) -> list[str]:
    """Up to three requests that make sense in this folder; none for one that cannot be read."""
    root = Path(folder)
    try:
        names = list(_names(root))
    except OSError:
        return []
    texts = [name for name in names if name.endswith(_PROSE)] or [n for n in names if n.endswith(_CODE)]
    if not texts:
        return [_LIST]
    ending = Counter(Path(name).suffix for name in texts).most_common(1)[0][0]
    same = [name for name in texts if name.endswith(ending)]
    change = _change(root, same, ending)
    return [_LIST, f"Read {min(same, key=_invites)}", *([change] if change else [])]


def _names(root: Path) -> Iterator[str]:
    """Relative names of plain files, those near the top first."""
    folders, seen = [(root, 0)], 0
    while folders and seen < _MOST_NAMES:
        folder, depth = folders.pop(0)
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        for entry in listed[: _MOST_NAMES - seen]:
            seen += 1
            if entry.name.startswith(".") or entry.name in _LEFT_OUT or not entry.name.isprintable():
                continue
            if entry.is_dir(follow_symlinks=False) and depth < _DEPTH and os.access(entry.path, os.R_OK):
                folders.append((Path(entry.path), depth + 1))
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path).relative_to(root).as_posix()


def _invites(name: str) -> tuple[int, int, str]:
    """Near the top first, there what invites by its name."""
    stem = Path(name).stem.lower()
    return name.count("/"), _FIRST.index(stem) if stem in _FIRST else len(_FIRST), name


def _change(root: Path, names: list[str], ending: str) -> str:
    """A replacement of a word that is there, else a search for one; empty when there is no word."""
    text = " ".join(_beginning(root / name) for name in names[:_MOST_FILES])
    words = Counter(_WORD.findall(text))
    for old, new in _SPELLINGS:
        if old in words:
            return f"Replace “{old}” with “{new}” in all {ending} files"
    long = Counter({word: count for word, count in words.items() if len(word) > 5}).most_common(1)
    return f"Find “{long[0][0]}” in all {ending} files" if long else ""


def _beginning(path: Path) -> str:
    try:
        place = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    with os.fdopen(place, "rb") as file:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            return ""
        return file.read(_MOST_BYTES).decode("utf-8", "replace")
