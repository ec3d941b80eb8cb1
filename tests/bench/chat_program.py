"""The real window on a chat of some length: `converse` types, sends and watches the answer come.

It runs in a process of its own (see `window_program`), because Qt and the memory of one length must not
meet those of another. The service is the scripted server, the log and the door are the real ones.
"""

import asyncio
import os
import sqlite3
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from qasync import QEventLoop

from desktop.app import conductor_of, make_window
from desktop.face.conductor import Conductor
from desktop.face.stopwatch import stopwatch
from desktop.harness.api import RowKind, SessionId, Status
from desktop.wiring import data_folder, open_door
from tests.bench.chat import MESSAGES_SENT, WORDS
from tests.bench.window_program import finish

_QUIET_S = 0.3
_LIMIT_S = 60.0


class PaintTimes(QObject):
    """Notes when the chat was painted with a certain message in it.

    Signals: none.
    """

    def __init__(self, conductor: Conductor) -> None:
        super().__init__(conductor)
        self._model = conductor.chat.model
        self._wanted = ""
        self.painted_s = 0.0
        conductor.chat.view.viewport().installEventFilter(self)

    def want(self, text: str) -> None:
        """Look for this message of the person from now on."""
        self._wanted, self.painted_s = text, 0.0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the view paint, then look at the clock."""
        if event.type() is not QEvent.Type.Paint or not self._wanted or not self._has_row():
            return False
        self._wanted = ""
        watched.removeEventFilter(self)
        watched.event(event)
        self.painted_s = time.perf_counter()
        watched.installEventFilter(self)
        return True

    def _has_row(self) -> bool:
        return any(row.kind is RowKind.USER and row.text == self._wanted for row in self._model.rows[-4:])


def converse(session: str, rows: int) -> None:
    """Open the chat, send and stream, print what was measured."""
    app = QApplication([])
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(_converse(SessionId(session), rows))


async def _converse(session: SessionId, rows: int) -> None:
    door = await open_door(data_folder())
    window = make_window(door)
    window.resize(1100, 760)
    window.show()
    conductor = conductor_of(window)
    conductor.bridge.open(session)
    await _until(lambda: conductor.chat.model.rowCount() >= rows)
    await _until(lambda: conductor.bridge.chat.view is not None)
    await asyncio.sleep(_QUIET_S)
    times = PaintTimes(conductor)
    await _send(conductor, times, "Warm up, please.")
    shown_ms: list[float] = []
    commits_ms: list[float] = []
    for number in range(MESSAGES_SENT):
        commits_ms.append(_commit_ms(data_folder()))
        shown_ms.append(await _send(conductor, times, f"Message {number}, please."))
    word_ms = await _stream(conductor, times)
    statm = await asyncio.to_thread(Path("/proc/self/statm").read_text, "ascii")
    finish(
        shown_ms=statistics.median(shown_ms),
        commit_ms=statistics.median(commits_ms),
        word_ms=word_ms,
        longest_ms=max(stopwatch.longest_ms.values(), default=0.0),
        memory_bytes=int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE"),
    )


async def _send(conductor: Conductor, times: PaintTimes, text: str) -> float:
    """Type, press Enter, wait for the end of the answer; ms from the key to the painted row."""
    field = _field()
    field.setPlainText(text)
    await asyncio.sleep(_QUIET_S)
    times.want(text)
    begun_s = time.perf_counter()
    key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(field, key)
    await _until(lambda: times.painted_s > 0)
    await _until(lambda: _is_idle(conductor))
    await asyncio.sleep(_QUIET_S)
    return (times.painted_s - begun_s) * 1_000


async def _stream(conductor: Conductor, times: PaintTimes) -> float:
    """Let a long answer come in, a word at a time; ms of this thread's processor time a word."""
    field = _field()
    field.setPlainText("Tell a story.")
    await asyncio.sleep(_QUIET_S)
    times.want("Tell a story.")
    stopwatch.is_on = True
    key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(field, key)
    await _until(lambda: conductor.chat.model.rows[-1].status == "streaming")
    begun_s = time.thread_time()
    ended = asyncio.Event()  # not `_until`: looking every few milliseconds would be measured too
    conductor.bridge.chat.viewChanged.connect(lambda view: view.status is Status.IDLE and ended.set())
    await asyncio.wait_for(ended.wait(), _LIMIT_S)
    return (time.thread_time() - begun_s) * 1_000 / WORDS


def _field() -> QPlainTextEdit:
    """Where a person types."""
    return next(
        one
        for one in QApplication.allWidgets()
        if isinstance(one, QPlainTextEdit) and one.objectName() == "composer"
    )


def _is_idle(conductor: Conductor) -> bool:
    view = conductor.bridge.chat.view
    return view is not None and view.status is Status.IDLE


async def _until(is_so: Callable[[], bool]) -> None:
    """Look every few milliseconds. Raises TimeoutError."""
    async with asyncio.timeout(_LIMIT_S):
        while not is_so():
            await asyncio.sleep(0.01)


def _commit_ms(folder: Path) -> float:
    """One durable commit on this disk, now."""
    connection = sqlite3.connect(folder / "bench.db", isolation_level=None)
    try:
        connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (x TEXT);"
        )
        begun_s = time.perf_counter()
        connection.execute("INSERT INTO t VALUES (?)", ("x" * 200,))
        return (time.perf_counter() - begun_s) * 1_000
    finally:
        connection.close()
