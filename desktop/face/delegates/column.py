"""Where things stand in the reading column: one set of distances for layout, painting and hit tests."""

from dataclasses import dataclass

from PySide6.QtGui import QFontMetricsF

from desktop.face import theme

WIDEST_EM = 50.0
"""Widest column in em of the text font: some 95 letters, the upper end of what reads well."""
MARGIN_PX = theme.Space.XL
"""Smallest space on both sides; the scroll bar lies within it."""
CARD_PADDING_PX = theme.Space.M
GAP_PX = {"user": 24, "assistant": 8, "tool": 0, "notice": 12}
"""Space above a row of each kind. Plain words, because the first paint needs this module and no harness."""
BOTTOM_PX = theme.Space.XS


@dataclass(frozen=True, slots=True)
class Column:
    """The column within a view: both in pixels."""

    left: int
    width: int


def column_in(view_width: int) -> Column:
    """The centred reading column of a view of this width."""
    em = QFontMetricsF(theme.font()).height() * 0.86
    width = max(120, min(view_width - 2 * MARGIN_PX, round(em * WIDEST_EM)))
    return Column(max(MARGIN_PX, (view_width - width) // 2), width)
