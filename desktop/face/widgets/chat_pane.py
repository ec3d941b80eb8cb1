"""The chat: its rows, the page of an empty chat, and what can be done with a row.

It shows and asks; branching, undoing and opening links are told to the owner by
signals. The scroll position is the reader's: new rows move nothing unless the
newest was in sight, else a button offers to go there.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QStackedLayout, QWidget

from desktop.face import icons, strings, theme
from desktop.face.delegates.chat_delegate import ChatDelegate
from desktop.face.models.chat_model import ChatModel
from desktop.face.widgets.chat_view import ChatView
from desktop.face.widgets.empty_chat import EmptyChat
from desktop.harness.api import Patch, Row, RowKind, RunNumber

BRANCHING = (RowKind.USER, RowKind.ASSISTANT)


class ChatPane(QWidget):
    """One chat on the screen.

    Signals: branchRequested(seq, key) for *Branch from here*; undoRequested(run); linkActivated(address);
    exampleChosen(text) from the page of an empty chat.
    """

    branchRequested = Signal(int, str)
    undoRequested = Signal(int)
    linkActivated = Signal(str)
    exampleChosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatPane")
        self.model = ChatModel(self)
        self._delegate = ChatDelegate(self)
        self.view = ChatView(self.model, self._delegate, self)
        self._empty = EmptyChat(self)
        self._undoable: frozenset[RunNumber] = frozenset()
        self._menu: QMenu | None = None
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)
        self.setFocusProxy(self.view)
        self.fork_action = self._make_fork_action()
        self._jump = self._make_jump_button()
        self.view.linkActivated.connect(self.linkActivated)
        self.view.endSeen.connect(self._show_jump)
        self._empty.exampleChosen.connect(self.exampleChosen)

    # --- what it shows ---

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show another chat."""
        self.model.set_rows(rows)
        self._show_page()

    def apply(self, patches: Sequence[Patch]) -> None:
        """Splice rows. Raises IndexError for a patch that does not fit."""
        self.model.apply(patches)
        self._show_page()

    def set_empty(self, folder: str, examples: Sequence[str]) -> None:
        """What the empty chat asks: the folder's name and up to three examples."""
        self._empty.set_words(folder, examples)

    def set_undoable(self, runs: Sequence[RunNumber]) -> None:
        """The runs whose changes can be put back."""
        self._undoable = frozenset(runs)

    def _show_page(self) -> None:
        self._stack.setCurrentWidget(self.view if self.model.rowCount() else self._empty)
        self._show_jump(self.view.is_at_end)

    def _show_jump(self, is_at_end: bool) -> None:
        self._jump.setVisible(not is_at_end and self.model.rowCount() > 0)
        self._place_jump()

    # --- making ---

    def _make_fork_action(self) -> QAction:
        action = QAction(strings.BRANCH_HERE, self)
        action.setObjectName("forkAction")
        action.setShortcut(QKeySequence("Ctrl+Shift+B"))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(self._branch)
        self.addAction(action)
        return action

    def _make_jump_button(self) -> QPushButton:
        button = QPushButton(strings.JUMP_TO_NEWEST, self)
        button.setObjectName("jumpButton")
        button.setAccessibleName(strings.JUMP_TO_NEWEST)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self.view.scroll_to_end)
        button.setIcon(icons.icon("arrow-down", theme.current().text))
        button.hide()
        return button

    # --- what can be done with a row ---

    def _branch(self) -> None:
        row = self.view.current_row()
        if row is not None and row.kind in BRANCHING:
            self.branchRequested.emit(row.seq, row.key)

    def menu_at(self, point: QPoint) -> QMenu | None:
        """The menu for the current row; `point` is in the viewport. None when no row is current."""
        row = self.view.current_row()
        if row is None:
            return None
        menu = self._new_menu()
        if row.kind in BRANCHING:
            menu.addAction(self.fork_action)
        if row.run in self._undoable:
            self._offer(menu, strings.UNDO_CHANGES, lambda: self.undoRequested.emit(row.run), "undoAction")
        if row.kind is RowKind.TOOL:
            words = strings.CLOSE_STEP if self._delegate.is_open(row) else strings.OPEN_STEP
            index = self.view.currentIndex()
            self._offer(menu, words, lambda: self.view.toggle(index), "stepAction")
        menu.addSeparator()
        for words, text in self._copies(row, point):
            self._offer(menu, words, partial(QGuiApplication.clipboard().setText, text), "copyAction")
        return menu

    def _new_menu(self) -> QMenu:
        """An empty menu; the one before goes. It is not deleted on closing: Qt's pending deletion of a closed
        menu and the deletion of its parent by Python's collector end in a crash (PySide6 6.11.3).
        """
        if self._menu is not None:
            self._menu.deleteLater()
        self._menu = QMenu(self)
        return self._menu

    def _offer(self, menu: QMenu, words: str, do: Callable[[], object], name: str) -> None:
        action = menu.addAction(words)
        action.setObjectName(name)
        action.triggered.connect(do)

    def _copies(self, row: Row, point: QPoint) -> list[tuple[str, str]]:
        whole = strings.COPY_MARKDOWN if row.kind is RowKind.ASSISTANT else strings.COPY_MESSAGE
        offers = [
            (strings.COPY_SELECTION, self.view.selected_text()),
            (strings.COPY_CODE, self.view.code_at(point)),
            (strings.COPY_LINK, self.view.link_at(point)),
            (whole, row.text or row.title),
            (strings.COPY_DETAIL, row.detail),
        ]
        return [(words, text) for words, text in offers if text]

    # --- Qt ---

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show what can be done, at the pointer or, from the keyboard, at the row."""
        point = self.view.viewport().mapFromGlobal(event.globalPos())
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            rect = self.view.visualRect(self.view.currentIndex())
            point = QPoint(rect.left() + theme.Space.XL, max(0, rect.top()) + theme.Space.XL)
        menu = self.menu_at(point)
        if menu is not None:
            menu.popup(self.view.viewport().mapToGlobal(point))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the button at its place."""
        super().resizeEvent(event)
        self._place_jump()

    def changeEvent(self, event: QEvent) -> None:
        """Other colours or fonts: lay everything out anew."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_jump"):
            self._delegate.forget()
            self._jump.setIcon(icons.icon("arrow-down", theme.current().text))
            self.view.forget_heights()

    def _place_jump(self) -> None:
        size = self._jump.sizeHint()
        left = (self.width() - size.width()) // 2
        top = self.height() - size.height() - theme.Space.M
        self._jump.setGeometry(QRect(QPoint(left, top), size))
        self._jump.raise_()
