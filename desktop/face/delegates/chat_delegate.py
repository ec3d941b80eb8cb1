"""Paints one row of the chat from its cached layout.

Layouts of the rows seen last are kept, the oldest go first; a growing answer
keeps its layout and has only its last block laid out anew. Which steps are opened
is kept here by key, so that it survives every splice. No widget is ever made for
a row.
"""

from collections import OrderedDict

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from desktop.face.delegates.column import column_in
from desktop.face.delegates.row_layout import RowLayout, RowLook
from desktop.face.delegates.row_paint import RowPaint
from desktop.face.models.chat_model import ChatRole
from desktop.harness.api import Row, RowKind

KEPT_LAYOUTS = 160
Index = QModelIndex | QPersistentModelIndex


class ChatDelegate(QStyledItemDelegate):
    """Lays out and paints rows.

    Signals: those of every delegate.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._layouts: OrderedDict[str, RowLayout] = OrderedDict()
        self._opened: set[str] = set()

    def forget(self) -> None:
        """Drop all layouts: the colours or fonts changed."""
        self._layouts.clear()

    def toggle(self, row: Row) -> None:
        """Open or close what a step brought back."""
        self._opened ^= {row.key}

    def is_open(self, row: Row) -> bool:
        """Whether a step shows what came back."""
        return row.key in self._opened

    def layout_of(self, index: Index, view_width: int) -> RowLayout:
        """The layout of a row for a view of this width, made when it is missing or stale."""
        row: Row = index.data(ChatRole.ROW)
        look = RowLook(
            width=column_in(view_width).width, leads=_leads(index, row), is_open=row.key in self._opened
        )
        layout = self._layouts.get(row.key)
        if layout is None:
            layout = self._layouts[row.key] = RowLayout(row, look)
            if len(self._layouts) > KEPT_LAYOUTS:
                self._layouts.popitem(last=False)
        else:
            self._layouts.move_to_end(row.key)
            if layout.row is not row or layout.look != look:
                layout.update(row, look)
        return layout

    def paint_row(self, painter: QPainter, rect: QRectF, index: Index, paint: RowPaint) -> None:
        """Paint a row into its rectangle of the view."""
        layout = self.layout_of(index, round(rect.width()))
        column = column_in(round(rect.width()))
        painter.save()
        painter.translate(rect.left() + column.left, rect.top())
        paint.row(painter, layout)
        painter.restore()

    # --- Qt ---

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint without a selection; for views that are not the chat's own."""
        self.paint_row(painter, QRectF(option.rect), index, RowPaint())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The size of a row at the width of the option's rectangle."""
        width = option.rect.width()
        return QSize(width, self.layout_of(index, width).height)


def _leads(index: Index, row: Row) -> bool:
    """Whether the speaker is named: a person always, Paddock where its reply begins, be it with a step."""
    if row.kind is RowKind.USER:
        return True
    if row.kind is RowKind.NOTICE:
        return False
    before: Row | None = index.sibling(index.row() - 1, 0).data(ChatRole.ROW) if index.row() else None
    return before is None or before.kind in (RowKind.USER, RowKind.NOTICE)
