"""Records in, state out: the same records give the same state, on any machine, for ever.

One small function an event, found by its kind. Events that do not fit where the
session stands are evidence: they stay in the log and change nothing.
"""

from collections.abc import Callable, Iterable
from typing import Any

from desktop.harness.core.approvals import Scope
from desktop.harness.core.definition import Route, is_same_model
from desktop.harness.core.events import (
    ApprovalDenied,
    ApprovalGranted,
    ApprovalRequest,
    AskedCall,
    AssistantMessage,
    DefinitionChanged,
    EffectSettled,
    EffectUnresolved,
    ModeChanged,
    ModelChanged,
    ModelFailed,
    ModelRequested,
    Paused,
    Record,
    RetryScheduled,
    RunStarted,
    SessionForked,
    SessionStarted,
    Settlement,
    ToolResulted,
    ToolStarted,
    Undone,
    UserMessage,
)
from desktop.harness.core.ids import Seq, SessionId
from desktop.harness.core.policy import Mode, Rule, parse_rule
from desktop.harness.core.schema import read_object
from desktop.harness.core.state import Close, OpenCall, SessionState, Stage

REDUCER_VERSION = 1

_ASKABLE = (Stage.PROPOSED, Stage.WAITING, Stage.GRANTED)


def fold(session: SessionId, records: Iterable[Record]) -> SessionState:
    """The state after all of these records."""
    state = SessionState(session=session)
    for record in records:
        state = advance(state, record)
    return state


def advance(state: SessionState, record: Record) -> SessionState:
    """The state after one more record. The first record of a new run opens it, whatever its kind."""
    if record.run > state.run:
        state = _closed(state, Close.NONE).after(run=record.run, is_open=True)
    on_event = _ON.get(record.event.kind)
    changed = state if on_event is None else on_event(state, record.event)
    if changed is state:
        return state.after(seq=record.seq, at_ms=record.at_ms)
    changed.__dict__.update(seq=record.seq, at_ms=record.at_ms)  # made just now, so nobody else has it
    return changed


def _on_session_started(state: SessionState, started: SessionStarted) -> SessionState:
    return state.after(
        workspace=started.workspace,
        project=started.project,
        mode=Mode(started.mode),
        route=Route(model=started.model, base_url=started.base_url),
    )


def _on_session_forked(state: SessionState, forked: SessionForked) -> SessionState:
    """A branch inherits no open run, no question and no grant of its own."""
    return _closed(state, Close.FINISHED).after(
        parent=forked.parent,
        fork_seq=forked.fork_seq,
        session_rules=(),
        changed_runs=(),
    )


def _on_mode_changed(state: SessionState, changed: ModeChanged) -> SessionState:
    return state.after(mode=Mode(changed.mode), definition="")


def _on_model_changed(state: SessionState, changed: ModelChanged) -> SessionState:
    return state.after(route=Route(model=changed.model, base_url=changed.base_url), definition="")


def _on_user_message(state: SessionState, message: UserMessage) -> SessionState:
    return state.after(first_prompt=state.first_prompt or message.text)


def _on_run_started(state: SessionState, started: RunStarted) -> SessionState:
    rules = tuple(parse_rule(text) for text in started.rules)
    return state.after(run_rules=rules, definition=started.definition)


def _on_definition_changed(state: SessionState, changed: DefinitionChanged) -> SessionState:
    return state.after(definition=changed.definition)


def _on_model_requested(state: SessionState, requested: ModelRequested) -> SessionState:
    return state.after(attempt=requested.attempt, replied=False, steered=0, retry_at_ms=0)


def _on_assistant_message(state: SessionState, message: AssistantMessage) -> SessionState:
    """A reply ends the request; its calls are the new work. A second reply to one request is evidence."""
    if not state.is_open or message.turn <= state.turn:
        return state
    is_known = message.model == state.accepted_model or is_same_model(state.route.model, message.model)
    was_cut = message.finish == "length" and bool(message.calls)
    return state.after(
        turn=message.turn,
        attempt=0,
        retries=0,
        retry_at_ms=0,
        retry_deadline_ms=0,
        replied=True,
        foreign_model="" if is_known else message.model,
        was_cut=was_cut,
        cut_replies=state.cut_replies + 1 if was_cut else 0,
        asked=message.calls,
        repeats=state.repeats + 1 if _is_same(message.calls, state.asked) else min(1, len(message.calls)),
        calls={call.call_id: OpenCall(asked=call) for call in message.calls},
    )


