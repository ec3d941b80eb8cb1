"""The job that looks for a regular expression in all text files of a folder.

It counts everything but carries only what a reader can use: a bounded number of
matches, of each line a piece around the match. The pieces are cut wider than they
will be shown, so that whoever hides secrets in them sees each one whole before
the edges go.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

from desktop.harness.adapters.worker.tree import Ignored, Walk, open_root
from desktop.harness.core.errors import Refusal, ToolError

MAX_FILE_BYTES = 50_000_000
MAX_PATTERN = 2_000
SHOWN_CHARACTERS = 400
MARGIN = 256
_PROBE_BYTES = 8192
_LINES_BETWEEN_LOOKS = 2048
_WIDE_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Search:
    """One search: the pattern, how much it may carry, and what it has found."""

    def __init__(self, pattern: str, *, max_matches: int, until: float) -> None:
        self._find = _compiled(pattern).search
        self._literal = pattern if re.escape(pattern) == pattern else ""
        self._max_matches = max_matches
        self._until = until
        self.matches: list[dict[str, Any]] = []
        self.total = 0
        self.files = 0
        self.matching_files = 0
        self.complete = True

    def run(self, walk: Walk, start: str) -> None:
        """Search file by file until done or out of time."""
        for path, file in walk.files(start):
            if time.monotonic() > self._until:
                self.complete = False
            if not self.complete:
                return
            text = _text_of(file, walk)
            if text is None:
                continue
            self.files += 1
            if not self._literal or self._literal in text:
                self._search(path, text)

    def _search(self, path: str, text: str) -> None:
        before = self.total
        for number, line in enumerate(_lines(text), 1):
            if number % _LINES_BETWEEN_LOOKS == 0 and time.monotonic() > self._until:
                self.complete = False
                break
            if match := self._find(line):
                self.total += 1
                if len(self.matches) < self._max_matches:
                    self.matches.append({"path": path, "line": number, **piece_of(line, *match.span())})
        self.matching_files += self.total > before


def search(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Search a folder.

    Arguments: `root` (real path), `device`, `inode`, `path` (relative, resolved), `pattern`, `ignored` (see
    `tree.Ignored`), `max_matches`, `budget_s` (then it returns what it has). Raises ToolError (BAD_PATTERN,
    NOT_FOUND, ROOT_CHANGED).
    """
    until = time.monotonic() + arguments["budget_s"]
    job = Search(arguments["pattern"], max_matches=arguments["max_matches"], until=until)
    root = open_root(arguments["root"], arguments["device"], arguments["inode"])
    walk = Walk(root, Ignored(arguments["ignored"]))
    try:
        job.run(walk, arguments["path"])
    except FileNotFoundError as error:
        raise ToolError(Refusal.NOT_FOUND, "There is no such file or folder.") from error
    finally:
        os.close(root)
    return {
        "matches": job.matches,
        "total": job.total,
        "files": job.files,
        "matching_files": job.matching_files,
        "skipped": walk.skipped,
        "complete": job.complete,
    }


def piece_of(line: str, start: int, end: int) -> dict[str, Any]:
    """The part of a line around a match.

    `text` holds the part to show with up to `MARGIN` more characters on either side; `left` and `right` say
    how many of them to cut off, `before` and `after` whether the line goes on beyond the part to show.
    """
    length = min(end - start, SHOWN_CHARACTERS)
    first = max(0, min(start - (SHOWN_CHARACTERS - length) // 2, len(line) - SHOWN_CHARACTERS))
    last = min(len(line), first + SHOWN_CHARACTERS)
    outer_first, outer_last = max(0, first - MARGIN), min(len(line), last + MARGIN)
    return {
        "text": line[outer_first:outer_last],
        "left": first - outer_first,
        "right": outer_last - last,
        "before": first > 0,
        "after": last < len(line),
    }


def _compiled(pattern: str) -> "re.Pattern[str]":
    if len(pattern) > MAX_PATTERN:
        raise ToolError(Refusal.BAD_PATTERN, f"The pattern is longer than {MAX_PATTERN} characters.")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ToolError(Refusal.BAD_PATTERN, f"The pattern is no regular expression: {error}.") from error


def _lines(text: str) -> Iterator[str]:
    """The lines without their ends, made one at a time: a list of all could be many times the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : end - 1] if text.startswith("\r", max(end - 1, start)) else text[start:end]
        start = end + 1
    if start < len(text):
        yield text[start:]


def _text_of(file: int, walk: Walk) -> str | None:
    """The text of an open file; None (and counted) when it is binary, too big or can't be read."""
    try:
        size = os.fstat(file).st_size
        if size > MAX_FILE_BYTES:
            walk.skip("over 50 MB")
            return None
        head = os.read(file, _PROBE_BYTES)
        wide = _WIDE_MARKS.get(head[:2])
        if wide is None and b"\0" in head:
            walk.skip("binary")
            return None
        data = head + _rest_of(file, MAX_FILE_BYTES)
    except OSError:
        walk.skip("unreadable")
        return None
    if wide:
        return data[2:].decode(wide, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _rest_of(file: int, limit: int) -> bytes:
    chunks = []
    while limit > 0 and (chunk := os.read(file, min(limit, 1 << 20))):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)
