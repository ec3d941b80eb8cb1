"""The window: where its parts stand, how they share the room, and what the person can do from anywhere.

It knows no harness and works before there is one: text can be typed at the first paint. What needs the
types of the harness, or Markdown, or comparing (the list, the chat, the approval panel), is put into its
place afterwards by `conductor`, so that an empty window does not wait for it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QMainWindow,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from desktop.face import strings_window as words
from desktop.face import theme
from desktop.face.actions import fill_menu, make_actions
from desktop.face.widgets.bars import BottomBar, Heading, NoticeBar, TopBar
from desktop.face.widgets.composer import Composer
from desktop.face.widgets.panel_splitter import Panel, PanelSplitter
from desktop.face.widgets.small import InColumn

_ZOOM_LEAST, _ZOOM_MOST, _ZOOM_STEP = 0.8, 2.0, 0.1
_NARROW_PX = 640


class MainWindow(QMainWindow):
    """The parts in their places.

    Signals:
        firstPainted(): the window was painted with its composer.
        closeRequested(): the person wants to close; the owner closes when it may.
        folderDropped(str): a folder was dropped on the window.
        placesChanged(dict): sizes or the look changed and should be remembered.
    """

    firstPainted = Signal()
    closeRequested = Signal()
    folderDropped = Signal(str)
    placesChanged = Signal(dict)

    def __init__(self, places: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setAcceptDrops(True)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)  # the loop ends by an awaited sequence
        self.was_painted = False
        self._may_close = False
        self._places: dict[str, Any] = {"theme": "system", "text_size": 1.0, **(places or {})}
        self.panel: Panel | None = None
        self.card: QWidget | None = None
        self.top = TopBar()
        self.sidebar = QWidget()
        self.composer = Composer()
        self.bottom = BottomBar()
        self.notice = NoticeBar("notice")
        self.standing = NoticeBar("standing", is_closable=False)
        self.actions_by_name = make_actions(self)
        fill_menu(self.top.menu, self.actions_by_name)
        self._held = ""
        self.composer.submitted.connect(self._hold)
        self._lay_out()
        self._connect()
        self._restore()

    # --- what it shows ---

    def show_heading(self, heading: Heading | None) -> None:
        """Show where the open chat stands; None for none."""
        self.top.show_heading(heading)
        self.setWindowTitle(f"{heading.title} – {heading.folder} – {words.APP}" if heading else words.APP)

    def take_held(self) -> str:
        """What was sent before anybody could take it; from now on the caller takes what is sent."""
        self.composer.submitted.disconnect(self._hold)
        held, self._held = self._held, ""
        return held

    def _hold(self, text: str) -> None:
        self._held = text

    def set_sidebar(self, sidebar: QWidget) -> None:
        """Put the list of chats into its place."""
        sizes = self._level.sizes()
        is_hidden = self.sidebar.isHidden()
        self.sidebar.deleteLater()
        self._level.replaceWidget(0, sidebar)
        sidebar.setVisible(not is_hidden)
        self.sidebar = sidebar
        self._level.setSizes(sizes)

    def furnish(self, pages: Sequence[QWidget], details: QWidget) -> None:
        """Put the other late parts into their places."""
        self._level.addWidget(details)
        self._level.setSizes([*self._level.sizes()[:2], 220])
        self.bottom.detailsToggled.connect(details.setVisible)
        for page in pages:
            self._pages.addWidget(page)

    def show_page(self, page: QWidget) -> None:
        """Show one of the pages above the composer."""
        self._pages.setCurrentWidget(page)

    def set_panel(self, panel: Panel) -> None:
        """Put the approval panel into its place, between the chat and the composer."""
        self.panel = panel
        self._upright.set_panel(panel)

    def place_panel(self) -> None:
        """Give the panel the height it had the last time, or that it needs."""
        self._upright.place(self._places.get("panel_share"))

    def set_card(self, card: QWidget) -> None:
        """Put the card about an effect without a receipt into its place, above the composer."""
        self.card = card
        self._column.insertWidget(self._column.indexOf(self._upright) + 1, card)

    def close_now(self) -> None:
        """Close without asking."""
        self._may_close = True
        self.close()

    # --- the look ---

    @property
    def places(self) -> Mapping[str, Any]:
        """Sizes and the look, as they are remembered."""
        return self._places

    def apply_look(self, **changes: Any) -> None:
        """Change the colours or the size of text and remember it."""
        self._places.update(changes)
        dress(str(self._places["theme"]), float(self._places["text_size"]))
        if changes:
            self.placesChanged.emit(dict(self._places))

    def zoom(self, steps: int) -> None:
        """Make all text larger or smaller; 0 for the usual size."""
        size = 1.0 if not steps else float(self._places["text_size"]) + steps * _ZOOM_STEP
        self.apply_look(text_size=round(min(_ZOOM_MOST, max(_ZOOM_LEAST, size)), 2))

    def toggle_sidebar(self) -> None:
        """Show or hide the list of chats."""
        self.sidebar.setVisible(self.sidebar.isHidden())
        self._remember(sidebar_hidden=self.sidebar.isHidden())

    # --- making ---

    def _lay_out(self) -> None:
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(QWidget())
        self._upright = PanelSplitter(pages)
        middle = QWidget()
        column = self._column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addWidget(_hairline())
        column.addWidget(self._upright, 1)
        column.addWidget(InColumn(self.standing, self.notice))
        column.addSpacing(6)
        column.addWidget(self.composer)
        column.addWidget(InColumn(self.bottom))
        self._level = QSplitter(Qt.Orientation.Horizontal)
        self._level.setObjectName("levelSplitter")
        self.sidebar.setObjectName("sessionSidebar")
        self.sidebar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.sidebar.setMinimumWidth(200)
        self._level.addWidget(self.sidebar)
        self._level.addWidget(middle)
        self._level.setStretchFactor(1, 1)
        self._level.setChildrenCollapsible(False)
        self.setCentralWidget(self._level)
        self.setMinimumSize(560, 400)

    def _connect(self) -> None:
        on = self.actions_by_name
        on["toggleSidebarAction"].triggered.connect(self.toggle_sidebar)
        on["zoomInAction"].triggered.connect(lambda: self.zoom(1))
        on["zoomOutAction"].triggered.connect(lambda: self.zoom(-1))
        on["zoomResetAction"].triggered.connect(lambda: self.zoom(0))
        on["focusComposerAction"].triggered.connect(self.composer.setFocus)
        on["focusApprovalAction"].triggered.connect(self._focus_panel)
        on["toggleModeAction"].triggered.connect(self.top.next_mode)
        on["quitAction"].triggered.connect(self.close)
        self._level.splitterMoved.connect(self._sizes_moved)
        self._upright.shareMoved.connect(lambda share: self._remember(panel_share=share))

    def _restore(self) -> None:
        width, height = self._places.get("size", (1200, 800))
        self.resize(max(560, int(width)), max(400, int(height)))
        self.sidebar.setVisible(not self._places.get("sidebar_hidden", False) and int(width) >= _NARROW_PX)
        self._level.setSizes([int(self._places.get("sidebar_px", 240)), int(width)])
        self.composer.setFocus()

    def _focus_panel(self) -> None:
        for asking in (self.panel, self.card):
            if asking is not None and asking.isVisible():
                asking.setFocus()
                return

    def take_text(self, text: str) -> None:
        """Put a text into the composer, ready to be sent."""
        self.composer.set_text(text)
        self.composer.setFocus()

    def _sizes_moved(self) -> None:
        if not self.sidebar.isHidden():
            self._remember(sidebar_px=self._level.sizes()[0])

    def _remember(self, **places: Any) -> None:
        self._places.update(places)
        self.placesChanged.emit(dict(self._places))

    # --- Qt ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Note the first paint; what is not needed for it is loaded afterwards."""
        super().paintEvent(event)
        if not self.was_painted:
            self.was_painted = True
            self.firstPainted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the panel within its bounds, and remember the size."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._upright.bound)
        if event.spontaneous() and not self.isMaximized():
            self._remember(size=[self.width(), self.height()])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A folder may be dropped."""
        if _folder_of(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the folder."""
        folder = _folder_of(event)
        if folder is not None:
            event.acceptProposedAction()
            self.folderDropped.emit(folder)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask the owner; it closes when nothing runs any more."""
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.closeRequested.emit()


def dress(name: str, text_size: float) -> None:
    """Apply colours and the size of text to the whole application."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return
    usual = app.property("paddock_usual_points")
    if not usual:
        usual = max(app.font().pointSizeF(), theme.SMALLEST_POINTS)
        app.setProperty("paddock_usual_points", usual)
        theme.apply_theme(app, name)
    if abs(float(app.property("paddock_base_points")) - float(usual) * text_size) > 0.01 or text_size != 1.0:
        app.setProperty("paddock_base_points", float(usual) * text_size)
    theme.apply_theme(app, name)


def _folder_of(event: QDropEvent) -> str | None:
    for url in event.mimeData().urls():
        if url.isLocalFile() and Path(url.toLocalFile()).is_dir():
            return url.toLocalFile()
    return None


def _hairline() -> QFrame:
    line = QFrame()
    line.setObjectName("hairline")
    line.setFixedHeight(1)
    return line
