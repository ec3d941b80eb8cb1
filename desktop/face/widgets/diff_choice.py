"""The text that a person chose in a diff: where it begins and ends, on which side, and what it says."""

from collections.abc import Iterator

from desktop.face.diff import Span, body
from desktop.face.diff_rows import DiffRows, Row, RowSort
from desktop.face.shown import shown

Place = tuple[int, int]
"""A row and a place in its drawn line."""

_END = 1 << 30


class Choice:
    """A range of drawn text; nothing is chosen while both ends are the same. `after` names the side."""

    def __init__(self) -> None:
        self.anchor: Place | None = None
        self.caret: Place | None = None
        self.after = True

    def begin(self, place: Place | None) -> None:
        """Start anew at a place."""
        self.anchor = self.caret = place

    def take_all(self, rows: int) -> None:
        """Choose everything of the side."""
        self.anchor, self.caret = (0, 0), (rows - 1, _END)

    def within(self, index: int, text: str, *, after: bool, is_inline: bool) -> Span | None:
        """Which part of the drawn text of a row is chosen."""
        ends = self._ends()
        if ends is None or not ends[0][0] <= index <= ends[1][0]:
            return None
        if not is_inline and after is not self.after:
            return None
        start = ends[0][1] if index == ends[0][0] else 0
        stop = min(ends[1][1], len(text)) if index == ends[1][0] else len(text)
        return (start, stop) if start < stop else None

    def lines(self, rows: DiffRows) -> Iterator[str]:
        """What is chosen, line by line, as it stands in the file."""
        ends = self._ends()
        for index in range(ends[0][0], ends[1][0] + 1) if ends is not None else ():
            row = rows.row(index)
            line = self._line(rows, row)
            if line is None or ends is None:
                continue
            look = shown(line)
            start = look.origin(min(ends[0][1], len(look.text))) if index == ends[0][0] else 0
            stop = look.origin(min(ends[1][1], len(look.text))) if index == ends[1][0] else len(line)
            yield line[start:stop]

    def _line(self, rows: DiffRows, row: Row) -> str | None:
        if row.sort is not RowSort.LINE:
            return None
        after = row.after is not None if rows.is_inline(row) else self.after
        number = row.after if after else row.before
        comparison = rows.files[row.file].comparison
        lines = comparison.after if after else comparison.before
        return None if number is None else body(lines[number])

    def _ends(self) -> tuple[Place, Place] | None:
        if self.anchor is None or self.caret is None or self.anchor == self.caret:
            return None
        return min(self.anchor, self.caret), max(self.anchor, self.caret)
