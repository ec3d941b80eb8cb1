"""The whole main job over the real harness with the offline helper, by the keyboard alone."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from desktop.face.conductor import Conductor
from desktop.wiring import open_door
from tests.running import Running, small_project, texts, until

RunQt = Callable[[Awaitable[Any]], Any]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier
_MOST_TABS = 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small project."""
    return small_project(tmp_path)


class Keys:
    """Hands on a keyboard: everything goes where the focus is."""

    def __init__(self, running: Running, conductor: Conductor) -> None:
        self.window = running.window
        self.conductor = conductor

    @property
    def focus(self) -> QWidget:
        """Where the focus is: in an open menu or dialog, else in the window."""
        popup = QApplication.activePopupWidget()
        dialogs = [box for box in self.window.findChildren(QDialog) if box.isVisible()]
        place = popup or (dialogs[-1].focusWidget() or dialogs[-1] if dialogs else self.window.focusWidget())
        assert place is not None
        return place

    def press(self, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
        """Press one key."""
        QTest.keyClick(self.focus, key, held)

    def type(self, text: str) -> None:
        """Type words and send them."""
        QTest.keyClicks(self.focus, text)
        self.press(Qt.Key.Key_Return)

    def tab_to(self, name: str) -> None:
        """Go on with Tab until the part of this name has the focus."""
        for _ in range(_MOST_TABS):
            if self.focus.objectName() == name:
                return
            self.press(Qt.Key.Key_Tab)
        raise AssertionError(f"Tab never comes to {name}")

    async def card(self) -> None:
        """Wait for the card, and until it takes an answer."""
        await until(lambda: self.conductor.panel.isVisible())
        await asyncio.sleep(0.6)

    async def rest(self) -> None:
        """Wait until nothing works."""
        await until(lambda: self.conductor.bridge.chat.view and not self.conductor.is_busy())


def test_the_main_job_needs_no_pointer(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """Ask, read the card, allow, put back, branch, begin a chat and go to another: keys are enough."""
    notes = folder / "notes.txt"

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        conductor = await running.ready()
        keys = Keys(running, conductor)
        await until(lambda: conductor.chat.isVisible())
        keys.type('replace "colour" with "color" in notes.txt')
        await keys.card()
        assert keys.focus.objectName() == "composer"
        keys.tab_to("diffCanvas")
        keys.press(Qt.Key.Key_End)
        keys.tab_to("allowOnceButton")
        assert "colour" in notes.read_text()
        keys.press(Qt.Key.Key_O, ALT)
        await until(lambda: conductor.bridge.chat.view and conductor.bridge.chat.view.runs)
        assert "color\n" in notes.read_text()
        await keys.rest()
        assert keys.focus.objectName() == "composer"

        keys.tab_to("chatView")
        keys.press(Qt.Key.Key_Home)
        chat = conductor.chat
        await choose(keys, chat, "undoAction")
        await until(lambda: running.window.findChild(QDialog, "undoDialog"))
        keys.tab_to("putBackButton")
        keys.press(Qt.Key.Key_Space)
        await until(lambda: "colour\n" in notes.read_text())

        first = conductor.bridge.session
        await activate(running.window)
        chat.view.setFocus()
        keys.press(Qt.Key.Key_Home)
        keys.press(Qt.Key.Key_B, CTRL | SHIFT)
        await until(lambda: conductor.bridge.session != first)
        await until(lambda: running.window.composer.text().startswith("replace"))
        branch = conductor.bridge.session
        running.window.composer.set_text("")
        keys.type("list the files")
        await until(lambda: "list.md" in texts(conductor))
        await keys.rest()

        keys.press(Qt.Key.Key_N, CTRL)
        await until(lambda: conductor.bridge.session not in (first, branch))
        await until(lambda: len(conductor._sessions) == 3)
        made = conductor.bridge.session
        seen = {made}
        for _ in range(2):
            keys.press(Qt.Key.Key_Tab, CTRL)
            await until(lambda: len(seen | {conductor.bridge.session}) > len(seen))
            await keys.rest()
            seen.add(conductor.bridge.session)
        assert seen == {first, branch, made}
        assert await running.end() == 0

    run_qt(play())


async def activate(window: QWidget) -> None:
    """Give the window the keyboard back, as any desktop does when a dialog or a menu is closed."""
    while not window.isActiveWindow():
        window.activateWindow()
        await asyncio.sleep(0.02)


async def choose(keys: Keys, place: QWidget, name: str) -> None:
    """Open the menu of a place with the menu key and take one of its lines."""
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), place.mapToGlobal(QPoint()))
    QApplication.sendEvent(place, asked)
    await asyncio.sleep(0.05)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    for _ in menu.actions():
        keys.press(Qt.Key.Key_Down)
        if menu.activeAction() is not None and menu.activeAction().objectName() == name:
            keys.press(Qt.Key.Key_Return)
            return
    raise AssertionError(f"the menu has no {name}")


def test_the_guard_holds_against_the_keyboard(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """Keys pressed at the moment that the card appears allow nothing; Escape decides nothing."""

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        conductor = await running.ready()
        keys = Keys(running, conductor)
        await until(lambda: conductor.chat.isVisible())
        keys.type('replace "colour" with "color" in notes.txt')
        await until(lambda: conductor.panel.isVisible())
        keys.press(Qt.Key.Key_O, ALT)
        await asyncio.sleep(0.3)
        keys.press(Qt.Key.Key_Escape)
        assert "colour" in (folder / "notes.txt").read_text()
        await asyncio.sleep(0.4)
        keys.press(Qt.Key.Key_D, ALT)
        await until(lambda: not conductor.panel.isVisible())
        await keys.rest()
        assert "colour" in (folder / "notes.txt").read_text()
        assert await running.end() == 0

    run_qt(play())


def test_closing_with_a_card_open_keeps_it(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """Ctrl+Q while a card waits ends with 0 within 3 s, asks nothing, and the same card is there again."""

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        conductor = await running.ready()
        keys = Keys(running, conductor)
        await until(lambda: conductor.chat.isVisible())
        keys.type('replace "colour" with "color" in notes.txt')
        await keys.card()
        asked = [each.question.payload for each in conductor.panel._asked]
        keys.press(Qt.Key.Key_Q, CTRL)
        assert running.window.findChild(QDialog, "closeQuestion") is None
        assert await asyncio.wait_for(running.task, 3) == 0
        running.window.deleteLater()
        again = Running(None, lambda: open_door(data_dir))
        conductor = await again.ready()
        await until(lambda: conductor.panel.isVisible())
        assert [each.question.payload for each in conductor.panel._asked] == asked
        assert await again.end() == 0

    run_qt(play())
