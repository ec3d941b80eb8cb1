"""A line of text as it is drawn: tabs as spaces, hidden characters as small labels, cut to columns.

Width is counted in columns of a fixed-pitch font; wide characters count two. What cannot
be seen is spelled out by the harness's one list (`show_safe`), and its place is told so
that the painter can put a box around it. Nothing is left out: each drawn character knows
which character of the line it came from.
"""

import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from desktop.face.diff import Span
from desktop.harness.api import show_safe

TAB = 4
_PLAIN = re.compile(r"[\x20-\x7e]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """`text` as drawn, `boxes` around labels of hidden characters.

    `origins` has one entry more than `text`: the place in the line that each drawn character
    stands for, None when they are the same.
    """

    text: str
    boxes: tuple[Span, ...] = ()
    origins: tuple[int, ...] | None = None

    def origin(self, place: int) -> int:
        """The place in the line behind a place in the drawn text."""
        return place if self.origins is None else self.origins[place]

    def place(self, origin: int) -> int:
        """The first drawn place of a character of the line."""
        if self.origins is None:
            return min(origin, len(self.text))
        return bisect_left(self.origins, min(origin, self.origins[-1]))


@lru_cache(maxsize=2048)
def shown(line: str) -> Shown:
    """How a line (without its ending) is drawn."""
    if _PLAIN.match(line) or ("\t" not in line and show_safe(line) == line):
        return Shown(text=line)
    parts: list[str] = []
    origins: list[int] = []
    boxes: list[Span] = []
    column = 0
    for index, char in enumerate(line):
        piece = " " * (TAB - column % TAB) if char == "\t" else show_safe(char)
        if len(piece) > 1 and char != "\t":
            boxes.append((len(origins), len(origins) + len(piece)))
        parts.append(piece)
        origins.extend([index] * len(piece))
        column += columns(piece)
    return Shown(text="".join(parts), boxes=tuple(boxes), origins=(*origins, len(line)))


def columns(text: str) -> int:
    """How many columns a drawn text takes."""
    return len(text) if text.isascii() else sum(_width(char) for char in text)


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def line_columns(line: str) -> int:
    """How many columns a line takes when drawn."""
    return len(line) if _PLAIN.match(line) else columns(shown(line).text)


@lru_cache(maxsize=4096)
def wrapped(text: str, limit: int, *, is_soft: bool = True) -> tuple[Span, ...]:
    """The pieces of a drawn text that fit into `limit` columns each, cut after blanks if `is_soft`."""
    if len(text) <= limit and columns(text) <= limit:
        return ((0, len(text)),)
    pieces: list[Span] = []
    start = 0
    while start < len(text):
        stop = _fitting(text, start, limit)
        if is_soft and stop < len(text):
            blank = text.rfind(" ", start + limit // 2, stop)
            stop = blank + 1 if blank >= 0 else stop
        pieces.append((start, stop))
        start = stop
    return tuple(pieces)


def _fitting(text: str, start: int, limit: int) -> int:
    part = text[start : start + limit]
    if part.isascii():
        return start + len(part)
    used = 0
    for index in range(start, len(text)):
        used += _width(text[index])
        if used > limit:
            return max(index, start + 1)
    return len(text)
