"""One line of a diff as laid-out pieces: word marks, code colours, boxes, selection.

Plain text only; nothing in a file can become a picture or a link. A piece that comes out wider
than its place (a font with odd letters) is drawn narrower, never cut off.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QTextCharFormat, QTextLayout, QTextOption

from desktop.face import theme
from desktop.face.diff import Span, body, ending, word_marks
from desktop.face.diff_rows import ComparedFile, Row
from desktop.face.shown import shown, wrapped
from desktop.face.syntax import coloured

_LONGEST_COLOURED = 500
"""Characters of a line beyond which it stays plain; the lexer then never works for over a millisecond."""
_ENDINGS = {"\r\n": "⟦CRLF⟧", "\n": "⟦LF⟧", "\r": "⟦CR⟧", "": "⟦no line end⟧"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A line as drawn: its text, its pieces by columns, and what stands out."""

    text: str
    pieces: tuple[Span, ...]
    marks: tuple[Span, ...] = ()
    boxes: tuple[Span, ...] = ()
    language: str = ""
    is_added: bool = False


def drawn(file: ComparedFile, row: Row, *, after: bool, columns: int, is_soft: bool, language: str) -> Drawn:
    """What one side of a line row draws. The side must have a line there."""
    index = row.after if after else row.before
    line = (file.comparison.after if after else file.comparison.before)[index or 0]
    other = _other(file, row, after=after)
    look = shown(body(line))
    text, boxes = look.text, look.boxes
    pieces = wrapped(text, columns, is_soft=is_soft)
    if row.changed and _shows_ending(line, other, file, index or 0, after=after):
        label = _ENDINGS[ending(line)]
        boxes = (*boxes, (len(text) + 1, len(text) + 1 + len(label)))
        text = f"{text} {label}"
        pieces = (*pieces[:-1], (pieces[-1][0], len(text)))
    marks: tuple[Span, ...] = ()
    if row.changed and other is not None:
        found = word_marks(body(other), body(line))[1] if after else word_marks(body(line), body(other))[0]
        marks = tuple((look.place(start), look.place(stop)) for start, stop in found)
    return Drawn(
        text=text,
        pieces=pieces,
        marks=marks,
        boxes=boxes,
        language=language if len(text) <= _LONGEST_COLOURED else "",
        is_added=after,
    )


def _other(file: ComparedFile, row: Row, *, after: bool) -> str | None:
    """The line that word marks compare with."""
    if row.before is not None and row.after is not None:
        return file.comparison.before[row.before] if after else file.comparison.after[row.after]
    if row.partner is None:
        return None
    return file.comparison.before[row.partner] if after else file.comparison.after[row.partner]


def _shows_ending(line: str, other: str | None, file: ComparedFile, index: int, *, after: bool) -> bool:
    """Line ends are spelled out where they differ from the partner's, or where the last one is missing."""
    if other is not None and ending(other) != ending(line):
        return True
    lines = file.comparison.after if after else file.comparison.before
    return not ending(line) and index == len(lines) - 1 and other is None and not file.is_one_sided


@lru_cache(maxsize=4096)
def _colours(text: str, language: str) -> tuple[tuple[int, int, str], ...]:
    spans: list[tuple[int, int, str]] = []
    at = 0
    for piece, role in coloured(text, language):
        if role:
            spans.append((at, at + len(piece), role))
        at += len(piece)
    return tuple(spans)


def piece_layout(
    line: Drawn, piece: int, font: QFont, *, chosen: Span | None = None, is_coloured: bool = True
) -> QTextLayout:
    """The layout of one piece of a line."""
    start, stop = line.pieces[piece]
    layout = QTextLayout(line.text[start:stop], font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    option.setTextDirection(Qt.LayoutDirection.LeftToRight)
    layout.setTextOption(option)
    layout.setFormats(list(_clipped(_formats(line, chosen, is_coloured=is_coloured), start, stop)))
    layout.beginLayout()
    layout.createLine().setLineWidth(1e6)
    layout.endLayout()
    return layout


def _formats(
    line: Drawn, selected: Span | None, *, is_coloured: bool
) -> Iterator[tuple[int, int, QTextCharFormat]]:
    colours = theme.current()
    for start, stop, role in _colours(line.text, line.language) if is_coloured and line.language else ():
        ink = QTextCharFormat()
        ink.setForeground(QColor(getattr(colours, role)))
        yield start, stop, ink
    mark = QTextCharFormat()
    mark.setBackground(QColor(colours.diff_added_word if line.is_added else colours.diff_removed_word))
    for start, stop in line.marks:
        yield start, stop, mark
    box = QTextCharFormat()
    box.setForeground(QColor(colours.text))
    box.setBackground(QColor(colours.hover))
    for start, stop in line.boxes:
        yield start, stop, box
    if selected is not None:
        chosen = QTextCharFormat()
        chosen.setForeground(QColor(colours.text))
        chosen.setBackground(QColor(colours.selection))
        yield *selected, chosen


def _clipped(
    formats: Iterator[tuple[int, int, QTextCharFormat]], start: int, stop: int
) -> Iterator[QTextLayout.FormatRange]:
    for first, last, look in formats:
        if first < stop and last > start:
            part = QTextLayout.FormatRange()
            part.start = max(first, start) - start
            part.length = min(last, stop) - max(first, start)
            part.format = look
            yield part


def paint(painter: QPainter, layout: QTextLayout, place: QRectF, ink: str) -> None:
    """Draw one piece into its place, narrower if it is too wide."""
    width = layout.lineAt(0).naturalTextWidth()
    painter.setPen(QPen(QColor(ink)))
    if width <= place.width():
        layout.draw(painter, place.topLeft())
        return
    painter.save()
    painter.translate(place.topLeft())
    painter.scale(place.width() / width, 1.0)
    layout.draw(painter, QPointF(0, 0))
    painter.restore()
