"""The one object that calls the harness for the window: verbs as slots, what came of them as signals.

Widgets never see the door. A slot starts a task and returns at once; an answer, or a sentence about what
went wrong, comes back as a signal. It has three parts of the same kind: `chat` follows the chat that is
open, `run` controls what runs in it, `settings` knows services, keys and rules.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.face import strings_window as words
from desktop.face.examples import examples_in
from desktop.face.open_chat import OpenChat, compare_all
from desktop.face.run_bridge import RunBridge, told
from desktop.face.settings_bridge import SettingsBridge
from desktop.face.tasks import Tasks
from desktop.harness.api import (
    Decision,
    Door,
    Mode,
    PaddockError,
    Route,
    RunNumber,
    Seq,
    SessionId,
)

_log = logging.getLogger("paddock.face")


class Bridge(QObject):
    """The verbs of chats, over one door.

    Signals:
        failed(str): something went wrong; a sentence for the person.
        sessionsListed(list[SessionSummary]): the list of chats, newest first.
        foldersListed(list[Project]): folders opened before.
        examplesFound(str, list[str]): a folder and what could be asked there.
        cautioned(str, str): a folder that is better not opened, and why; nothing was opened.
        nothingFound(): there is no chat that could be opened.
        sent(): the message is on record.
        sendFailed(str): the message was not taken, and why; nothing was recorded.
        decided(): the answers are on record.
        decideFailed(str): they are not, and why.
        undoPlanned(UndoPlan, tuple[ComparedFile]): what putting back a run would do.
        undone(UndoPlan): it was done.
        branched(str, str): a branch was made; its id and the text for the composer.
        deleted(str): a chat went into the bin and can be restored.
    """

    failed = Signal(str)
    sessionsListed = Signal(list)
    foldersListed = Signal(list)
    examplesFound = Signal(str, list)
    cautioned = Signal(str, str)
    nothingFound = Signal()
    sent = Signal()
    sendFailed = Signal(str)
    decided = Signal()
    decideFailed = Signal(str)
    undoPlanned = Signal(object, tuple)
    undone = Signal(object)
    branched = Signal(str, str)
    deleted = Signal(str)

    def __init__(self, door: Door, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = door
        self._tasks = Tasks(self._report)
        self.chat = OpenChat(door, self._tasks, self)
        self.run = RunBridge(door, self.chat, self._tasks, self)
        self.settings = SettingsBridge(door, self._tasks, self)

    @property
    def session(self) -> SessionId | None:
        """The chat that is open."""
        return self.chat.session

    # --- chats and folders ---

    def list_sessions(self) -> None:
        """Read the list of chats and the folders anew."""
        self._tasks.spawn(self._list(), instead_of="list")

    async def _list(self) -> None:
        self.sessionsListed.emit(await self._door.sessions.summaries())
        self.foldersListed.emit(await self._door.projects.recent())

    def open(self, session: str) -> None:
        """Open a chat."""
        self.chat.open(SessionId(session))

    def open_folder(self, path: str) -> None:
        """Open the newest chat of a folder, or begin one; where there is something to think of, ask first."""
        self._tasks.spawn(self._open_folder(path), instead_of="folder")

    async def _open_folder(self, path: str) -> None:
        found = await self._door.sessions.summaries(workspace=path)
        if found:
            self.open(found[0].session)
        elif caution := self._door.projects.caution(path):
            self.cautioned.emit(path, caution)
        else:
            await self._begin(path)

    def find_examples(self, folder: str) -> None:
        """Look what could be asked in a folder."""

        async def work() -> None:
            self.examplesFound.emit(folder, await asyncio.to_thread(examples_in, folder))

        self._tasks.spawn(work(), instead_of="examples")

    def open_newest(self) -> None:
        """Open the chat that was used last."""
        self._tasks.spawn(self._open_newest(), instead_of="folder")

    async def _open_newest(self) -> None:
        found = await self._door.sessions.summaries()
        if found:
            self.open(found[0].session)
        else:
            self.nothingFound.emit()

    def begin(self, path: str) -> None:
        """Begin a chat in a folder."""
        self._tasks.spawn(self._begin(path), instead_of="folder")

    async def _begin(self, path: str) -> None:
        session = await self._door.sessions.start(path, route=self._door.services.default_route())
        self.open(session)
        self.list_sessions()

    def rename(self, session: str, title: str) -> None:
        """Give a chat another title."""
        self._listed(self._door.projects.rename(SessionId(session), title))

    def restore(self, session: str) -> None:
        """Take a chat out of the bin."""
        self._listed(self._door.projects.restore(SessionId(session)))

    def delete(self, session: str) -> None:
        """Put a chat into the bin; nothing of it is erased."""
        self._listed(self._door.projects.bin(SessionId(session)), lambda: self.deleted.emit(session))

    # --- the open chat ---

    def prompt(self, text: str) -> None:
        """Say something in the open chat."""
        self._in_chat(
            lambda chat: told(self._door.sessions.prompt(chat, text), self.sent.emit, self.sendFailed.emit)
        )

    def decide(self, decisions: Sequence[Decision]) -> None:
        """Answer questions of the open chat."""
        self._in_chat(
            lambda chat: told(
                self._door.sessions.decide(chat, *decisions), self.decided.emit, self.decideFailed.emit
            )
        )

    def set_mode(self, mode: str) -> None:
        """Change what the open chat may do."""
        self._in_chat(lambda chat: self._door.sessions.set_mode(chat, Mode(mode)))

    def set_route(self, model: str, base_url: str) -> None:
        """Change who answers in the open chat."""
        route = Route(model=model, base_url=base_url)
        self._in_chat(lambda chat: self._door.sessions.set_route(chat, route))

    def branch(self, session: str, at: int | None, draft: str) -> None:
        """Branch a chat after a record (None: the last); `draft` goes into the composer of the branch."""
        self._tasks.spawn(self._branch(SessionId(session), None if at is None else Seq(at), draft))

    async def _branch(self, session: SessionId, at: Seq | None, draft: str) -> None:
        made = await self._door.sessions.fork(session, at=at)
        if draft:
            await self._door.sessions.keep_draft(made, draft)
        self.branched.emit(made, draft)
        self.open(made)
        self.list_sessions()

    def plan_undo(self, run: int) -> None:
        """Ask what putting back a run of the open chat would do."""
        self._in_chat(lambda chat: self._plan_undo(chat, RunNumber(run)))

    async def _plan_undo(self, session: SessionId, run: RunNumber) -> None:
        plan = await self._door.sessions.plan_undo(session, run)
        self.undoPlanned.emit(plan, await compare_all(plan.files))

    def undo(self, run: int) -> None:
        """Put back what a run of the open chat changed."""
        self._in_chat(lambda chat: self._undo(chat, RunNumber(run)))

    async def _undo(self, session: SessionId, run: RunNumber) -> None:
        self.undone.emit(await self._door.sessions.undo(session, run))

    async def close(self) -> None:
        """Keep the draft, end all tasks, let the harness go."""
        try:
            await self.chat.end()
        except PaddockError as error:
            _log.info("the draft was not kept: %s", error)
        await self._tasks.close()
        await self._door.close()

    # --- the parts ---

    def _in_chat(self, verb: Callable[[SessionId], Coroutine[Any, Any, Any]]) -> None:
        if self.session is not None:
            self._tasks.spawn(verb(self.session))

    def _listed(self, verb: Awaitable[None], then: Callable[[], None] = lambda: None) -> None:
        async def work() -> None:
            await verb
            then()
            await self._list()

        self._tasks.spawn(work())

    def _report(self, error: BaseException) -> None:
        if isinstance(error, PaddockError):
            self.failed.emit(str(error))
        else:
            _log.error("a task of the window failed", exc_info=error)
            self.failed.emit(words.inner_fault(error))
