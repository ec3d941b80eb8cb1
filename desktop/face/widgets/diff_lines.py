"""The laid-out lines of a diff, kept while they may be needed again, and coloured within a budget.

A frame never waits for colours: what the budget does not reach is drawn plain, is not kept, and gets its
colours in the next frame.
"""

import time

from PySide6.QtGui import QTextLayout

from desktop.face import theme
from desktop.face.diff import Span
from desktop.face.diff_heights import Metrics, columns_of
from desktop.face.diff_rows import DiffRows, Row
from desktop.face.widgets.diff_text import Drawn, drawn, piece_layout

_KEPT = 2_000
_COLOUR_BUDGET_S = 0.003

Key = tuple[int, bool, int]
"""A row, whether it is its after side, and a piece of that line."""


class DiffLines:
    """Lines and layouts by row. `is_plain` tells that this frame left some without colours."""

    def __init__(self) -> None:
        self._rows = DiffRows((), side=True)
        self._metrics: Metrics | None = None
        self._lines: dict[tuple[int, bool], Drawn] = {}
        self._layouts: dict[Key, QTextLayout] = {}
        self._colour_until_s = 0.0
        self.is_plain = False

    def use(self, rows: DiffRows, metrics: Metrics) -> None:
        """Rows, widths, fonts or colours are others now."""
        self._rows, self._metrics = rows, metrics
        self._lines.clear()
        self._layouts.clear()

    def begin_frame(self) -> None:
        """Start the budget of a frame."""
        self._colour_until_s = time.perf_counter() + _COLOUR_BUDGET_S
        self.is_plain = False

    def drawn(self, index: int, row: Row, *, after: bool) -> Drawn:
        """What one side of a row draws. Raises LookupError before `use`."""
        if self._metrics is None:
            raise LookupError("no rows are in use")
        key = (index, after)
        if key not in self._lines:
            if len(self._lines) > _KEPT:
                self._lines.clear()
            file = self._rows.files[row.file]
            self._lines[key] = drawn(
                file,
                row,
                after=after,
                columns=columns_of(self._rows, row, self._metrics),
                is_soft=self._metrics.is_soft,
                language=file.language,
            )
        return self._lines[key]

    def layout(self, key: Key, look: Drawn, chosen: Span | None) -> QTextLayout:
        """The layout of one piece; text that is chosen is laid out anew each time."""
        if chosen is None and key in self._layouts:
            return self._layouts[key]
        may_colour = not look.language or time.perf_counter() < self._colour_until_s
        made = piece_layout(look, key[2], theme.code_font(), chosen=chosen, is_coloured=may_colour)
        self.is_plain |= not may_colour
        if may_colour and chosen is None:
            if len(self._layouts) > _KEPT:
                self._layouts.clear()
            self._layouts[key] = made
        return made
