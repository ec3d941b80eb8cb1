"""Deliver what is due until nothing is, or a person's word is missing.

The loop knows no history and no modes of its own: it asks the state what is due, does
it, commits what came of it, and folds that. What follows from one event is
committed with it: a result and the next request are one transaction, a turn costs two.

An effect is committed as started before it happens and its receipt after it; so a crash in between
leads to a look (`CheckTool`), never to a repeat.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from desktop.harness.core.approvals import payload_hash
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
from desktop.harness.core.errors import ModelFault
from desktop.harness.core.events import (
    ApprovalDenied,
    AskedCall,
    Cancelled,
    DefinitionChanged,
    Event,
    Interrupted,
    ModelFailed,
    ModelRequested,
    Paused,
    Record,
    ReplyProgress,
    RetryScheduled,
    RunFinished,
    ToolResulted,
    WorkspaceChanged,
)
from desktop.harness.core.ids import CallId, RunNumber
from desktop.harness.core.policy import Rule, Verdict
from desktop.harness.core.reducer import advance
from desktop.harness.core.retry import MAX_WAIT_MS, again
from desktop.harness.core.state import OpenCall, Stage, chains
from desktop.harness.core.toolspec import Outcome, SideEffect
from desktop.harness.engine.chain import Step, all_fitting, carry_out, denied_by_rule, look, spoiled
from desktop.harness.engine.effects import (
    clean_strays,
    moved_on,
    outcomes_of,
    question_event,
    settled_event,
    started_event,
    unresolved_event,
)
from desktop.harness.engine.evidence import evidence_of
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.model_call import call_model
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.tool_call import Prepared, ToolCalls, refused
from desktop.harness.ports import SessionLock, Write

NO_QUESTIONS = "Questions are answered with no in this run."

PROGRESS_S = 0.4
"""Streamed text is on disk at most this long after it came, plus one commit."""

_MAX_NAMED_PATHS = 20


class Runner:
    """Runs one session for as long as its lock is held."""

    def __init__(
        self,
        parts: Parts,
        hands: Hands,
        live: LiveSession,
        lock: SessionLock,
        rules: Sequence[Rule],
        *,
        deny_questions: bool = False,
    ) -> None:
        self._parts = parts
        self._hands = hands
        self._live = live
        self._lock = lock
        self._deny_questions = deny_questions
        self._tools = ToolCalls(parts, hands, live, rules)
        self._requested = False
        self._cut_short: list[Event] = []
        self._command: Command | None = None
        self._work: asyncio.Task[None] | None = None
        self._is_interrupted = False
        self._has_run_command = False

    async def run(self) -> None:
        """Deliver until idle, waiting, held up or interrupted. Raises StorageError, BusyError."""
        await self._clear_spool()
        await self._check_definition()
        while not self._is_interrupted and (command := self._live.state.due) is not None:
            self._command = command
            self._work = asyncio.ensure_future(_DELIVER[type(command)](self, command))
            try:
                await self._work
            except asyncio.CancelledError:
                if not (self._is_leaving() or self._is_stopped()):
                    self._work.cancel()
                    raise
        if self._is_interrupted:
            await self._leave()
        elif self._cut_short:  # killed: how it ended is evidence
            await self._append(self._take_cut_short(), self._live.state.run)
        if self._has_run_command:
            await self._clear_spool()

    async def _check_definition(self) -> None:
        """A run that goes on with another agent than it began with asks first; going on then is a yes."""
        state = self._live.state
        definition = self._parts.definition(self._hands, state.mode, state.route).digest()
        if not state.definition or definition == state.definition or state.due is None or self._is_stopped():
            return
        text = "Paddock's instructions or tools changed since this was begun. Continue with the new ones?"
        await self._append([DefinitionChanged(definition=definition), Paused(reason=text)], state.run)

    def stop_work(self) -> None:
        """End what is being done now, if a cancel or a kill is on record; the loop then closes the run."""
        is_closing = isinstance(self._command, FinishCancel)
        if self._is_stopped() and self._work is not None and not is_closing:
            self._work.cancel()

    def _is_stopped(self) -> bool:
        return self._live.state.is_cancelling or not self._live.state.is_open

    def interrupt(self) -> None:
        """The program ends: no new work, end what is being done, leave one record."""
        self._is_interrupted = True
        if self._work is not None:
            self._work.cancel()

    def _is_leaving(self) -> bool:
        return self._is_interrupted

    async def _leave(self) -> None:
        """One record of where the run was left; a cancel that was asked for is finished instead."""
        if self._live.state.is_cancelling:
            await self.commit(*self._take_cut_short(), Cancelled(text=self._streamed()))
        elif self._live.state.due is not None:
            await self.commit(*self._take_cut_short(), Interrupted(text=self._streamed()))

    async def commit(self, *events: Event, run: RunNumber | None = None) -> None:
        """Append acts of the runner, and with them the next request when they make one due."""
        run = self._live.state.run if run is None else run
        due = self._due_after(events, run)
        if isinstance(due, CallModel) and not self._is_interrupted:
            request = ModelRequested(turn=due.turn, attempt=due.attempt)
            events = (*self._outside_changes(), *events, request)
            self._requested = True
        await self._append(events, run)

    async def _append(self, events: Sequence[Event], run: RunNumber) -> None:
        """Commit and fold. Never left half-way: when cancelled, what was written is folded all the same."""
        write = Write(session=self._live.state.session, events=events, run=run, fence=self._lock.fence)
        append = asyncio.ensure_future(self._live.append(write))
        try:
            await asyncio.shield(append)
        except asyncio.CancelledError:
            await append
            raise

    def _due_after(self, events: Sequence[Event], run: RunNumber) -> Command | None:
        """What these events will make due."""
        state = self._live.state
        for event in events:
            record = Record(session=state.session, seq=state.seq, at_ms=state.at_ms, run=run, event=event)
            state = advance(state, record)
        return state.due

    def _outside_changes(self) -> tuple[Event, ...]:
        paths = sorted(self._live.changed_outside)
        if not paths:
            return ()
        self._live.changed_outside.clear()
        named = tuple(paths[:_MAX_NAMED_PATHS])
        return (WorkspaceChanged(paths=named, more=len(paths) - len(named)),)

    # --- delivering ---

    async def _call_model(self, due: CallModel) -> None:
        if not self._requested:
            await self.commit()
        self._requested = False
        keeping = asyncio.ensure_future(self._keep_progress(due.turn))
        try:
            event = await call_model(self._parts, self._hands, self._live, due)
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)  # a full disk is told by the next commit
        if isinstance(event, ModelFailed):
            await self.commit(event, *self._another_try(event))
        else:
            await self.commit(event)

    def _another_try(self, failed: ModelFailed) -> tuple[Event, ...]:
        """The record of when the failed request is tried again, if it is."""
        state = self._live.state
        found = again(
            ModelFault(failed.fault),
            attempt=state.retries + 1,
            has_words=bool(failed.partial),
            retry_after_s=failed.retry_after_s,
            now_ms=self._parts.clock.now_ms(),
            deadline_ms=state.retry_deadline_ms,
        )
        if found is None:
            return ()
        return (
            RetryScheduled(
                turn=failed.turn,
                attempt=state.attempt + 1,
                at_ms=found.at_ms,
                deadline_ms=found.deadline_ms,
            ),
        )

    async def _wait(self, due: Wait) -> None:
        """Sleep until the time on record, then ask again."""
        left_ms = min(due.until_ms - self._parts.clock.now_ms(), MAX_WAIT_MS)
        await asyncio.sleep(max(0, left_ms) / 1000)
        state = self._live.state
        self._requested = True
        await self._append([ModelRequested(turn=state.turn + 1, attempt=state.attempt + 1)], state.run)

    async def _keep_progress(self, turn: int) -> None:
        """Make streamed text durable as it comes, so that a crash loses little of it."""
        kept = 0
        while True:
            await asyncio.sleep(PROGRESS_S)
            text = self._parts.redaction.redact(self._live.partial)
            if len(text) > kept:
                await self._append([ReplyProgress(turn=turn, text=text[kept:])], self._live.state.run)
                kept = len(text)

    async def _run_reads(self, due: RunReads) -> None:
        calls = [self._live.state.calls[call_id].asked for call_id in due.calls]
        await self.commit(*await asyncio.gather(*(self._tools.read(asked) for asked in calls)))

    async def _ask_approval(self, due: AskApproval) -> None:
        """Preview the effects of a reply: what a rule allows is carried out, all else is asked about."""
        undone = [call for call in self._live.state.calls.values() if call.is_open]
        first, *later = [group for group in chains(undone) if set(group) & set(due.calls)]
        looked = await self._fitting(first)
        if looked is None:
            return
        events = self._open_questions(looked)
        if not events:
            await self._carry_out(looked)
            return
        staged = [change for prepared in looked for change in prepared.preview.changes]
        for calls in later:  # only to ask about all of them at once: each has its turn later
            found = await look(self._tools, self._asked(calls), staged)
            if (fitting := all_fitting(found)) is not None:
                events += self._open_questions(fitting)
        await self.commit(*events)

    async def _run_tools(self, due: RunTools) -> None:
        """Carry out what was allowed, if all of it still is what was shown; else ask about what is not."""
        looked = await self._fitting(due.calls)
        if looked is None:
            return
        if events := self._open_questions(looked):
            await self.commit(*events)
        else:
            await self._carry_out(looked)

    async def _fitting(self, calls: Sequence[CallId]) -> list[Prepared] | None:
        """The parts of one change as they would be done now; None when that has become a result."""
        asked = self._asked(calls)
        looked = await look(self._tools, asked)
        if unfit := spoiled(asked, looked):
            await self.commit(*unfit)
        elif denied := denied_by_rule(asked, looked):
            await self.commit(*denied)
        return all_fitting(looked)

    def _asked(self, calls: Sequence[CallId]) -> list[AskedCall]:
        return [self._live.state.calls[call_id].asked for call_id in calls]

    def _open_questions(self, looked: Sequence[Prepared]) -> list[Event]:
        """Questions for what no rule allows and no person allowed as it is now."""
        events: list[Event] = []
        for prepared in looked:
            call = self._live.state.calls[prepared.call.call_id]
            if call.stage is Stage.GRANTED and call.question is not None:
                if payload_hash(prepared.call, prepared.preview) != call.question.payload:
                    events += self._question(prepared, again=moved_on(prepared.preview))
            elif prepared.verdict is Verdict.ASK and call.stage is not Stage.WAITING:
                events += self._question(prepared)
        return events

    def _question(self, prepared: Prepared, again: str = "") -> list[Event]:
        request = question_event(prepared, again)
        if not self._deny_questions:
            return [request]
        denied = ApprovalDenied(call_id=request.call_id, payload=request.payload, reason=NO_QUESTIONS)
        return [request, denied]

    async def _carry_out(self, looked: Sequence[Prepared]) -> None:
        """Begin all parts of a change with one record each, do them, and keep what came of each."""
        self._has_run_command |= any(one.preview.command is not None for one in looked)
        started = [started_event(self._live.state, prepared) for prepared in looked]
        await self.commit(*started)
        steps = [
            Step(prepared=one, attempt=event.attempt) for one, event in zip(looked, started, strict=True)
        ]
        work = asyncio.ensure_future(carry_out(self._parts, self._hands, self._tools, steps))
        try:
            results = await asyncio.shield(work)
        except asyncio.CancelledError:
            self._cut_short += await _end(work, steps)
            raise
        await self.commit(*results)

    async def _refuse(self, due: RefuseTool) -> None:
        calls = [self._live.state.calls[call_id].asked for call_id in due.calls]
        await self.commit(*(refused(asked, due.error, due.text) for asked in calls))

    async def _check(self, due: CheckTool) -> None:
        """Look what became of effects without a receipt; where that proves nothing, say so."""
        lost = [call for call in self._live.state.calls.values() if call.stage is Stage.STARTED]
        await self.commit(*await asyncio.to_thread(self._look_after, lost))

    def _look_after(self, lost: Sequence[OpenCall]) -> list[Event]:
        """What the files prove about started effects, else what can be seen of them. Blocking."""
        workspace, session = self._hands.workspace, self._live.state.session
        clean_strays(workspace, [call.changes for call in lost])
        proofs = outcomes_of(workspace, [call.changes for call in lost])
        return [
            unresolved_event(call, evidence_of(self._parts, workspace, session, call))
            if proof is None
            else settled_event(call, proof, by="check")
            for call, proof in zip(lost, proofs, strict=True)
        ]

    async def _clear_spool(self) -> None:
        """Forget how far commands came whose result, or whose evidence, is on record."""
        state = self._live.state
        begun = [name for name, call in state.calls.items() if call.stage is Stage.STARTED]
        await asyncio.to_thread(self._parts.spool.clear, state.session, but=begun)

    async def _pause(self, due: Pause) -> None:
        await self.commit(Paused(reason=due.reason))

    async def _finish_run(self, due: FinishRun) -> None:
        await self.commit(RunFinished())

    async def _finish_cancel(self, due: FinishCancel) -> None:
        await self.commit(*self._take_cut_short(), Cancelled(text=self._streamed()))

    def _streamed(self) -> str:
        """The text of a reply that will not be finished, as it may be kept."""
        return self._parts.redaction.redact(self._live.end_stream())

    def _take_cut_short(self) -> list[Event]:
        events, self._cut_short = self._cut_short, []
        return events


async def _end(work: "asyncio.Task[list[ToolResulted]]", steps: Sequence[Step]) -> list[ToolResulted]:
    """Let changes of files come to their end, stop a command; the results either way."""
    if any(step.prepared.tool.spec.side_effect is SideEffect.PROCESS for step in steps):
        work.cancel()
    try:
        return await work
    except asyncio.CancelledError:
        return [
            ToolResulted(
                call_id=step.prepared.call.call_id,
                attempt=step.attempt,
                status=str(Outcome.CANCELLED),
                text="Stopped by the person before it ended. What it had done by then stays.",
                error="cancelled",
            )
            for step in steps
        ]


_DELIVER: dict[type[Any], Callable[[Runner, Any], Coroutine[Any, Any, None]]] = {
    CallModel: Runner._call_model,
    Wait: Runner._wait,
    RunReads: Runner._run_reads,
    AskApproval: Runner._ask_approval,
    RunTools: Runner._run_tools,
    RefuseTool: Runner._refuse,
    CheckTool: Runner._check,
    Pause: Runner._pause,
    FinishRun: Runner._finish_run,
    FinishCancel: Runner._finish_cancel,
}
