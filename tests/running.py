"""A window that lives over the real harness, for tests that play a person at it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from desktop.app import OpenDoor, conductor_of, live
from desktop.face.conductor import Conductor
from desktop.face.widgets.main_window import MainWindow, dress

Part = TypeVar("Part", bound=QWidget)


def small_project(place: Path) -> Path:
    """A folder with two short files."""
    made = place / "Reports"
    made.mkdir()
    (made / "notes.txt").write_text("# Notes\n\none colour\n")
    (made / "list.md").write_text("colour, colour\n")
    return made


def part(parent: QWidget, kind: type[Part], name: str) -> Part:
    """A part that has to be there."""
    found = parent.findChild(kind, name)
    assert found is not None
    return found


class Running:
    """A window that lives over the real harness."""

    def __init__(self, folder: Path | None, opener: OpenDoor) -> None:
        dress("light", 1.0)
        self.window = MainWindow({})
        self.window.show()
        self.task = asyncio.ensure_future(live(self.window, str(folder) if folder else None, opener))

    async def ready(self) -> Conductor:
        """Wait until a chat is open."""
        await until(lambda: self.window.panel is not None)
        conductor = conductor_of(self.window)
        await until(lambda: conductor.bridge.chat.view is not None)
        return conductor

    async def end(self) -> int:
        """Close the window; the exit code."""
        self.window.close()
        code = await asyncio.wait_for(self.task, 10)
        self.window.deleteLater()
        return code


async def until(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.01)


def say(window: MainWindow, text: str) -> None:
    """Type a message and send it."""
    window.composer.set_text(text)
    window.composer.send_button.click()


def texts(conductor: Conductor) -> str:
    """All that the chat shows."""
    return "\n".join(row.text or row.title for row in conductor.chat.model.rows)
