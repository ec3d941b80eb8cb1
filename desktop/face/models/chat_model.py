"""The rows of one chat as a Qt model: a plain list that is spliced.

It holds what the transcript told and judges nothing. Another chat is a reset;
everything else is an insertion, a removal or a change of rows, so that the view
keeps its place, its selection and the layouts it has made.
"""

import enum
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.face import strings
from desktop.harness.api import Patch, Row, RowKind, show_safe

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class ChatRole(enum.IntEnum):
    """What can be asked of a row beside its text."""

    ROW = Qt.ItemDataRole.UserRole.value + 1


class ChatModel(QAbstractListModel):
    """The rows of one chat.

    Signals: those of every list model.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, oldest first."""
        return self._rows

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show another chat."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def apply(self, patches: Sequence[Patch]) -> None:
        """Splice, in order. Raises IndexError for a patch that does not fit; what came before it stays."""
        for patch in patches:
            self._splice(patch)

    def _splice(self, patch: Patch) -> None:
        end = patch.index + patch.removed
        if patch.index < 0 or patch.removed < 0 or end > len(self._rows):
            raise IndexError(f"a patch for rows {patch.index} to {end} of {len(self._rows)}")
        shared = min(patch.removed, len(patch.rows))
        middle = patch.index + shared
        if shared:
            self._rows[patch.index : middle] = patch.rows[:shared]
            self.dataChanged.emit(self.index(patch.index), self.index(middle - 1))
        if patch.removed > shared:
            self.beginRemoveRows(NOWHERE, middle, end - 1)
            del self._rows[middle:end]
            self.endRemoveRows()
        elif len(patch.rows) > shared:
            self.beginInsertRows(NOWHERE, middle, patch.index + len(patch.rows) - 1)
            self._rows[middle:middle] = patch.rows[shared:]
            self.endInsertRows()

    # --- Qt ---

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """How many rows; a row has none of its own."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The row itself, its text, or what a screen reader says."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == ChatRole.ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return show_safe(row.title or row.text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(row)
        return None


def spoken(row: Row) -> str:
    """One row as a screen reader says it, safe to show."""
    match row.kind:
        case RowKind.USER:
            return f"{strings.YOU}: {show_safe(row.text)}"
        case RowKind.ASSISTANT:
            ending = {"streaming": f" ({strings.STREAMING})", "cut": f" ({strings.CUT_OFF})"}
            return f"{strings.PADDOCK}: {show_safe(row.text)}{ending.get(row.status, '')}"
        case RowKind.TOOL:
            status = strings.TOOL_STATUS.get(row.status, show_safe(row.status))
            return f"{strings.STEP}: {show_safe(row.title)}, {status}"
    return f"{strings.NOTICE}: {show_safe(row.text)}"
