"""A person at the window, played: types, presses, reads, takes pictures, and looks at files and log.

Parts of the window are found by their fixed names. Whatever does not come about within a time a person
would wait ends as `TourError`.
"""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QPlainTextEdit, QWidget

from desktop import resources
from desktop.app import begin, conductor_of, make_window
from desktop.face.conductor import Conductor
from desktop.face.widgets.chat_pane import ChatPane
from desktop.face.widgets.main_window import MainWindow
from desktop.harness.api import Door, PayloadHash, RowKind, SessionId, SessionView, Status
from desktop.wiring import open_door

FOLDER_NAME = "Garden club"

_LIMIT_S = 30.0
_LOOK_S = 0.02
_REST_S = 0.4
"""For so long the window may come to rest before a picture is taken."""
_READING_S = 0.7
"""The approval panel takes no answer in its first half second, so that nobody allows the unseen."""

Part = TypeVar("Part", bound=QObject)


class TourError(Exception):
    """A fact of the tour does not hold; the text says which."""


class Player:
    """One person at one window, on a copy of the sample project in `place`; pictures go to `out`."""

    def __init__(self, place: Path, out: Path) -> None:
        self.folder = place / FOLDER_NAME
        self._data = place / "data"
        self._out = out
        self._number = 0
        self.door: Door
        self._window: MainWindow
        self._conductor: Conductor | None = None
        shutil.copytree(resources.sample(), self.folder)

    # --- what a person does ---

    async def start(self) -> None:
        """Open the door and the window on the project."""
        self.door = await open_door(self._data)
        self._window = make_window(self.door)
        self._conductor = conductor_of(self._window)
        self._window.resize(1200, 800)
        self._window.show()
        begin(self.conductor, str(self.folder))
        await self.until(lambda: self.conductor.bridge.chat.view is not None, "a chat is open")

    async def leave(self) -> None:
        """Close the window and the door."""
        if self._conductor is not None:
            await self._conductor.close()
            self._window.deleteLater()
            self._conductor = None

    async def say(self, text: str) -> None:
        """Type a sentence and press Enter."""
        field = self.field
        field.setFocus()
        for char in text:
            _press_key(field, 0, char)
        self.must(self.field.toPlainText() == text, "the typed words stand in the composer")
        await asyncio.sleep(_LOOK_S)
        seen = self.view().last_seq
        _press_key(field, Qt.Key.Key_Return)
        await self.until(lambda: self.view().last_seq > seen, "the words are on record")

    async def question(self) -> None:
        """Wait until the card asks and may be answered."""
        panel = self.conductor.panel
        await self.until(lambda: self.view().status is Status.WAITING and panel.isVisible(), "the card asks")
        await asyncio.sleep(_READING_S)

    async def answer(self, name: str) -> None:
        """Press a button of the card, as soon as it may be pressed."""
        await asyncio.sleep(_READING_S)
        await self.until(
            lambda: (one := self.button(name)) is not None and one.isEnabled(), f"{name} is open"
        )
        self.press(name)
        await self.until(lambda: self.view().status is not Status.WAITING, "the answer is taken")

    async def idle(self) -> None:
        """Wait until the work is done and nothing is asked."""
        await self.until(lambda: self.view().status is Status.IDLE, "the work is done")
        self.must(not self.conductor.panel.isVisible(), "no question is open")

    async def to_end_of_diff(self) -> None:
        """Scroll the difference to its end."""
        bar = self.conductor.panel.diff.canvas.verticalScrollBar()
        await asyncio.sleep(_REST_S)
        bar.setValue(bar.maximum())
        await asyncio.sleep(_REST_S)

    def choose_row(self, kind: RowKind, *, index: int = 0, last: bool = False) -> None:
        """Make one row of a kind the current one."""
        model = self.chat.model
        places = [place for place, row in enumerate(model.rows) if row.kind is kind]
        self.must(len(places) > index, f"there is a row of the kind {kind}")
        self.chat.view.setCurrentIndex(model.index(places[-1 if last else index], 0))

    def press(self, name: str) -> None:
        """Press a button by its fixed name."""
        button = self.button(name)
        self.must(button is not None, f"there is a button {name}")
        if button is not None:
            button.click()

    # --- what is looked at ---

    @property
    def conductor(self) -> Conductor:
        """What moves the window."""
        if self._conductor is None:
            raise TourError("The window is not open.")
        return self._conductor

    @property
    def chat(self) -> ChatPane:
        """The chat."""
        return self._part(ChatPane, "chatPane")

    @property
    def field(self) -> QPlainTextEdit:
        """The composer."""
        return self._part(QPlainTextEdit, "composer")

    def _part(self, kind: type[Part], name: str) -> Part:
        """A part of the window by its fixed name."""
        found = self._window.findChild(kind, name)
        if not isinstance(found, kind):
            raise TourError(f"The window has no part {name}.")
        return found

    def view(self) -> SessionView:
        """Where the open chat stands."""
        view: SessionView | None = self.conductor.bridge.chat.view
        if view is None:
            raise TourError("No chat is open.")
        return view

    def session(self) -> SessionId | None:
        """The open chat, None while none is."""
        view: SessionView | None = self.conductor.bridge.chat.view
        return None if view is None else view.session

    def button(self, name: str) -> QAbstractButton | None:
        """A visible button by its fixed name."""
        found = self._window.findChildren(QAbstractButton, name)
        return next((button for button in found if button.isVisible()), None)

    async def payload(self) -> PayloadHash | None:
        """What the first open question asks about."""
        questions = await self.door.sessions.questions(self.view().session)
        return questions[0].payload if questions else None

    def texts(self) -> dict[str, str]:
        """Every file of the project."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_text("utf-8")
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def must(self, is_so: bool, fact: str) -> None:
        """Raises TourError unless it is so."""
        if not is_so:
            raise TourError(f"This does not hold: {fact}.")

    async def until(self, is_so: Callable[[], bool], fact: str) -> None:
        """Wait for a fact. Raises TourError when it takes too long."""
        try:
            async with asyncio.timeout(_LIMIT_S):
                while not is_so():  # noqa: ASYNC110  # a tour looks at the window as a person does
                    await asyncio.sleep(_LOOK_S)
        except TimeoutError:
            raise TourError(f"This did not come about within {_LIMIT_S:g} s: {fact}.") from None

    async def picture(self, name: str) -> None:
        """Keep what the window shows."""
        self.must(self._conductor is not None, "the window is open")
        await asyncio.sleep(_REST_S)
        self._number += 1
        path = self._out / f"{self._number:02}-{name}.png"
        if not _grabbed(self._window).save(str(path)):
            raise TourError(f"The picture {path} could not be written.")


def _grabbed(window: QWidget) -> QPixmap:
    """The window with the dialogs that stand before it."""
    picture = window.grab()
    painter = QPainter(picture)
    for dialog in window.findChildren(QDialog):
        if dialog.isVisible():
            place = window.rect().center() - dialog.rect().center()
            painter.drawPixmap(place, dialog.grab())
            painter.drawRect(dialog.rect().translated(place))
    painter.end()
    return picture


def _press_key(widget: QWidget, key: int, text: str = "") -> None:
    """One key down and up, as the keyboard sends it."""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))
