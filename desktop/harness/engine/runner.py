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
    RunTool,
    Wait,
)
from desktop.harness.core.errors import ModelFault, ToolError
from desktop.harness.core.events import (
    ApprovalDenied,
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
    ToolStarted,
    WorkspaceChanged,
)
from desktop.harness.core.ids import CallId, RunNumber, step_key
from desktop.harness.core.policy import Rule, Verdict
from desktop.harness.core.reducer import advance
from desktop.harness.core.retry import MAX_WAIT_MS, again
from desktop.harness.core.toolspec import Change, Outcome, SideEffect
from desktop.harness.engine.effects import (
    moved_on,
    outcome_of,
    question_event,
    settled_event,
    unresolved_event,
)
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.model_call import call_model
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.tool_call import Prepared, ToolCalls, failed, refused
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

    async def run(self) -> None:
        """Deliver until idle, waiting, held up or interrupted. Raises StorageError, BusyError."""
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
        """Preview a chain of effects; the first may run by a rule, the others are asked about."""
        events: list[Event] = []
        staged: list[Change] = []
        for index, call_id in enumerate(due.calls):
            asked = self._live.state.calls[call_id].asked
            try:
                prepared = await self._tools.prepare(asked, staged)
            except ToolError as error:
                if index == 0:
                    await self.commit(failed(asked, error))
                    return
                continue
            if index == 0 and prepared.verdict is not Verdict.ASK:
                await self._decide_by_rule(call_id, prepared)
                return
            if prepared.verdict is Verdict.ASK:
                events.extend(self._question(call_id, prepared))
            staged.extend(prepared.preview.changes)
        await self.commit(*events)

    async def _decide_by_rule(self, call_id: CallId, prepared: Prepared) -> None:
        if prepared.verdict is Verdict.DENY or prepared.rule is None:
            asked = self._live.state.calls[call_id].asked
            await self.commit(refused(asked, "denied", "A rule of this project does not allow this."))
            return
        await self._carry_out(prepared, f"rule:{prepared.rule.text}")

    def _question(self, call_id: CallId, prepared: Prepared, again: str = "") -> list[Event]:
        request = question_event(prepared, again)
        if not self._deny_questions:
            return [request]
        denied = ApprovalDenied(call_id=call_id, payload=request.payload, reason=NO_QUESTIONS)
        return [request, denied]

    async def _run_tool(self, due: RunTool) -> None:
        """Carry out what was allowed, if it still is what was shown."""
        asked = self._live.state.calls[due.call_id].asked
        try:
            prepared = await self._tools.prepare(asked)
        except ToolError as error:
            await self.commit(failed(asked, error))
            return
        if prepared.verdict is Verdict.DENY:
            await self._decide_by_rule(due.call_id, prepared)
        elif payload_hash(prepared.call, prepared.preview) != due.payload:
            await self.commit(*self._question(due.call_id, prepared, again=moved_on(prepared.preview)))
        else:
            await self._carry_out(prepared, due.authority)

    async def _carry_out(self, prepared: Prepared, authority: str) -> None:
        call = prepared.call
        attempt = self._live.state.calls[call.call_id].attempt + 1
        started = ToolStarted(
            call_id=call.call_id,
            tool=call.tool,
            step_key=step_key(self._live.state.session, call.call_id),
            attempt=attempt,
            payload=payload_hash(call, prepared.preview),
            authority=authority,
            changes=tuple(change.as_record() for change in prepared.preview.changes),
        )
        await self.commit(started)
        for change in prepared.preview.changes:
            self._hands.expect(change)
        work = asyncio.ensure_future(self._tools.run(prepared, attempt=attempt))
        try:
            result = await asyncio.shield(work)
        except asyncio.CancelledError:
            self._cut_short.append(await _end(work, prepared, attempt))
            raise
        await self.commit(result)

    async def _refuse(self, due: RefuseTool) -> None:
        calls = [self._live.state.calls[call_id].asked for call_id in due.calls]
        await self.commit(*(refused(asked, due.error, due.text) for asked in calls))

    async def _check(self, due: CheckTool) -> None:
        """Look what became of an effect without a receipt; where that proves nothing, say so."""
        call = self._live.state.calls[due.call_id]
        proof = await asyncio.to_thread(outcome_of, self._hands.workspace, call.changes)
        if proof is None:
            await self.commit(unresolved_event(call))
            return
        await self.commit(settled_event(call, proof, by="check"))

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


async def _end(work: "asyncio.Task[ToolResulted]", prepared: Prepared, attempt: int) -> ToolResulted:
    """Let a change of files come to its end, stop a command; the result either way."""
    if prepared.tool.spec.side_effect is SideEffect.PROCESS:
        work.cancel()
    try:
        return await work
    except asyncio.CancelledError:
        return ToolResulted(
            call_id=prepared.call.call_id,
            attempt=attempt,
            status=str(Outcome.CANCELLED),
            text="Stopped by the person before it ended. What it had done by then stays.",
            error="cancelled",
        )


_DELIVER: dict[type[Any], Callable[[Runner, Any], Coroutine[Any, Any, None]]] = {
    CallModel: Runner._call_model,
    Wait: Runner._wait,
    RunReads: Runner._run_reads,
    AskApproval: Runner._ask_approval,
    RunTool: Runner._run_tool,
    RefuseTool: Runner._refuse,
    CheckTool: Runner._check,
    Pause: Runner._pause,
    FinishRun: Runner._finish_run,
    FinishCancel: Runner._finish_cancel,
}
