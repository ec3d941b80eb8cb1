"""How high each row of a diff view is, and where it begins: arithmetic only.

Most rows are one line high, so only those that are not are kept; a file of 50,000 lines costs
as much as its long lines do.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.face.diff import body
from desktop.face.diff_rows import DiffRows, Row, RowSort
from desktop.face.shown import shown, wrapped


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Heights in pixels, widths in columns: of one side, and of the whole width.

    `is_soft`: long lines are cut after blanks, else just where they are full (for very many of them).
    """

    line_px: int
    heading_px: int
    fold_px: int
    side_columns: int
    whole_columns: int
    is_soft: bool = True


class Heights:
    """Where each row begins, from the rows that are not exactly one line high."""

    def __init__(self, rows: DiffRows, metrics: Metrics) -> None:
        self._line_px = metrics.line_px
        self._count = len(rows)
        self._indices: list[int] = []
        self._extra_px: list[int] = [0]
        for index, row in rows.high(side_columns=metrics.side_columns, whole_columns=metrics.whole_columns):
            extra = height_px(rows, row, metrics) - metrics.line_px
            if extra:
                self._indices.append(index)
                self._extra_px.append(self._extra_px[-1] + extra)

    @property
    def total_px(self) -> int:
        """The height of everything."""
        return self.top_px(self._count)

    def top_px(self, index: int) -> int:
        """Where a row begins."""
        return index * self._line_px + self._extra_px[bisect_left(self._indices, index)]

    def row_at(self, y_px: int) -> int:
        """The row at a height; the last one below the end, the first one above the start."""
        low, high = 0, max(self._count - 1, 0)
        while low < high:
            middle = (low + high + 1) // 2
            if self.top_px(middle) <= y_px:
                low = middle
            else:
                high = middle - 1
        return low


def height_px(rows: DiffRows, row: Row, metrics: Metrics) -> int:
    """The height of one row."""
    if row.sort is RowSort.HEADING:
        return metrics.heading_px
    if row.sort is RowSort.FOLD:
        return metrics.fold_px
    if row.sort is RowSort.NOTE:
        return metrics.line_px * len(wrapped(shown(row.text).text, metrics.whole_columns)) + 8
    file, limit = rows.files[row.file], columns_of(rows, row, metrics)
    before = _lines(row.before, file.wide_before, file.comparison.before, limit, metrics)
    after = _lines(row.after, file.wide_after, file.comparison.after, limit, metrics)
    return metrics.line_px * max(before, after)


def columns_of(rows: DiffRows, row: Row, metrics: Metrics) -> int:
    """How many columns the text of a line row has."""
    return metrics.whole_columns if rows.is_inline(row) else metrics.side_columns


def _lines(
    index: int | None, wide: dict[int, int], lines: Sequence[str], limit: int, metrics: Metrics
) -> int:
    width = wide.get(index, 0) if index is not None else 0
    if index is None or width <= limit:
        return 1
    line = body(lines[index])
    if not metrics.is_soft and line.isascii() and line.isprintable():
        return -(-width // limit)
    return len(wrapped(shown(line).text, limit, is_soft=metrics.is_soft))
