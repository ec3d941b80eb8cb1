"""What a fold of a session's records gives: where it stands, and what is due.

`due` is work for the harness, `waiting` is work for a person, and the status is
derived from both, never stored. The history itself is not in here (that is the
projection's and the transcript's), so a state stays small however long the log is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from desktop.harness.core.commands import (
    AskApproval,
    CallModel,
    CheckTool,
    Command,
    FinishCancel,
    FinishRun,
    Pause,
    RefuseTool,
    RunReads,
    RunTools,
    Wait,
)
from desktop.harness.core.definition import Route
from desktop.harness.core.events import ApprovalRequest, AskedCall
from desktop.harness.core.ids import CallId, PayloadHash, ProjectId, RunNumber, Seq, SessionId
from desktop.harness.core.policy import FILE_EFFECTS, Mode, Rule

MAX_REPEATS = 3
"""So many times in a row the same calls are made, then a person is asked whether to go on."""

MAX_CUT_REPLIES = 3
"""So many replies in a row may reach their output limit in the middle of a call, then the run stops."""


class Status(StrEnum):
    """Where a session stands; always derived from its log."""

    IDLE = "idle"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    RETRYING = "retrying"
    OUT_OF_BUDGET = "out_of_budget"
    NEEDS_CHECK = "needs_check"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Stage(StrEnum):
    """Where one call stands."""

    PROPOSED = "proposed"
    WAITING = "waiting"
    GRANTED = "granted"
    DENIED = "denied"
    STARTED = "started"
    UNRESOLVED = "unresolved"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """One call of the newest reply.

    `question` is the newest approval request, if there was one, and `granted_at` the record that said yes
    to it; `changes` is what a started effect set out to do. `lost` is the newest attempt that left no
    receipt: a result that comes for it all the same is evidence.
    """

    asked: AskedCall
    stage: Stage = Stage.PROPOSED
    question: ApprovalRequest | None = None
    authority: str = ""
    granted_at: Seq = Seq(0)
    reason: str = ""
    attempt: int = 0
    lost: int = 0
    evidence: Mapping[str, Any] | None = None
    changes: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether its result is still missing."""
        return self.stage is not Stage.DONE


class Close(StrEnum):
    """How the newest run ended, or what holds it up."""

    NONE = ""
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class SessionState:
    """A session after some record.

    Without slots on purpose: a fold makes a copy for each record, and copying the dictionary of some
    thirty fields is ten times as fast as running the constructor (see `after`).

    `run` is the number of the newest run (0: none yet), `is_open` whether it is still going or held up.
    `hold` says what holds an open run up, or how a closed one ended. `turn` counts requests with a reply,
    `retries` failures of this request that were tried again since a person's word, `repeats` replies in a
    row that asked for the same, `steered` words that the model has not read yet. `foreign_model` is a
    model that answered instead of the pinned one and that no person has accepted.
    """

    session: SessionId
    seq: Seq = Seq(0)
    at_ms: int = 0
    workspace: str = ""
    project: ProjectId = ProjectId("")
    mode: Mode = Mode.WRITE
    route: Route = field(default_factory=lambda: Route(model="", base_url=""))
    parent: SessionId | None = None
    fork_seq: Seq | None = None
    first_prompt: str = ""
    run: RunNumber = RunNumber(0)
    is_open: bool = False
    hold: Close = Close.NONE
    problem: str = ""
    is_cancelling: bool = False
    is_pausing: bool = False
    turn: int = 0
    attempt: int = 0
    retries: int = 0
    retry_at_ms: int = 0
    retry_deadline_ms: int = 0
    replied: bool = False
    was_cut: bool = False
    cut_replies: int = 0
    asked: tuple[AskedCall, ...] = ()
    repeats: int = 0
    steered: int = 0
    definition: str = ""
    foreign_model: str = ""
    accepted_model: str = ""
    calls: Mapping[CallId, OpenCall] = field(default_factory=dict)
    session_rules: tuple[Rule, ...] = ()
    run_rules: tuple[Rule, ...] = ()
    changed_runs: tuple[RunNumber, ...] = ()

    @property
    def waiting(self) -> tuple[CallId, ...]:
        """The calls that a person is asked about."""
        if not self.is_open or self.is_cancelling:
            return ()
        return tuple(name for name, call in self.calls.items() if call.stage is Stage.WAITING)

    @property
    def needs_check(self) -> tuple[CallId, ...]:
        """The effects that nobody knows the outcome of."""
        lost = (Stage.STARTED, Stage.UNRESOLVED)
        return tuple(name for name, call in self.calls.items() if call.stage in lost)

    @property
    def due(self) -> Command | None:
        """The next work for the harness, None when there is none or a person's word is missing."""
        if not self.is_open:
            return None
        if self.is_cancelling:
            return FinishCancel()
        if self.hold is not Close.NONE:
            return None
        if self.is_pausing:
            return Pause(reason="Paused.")
        if any(call.is_open for call in self.calls.values()):
            return self._due_call()
        if self.cut_replies >= MAX_CUT_REPLIES:
            return Pause(reason=f"The model's answer reached its length limit {self.cut_replies} times.")
        if self.repeats >= MAX_REPEATS:
            return Pause(reason=f"The model asked for the same thing {self.repeats} times in a row.")
        if self.replied and not self.calls and not self.steered:
            return FinishRun()
        if self.retry_at_ms:
            return Wait(until_ms=self.retry_at_ms)
        return CallModel(turn=self.turn + 1, attempt=self.attempt + 1)

    def _due_call(self) -> Command | None:
        """Calls go in their order; leading reads run together, and so do file changes in a row."""
        undone = [call for call in self.calls.values() if call.is_open]
        if self.was_cut:
            return _refuse_cut(undone)
        reads: list[CallId] = []
        for call in undone:
            if call.asked.effect:
                break
            reads.append(call.asked.call_id)
        if reads:
            return RunReads(calls=tuple(reads))
        if self.foreign_model:
            return Pause(reason=f"{self.foreign_model} answered instead of {self.route.model}.")
        return _due_effect(undone)

    def status(self, *, held: bool) -> Status:
        """The derived status. `held` says whether a living process runs the session now."""
        if not self.is_open:
            return Status.CANCELLED if self.hold is Close.CANCELLED else Status.IDLE
        if self.is_cancelling:
            return Status.CANCELLING
        if held and self.hold is Close.NONE and (due := self.due) is not None:
            return Status.RETRYING if isinstance(due, Wait) else Status.RUNNING
        if self.needs_check:
            return Status.RUNNING if held else Status.NEEDS_CHECK
        if self.hold is Close.FAILED:
            return Status.FAILED
        if self.hold is Close.PAUSED:
            return Status.PAUSED
        if self.hold is Close.NONE and self.due is None and self.waiting:
            return Status.WAITING
        return Status.INTERRUPTED

    def after(self, **changes: Any) -> "SessionState":
        """The state with some fields changed."""
        state = object.__new__(SessionState)
        state.__dict__.update(self.__dict__)
        state.__dict__.update(changes)
        return state

    def with_call(self, call_id: CallId, **changes: Any) -> "SessionState":
        """The state with some fields of one open call changed."""
        calls = dict(self.calls)
        calls[call_id] = replace(calls[call_id], **changes)
        return self.after(calls=calls)


