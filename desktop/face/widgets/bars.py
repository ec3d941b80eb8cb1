"""The quiet lines of the window: title, folder and mode on top, model and details below, words in between.

They show what they are told and say what the person chose; none knows a rule.
"""

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QMenu, QPushButton, QToolButton, QWidget

from desktop.face import strings_window as words
from desktop.face.widgets.small import label
from desktop.harness.api import Mode, Route, Service, SessionView, Status, for_name

_BUSY = (Status.RUNNING, Status.RETRYING, Status.CANCELLING)


class TopBar(QWidget):
    """Title, folder, status, mode.

    Signals:
        modeChosen(str): the person chose another mode.
    """

    modeChosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.menu = QMenu(self)
        self.menu_button = QToolButton()
        self.menu_button.setObjectName("menuButton")
        self.menu_button.setText(words.MENU_TEXT)
        self.menu_button.setAccessibleName(words.MENU)
        self.menu_button.setToolTip(f"{words.MENU} (F10)")
        self.menu_button.setProperty("look", "icon")
        self.menu_button.setShortcut("F10")
        self.menu_button.setMenu(self.menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self._title_text = words.APP
        self._title = label(words.APP, name="titleLabel", bold=True)
        self._folder = label(words.NO_FOLDER, name="folderLabel", look="caption")
        self.status = label(words.STARTING, name="statusLabel", look="caption")
        self.status.setAccessibleName(words.STATUS_NAME)
        self.mode = QComboBox()
        self.mode.setObjectName("modeSelector")
        self.mode.setAccessibleName(words.MODE_NAME)
        self.mode.setToolTip(words.MODE_NAME)
        for mode, text in words.MODES:
            self.mode.addItem(text, mode)
        self.mode.activated.connect(lambda _: self.modeChosen.emit(self.mode.currentData()))
        self._seconds = 0
        self._step = ""
        self._clock = QTimer(self)
        self._clock.setInterval(1_000)
        self._clock.timeout.connect(self._tick)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 6, 12, 6)
        layout.setSpacing(8)
        layout.addWidget(self.menu_button)
        layout.addWidget(self._title, 1)
        layout.addWidget(self.status)
        layout.addSpacing(4)
        layout.addWidget(self._folder)
        layout.addWidget(self.mode)
        self.show_view(None)

    def show_view(self, view: SessionView | None) -> None:
        """Show where a chat stands; None for no chat."""
        self._title_text = for_name(view.title) if view is not None else words.APP
        self._folder.setText(
            words.folder_line(for_name(PurePath(view.workspace).name)) if view else words.NO_FOLDER
        )
        self._folder.setAccessibleDescription(for_name(view.workspace) if view else "")
        self.mode.setEnabled(view is not None)
        if view is not None:
            self.mode.setCurrentIndex(self.mode.findData(str(view.mode)))
        self._show_status(view)
        self._elide()

    def next_mode(self) -> None:
        """Choose the other mode."""
        if self.mode.isEnabled():
            self.modeChosen.emit(
                str(Mode.WRITE if self.mode.currentData() == Mode.READ_ONLY else Mode.READ_ONLY)
            )

    def _show_status(self, view: SessionView | None) -> None:
        status = view.status if view is not None else Status.IDLE
        is_busy = status in _BUSY
        step = (
            for_name(view.step)
            if view is not None and view.step and is_busy
            else words.STATUS.get(status, status)
        )
        if not is_busy:
            self._clock.stop()
            self._seconds = 0
        elif not self._clock.isActive():
            self._clock.start()
        self._step = step
        self.status.setText(words.elapsed(step, self._seconds))

    def _tick(self) -> None:
        self._seconds += 1
        self.status.setText(words.elapsed(self._step, self._seconds))

    def _elide(self) -> None:
        metrics = self._title.fontMetrics()
        room = max(40, self._title.width())
        self._title.setText(metrics.elidedText(self._title_text, Qt.TextElideMode.ElideRight, room))
        self._title.setAccessibleName(self._title_text)
        self._title.setMinimumWidth(40)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A long title gives way."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._elide)

    def changeEvent(self, event: QEvent) -> None:
        """The size of text changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "_clock"):
            self._elide()


class BottomBar(QWidget):
    """Who answers, and the way to the details.

    Signals:
        routeChosen(str, str): model and address that the person chose.
        connectRequested(): the person wants to set up a service.
        detailsToggled(bool): the details are wanted or not.
    """

    routeChosen = Signal(str, str)
    connectRequested = Signal()
    detailsToggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = QComboBox()
        self.model.setObjectName("modelSelector")
        self.model.setAccessibleName(words.MODEL_NAME)
        self.model.setToolTip(words.MODEL_NAME)
        self.model.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.model.setMinimumContentsLength(8)
        self.model.activated.connect(self._choose)
        self.details = QPushButton(words.DETAILS)
        self.details.setObjectName("detailsButton")
        self.details.setAccessibleName(words.DETAILS)
        self.details.setProperty("look", "quiet")
        self.details.setCheckable(True)
        self.details.toggled.connect(self.detailsToggled)
        self._route: Route | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 8)
        layout.addWidget(self.model)
        layout.addStretch(1)
        layout.addWidget(self.details)

    def set_routes(self, services: Sequence[Service], current: Route | None) -> None:
        """Offer the services; the current one is chosen even if it is set up no more."""
        routes = [Route(model=service.model, base_url=service.base_url) for service in services]
        if current is not None and current not in routes:
            routes.insert(0, current)
        self._route = current
        self.model.clear()
        for route in routes:
            self.model.addItem(
                words.model_line(for_name(route.model), _where(route)), (route.model, route.base_url)
            )
        self.model.addItem(words.CONNECT_MODEL, None)
        if current is not None:
            self.model.setCurrentIndex(routes.index(current))

    def _choose(self, index: int) -> None:
        chosen = self.model.itemData(index)
        if chosen is not None:
            self.routeChosen.emit(*chosen)
            return
        if self._route is not None:
            self.model.setCurrentIndex(self.model.findData((self._route.model, self._route.base_url)))
        self.connectRequested.emit()


def _where(route: Route) -> str:
    if route.is_offline:
        return ""
    host = urlsplit(route.base_url).hostname or ""
    return words.THIS_COMPUTER if host in ("localhost", "::1") or host.startswith("127.") else for_name(host)


class NoticeBar(QFrame):
    """A sentence where something went wrong, with the next steps. It never goes by itself.

    Signals:
        stepChosen(str): the name of the step that was pressed.
    """

    stepChosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("look", "bar")
        self._words = label("", name=f"{name}Words", wraps=True)
        self._steps = QHBoxLayout()
        self._steps.setSpacing(0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 4, 4)
        layout.addWidget(self._words, 1)
        layout.addLayout(self._steps)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._words.text()

    def say(self, sentence: str, steps: Sequence[tuple[str, str]] = ()) -> None:
        """Say something, with steps as (name, words); an empty sentence hides the line."""
        if sentence == self._words.text() and sentence:
            self.show()
            return
        self._words.setText(sentence)
        while (item := self._steps.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for step, text in (*steps, ("dismiss", words.CLOSE)) if sentence else ():
            button = QPushButton(text)
            button.setObjectName(f"{step}Button")
            button.setAccessibleName(text if step != "dismiss" else words.DISMISS_NAME)
            button.setProperty("look", "link")
            button.clicked.connect(lambda _=False, name=step: self._press(name))
            self._steps.addWidget(button)
        self.setVisible(bool(sentence))

    def _press(self, step: str) -> None:
        self.hide()
        if step != "dismiss":
            self.stepChosen.emit(step)

    def minimumSizeHint(self) -> QSize:
        """It never holds the window wide."""
        return QSize(200, super().minimumSizeHint().height())
