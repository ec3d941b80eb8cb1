"""The strokes of one row: cards, the line of a step, text with its selection, the quiet caret.

Everything is drawn within the reading column whose left upper corner is the
origin. Status is a picture and a word, never a colour alone.
"""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFontMetricsF,
    QPainter,
    QPalette,
    QPen,
    QTextCharFormat,
    QTextCursor,
)

from desktop.face import icons, strings, theme
from desktop.face.block_writer import Mark
from desktop.face.delegates.row_layout import RowLayout
from desktop.harness.api import RowKind, for_name

STATUS_LOOK = {
    "running": ("running", "info"),
    "waiting": ("pause", "warning"),
    "allowed": ("pause", "info"),
    "ok": ("check", "ok"),
    "failed": ("cross", "danger"),
    "refused": ("minus-circle", "text_quiet"),
    "cancelled": ("minus-circle", "text_quiet"),
    "unresolved": ("question", "warning"),
    "damaged": ("warning", "danger"),
}
ICON_PX = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPaint:
    """How a row is painted now. `selected` is a range of positions in the row's document."""

    is_current: bool = False
    selected: tuple[int, int] | None = None
    scale: float = 1.0

    def row(self, painter: QPainter, layout: RowLayout) -> None:
        """Paint all of a row."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.is_current:
            self._focus(painter, layout)
        if layout.look.leads:
            self._speaker(painter, layout)
        if layout.row.kind is RowKind.USER:
            self._card(painter, layout.card)
        if layout.row.kind is RowKind.TOOL:
            self._step(painter, layout)
        if layout.document is not None:
            self._document(painter, layout)
        if layout.row.kind is RowKind.ASSISTANT:
            self._ending(painter, layout)

    # --- parts ---

    def _focus(self, painter: QPainter, layout: RowLayout) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.current().focus))
        bar = QRectF(-theme.Space.M, layout.top + 4, 3, layout.height - layout.top - 8)
        painter.drawRoundedRect(bar, 1.5, 1.5)

    def _speaker(self, painter: QPainter, layout: RowLayout) -> None:
        who = strings.YOU if layout.row.kind is RowKind.USER else strings.PADDOCK
        painter.setFont(theme.font(theme.Size.CAPTION, bold=True))
        painter.setPen(QColor(theme.current().text_quiet))
        box = QRectF(0, layout.top, layout.look.width, layout.speaker_height - theme.Space.XS)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, who)

    def _card(self, painter: QPainter, card: QRectF) -> None:
        look = theme.current()
        painter.setPen(QPen(QColor(look.line), 1) if look.name == "contrast" else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.raised))
        painter.drawRoundedRect(card, theme.RADIUS, theme.RADIUS)

    def _step(self, painter: QPainter, layout: RowLayout) -> None:
        look = theme.current()
        line = QRectF(0, layout.line_top, layout.look.width, layout.line_height)
        self._icon(painter, "chevron-down" if layout.look.is_open else "chevron-right", "text_quiet", 0, line)
        picture, role = STATUS_LOOK.get(layout.row.status, ("running", "text_quiet"))
        word = strings.TOOL_STATUS.get(layout.row.status, for_name(layout.row.status))
        metrics = QFontMetricsF(theme.font())
        word_width = metrics.horizontalAdvance(word)
        room = line.width() - theme.Space.XL - word_width - ICON_PX - theme.Space.L - theme.Space.XS
        title = metrics.elidedText(for_name(layout.row.title), Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(theme.font())
        painter.setPen(QColor(look.text_quiet))
        centred = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(line.adjusted(theme.Space.XL, 0, 0, 0), centred, title)
        left = theme.Space.XL + metrics.horizontalAdvance(title) + theme.Space.L
        self._icon(painter, picture, role, left, line)
        painter.setPen(QColor(getattr(look, role)))
        painter.drawText(line.adjusted(left + ICON_PX + theme.Space.XS, 0, 0, 0), centred, word)
        if layout.document is not None:
            self._card(painter, layout.card)

    def _icon(self, painter: QPainter, name: str, role: str, left: float, line: QRectF) -> None:
        picture = icons.pixmap(name, getattr(theme.current(), role), ICON_PX, self.scale)
        painter.drawPixmap(QPointF(left, line.center().y() - ICON_PX / 2), picture)

    def _document(self, painter: QPainter, layout: RowLayout) -> None:
        assert layout.document is not None
        painter.save()
        painter.translate(layout.document_left, layout.document_top)
        for mark, rect in layout.grounds:
            self._ground(painter, mark, rect)
        context = QAbstractTextDocumentLayout.PaintContext()
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, QColor(getattr(theme.current(), _ink(layout))))
        context.palette = palette
        if self.selected is not None:
            context.selections = [self._selection(layout)]
        layout.document.documentLayout().draw(painter, context)
        painter.restore()

    def _selection(self, layout: RowLayout) -> QAbstractTextDocumentLayout.Selection:
        assert layout.document is not None and self.selected is not None
        chosen = QAbstractTextDocumentLayout.Selection()
        cursor = QTextCursor(layout.document)
        end = layout.document.characterCount() - 1
        cursor.setPosition(min(self.selected[0], end))
        cursor.setPosition(min(self.selected[1], end), QTextCursor.MoveMode.KeepAnchor)
        chosen.cursor = cursor
        form = QTextCharFormat()
        form.setBackground(QColor(theme.current().selection))
        form.setForeground(QColor(theme.current().text))
        chosen.format = form
        return chosen

    def _ground(self, painter: QPainter, mark: Mark, rect: QRectF) -> None:
        look = theme.current()
        if mark is Mark.RULE:
            painter.fillRect(QRectF(rect.left(), rect.center().y(), rect.width(), 1), QColor(look.line))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.code_ground if mark is Mark.CODE else look.line))
        radius = theme.RADIUS if mark is Mark.CODE else 1.5
        painter.drawRoundedRect(rect, radius, radius)

    def _ending(self, painter: QPainter, layout: RowLayout) -> None:
        look = theme.current()
        if layout.row.status == "streaming" and layout.document is not None:
            spot = _end_of(layout)
            painter.fillRect(spot, QColor(look.focus))
        elif layout.row.status == "cut":
            top = layout.document_top + layout.document_height
            painter.setFont(theme.font(theme.Size.CAPTION))
            metrics = QFontMetricsF(painter.font())
            box = QRectF(0, top, layout.look.width, layout.line_height)
            painter.setPen(QColor(look.warning))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, strings.CUT_OFF)
            left = metrics.horizontalAdvance(strings.CUT_OFF) + theme.Space.S
            painter.setPen(QPen(QColor(look.line), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(left, box.center().y()), QPointF(layout.look.width, box.center().y()))


def _ink(layout: RowLayout) -> str:
    row = layout.row
    if row.kind is RowKind.NOTICE:
        return "danger" if row.status in ("failed", "damaged") else "text_quiet"
    if row.kind is RowKind.TOOL and not row.detail:
        return "text_quiet"
    return "text"


def _end_of(layout: RowLayout) -> QRectF:
    """Where the next word of a growing answer will stand: a small upright block."""
    assert layout.document is not None
    block = layout.document.lastBlock()
    area = layout.document.documentLayout().blockBoundingRect(block)
    line = block.layout().lineAt(block.layout().lineCount() - 1) if block.layout().lineCount() else None
    if line is None or not line.isValid():
        return QRectF(0, layout.document_top + 2, 7, 14)
    origin = area.topLeft() + block.layout().position() - QPointF(area.left(), area.top())
    left = block.layout().position().x() + line.naturalTextRect().right() + 3
    top = origin.y() + line.y() + 2
    return QRectF(left, layout.document_top + top, 7, QFontMetricsF(theme.font()).ascent())
