"""The open chat as the bridge follows it: rows, view, questions and draft.

What the harness tells is passed on at once after a quiet time, else gathered and passed on once per
`BATCH_MS`, whatever the speed of a reply. Questions are fetched when the log says that somebody is waited
for, and told anew only when what they show has changed. Long changes are compared in a thread.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.face.diff_rows import ComparedFile, compared
from desktop.face.stopwatch import stopwatch
from desktop.face.syntax import language_of
from desktop.face.tasks import Tasks
from desktop.harness.api import Door, FileDiff, Patch, Question, SessionId, SessionView, Update

BATCH_MS = 33
DRAFT_MS = 400
_LONG_TEXT = 60_000
"""Characters of a change from which on it is compared in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its files compared."""

    question: Question
    files: tuple[ComparedFile, ...]


class OpenChat(QObject):
    """Follows one session at a time.

    Signals:
        opened(str, str): another chat is followed; its id and the draft that was left in it.
        rowsChanged(tuple[Patch]): splices for the rows.
        viewChanged(SessionView): where it stands.
        asked(tuple[Asked]): all questions that wait; empty when none does.
    """

    opened = Signal(str, str)
    rowsChanged = Signal(tuple)
    viewChanged = Signal(object)
    asked = Signal(tuple)

    def __init__(self, door: Door, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = door
        self._tasks = tasks
        self.session: SessionId | None = None
        self.view: SessionView | None = None
        self._patches: list[Patch] = []
        self._new_view: SessionView | None = None
        self._shown: tuple[tuple[str, str], ...] = ()
        self._draft: str | None = None
        self._flushed_ms = 0
        self._batch = self._timer(self.flush)
        self._draft_timer = self._timer(self.keep_draft)

    def open(self, session: SessionId) -> None:
        """Follow another session; the one before is left, its draft kept."""
        if session != self.session:
            self._tasks.spawn(self._open(session), instead_of="open")

    def leave(self) -> None:
        """Follow nothing any more."""
        self._tasks.stop("watch")
        self._tasks.stop("questions")
        self.keep_draft()
        self._batch.stop()
        self.session = self.view = self._new_view = None
        self._patches = []
        self._tell_asked(())

    async def _open(self, session: SessionId) -> None:
        draft = await self._door.sessions.draft(session)
        self.leave()
        self.session = session
        self.opened.emit(session, draft)
        self._tasks.spawn(self._watch(session), instead_of="watch")

    async def _watch(self, session: SessionId) -> None:
        async for update in self._door.sessions.watch(session):
            self._take(update)

    def _take(self, update: Update) -> None:
        self._patches.extend(update.patches)
        self._new_view = update.view or self._new_view
        if self._batch.isActive():
            return
        wait_ms = 0 if self.view is None else self._flushed_ms + BATCH_MS - _now_ms()
        if wait_ms > 0:
            self._batch.start(wait_ms)
        else:
            self.flush()

    def flush(self) -> None:
        """Pass on what was gathered."""
        self._batch.stop()
        self._flushed_ms = _now_ms()
        patches, self._patches = tuple(self._patches), []
        view, self._new_view = self._new_view, None
        with stopwatch.measure("rows"):
            if patches:
                self.rowsChanged.emit(patches)
        with stopwatch.measure("view"):
            if view is not None:
                self._tell_view(view)

    def _tell_view(self, view: SessionView) -> None:
        self.view = view
        self.viewChanged.emit(view)
        if view.waiting:
            self._tasks.spawn(self._fetch_questions(view), instead_of="questions")
        else:
            self._tasks.stop("questions")
            self._tell_asked(())

    # --- questions ---

    async def _fetch_questions(self, view: SessionView) -> None:
        questions = await self._door.sessions.questions(view.session)
        if _shown(questions) == self._shown:
            return
        asked = [Asked(question=question, files=await compare_all(question.files)) for question in questions]
        if view.session == self.session:
            self._tell_asked(tuple(asked))

    def _tell_asked(self, asked: tuple[Asked, ...]) -> None:
        shown = _shown([each.question for each in asked])
        if shown != self._shown:
            self._shown = shown
            with stopwatch.measure("asked"):
                self.asked.emit(asked)

    # --- the draft ---

    def change_draft(self, text: str) -> None:
        """Keep this text for the open chat, a little later."""
        self._draft = text
        self._draft_timer.start(DRAFT_MS)

    def keep_draft(self) -> None:
        """Keep what was typed, now."""
        self._draft_timer.stop()
        if self.session is not None and self._draft is not None:
            self._tasks.spawn(self._door.sessions.keep_draft(self.session, self._draft))
        self._draft = None

    async def end(self) -> None:
        """Keep the draft, durably, before the window goes."""
        self._draft_timer.stop()
        if self.session is not None and self._draft is not None:
            await self._door.sessions.keep_draft(self.session, self._draft)
        self._draft = None

    def _timer(self, slot: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer


def _now_ms() -> int:
    return int(time.monotonic() * 1_000)


def _shown(questions: Sequence[Question]) -> tuple[tuple[str, str], ...]:
    return tuple((question.call_id, question.payload) for question in questions)


async def compare_all(files: Sequence[FileDiff]) -> tuple[ComparedFile, ...]:
    """Compare files, long ones in a thread; what a file's code is coloured as is always found in one."""
    found: list[ComparedFile] = []
    for file in files:
        language = "" if file.binary else await asyncio.to_thread(language_of, file.path)
        size = len(file.before or "") + len(file.after or "")
        if size > _LONG_TEXT:
            found.append(await asyncio.to_thread(compared, file, language=language))
        else:
            found.append(compared(file, language=language))
    return tuple(found)