def _is_same(calls: tuple[AskedCall, ...], before: tuple[AskedCall, ...]) -> bool:
    """Whether two replies ask for the same, however the arguments are written."""
    if not calls or [call.tool for call in calls] != [call.tool for call in before]:
        return False
    pairs = zip(calls, before, strict=True)
    return all(_means_the_same(one.arguments, two.arguments) for one, two in pairs)


def _means_the_same(one: str, two: str) -> bool:
    """Whether two texts are the same JSON. Other letters say no at a tenth of the cost of reading them."""
    if one == two:
        return True
    if "\\" not in one + two and set(one) - {" "} != set(two) - {" "}:
        return False
    return _meant(one) == _meant(two)


def _meant(arguments: str) -> object:
    try:
        return read_object(arguments)
    except ValueError:
        return arguments


def _on_model_failed(state: SessionState, failed: ModelFailed) -> SessionState:
    if not state.is_open:
        return state
    return state.after(hold=Close.FAILED, problem=failed.text)


def _on_retry_scheduled(state: SessionState, retry: RetryScheduled) -> SessionState:
    """A failure that is tried again holds nothing up."""
    if not state.is_open or retry.turn != state.turn + 1:
        return state
    return state.after(
        hold=Close.NONE,
        problem="",
        retries=state.retries + 1,
        retry_at_ms=retry.at_ms,
        retry_deadline_ms=retry.deadline_ms,
    )


def _on_approval_request(state: SessionState, request: ApprovalRequest) -> SessionState:
    call = state.calls.get(request.call_id)
    if call is None or call.stage not in _ASKABLE:
        return state
    return state.with_call(request.call_id, stage=Stage.WAITING, question=request)


def _on_approval_granted(state: SessionState, granted: ApprovalGranted) -> SessionState:
    """Turn one question into work, if the answer fits it."""
    call = state.calls.get(granted.call_id)
    if not _is_answer(call, granted.payload):
        return state  # late, or for another payload: evidence only
    state = state.with_call(
        granted.call_id,
        stage=Stage.GRANTED,
        authority=f"person:{granted.scope}",
        granted_at=Seq(state.seq + 1),  # records are numbered without a gap
    )
    if granted.scope == Scope.SESSION and granted.rule_tools:
        rule = Rule(tools=granted.rule_tools, pattern=granted.rule_pattern)
        state = state.after(session_rules=(*state.session_rules, rule))
    return _released(state)


def _on_approval_denied(state: SessionState, denied: ApprovalDenied) -> SessionState:
    call = state.calls.get(denied.call_id)
    if not _is_answer(call, denied.payload):
        return state
    return _released(state.with_call(denied.call_id, stage=Stage.DENIED, reason=denied.reason))


def _is_answer(call: OpenCall | None, payload: str) -> bool:
    return (
        call is not None
        and call.stage is Stage.WAITING
        and call.question is not None
        and call.question.payload == payload
    )


def _on_tool_started(state: SessionState, started: ToolStarted) -> SessionState:
    call = state.calls.get(started.call_id)
    if call is None or not call.is_open or started.attempt <= call.attempt:
        return state
    return state.with_call(
        started.call_id,
        stage=Stage.STARTED,
        attempt=started.attempt,
        authority=started.authority,
        changes=started.changes,
    )


def _on_tool_result(state: SessionState, result: ToolResulted) -> SessionState:
    """A call ends once; a second result, or one of an attempt that was given up for lost, is evidence."""
    call = state.calls.get(result.call_id)
    if call is None or not call.is_open or 0 < result.attempt <= call.lost:
        return state
    state = state.with_call(result.call_id, stage=Stage.DONE)
    return _with_changes(state, result.receipt)


def _with_changes(state: SessionState, receipt: Any) -> SessionState:
    """Remember that this run changed files, so that it can be undone."""
    if not (isinstance(receipt, dict) and receipt.get("changes")) or state.run in state.changed_runs:
        return state
    return state.after(changed_runs=(*state.changed_runs, state.run))


def _on_effect_unresolved(state: SessionState, unresolved: EffectUnresolved) -> SessionState:
    call = state.calls.get(unresolved.call_id)
    if call is None or call.stage is not Stage.STARTED or call.attempt != unresolved.attempt:
        return state
    return state.with_call(
        unresolved.call_id, stage=Stage.UNRESOLVED, lost=call.attempt, evidence=unresolved.evidence
    )


