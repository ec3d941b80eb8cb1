"""The tree of chats in the sidebar: choosing, folding, keys.

A click or Enter opens a chat; moving with the arrows only marks it, so that going
through the list opens nothing by accident.
"""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from desktop.face import strings
from desktop.face.delegates.session_delegate import SessionDelegate
from desktop.face.models.session_lines import SessionLine
from desktop.face.models.session_model import SessionModel, SessionRole


class SessionList(QTreeView):
    """Folders and their chats.

    Signals: sessionChosen(session) for a click or Enter on a chat; deletePressed() for the delete key on one.
    """

    sessionChosen = Signal(str)
    deletePressed = Signal()

    def __init__(self, model: SessionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sessionList")
        self.setAccessibleName(strings.SIDEBAR_NAME)
        self.setModel(model)
        self.setItemDelegate(SessionDelegate(self))
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.clicked.connect(self._act)
        model.rowsInserted.connect(self._open_new_folder)
        self.expandAll()

    def choose(self, index: QModelIndex) -> None:
        """Mark a chat; an invalid index marks none."""
        self.setCurrentIndex(index)
        if not index.isValid():
            self.clearSelection()

    def _act(self, index: QModelIndex) -> None:
        line: SessionLine | None = index.data(SessionRole.LINE)
        if line is not None:
            self.sessionChosen.emit(line.summary.session)
        elif index.isValid():
            self.setExpanded(index, not self.isExpanded(index))

    def _open_new_folder(self, parent: QModelIndex, first: int, last: int) -> None:
        if not parent.isValid():
            for row in range(first, last + 1):
                self.expand(self.model().index(row, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens a chat or folds a folder, Delete deletes a chat; the rest as in every tree."""
        index = self.currentIndex()
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.state() is not self.State.EditingState:
            self._act(index)
        elif key == Qt.Key.Key_Delete and index.data(SessionRole.LINE) is not None:
            self.deletePressed.emit()
        else:
            super().keyPressEvent(event)
