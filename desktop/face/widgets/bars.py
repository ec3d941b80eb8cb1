"""The quiet lines of the window: title, folder and mode on top, model and details below, words in between.

They show what they are told, in words that are safe to show already, and say what the person chose. They know
no type of the harness: they are part of the first paint, and its types take a while to load.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from desktop.face import strings_window as words
from desktop.face.widgets.selector import Selector
from desktop.face.widgets.small import ElidingLabel, label


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What the top says of a chat, in words that are safe to show. `step` is told with the time it takes."""

    title: str
    folder: str
    path: str
    mode: str
    step: str
    is_busy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteChoice:
    """One line of the model selector: its words, and what it stands for."""

    text: str
    model: str
    base_url: str


_NARROW_PX = 640


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
        self._title = ElidingLabel(words.APP, is_bold=True)
        self._title.setObjectName("titleLabel")
        self._folder = label(words.NO_FOLDER, name="folderLabel", look="caption")
        self.status = label(words.STARTING, name="statusLabel", look="caption")
        self.status.setAccessibleName(words.STATUS_NAME)
        self.mode = Selector("modeSelector", words.MODE_NAME)
        self.mode.setToolTip(words.MODE_NAME)
        self.mode.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
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
        self.setMinimumHeight(46)
        layout.setSpacing(8)
        layout.addWidget(self.menu_button)
        layout.addWidget(self._title, 1)
        self._where = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._where.setSpacing(12)
        self._where.addWidget(self.status)
        self._where.addWidget(self._folder)
        layout.addLayout(self._where)
        layout.addWidget(self.mode)
        self.mode.hide()

    def show_heading(self, heading: Heading | None) -> None:
        """Show where a chat stands; None for no chat."""
        self._title.set_whole(heading.title if heading is not None else words.APP)
        self._folder.setText(words.folder_line(heading.folder) if heading is not None else words.NO_FOLDER)
        self._folder.setAccessibleDescription(heading.path if heading is not None else "")
        self.mode.setVisible(heading is not None)
        if heading is not None:
            self.mode.setCurrentIndex(self.mode.findData(heading.mode))
        self._show_step(
            heading.step if heading is not None else words.READY,
            is_busy=heading is not None and heading.is_busy,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, status stands above folder, so that the title keeps some room."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        way = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        if way is not self._where.direction():
            self._where.setDirection(way)
            self._where.setSpacing(0 if is_narrow else 12)

    def next_mode(self) -> None:
        """Choose the other mode."""
        if not self.mode.isHidden():
            self.modeChosen.emit(self.mode.itemData((self.mode.currentIndex() + 1) % self.mode.count()))

    def _show_step(self, step: str, *, is_busy: bool) -> None:
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
        self.model = Selector("modelSelector", words.MODEL_NAME)
        self.model.setProperty("look", "quiet")
        self.model.setToolTip(words.MODEL_NAME)
        self.model.setSizeAdjustPolicy(Selector.SizeAdjustPolicy.AdjustToContents)
        self.model.setMinimumContentsLength(8)
        self.model.activated.connect(self._choose)
        self.details = QPushButton(words.DETAILS)
        self.details.setObjectName("detailsButton")
        self.details.setAccessibleName(words.DETAILS)
        self.details.setProperty("look", "quiet")
        self.details.setCheckable(True)
        self.details.toggled.connect(self.detailsToggled)
        self._current = 0
        self._offered: tuple[tuple[RouteChoice, ...], int] = ((), -1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 8)
        layout.addWidget(self.model)
        layout.addStretch(1)
        layout.addWidget(self.details)

    def set_routes(self, choices: Sequence[RouteChoice], current: int) -> None:
        """Offer these, `current` by index; an open list is left alone if nothing changed."""
        if (tuple(choices), current) == self._offered:
            return
        self._offered = (tuple(choices), current)
        self._current = current
        self.model.clear()
        for choice in choices:
            self.model.addItem(choice.text, (choice.model, choice.base_url))
        self.model.addItem(words.CONNECT_MODEL, None)
        self.model.setCurrentIndex(current)

    def _choose(self, index: int) -> None:
        chosen = self.model.itemData(index)
        if chosen is not None:
            self._offered = ((), -1)  # what the harness says next is shown, whatever it is
            self.routeChosen.emit(*chosen)
            return
        self.model.setCurrentIndex(self._current)
        self.connectRequested.emit()


class NoticeBar(QFrame):
    """A sentence where something went wrong, with the next steps. It never goes by itself.

    One that tells where a chat stands cannot be closed: it goes when that is so no more.

    Signals:
        stepChosen(str): the name of the step that was pressed.
    """

    stepChosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None, *, is_closable: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("look", "bar")
        self._is_closable = is_closable
        self._said: tuple[str, tuple[tuple[str, str], ...]] = ("", ())
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
        self.setVisible(bool(sentence))
        if (sentence, tuple(steps)) == self._said:
            return
        self._said = (sentence, tuple(steps))
        self._words.setText(sentence)
        while (item := self._steps.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        closing = (("dismiss", words.CLOSE),) if self._is_closable else ()
        for step, text in (*steps, *closing) if sentence else ():
            button = QPushButton(text)
            button.setObjectName(f"{step}Button")
            button.setAccessibleName(text if step != "dismiss" else words.DISMISS_NAME)
            button.setProperty("look", "link")
            button.clicked.connect(lambda _=False, name=step: self._press(name))
            self._steps.addWidget(button)

    def _press(self, step: str) -> None:
        if self._is_closable:
            self.hide()
        if step != "dismiss":
            self.stepChosen.emit(step)

    def minimumSizeHint(self) -> QSize:
        """It never holds the window wide."""
        return QSize(200, super().minimumSizeHint().height())
