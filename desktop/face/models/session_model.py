"""The list of chats as a Qt tree of two levels: folders, and the chats of each.

A new list is compared with the one shown and spliced in: rows are removed, moved,
inserted or changed, never reset, so that selection, folding and scroll position
stay. A title edited in place is told to the owner; the list shows it when it
comes back as the truth.
"""

import enum
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from desktop.face import strings
from desktop.face.models.session_lines import ProjectLines, SessionLine, grouped
from desktop.harness.api import SessionId, SessionSummary, for_name

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class SessionRole(enum.IntEnum):
    """What can be asked of a line beside its text."""

    LINE = Qt.ItemDataRole.UserRole.value + 1
    PROJECT = Qt.ItemDataRole.UserRole.value + 2


class SessionModel(QAbstractItemModel):
    """Folders and chats.

    Signals: renamed(session, title) when a title was edited in place.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: list[ProjectLines] = []
        self._summaries: Sequence[SessionSummary] = ()
        self._words = ""

    # --- what it shows ---

    def set_summaries(self, summaries: Sequence[SessionSummary]) -> None:
        """Show this list, changing only what differs."""
        self._summaries = tuple(summaries)
        self._splice(grouped(self._summaries, self._words))

    def set_words(self, words: str) -> None:
        """Show only chats whose title holds these words."""
        self._words = words
        self._splice(grouped(self._summaries, self._words))

    def index_of(self, session: SessionId) -> QModelIndex:
        """Where a chat is, an invalid index when it is not shown."""
        for place, group in enumerate(self._groups):
            for row, line in enumerate(group.lines):
                if line.summary.session == session:
                    return self.index(row, 0, self.index(place, 0))
        return QModelIndex()

    def count(self) -> int:
        """How many chats are shown."""
        return sum(len(group.lines) for group in self._groups)

    # --- splicing ---

    def _splice(self, wanted: list[ProjectLines]) -> None:
        keys = {group.project for group in wanted}
        self._remove_absent(NOWHERE, self._groups, [group.project in keys for group in self._groups])
        for place, group in enumerate(wanted):
            here = next((i for i, have in enumerate(self._groups) if have.project == group.project), -1)
            if here < 0:
                self.beginInsertRows(NOWHERE, place, place)
                self._groups.insert(place, group)
                self.endInsertRows()
                continue
            self._move(NOWHERE, self._groups, here, place)
            self._splice_lines(place, group)

    def _splice_lines(self, place: int, wanted: ProjectLines) -> None:
        have = self._groups[place]
        parent = self.index(place, 0)
        if (have.name, have.path) != (wanted.name, wanted.path):
            have.name, have.path = wanted.name, wanted.path
            self.dataChanged.emit(parent, parent)
        keys = {line.summary.session for line in wanted.lines}
        self._remove_absent(parent, have.lines, [line.summary.session in keys for line in have.lines])
        for row, line in enumerate(wanted.lines):
            here = next(
                (i for i, old in enumerate(have.lines) if old.summary.session == line.summary.session), -1
            )
            if here < 0:
                self.beginInsertRows(parent, row, row)
                have.lines.insert(row, line)
                self.endInsertRows()
                continue
            self._move(parent, have.lines, here, row)
            if have.lines[row] != line:
                have.lines[row] = line
                changed = self.index(row, 0, parent)
                self.dataChanged.emit(changed, changed)

    def _remove_absent(self, parent: Index, items: list[Any], is_kept: Sequence[bool]) -> None:
        for row in range(len(items) - 1, -1, -1):
            if not is_kept[row]:
                self.beginRemoveRows(parent, row, row)
                del items[row]
                self.endRemoveRows()

    def _move(self, parent: Index, items: list[Any], source: int, target: int) -> None:
        """Move a row up; rows are put in order from the top, so none ever moves down."""
        if source != target:
            self.beginMoveRows(parent, source, source, parent, target)
            items.insert(target, items.pop(source))
            self.endMoveRows()

    # --- Qt ---

    def index(self, row: int, column: int = 0, parent: Index = NOWHERE) -> QModelIndex:
        """A folder, or a chat within one; the internal id is 0 or the folder's mark."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, id(self._groups[parent.row()]) if parent.isValid() else 0)

    def parent(self, index: Index = NOWHERE) -> QModelIndex:  # type: ignore[override]  # Qt has two functions of this name
        """The folder of a chat."""
        if not index.isValid() or not index.internalId():
            return QModelIndex()
        for place, group in enumerate(self._groups):
            if id(group) == index.internalId():
                return self.createIndex(place, 0, 0)
        return QModelIndex()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """How many folders, or chats of one."""
        if not parent.isValid():
            return len(self._groups)
        return 0 if parent.internalId() else len(self._groups[parent.row()].lines)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """One."""
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Chats can be chosen and renamed, folders only folded."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        both = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.internalId():
            return both | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemNeverHasChildren
        return both

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The line itself, its title, or what a screen reader says."""
        if not index.isValid():
            return None
        if not index.internalId():
            return _of_group(self._groups[index.row()], role)
        return _of_line(self._groups[index.parent().row()].lines[index.row()], role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """A title was edited in place: tell it, if it is another one."""
        line: SessionLine | None = index.data(SessionRole.LINE)
        title = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or line is None or not title or title == line.summary.title:
            return False
        self.renamed.emit(line.summary.session, title)
        return True


def title_of(summary: SessionSummary) -> str:
    """The title of a chat, safe to show."""
    return for_name(summary.title) or strings.UNTITLED


def spoken(line: SessionLine) -> str:
    """A chat as a screen reader says it."""
    status = strings.SESSION_STATUS.get(line.summary.status.value, line.summary.status.value)
    kind = f", {strings.BRANCH}" if line.depth or line.summary.parent else ""
    return f"{title_of(line.summary)}, {status}{kind}"


def _of_line(line: SessionLine, role: int) -> Any:
    if role == SessionRole.LINE:
        return line
    if role == Qt.ItemDataRole.DisplayRole:
        return title_of(line.summary)
    if role == Qt.ItemDataRole.EditRole:
        return line.summary.title
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return spoken(line)
    return None


def _of_group(group: ProjectLines, role: int) -> Any:
    if role == SessionRole.PROJECT:
        return group
    if role == Qt.ItemDataRole.DisplayRole:
        return group.name
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return f"{strings.FOLDER} {group.name}, {strings.count_of_chats(len(group.lines))}"
    return None
