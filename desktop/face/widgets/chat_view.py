"""Reading and acting in the list of rows: pointing, selecting words, keys.

Words can be selected within one row and copied; a link is never opened here, its
address is only told. The view decides nothing about a chat.
"""

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QToolTip, QWidget

from desktop.face import strings
from desktop.face.delegates.chat_delegate import ChatDelegate
from desktop.face.delegates.column import column_in
from desktop.face.delegates.row_layout import RowLayout
from desktop.face.delegates.row_paint import RowPaint
from desktop.face.models.chat_model import ChatModel, ChatRole
from desktop.face.tool_tip import plain_tip
from desktop.face.widgets.row_view import LINE_PX, RowView
from desktop.harness.api import Row, RowKind

MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
}


class ChatView(RowView):
    """The rows of a chat to read, select and act on.

    Signals: linkActivated(address) for a click on a link; endSeen(bool).
    """

    linkActivated = Signal(str)

    def __init__(self, model: ChatModel, delegate: ChatDelegate, parent: QWidget | None = None) -> None:
        super().__init__(model, delegate, parent)
        self._selected_key = ""
        self._selection = (0, 0)
        self._pressed_link = ""
        self.setObjectName("chatView")
        self.setAccessibleName(strings.CHAT_NAME)
        self.setAccessibleDescription(strings.CHAT_ABOUT)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)

    # --- what is chosen ---

    def current_row(self) -> Row | None:
        """The row that keys act on."""
        row: Row | None = self.currentIndex().data(ChatRole.ROW)
        return row

    def selected_text(self) -> str:
        """The words that are selected, empty when none are."""
        index = self._selected_index()
        if index is None or self._selection[0] == self._selection[1]:
            return ""
        document = self._delegate.layout_of(index, self.layout_width()).document
        if document is None:
            return ""
        cursor = QTextCursor(document)
        end = document.characterCount() - 1
        cursor.setPosition(min(self._selection[0], end))
        cursor.setPosition(min(self._selection[1], end), QTextCursor.MoveMode.KeepAnchor)
        return cursor.selection().toPlainText()

    def link_at(self, point: QPoint) -> str:
        """The address under a place of the viewport, empty when there is none."""
        layout, place = self._document_at(point)
        if layout is None or layout.document is None:
            return ""
        return layout.document.documentLayout().anchorAt(place)

    def code_at(self, point: QPoint) -> str:
        """The code block under a place of the viewport, empty when there is none."""
        layout, place = self._document_at(point)
        find = getattr(layout.document, "code_at", None) if layout is not None else None
        if find is None or layout is None or layout.document is None:
            return ""
        return str(find(layout.document.documentLayout().hitTest(place, Qt.HitTestAccuracy.FuzzyHit)))

    def toggle(self, index: QModelIndex) -> None:
        """Open or close what a step brought back."""
        row: Row | None = index.data(ChatRole.ROW)
        if row is not None and row.kind is RowKind.TOOL:
            self._delegate.toggle(row)
            self._is_at_end = False
            self.dataChanged(index, index)

    def _selected_index(self) -> QModelIndex | None:
        index = self.currentIndex()
        row: Row | None = index.data(ChatRole.ROW)
        return index if row is not None and row.key == self._selected_key else None

    def _document_at(self, point: QPoint) -> tuple[RowLayout | None, QPointF]:
        index = self.indexAt(point)
        if not index.isValid():
            return None, QPointF()
        layout = self._delegate.layout_of(index, self.layout_width())
        left = column_in(self.layout_width()).left + layout.document_left
        top = self.rect_of(index.row()).top() + layout.document_top
        return layout, QPointF(point) - QPointF(left, top)

    def _position_at(self, point: QPoint) -> int:
        layout, place = self._document_at(point)
        if layout is None or layout.document is None:
            return -1
        return layout.document.documentLayout().hitTest(place, Qt.HitTestAccuracy.FuzzyHit)

    def _is_on_step(self, index: QModelIndex, point: QPoint) -> bool:
        row: Row | None = index.data(ChatRole.ROW)
        if row is None or row.kind is not RowKind.TOOL:
            return False
        layout = self._delegate.layout_of(index, self.layout_width())
        within_px = point.y() - self.rect_of(index.row()).top()
        return layout.line_top <= within_px < layout.line_top + layout.line_height

    def paint_of(self, row: int) -> RowPaint:
        """How a row is painted now, with the words selected in it."""
        plain = super().paint_of(row)
        index = self._selected_index()
        if index is None or index.row() != row or self._selection[0] == self._selection[1]:
            return plain
        return RowPaint(is_current=plain.is_current, scale=plain.scale, selected=self._selection)

    # --- the pointer ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the row, begin to select words, or note a link."""
        point = event.position().toPoint()
        index = self.indexAt(point)
        self.setCurrentIndex(index)
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._pressed_link = self.link_at(point)
        position = self._position_at(point)
        row: Row | None = index.data(ChatRole.ROW)
        self._selected_key = row.key if row is not None and position >= 0 else ""
        self._selection = (position, position)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select words, or show what a click would do."""
        point = event.position().toPoint()
        if event.buttons() & Qt.MouseButton.LeftButton:
            index = self._selected_index()
            if index is not None and self.indexAt(point) == index:
                self._selection = (self._selection[0], self._position_at(point))
                self.viewport().update()
            return
        self.viewport().setCursor(self._pointer_at(point))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow a link or open a step, if the pointer did not move on."""
        point = event.position().toPoint()
        index = self.indexAt(point)
        if event.button() is not Qt.MouseButton.LeftButton or index != self.currentIndex():
            return
        if self._selection[0] != self._selection[1]:
            return
        link = self.link_at(point)
        if link and link == self._pressed_link:
            self.linkActivated.emit(link)
        elif self._is_on_step(index, point):
            self.toggle(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select the word under the pointer."""
        point = event.position().toPoint()
        layout, _ = self._document_at(point)
        position = self._position_at(point)
        if layout is None or layout.document is None or position < 0 or self._selected_index() is None:
            return
        cursor = QTextCursor(layout.document)
        cursor.setPosition(position)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        self._selection = (cursor.selectionStart(), cursor.selectionEnd())
        self.viewport().update()

    def _pointer_at(self, point: QPoint) -> Qt.CursorShape:
        index = self.indexAt(point)
        if self.link_at(point) or self._is_on_step(index, point):
            return Qt.CursorShape.PointingHandCursor
        layout, place = self._document_at(point)
        on_words = layout is not None and layout.document is not None and place.y() >= 0
        return Qt.CursorShape.IBeamCursor if on_words else Qt.CursorShape.ArrowCursor

    def viewportEvent(self, event: QEvent) -> bool:
        """The tool tip of a link is its true address, shown as plain text."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            layout, place = self._document_at(event.pos())
            tip = ""
            if layout is not None and layout.document is not None:
                tip = layout.document.documentLayout().formatAt(place).toCharFormat().toolTip()
            QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            return True
        return super().viewportEvent(event)

    # --- keys ---

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move by row or, in a tall one, by lines; Enter opens a step; copying copies."""
        key = Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif key in MOVES:
            self._move(MOVES[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle(self.currentIndex())
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            bar = self.verticalScrollBar()
            step = bar.pageStep() - LINE_PX
            bar.setValue(bar.value() + (step if key is Qt.Key.Key_PageDown else -step))
        elif key is Qt.Key.Key_Home:
            self._go(0)
        elif key is Qt.Key.Key_End:
            self._go(self._rows.rowCount() - 1)
            self.scroll_to_end()
        else:
            event.ignore()

    def copy(self) -> None:
        """Copy the selected words, else the whole message as it was written."""
        row = self.current_row()
        text = self.selected_text() or (row.text or row.title if row is not None else "")
        if text:
            QGuiApplication.clipboard().setText(text)

    def _move(self, step: int) -> None:
        row = self.currentIndex().row()
        if row < 0:
            self._go(self._rows.rowCount() - 1)
            return
        rect, page = self.rect_of(row), self.viewport().height()
        hides_more = rect.bottom() > page if step > 0 else rect.top() < 0
        if rect.height() > page and hides_more:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + step * 3 * LINE_PX)
        else:
            self._go(row + step)

    def _go(self, row: int) -> None:
        if 0 <= row < self._rows.rowCount():
            index = self._rows.index(row)
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Coming by keyboard begins at the newest row."""
        if not self.currentIndex().isValid() and self._rows.rowCount():
            self.setCurrentIndex(self._rows.index(self._rows.rowCount() - 1))
        super().focusInEvent(event)
        self.viewport().update()