def _refuse_cut(undone: list[OpenCall]) -> RefuseTool:
    return RefuseTool(
        calls=tuple(call.asked.call_id for call in undone),
        error="output-limit",
        text="Not run: your reply reached its output limit before the call was complete. Write in parts.",
    )


def chains(undone: Sequence[OpenCall]) -> list[tuple[CallId, ...]]:
    """The open effects in groups that are one change each: file changes in a row; all else stands alone."""
    groups: list[tuple[CallId, ...]] = []
    is_joined = False
    for call in undone:
        is_file_change = call.asked.effect and call.asked.tool in FILE_EFFECTS
        if is_file_change and is_joined:
            groups[-1] += (call.asked.call_id,)
        elif call.asked.effect:
            groups.append((call.asked.call_id,))
        is_joined = is_file_change
    return groups


def _due_effect(undone: list[OpenCall]) -> Command | None:
    """What is next for the change that comes first. It is carried out when no part of it is undecided."""
    first = chains(undone)[0]
    at: dict[Stage, list[OpenCall]] = {}
    for call in undone[: len(first)]:
        at.setdefault(call.stage, []).append(call)
    if started := at.get(Stage.STARTED):
        return CheckTool(call_id=started[0].asked.call_id)
    if Stage.UNRESOLVED in at:
        return None
    if denied := at.get(Stage.DENIED):
        return _refuse_denied(denied)
    if Stage.WAITING in at:
        return None
    if Stage.GRANTED in at:
        return RunTools(calls=first)
    proposed = [call.asked.call_id for call in undone if call.asked.effect and call.stage is Stage.PROPOSED]
    return AskApproval(calls=tuple(proposed))


def _refuse_denied(denied: list[OpenCall]) -> RefuseTool:
    reason = denied[0].reason
    calls = tuple(call.asked.call_id for call in denied if call.reason == reason)
    return RefuseTool(calls=calls, error="denied", text=_denied_text(reason))


def _denied_text(reason: str) -> str:
    tail = f" They said: {reason}" if reason else ""
    return f"The person did not allow this; nothing was changed.{tail}"


def payload_of(state: SessionState, call_id: CallId) -> PayloadHash | None:
    """The payload that is asked about now, None when nothing is."""
    call = state.calls.get(call_id)
    return call.question.payload if call and call.question and call.stage is Stage.WAITING else None
