"""A list of tall rows that scrolls by the pixel and lays out only what is seen.

Qt's own list asks every row for its size: with 10,000 rows one streamed word
would cost a walk over all of them. Here a row is measured when it first comes
into sight; until then its height is a guess, and the row being read stays where
it is while guesses above it are put right. Who stands at the end stays at the
end; who reads further up is never moved.
"""

from collections.abc import Sequence

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QPaintEvent, QRegion, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from desktop.face.delegates.chat_delegate import ChatDelegate
from desktop.face.delegates.row_paint import RowPaint
from desktop.face.models.chat_model import ChatModel
from desktop.face.widgets.row_heights import RowHeights
from desktop.harness.api import Row, RowKind

Index = QModelIndex | QPersistentModelIndex
END_SPACE_PX = 24
LINE_PX = 20
ROUNDS = 4
"""How often a settling looks again after guesses in sight were put right."""


class RowView(QListView):
    """Geometry and painting of rows.

    Signals: endSeen(bool) when the newest row comes into sight or leaves it.
    """

    endSeen = Signal(bool)

    def __init__(self, model: ChatModel, delegate: ChatDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = model
        self._delegate = delegate
        self._heights = RowHeights()
        self._anchor = (0, 0)
        self._is_at_end = True
        self._is_settling = False
        self.setItemDelegate(delegate)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setAutoScroll(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setModel(model)

    # --- places ---

    @property
    def is_at_end(self) -> bool:
        """Whether the newest row is in sight and stays so."""
        return self._is_at_end

    def layout_width(self) -> int:
        """The width that rows are laid out for; the same with and without a scroll bar."""
        return self.width()

    def scroll_to_end(self) -> None:
        """Show the newest row and stay there."""
        self._is_at_end = True
        self._settle()

    def rect_of(self, row: int) -> QRect:
        """Where a row is in the viewport."""
        top = self._heights.top(row) - self.verticalOffset()
        return QRect(0, top, self.layout_width(), self._heights.height(row))

    def _measure(self, row: int) -> int:
        if not self._heights.is_measured(row):
            layout = self._delegate.layout_of(self._rows.index(row), self.layout_width())
            self._heights.measure(row, layout.height)
        return self._heights.height(row)

    def _settle(self) -> None:
        """Measure what is in sight and put the scroll bar where the read row stays in its place."""
        if self._is_settling or not self.isVisible():
            return
        self._is_settling = True
        try:
            for _ in range(ROUNDS):
                if self._settle_once():
                    break
        finally:
            self._is_settling = False
        self.viewport().update()
        self.endSeen.emit(self._is_at_end)

    def _settle_once(self) -> bool:
        """True when nothing in sight was a guess any more."""
        count = len(self._heights)
        page = self.viewport().height()
        was_settled = self._measure_up(page) if self._is_at_end else self._measure_down(page)
        bar = self.verticalScrollBar()
        largest = max(0, self._heights.total + (END_SPACE_PX if count else 0) - page)
        bar.setRange(0, largest)
        bar.setPageStep(page)
        bar.setSingleStep(LINE_PX)
        row, offset = self._anchor
        wanted = largest if self._is_at_end or not count else self._heights.top(row) + offset
        bar.setValue(min(wanted, largest))
        self._is_at_end = bar.value() >= largest
        self._take_anchor()
        return was_settled

    def _measure_up(self, page: int) -> bool:
        row, seen, settled = len(self._heights) - 1, END_SPACE_PX, True
        while row >= 0 and seen < page:
            settled = settled and self._heights.is_measured(row)
            seen += self._measure(row)
            row -= 1
        return settled

    def _measure_down(self, page: int) -> bool:
        row, offset = self._anchor
        seen, settled = -offset, True
        while row < len(self._heights) and seen < page:
            settled = settled and self._heights.is_measured(row)
            seen += self._measure(row)
            row += 1
        return settled

    def _take_anchor(self) -> None:
        value = self.verticalScrollBar().value()
        row = self._heights.row_at(value)
        self._anchor = (row, value - self._heights.top(row)) if row >= 0 else (0, 0)

    def _walk(self, distance: int) -> None:
        """Move the anchor by pixels; rows passed on the way are measured, so nothing jumps."""
        row, offset = self._anchor
        offset += distance
        while offset < 0 and row > 0:
            row -= 1
            offset += self._measure(row)
        while row < len(self._heights) - 1 and offset >= self._measure(row):
            offset -= self._heights.height(row)
            row += 1
        self._anchor = (row, max(0, offset))

    # --- what the model tells ---

    def reset(self) -> None:
        """Another chat: all rows are guesses, the newest is shown."""
        super().reset()
        self._heights.clear()
        self._heights.insert(0, self._guesses(0, self._rows.rowCount() - 1))
        self._is_at_end = True
        self._settle()

    def rowsInserted(self, parent: Index, first: int, last: int) -> None:
        """Rows came in."""
        self._heights.insert(first, self._guesses(first, last))
        row, offset = self._anchor
        if first <= row and len(self._heights) > last - first + 1:
            self._anchor = (row + last - first + 1, offset)
        self._doubt_next(last)
        self._settle()

    def rowsAboutToBeRemoved(self, parent: Index, first: int, last: int) -> None:
        """Rows go away."""
        QAbstractItemView.rowsAboutToBeRemoved(self, parent, first, last)
        self._heights.remove(first, last)
        row, offset = self._anchor
        if row > last:
            self._anchor = (row - (last - first + 1), offset)
        elif row >= first:
            self._anchor = (max(0, min(first, len(self._heights) - 1)), 0)

    def rows_removed(self) -> None:
        """Rows have gone."""
        self._settle()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Rows say something else now."""
        self._heights.doubt(first.row(), last.row())
        self._doubt_next(last.row())
        self._settle()

    def forget_heights(self) -> None:
        """Colours or fonts changed: every height is a guess again."""
        if len(self._heights):
            self._heights.doubt(0, len(self._heights) - 1)
        self._settle()

    def doItemsLayout(self) -> None:
        """Look again at what is in sight."""
        self._settle()

    def updateGeometries(self) -> None:
        """The scroll bar is set by settling alone."""

    def _doubt_next(self, row: int) -> None:
        """The row after a changed one may have to name its speaker, or no longer."""
        if row + 1 < len(self._heights):
            self._heights.doubt(row + 1, row + 1)

    def _guesses(self, first: int, last: int) -> list[int]:
        letters = max(20, min(self.layout_width(), 700) // 8)
        return [_guess(row, letters) for row in self._rows.rows[first : last + 1]]

    # --- Qt ---

    def setModel(self, model: ChatModel) -> None:  # type: ignore[override]  # this view shows no other model
        """Show a model; called once."""
        super().setModel(model)
        model.rowsRemoved.connect(self.rows_removed)

    def visualRect(self, index: Index) -> QRect:
        """Where a row is in the viewport, empty for no row."""
        return self.rect_of(index.row()) if 0 <= index.row() < len(self._heights) else QRect()

    def indexAt(self, point: QPoint) -> QModelIndex:
        """The row at a place of the viewport."""
        y = point.y() + self.verticalOffset()
        if not 0 <= y < self._heights.total:
            return QModelIndex()
        return self._rows.index(self._heights.row_at(y))

    def verticalOffset(self) -> int:
        """How far the view is scrolled."""
        return self.verticalScrollBar().value()

    def horizontalOffset(self) -> int:
        """Never scrolled sideways."""
        return 0

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Rows are not picked with a rubber band."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """What to paint again when the current row changes: all of it, it is cheap."""
        return QRegion(self.viewport().rect())

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Bring a row into sight with as little movement as possible."""
        if not index.isValid():
            return
        self._measure(index.row())
        top, height = self._heights.top(index.row()), self._heights.height(index.row())
        bar, page = self.verticalScrollBar(), self.viewport().height()
        if top < bar.value() or height > page:
            bar.setValue(top)
        elif top + height > bar.value() + page:
            bar.setValue(top + height - page + _space_below(index.row(), len(self._heights)))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The person scrolled."""
        if self._is_settling:
            return
        bar = self.verticalScrollBar()
        self._is_at_end = bar.value() >= bar.maximum()
        if abs(dy) < 2 * self.viewport().height():
            self._walk(-dy)
        else:
            self._take_anchor()
        self._settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width makes every height a guess; the row being read stays."""
        if event.size().width() != event.oldSize().width() and len(self._heights):
            self._heights.doubt(0, len(self._heights) - 1)
        self._settle()

    def showEvent(self, event: QShowEvent) -> None:
        """What came while hidden is measured now."""
        super().showEvent(event)
        self._settle()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows in sight."""
        painter = QPainter(self.viewport())
        row = self._heights.row_at(self.verticalOffset() + event.rect().top())
        while 0 <= row < len(self._heights):
            rect = self.rect_of(row)
            if rect.top() > event.rect().bottom():
                break
            self._delegate.paint_row(painter, QRectF(rect), self._rows.index(row), self.paint_of(row))
            row += 1
        painter.end()

    def paint_of(self, row: int) -> RowPaint:
        """How a row is painted now."""
        is_current = self.hasFocus() and self.currentIndex().row() == row
        return RowPaint(is_current=is_current, scale=self.devicePixelRatioF())


def _space_below(row: int, count: int) -> int:
    """Space below the last row when it is brought into sight."""
    return END_SPACE_PX if row == count - 1 else 0


def _guess(row: Row, letters: int) -> int:
    """A height in pixels from the length of a text alone."""
    if row.kind is RowKind.TOOL:
        return 28
    lines = 1 + len(row.text) // letters + row.text.count("\n")
    return 30 + 20 * lines if row.kind is RowKind.NOTICE else 60 + 22 * lines
