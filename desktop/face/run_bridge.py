"""The bridge's part for a run that is under way or held up: steer, pause, stop, go on, settle.

A verb that was not taken is told in one sentence; what came of one that was comes with the view.
"""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.face import strings_window as words
from desktop.face.diff_rows import ComparedFile
from desktop.face.open_chat import OpenChat, compare_all
from desktop.face.tasks import Tasks
from desktop.harness.api import CallId, Door, Evidence, PaddockError, SessionId, Settlement, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What can be seen of an effect, with its files compared."""

    evidence: Evidence
    files: tuple[ComparedFile, ...]


class RunBridge(QObject):
    """Control of the open chat's run.

    Signals:
        steered(): the words are on record.
        steerFailed(str): they are not, and why.
        settleFailed(str): the answer was not taken, and why.
        evidenceFound(Found): what can be seen of an effect without a receipt.
    """

    steered = Signal()
    steerFailed = Signal(str)
    settleFailed = Signal(str)
    evidenceFound = Signal(object)

    def __init__(self, door: Door, chat: OpenChat, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = door
        self._chat = chat
        self._tasks = tasks

    def steer(self, text: str) -> None:
        """Say something to what runs."""
        self._in_chat(
            lambda chat: told(self._door.sessions.steer(chat, text), self.steered.emit, self.steerFailed.emit)
        )

    def settle(self, call_id: str, outcome: str) -> None:
        """Answer whether an effect happened; `outcome` is a value of `Settlement`."""
        answer = Settlement(outcome)
        self._in_chat(
            lambda chat: told(
                self._door.sessions.settle(chat, CallId(call_id), answer),
                lambda: None,
                self.settleFailed.emit,
            )
        )

    def look(self, call_id: str) -> None:
        """Find out what can be seen of an effect without a receipt."""
        if self._chat.session is not None:
            self._tasks.spawn(self._look(self._chat.session, CallId(call_id)), instead_of="evidence")

    async def _look(self, chat: SessionId, call_id: CallId) -> None:
        with suppress(UsageError):  # it was answered for meanwhile
            evidence = await self._door.sessions.evidence(chat, call_id)
            files = await compare_all(evidence.differences)
            if chat == self._chat.session:
                self.evidenceFound.emit(Found(evidence=evidence, files=files))

    def pause(self) -> None:
        """Hold the run at its next safe point."""
        self._in_chat(self._door.sessions.pause)

    def resume(self) -> None:
        """Go on with what is due."""
        self._in_chat(self._door.sessions.resume)

    def cancel(self) -> None:
        """Stop the run."""
        self._in_chat(self._door.sessions.cancel)

    def kill(self) -> None:
        """End the run at once."""
        self._in_chat(self._door.sessions.kill)

    def _in_chat(self, verb: Callable[[SessionId], Coroutine[Any, Any, Any]]) -> None:
        if self._chat.session is not None:
            self._tasks.spawn(verb(self._chat.session))


async def told(
    verb: Coroutine[Any, Any, None], done: Callable[[], object], refused: Callable[[str], object]
) -> None:
    """Await a verb and tell whether it was taken; a fault of our own is told and raised again."""
    try:
        await verb
    except PaddockError as error:
        refused(str(error))
    except Exception as error:
        refused(words.inner_fault(error))
        raise
    else:
        done()
