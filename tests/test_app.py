"""The program over the real harness: the main job, an orderly end, a quick first paint."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton, QDialog

from desktop.harness.api import StorageError
from desktop.wiring import open_door
from tests.running import Running, part, say, small_project, texts, until

RunQt = Callable[[Awaitable[Any]], Any]
LATE = ("pygments", "markdown_it", "rapidfuzz", "keyring", "sqlite3", "sqlite_utils", "openai", "watchdog")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small project."""
    return small_project(tmp_path)


def test_ask_allow_undo_and_restart(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """The helper proposes, the person allows once, puts it back, and finds a waiting card after a restart."""

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        conductor = await running.ready()
        say(running.window, 'replace "colour" with "color" in all files')
        await until(lambda: conductor.panel.isVisible())
        assert "colour" in (folder / "notes.txt").read_text()
        conductor.panel._guard_until_s = 0.0
        conductor.panel._once.click()
        await until(lambda: conductor.bridge.chat.view and conductor.bridge.chat.view.runs)
        await until(lambda: not conductor.is_busy())
        assert (folder / "notes.txt").read_text() == "# Notes\n\none color\n"
        assert (folder / "list.md").read_text() == "color, color\n"
        conductor.bridge.plan_undo(1)
        await until(lambda: running.window.findChild(QDialog, "undoDialog"))
        part(running.window, QDialog, "undoDialog").accept()
        await until(lambda: "Put back as before" in texts(conductor))
        assert (folder / "notes.txt").read_text() == "# Notes\n\none colour\n"
        say(running.window, 'replace "Notes" with "Remarks" in notes.txt')
        await until(lambda: conductor.panel.isVisible())
        running.window.composer.set_text("half a thought")
        assert await running.end() == 0

        again = Running(None, lambda: open_door(data_dir))
        conductor = await again.ready()
        await until(lambda: conductor.panel.isVisible())
        assert again.window.composer.text() == "half a thought"
        assert "Notes" in (folder / "notes.txt").read_text()
        conductor.panel._guard_until_s = 0.0
        conductor.panel._once.click()
        await until(lambda: "Remarks" in (folder / "notes.txt").read_text())
        await until(lambda: not conductor.is_busy())
        assert await again.end() == 0

    run_qt(play())


def test_a_file_that_moved_on_is_asked_anew(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """Allowing a change of a file that is different by now changes nothing and shows the new difference."""

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        conductor = await running.ready()
        say(running.window, 'replace "colour" with "color" in notes.txt')
        await until(lambda: conductor.panel.isVisible())
        (folder / "notes.txt").write_text("# Notes\n\nanother colour\n")
        conductor.panel._guard_until_s = 0.0
        conductor.panel._once.click()
        await until(lambda: conductor.panel.isVisible() and conductor.panel._note.isVisible())
        assert (folder / "notes.txt").read_text() == "# Notes\n\nanother colour\n"
        assert "Here is the new difference." in conductor.panel._note.text()
        conductor.panel._guard_until_s = 0.0
        conductor.panel._once.click()
        await until(lambda: (folder / "notes.txt").read_text() == "# Notes\n\nanother color\n")
        await until(lambda: not conductor.is_busy())
        assert await running.end() == 0

    run_qt(play())


def test_closing_asks_once_while_something_works(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """Keep working leaves the window open; Stop and close ends the command and the program within 5 s."""

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        conductor = await running.ready()
        say(running.window, "run sleep 60")
        await until(lambda: conductor.panel.isVisible())
        conductor.panel._guard_until_s = 0.0
        conductor.panel._once.click()
        await until(conductor.is_busy)
        await asyncio.sleep(0.3)
        running.window.close()
        await until(lambda: running.window.findChild(QDialog, "closeQuestion"))
        running.window.close()
        boxes = running.window.findChildren(QDialog, "closeQuestion")
        assert len(boxes) == 1
        press(boxes[0], "Keep working")
        await asyncio.sleep(0.1)
        assert running.window.isVisible()
        assert not running.task.done()
        running.window.close()
        await until(lambda: running.window.findChild(QDialog, "closeQuestion"))
        press(part(running.window, QDialog, "closeQuestion"), "Stop and close")
        started = time.monotonic()
        assert await asyncio.wait_for(running.task, 10) == 0
        assert time.monotonic() - started < 5
        running.window.deleteLater()

    run_qt(play())


def press(box: QDialog, text: str) -> None:
    """Press the button with these words."""
    next(button for button in box.findChildren(QAbstractButton) if button.text() == text).click()


def test_a_message_sent_before_the_harness_is_there(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """What is sent right after the first paint is kept, and said as soon as a chat is open."""

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        say(running.window, "list the files")
        conductor = await running.ready()
        await until(lambda: "notes.txt" in texts(conductor))
        await until(lambda: not conductor.is_busy())
        assert running.window.composer.text() == ""
        assert await running.end() == 0

    run_qt(play())


def test_a_log_that_cannot_be_opened_is_said_in_the_window(run_qt: RunQt) -> None:
    """A damaged data folder gives a sentence and an exit code, never a traceback."""

    async def broken() -> Any:
        raise StorageError("The log could not be opened.")

    async def play() -> None:
        running = Running(None, broken)
        await until(lambda: running.window.standing.isVisible())
        assert running.window.standing.text == "The log could not be opened."
        assert await running.end() == 1

    run_qt(play())


def test_the_first_paint_loads_little() -> None:
    """Nothing that reads, compares, colours, stores or asks is loaded before the window is painted."""
    code = f"import sys, desktop.app; print([name for name in {LATE!r} if name in sys.modules])"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.strip() == "[]"


def test_the_program_ends_in_good_order_on_a_signal(data_dir: Path, folder: Path) -> None:
    """A terminate signal closes the real program with exit code 0 and without a word on standard error."""
    program = subprocess.Popen(
        [sys.executable, "-m", "desktop", str(folder)],
        env={**os.environ, "PADDOCK_DATA_DIR": str(data_dir), "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not list(data_dir.glob("*.db*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.5)
    program.send_signal(signal.SIGTERM)
    _, complaints = program.communicate(timeout=15)
    loud = [line for line in complaints.splitlines() if "propagateSizeHints" not in line]
    assert (program.returncode, loud) == (0, [])
