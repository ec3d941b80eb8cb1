"""The sidebar: all chats by folder, a search over their titles, and the way to a new one.

It tells what a person asks for and changes nothing itself: a renamed or deleted
chat looks so when the next list says so. Deleting asks nothing, because it can be
taken back from the bar that appears.
"""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from desktop.face import icons, strings, theme
from desktop.face.models.session_lines import SessionLine
from desktop.face.models.session_model import SessionModel, SessionRole
from desktop.face.widgets.session_list import SessionList
from desktop.harness.api import SessionId, SessionSummary, for_name


class SessionSidebar(QWidget):
    """The list of chats with what belongs to it.

    Signals: opened(session), newRequested(), renamed(session, title), deleted(session),
    restoreRequested(session), branchRequested(session), settingsRequested().
    """

    opened = Signal(str)
    newRequested = Signal()
    renamed = Signal(str, str)
    deleted = Signal(str)
    restoreRequested = Signal(str)
    branchRequested = Signal(str)
    settingsRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sessionSidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(200)
        self.setMaximumWidth(360)
        self._deleted: SessionId | None = None
        self._menu: QMenu | None = None
        self.model = SessionModel(self)
        self.list = SessionList(self.model, self)
        self.search = self._make_search()
        self.new_button = self._row_button("newSessionButton", strings.NEW_CHAT)
        self.settings_button = self._row_button("settingsButton", strings.SETTINGS)
        self._words = QLabel(strings.NO_CHATS)
        self._undo_bar = QFrame()
        self._build()
        self._connect()
        self._dress()

    # --- what it shows ---

    def set_summaries(self, summaries: Sequence[SessionSummary]) -> None:
        """Show this list of chats; the chosen one stays chosen."""
        self.model.set_summaries(summaries)
        self._show_words()

    def select(self, session: SessionId) -> None:
        """Mark a chat as the open one, without telling anybody."""
        self.list.choose(self.model.index_of(session))

    def selected(self) -> SessionId | None:
        """The chat that is marked."""
        line: SessionLine | None = self.list.currentIndex().data(SessionRole.LINE)
        return line.summary.session if line is not None else None

    def _show_words(self) -> None:
        words = self.search.text().strip()
        nothing = strings.nothing_found(for_name(words)) if words else strings.NO_CHATS
        self._words.setText(nothing)
        self._words.setVisible(self.model.count() == 0)
        self.list.setVisible(self.model.count() > 0)

    # --- making ---

    def _make_search(self) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName("searchBox")
        field.setPlaceholderText(strings.SEARCH)
        field.setAccessibleName(strings.SEARCH)
        field.setAccessibleDescription(strings.SEARCH_ABOUT)
        field.setClearButtonEnabled(True)
        self._search_picture = field.addAction(
            icons.icon("search", theme.current().text_quiet), QLineEdit.ActionPosition.LeadingPosition
        )
        return field

    def _row_button(self, name: str, words: str) -> QPushButton:
        button = QPushButton(words)
        button.setObjectName(name)
        button.setAccessibleName(words)
        button.setProperty("look", "row")
        button.setAutoDefault(False)
        return button

    def _build(self) -> None:
        self._words.setObjectName("sidebarWords")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self._words.setProperty("look", "quiet")
        self._words.setContentsMargins(theme.Space.M, theme.Space.S, theme.Space.S, theme.Space.S)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._build_undo_bar()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, theme.Space.S, 0, theme.Space.S)
        whole.setSpacing(theme.Space.S)
        whole.addLayout(_inset(self.search))
        whole.addWidget(self._words, 1)
        whole.addWidget(self.list, 1)
        whole.addLayout(_inset(self._undo_bar))
        foot = QVBoxLayout()
        foot.setContentsMargins(theme.Space.XS, 0, theme.Space.XS, 0)
        foot.setSpacing(0)
        foot.addWidget(self.new_button)
        foot.addWidget(self.settings_button)
        whole.addLayout(foot)
        order = (self.search, self.list, self.undo_button, self.dismiss_button, self.new_button)
        for before, after in pairwise((*order, self.settings_button)):
            self.setTabOrder(before, after)
        self._show_words()

    def _build_undo_bar(self) -> None:
        self._undo_bar.setObjectName("undoBar")
        self._undo_bar.setProperty("look", "bar")
        said = QLabel(strings.CHAT_DELETED)
        said.setTextFormat(Qt.TextFormat.PlainText)
        self.undo_button = QPushButton(strings.UNDO)
        self.undo_button.setObjectName("undoDeleteButton")
        self.undo_button.setAccessibleName(f"{strings.UNDO}: {strings.CHAT_DELETED}")
        self.dismiss_button = QPushButton()
        self.dismiss_button.setObjectName("dismissButton")
        self.dismiss_button.setAccessibleName(strings.DISMISS)
        self.dismiss_button.setToolTip(strings.DISMISS)
        inside = QHBoxLayout(self._undo_bar)
        inside.setContentsMargins(theme.Space.S, 0, 0, 0)
        inside.setSpacing(0)
        inside.addWidget(said, 1)
        for button in (self.undo_button, self.dismiss_button):
            button.setProperty("look", "link")
            button.setAutoDefault(False)
            inside.addWidget(button)
        self._undo_bar.hide()

    def _connect(self) -> None:
        self.search.textChanged.connect(self._search_changed)
        self.new_button.clicked.connect(lambda: self.newRequested.emit())
        self.settings_button.clicked.connect(lambda: self.settingsRequested.emit())
        self.undo_button.clicked.connect(self._restore)
        self.dismiss_button.clicked.connect(self._undo_bar.hide)
        self.model.renamed.connect(self.renamed)
        self.list.sessionChosen.connect(self.opened)
        self.list.deletePressed.connect(self._delete)
        self.list.customContextMenuRequested.connect(self._show_menu)

    # --- what a person does ---

    def _search_changed(self, words: str) -> None:
        self.model.set_words(words)
        self.list.expandAll()
        self._show_words()

    def _delete(self) -> None:
        session = self.selected()
        if session is not None:
            self._deleted = session
            self._undo_bar.show()
            self.deleted.emit(session)

    def _restore(self) -> None:
        self._undo_bar.hide()
        if self._deleted is not None:
            self.restoreRequested.emit(self._deleted)
            self.list.setFocus()

    def menu_for(self, index: QModelIndex) -> QMenu | None:
        """What can be done with a chat; None for a folder."""
        line: SessionLine | None = index.data(SessionRole.LINE)
        if line is None:
            return None
        session = line.summary.session
        if self._menu is not None:
            self._menu.deleteLater()
        menu = self._menu = QMenu(self)  # kept, not deleted on closing: see ChatPane
        for name, words, keys, do in (
            ("openSessionAction", strings.OPEN, "Return", lambda: self.opened.emit(session)),
            ("renameSessionAction", strings.RENAME, "F2", lambda: self.list.edit(index)),
            ("branchSessionAction", strings.BRANCH_CHAT, "", lambda: self.branchRequested.emit(session)),
            ("deleteSessionAction", strings.DELETE, "Del", self._delete),
        ):
            action = QAction(words, menu)
            action.setObjectName(name)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(do)
            menu.addAction(action)
        return menu

    def _show_menu(self, point: QPoint) -> None:
        index = self.list.indexAt(point)
        if not index.isValid():
            return
        self.list.setCurrentIndex(index)
        menu = self.menu_for(index)
        if menu is not None:
            menu.popup(self.list.viewport().mapToGlobal(point))

    def _dress(self) -> None:
        look = theme.current()
        self.new_button.setIcon(icons.icon("plus", look.text))
        self.settings_button.setIcon(icons.icon("settings", look.text))
        self.dismiss_button.setIcon(icons.icon("cross", look.text_quiet, 12))
        self._search_picture.setIcon(icons.icon("search", look.text_quiet))

    def changeEvent(self, event: QEvent) -> None:
        """Other colours: draw the pictures anew."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "dismiss_button"):
            self._dress()


def _inset(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(theme.Space.S, 0, theme.Space.S, 0)
    row.addWidget(widget)
    return row
