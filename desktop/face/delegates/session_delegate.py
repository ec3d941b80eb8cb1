"""Paints the lines of the sidebar: a folder with its chevron, a chat with its dot, a branch with its arrow.

The dot's colour is never alone: tool tip and spoken text carry the same in words,
and a dot that asks for the person is drawn full while an idle one is a ring.
"""

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QTreeView,
    QWidget,
)

from desktop.face import icons, strings, theme
from desktop.face.models.session_lines import ProjectLines, SessionLine
from desktop.face.models.session_model import SessionRole, spoken, title_of
from desktop.face.tool_tip import plain_tip

Index = QModelIndex | QPersistentModelIndex
LINE_PX = 32
DOT_PX = 8
INSET_PX = theme.Space.S

DOTS = {
    "running": "dot_running",
    "retrying": "dot_running",
    "cancelling": "dot_running",
    "waiting": "dot_waiting",
    "paused": "dot_waiting",
    "interrupted": "dot_waiting",
    "out_of_budget": "dot_waiting",
    "needs_check": "dot_problem",
    "failed": "dot_problem",
}


class SessionDelegate(QStyledItemDelegate):
    """Paints folders and chats.

    Signals: those of every delegate.
    """

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one line over the whole width of the list."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        group: ProjectLines | None = index.data(SessionRole.PROJECT)
        line: SessionLine | None = index.data(SessionRole.LINE)
        self._ground(painter, option, is_line=line is not None)
        if group is not None:
            self._folder(painter, option, group, index)
        elif line is not None:
            self._chat(painter, option, line)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """All lines are equally high."""
        return QSize(option.rect.width(), max(LINE_PX, option.fontMetrics.height() + 2 * theme.Space.S))

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, *, is_line: bool) -> None:
        look = theme.current()
        rect = QRectF(option.rect).adjusted(theme.Space.XS, 1, -theme.Space.XS, -1)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected) and is_line
        painter.setPen(Qt.PenStyle.NoPen)
        if is_selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(look.selected if is_selected else look.hover))
            painter.drawRoundedRect(rect, theme.RADIUS, theme.RADIUS)
        if option.state & QStyle.StateFlag.State_HasFocus and _came_by_key(option.widget):
            painter.setPen(QPen(QColor(look.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), theme.RADIUS, theme.RADIUS)

    def _folder(
        self, painter: QPainter, option: QStyleOptionViewItem, group: ProjectLines, index: Index
    ) -> None:
        look = theme.current()
        rect = QRectF(option.rect).adjusted(INSET_PX, 0, -INSET_PX, 0)
        view = option.widget
        is_open = isinstance(view, QTreeView) and isinstance(index, QModelIndex) and view.isExpanded(index)
        scale = painter.device().devicePixelRatioF()
        name = "chevron-down" if is_open else "chevron-right"
        picture = icons.pixmap(name, look.text_quiet, 12, scale)
        painter.drawPixmap(QPointF(rect.left() + 2, rect.center().y() - 6), picture)
        painter.setFont(theme.font(theme.Size.CAPTION, bold=True))
        painter.setPen(QColor(look.text_quiet))
        self._words(painter, rect.adjusted(theme.Space.XL - 4, 0, 0, 0), group.name)

    def _chat(self, painter: QPainter, option: QStyleOptionViewItem, line: SessionLine) -> None:
        look = theme.current()
        rect = QRectF(option.rect).adjusted(INSET_PX + theme.Space.M + 4, 0, -INSET_PX - 4, 0)
        painter.setFont(theme.font())
        if line.depth:
            rect.adjust((line.depth - 1) * theme.Space.M, 0, 0, 0)
            painter.setPen(QColor(look.text_quiet))
            self._words(painter, rect, "↳")
            rect.adjust(theme.Space.L, 0, 0, 0)
        self._dot(painter, QPointF(rect.left() + DOT_PX / 2, rect.center().y()), line.summary.status.value)
        painter.setPen(QColor(look.text))
        self._words(painter, rect.adjusted(DOT_PX + theme.Space.S, 0, 0, 0), title_of(line.summary))

    def _dot(self, painter: QPainter, centre: QPointF, status: str) -> None:
        look = theme.current()
        role = DOTS.get(status, "dot_idle")
        colour = QColor(getattr(look, role))
        if role == "dot_idle":
            painter.setPen(QPen(colour, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, DOT_PX / 2 - 1, DOT_PX / 2 - 1)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(centre, DOT_PX / 2, DOT_PX / 2)

    def _words(self, painter: QPainter, rect: QRectF, words: str) -> None:
        shown = QFontMetricsF(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)

    # --- tips and editing ---

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """The whole title with the status in words, or the path of a folder, as plain text."""
        if event.type() is not QEvent.Type.ToolTip:
            return False
        line: SessionLine | None = index.data(SessionRole.LINE)
        group: ProjectLines | None = index.data(SessionRole.PROJECT)
        tip = spoken(line) if line is not None else group.path if group is not None else ""
        QToolTip.showText(event.globalPos(), plain_tip(tip), view)
        return True

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A field for the title."""
        editor = QLineEdit(parent)
        editor.setObjectName("titleField")
        editor.setAccessibleName(strings.TITLE_NAME)
        editor.setMaxLength(200)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """The title as it is."""
        if isinstance(editor, QLineEdit):
            editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Hand the new title to the model."""
        if isinstance(editor, QLineEdit) and isinstance(index, QModelIndex):
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """Over the title."""
        editor.setGeometry(QRect(option.rect).adjusted(INSET_PX + theme.Space.L, 0, -INSET_PX, 0))


def _came_by_key(widget: QWidget | None) -> bool:
    """Whether the window's focus was last moved with the keyboard; a click needs no ring."""
    return widget is not None and widget.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
