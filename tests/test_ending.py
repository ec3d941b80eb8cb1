"""Closing the window in the middle of things: exit code 0 soon, nothing left running, all on record."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel

from desktop.face import strings_window as words
from desktop.harness.api import Door, Service, Status
from desktop.proof.script import Until, text
from desktop.proof.script import words as said
from desktop.proof.thread import server_thread
from desktop.wiring import open_door
from tests.running import Running, part, say, small_project, texts, until

RunQt = Callable[[Awaitable[Any]], Any]
_LIMIT_S = 8.0
"""The program means to be gone after 3 s; a slow machine gets longer before this is called hanging."""

_ALLOWED = ("--allow", "run_command")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small project."""
    return small_project(tmp_path)


async def stop_and_close(running: Running) -> None:
    """Close the window, say that the work is to be stopped, and wait for the end."""
    running.window.close()
    await until(lambda: running.window.findChild(QDialog, "closeQuestion"))
    box = part(running.window, QDialog, "closeQuestion")
    button = next(b for b in box.findChildren(QAbstractButton) if b.text() == words.STOP_AND_CLOSE)
    started = time.monotonic()
    button.click()
    assert await asyncio.wait_for(running.task, 10) == 0
    assert time.monotonic() - started < _LIMIT_S
    running.window.deleteLater()


def test_closing_while_an_answer_streams(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """The stream is let go, what had come in is on record, and the chat can go on afterwards."""
    never = asyncio.Event()

    async def opened(url: str) -> Door:
        door = await open_door(data_dir)
        await door.services.save(Service(name="Here", base_url=url, model="m"), default=True)
        return door

    async def play() -> None:
        with server_thread([[*said("I have read"), Until(never)], text("the rest.")]) as server:
            running = Running(folder, lambda: opened(server.base_url))
            conductor = await running.ready()
            await until(lambda: conductor.chat.isVisible())
            say(running.window, "Summarise the notes")
            await until(lambda: "I have read" in texts(conductor))
            await stop_and_close(running)
            again = Running(None, lambda: open_door(data_dir))
            conductor = await again.ready()
            view = conductor.bridge.chat.view
            assert view is not None and view.status is Status.INTERRUPTED
            assert "I have read" in texts(conductor)
            await until(lambda: again.window.standing.isVisible())
            part(again.window.standing, QAbstractButton, "continueButton").click()
            await until(lambda: "the rest." in texts(conductor))
            await until(lambda: not conductor.is_busy())
            assert not again.window.standing.isVisible()
            assert await again.end() == 0

    run_qt(play())


def test_closing_while_a_command_runs(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """The command and its children are gone, and the chat says that it was stopped."""

    async def play() -> None:
        running = Running(folder, lambda: open_door(data_dir))
        conductor = await running.ready()
        await until(lambda: conductor.chat.isVisible())
        say(running.window, "run sleep 4711")
        await until(lambda: conductor.panel.isVisible())
        conductor.panel._guard_until_s = 0.0
        conductor.panel._once.click()
        await until(lambda: survivors("4711"))
        await stop_and_close(running)
        assert survivors("4711") == []

    run_qt(play())


def test_what_was_killed_in_the_middle_is_asked_about(run_qt: RunQt, folder: Path, data_dir: Path) -> None:
    """After SIGKILL of a headless run the window offers to look, then asks, and takes the answer."""
    killed = subprocess.Popen(
        [sys.executable, "-m", "desktop", "run", "run sleep 4712", "--workspace", str(folder), *_ALLOWED],
        env={**os.environ, "PADDOCK_DATA_DIR": str(data_dir)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 20
    while not survivors("4712") and time.monotonic() < deadline:
        time.sleep(0.05)
    killed.kill()
    killed.wait()

    async def play() -> None:
        running = Running(None, lambda: open_door(data_dir))
        conductor = await running.ready()
        await until(lambda: running.window.standing.isVisible())
        assert running.window.standing.text == words.UNSEEN_END
        part(running.window.standing, QAbstractButton, "continueButton").click()
        await until(lambda: conductor.card.isVisible())
        assert "sleep 4712" in part(conductor.card, QLabel, "settleTitle").text()
        await asyncio.sleep(0.6)
        part(conductor.card, QAbstractButton, "settleNoButton").click()
        await until(lambda: not conductor.card.isVisible())
        await until(lambda: conductor.bridge.chat.view and conductor.bridge.chat.view.status is Status.IDLE)
        assert await running.end() == 0

    run_qt(play())


def survivors(word: str) -> list[str]:
    """Command lines of living processes that have this word."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if line.startswith("sleep ") and word in line:
            found.append(line)
    return found
