"""Colours laid over the lines of a code block.

They are formats of the layout, not of the text: Qt paints them without keeping
thousands of pieces, and the document stays the plain code.
"""

from collections.abc import Iterable

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextLayout

from desktop.face import theme


def paint_code(block: QTextBlock, pieces: Iterable[tuple[str, str]]) -> None:
    """Colour the lines from `block` on; `pieces` are (text, role) and joined they are the code."""
    inks: dict[str, QTextCharFormat] = {}
    ranges: list[QTextLayout.FormatRange] = []
    offset = 0
    for text, role in pieces:
        for number, part in enumerate(text.split("\n")):
            if number:
                block.layout().setFormats(ranges)
                block, ranges, offset = block.next(), [], 0
            length = _length(part)
            if role and length:
                ranges.append(_range(offset, length, inks.setdefault(role, _ink(role))))
            offset += length
    block.layout().setFormats(ranges)


def _length(text: str) -> int:
    """Length as Qt counts: in 16-bit units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _ink(role: str) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setForeground(QColor(getattr(theme.current(), role)))
    return form


def _range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start = start
    made.length = length
    made.format = form
    return made