def _on_effect_settled(state: SessionState, settled: EffectSettled) -> SessionState:
    call = state.calls.get(settled.call_id)
    is_open = call is not None and call.stage in (Stage.STARTED, Stage.UNRESOLVED)
    if call is None or not is_open or call.attempt != settled.attempt:
        return state
    if settled.outcome == Settlement.RETRY:
        again = Stage.GRANTED if call.question is not None else Stage.PROPOSED
        return _released(state.with_call(settled.call_id, stage=again, lost=call.attempt))
    state = _released(state.with_call(settled.call_id, stage=Stage.DONE, lost=call.attempt))
    return _with_changes(state, settled.receipt)


def _on_undone(state: SessionState, undone: Undone) -> SessionState:
    return state.after(changed_runs=tuple(run for run in state.changed_runs if run != undone.target_run))


def _on_steered(state: SessionState, _: object) -> SessionState:
    return state.after(steered=state.steered + 1) if state.is_open else state


def _on_pause_requested(state: SessionState, _: object) -> SessionState:
    return state.after(is_pausing=True) if state.is_open else state


def _on_paused(state: SessionState, paused: Paused) -> SessionState:
    if not state.is_open:
        return state
    return state.after(hold=Close.PAUSED, problem=paused.reason, is_pausing=False)


def _on_interrupted(state: SessionState, _: object) -> SessionState:
    return state.after(hold=Close.INTERRUPTED) if state.is_open else state


def _on_resumed(state: SessionState, _: object) -> SessionState:
    if not state.is_open:
        return state
    return state.after(
        hold=Close.NONE,
        problem="",
        is_pausing=False,
        cut_replies=0,
        repeats=0,
        retries=0,
        retry_at_ms=0,
        retry_deadline_ms=0,
        foreign_model="",
        accepted_model=state.foreign_model or state.accepted_model,
    )


def _released(state: SessionState) -> SessionState:
    """An answer frees what was interrupted; what was paused waits for *Continue*."""
    if not state.is_open or state.hold is Close.PAUSED:
        return state
    return state.after(hold=Close.NONE, problem="")


def _on_cancel_requested(state: SessionState, _: object) -> SessionState:
    return state.after(is_cancelling=True) if state.is_open else state


def _on_cancelled(state: SessionState, _: object) -> SessionState:
    return _closed(state, Close.CANCELLED) if state.is_open else state


def _on_killed(state: SessionState, _: object) -> SessionState:
    return _closed(state, Close.CANCELLED) if state.is_open else state


def _on_run_finished(state: SessionState, _: object) -> SessionState:
    return _closed(state, Close.FINISHED) if state.is_open else state


def _closed(state: SessionState, how: Close) -> SessionState:
    """The run is over: no call, rule or question of it is left."""
    return state.after(
        is_open=False,
        is_cancelling=False,
        is_pausing=False,
        hold=how,
        problem="",
        attempt=0,
        retries=0,
        retry_at_ms=0,
        retry_deadline_ms=0,
        replied=False,
        was_cut=False,
        cut_replies=0,
        asked=(),
        repeats=0,
        steered=0,
        calls={},
        run_rules=(),
    )


_ON: dict[str, Callable[[SessionState, Any], SessionState]] = {
    "session_started": _on_session_started,
    "session_forked": _on_session_forked,
    "mode_changed": _on_mode_changed,
    "model_changed": _on_model_changed,
    "user_message": _on_user_message,
    "run_started": _on_run_started,
    "definition_changed": _on_definition_changed,
    "model_requested": _on_model_requested,
    "assistant_message": _on_assistant_message,
    "model_failed": _on_model_failed,
    "retry_scheduled": _on_retry_scheduled,
    "approval_request": _on_approval_request,
    "approval_granted": _on_approval_granted,
    "approval_denied": _on_approval_denied,
    "tool_started": _on_tool_started,
    "tool_result": _on_tool_result,
    "effect_unresolved": _on_effect_unresolved,
    "effect_settled": _on_effect_settled,
    "undone": _on_undone,
    "steered": _on_steered,
    "pause_requested": _on_pause_requested,
    "paused": _on_paused,
    "interrupted": _on_interrupted,
    "resumed": _on_resumed,
    "cancel_requested": _on_cancel_requested,
    "cancelled": _on_cancelled,
    "killed": _on_killed,
    "run_finished": _on_run_finished,
}
