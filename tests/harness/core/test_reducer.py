"""The state is a pure fold: derived status, one answer a question, evidence that changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.commands import (
    AskApproval,
    CallModel,
    CheckTool,
    FinishCancel,
    FinishRun,
    Pause,
    RefuseTool,
    RunReads,
    RunTools,
)
from desktop.harness.core.events import (
    ApprovalDenied,
    ApprovalGranted,
    ApprovalRequest,
    AskedCall,
    AssistantMessage,
    Cancelled,
    CancelRequested,
    EffectUnresolved,
    Interrupted,
    ModelFailed,
    ModelRequested,
    Record,
    Resumed,
    RunFinished,
    SessionForked,
    SessionStarted,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from desktop.harness.core.policy import Rule
from desktop.harness.core.reducer import fold
from desktop.harness.core.state import Status

BEGIN = SessionStarted(workspace="/w", project="p", mode="write", model="m", base_url="http://x/v1")
SAID = UserMessage(text="q")
Make = Callable[..., list[Record]]


def reply(turn: int, *effects: bool, finish: str = "tool_calls") -> AssistantMessage:
    """A reply with one call for each flag; true stands for an effect."""
    calls = tuple(
        AskedCall(call_id=f"t{turn}c{n + 1}", provider_id="", tool="x", arguments="{}", effect=effect)
        for n, effect in enumerate(effects)
    )
    return AssistantMessage(turn=turn, text="", calls=calls, finish=finish)


def ask(call_id: str, payload: str = "p1") -> ApprovalRequest:
    """A question."""
    return ApprovalRequest(call_id=call_id, payload=payload, tool="x", title="t")


def grant(call_id: str, payload: str = "p1", scope: str = "once", **rule: Any) -> ApprovalGranted:
    """A yes."""
    return ApprovalGranted(call_id=call_id, payload=payload, scope=scope, **rule)


def done(call_id: str, status: str = "ok", **more: Any) -> ToolResulted:
    """A result."""
    return ToolResulted(call_id=call_id, attempt=1, status=status, text="", **more)


def started(call_id: str) -> ToolStarted:
    """An effect begun."""
    return ToolStarted(
        call_id=call_id, tool="x", step_key="k", attempt=1, payload="p1", authority="person:once"
    )


@given(data=st.data())
def test_a_finished_run_has_nothing_due(data: st.DataObject, logs: st.SearchStrategy[list[Record]]) -> None:
    """Whatever came before, behind the end of a run there is no work and no question."""
    records = data.draw(logs)
    end = data.draw(st.sampled_from([RunFinished(), SessionForked(parent="s0", fork_seq=1)]))
    last = records[-1]
    closing = Record(session="s1", seq=last.seq + 1, at_ms=0, run=last.run, event=end)
    state = fold("s1", [*records, closing])
    assert state.due is None
    assert state.waiting == ()
    assert state.status(held=False) in (Status.IDLE, Status.CANCELLED)


@given(data=st.data())
def test_the_same_records_give_the_same_state(
    data: st.DataObject, logs: st.SearchStrategy[list[Record]]
) -> None:
    """Folding is deterministic, and every state has a status, a due and a waiting list."""
    records = data.draw(logs)
    state = fold("s1", records)
    assert state == fold("s1", records)
    assert state.status(held=True) in Status
    assert not (state.waiting and isinstance(state.due, CallModel))


def test_the_main_job(log_of: Make) -> None:
    """Ask, wait, allow, run, answer: what is due at each step."""
    log = [BEGIN, SAID]
    assert fold("s1", log_of(*log)).due == CallModel(turn=1, attempt=1)
    log += [ModelRequested(turn=1, attempt=1), reply(1, True)]
    assert fold("s1", log_of(*log)).due == AskApproval(calls=("t1c1",))
    log += [ask("t1c1")]
    state = fold("s1", log_of(*log))
    assert state.due is None
    assert state.waiting == ("t1c1",)
    assert state.status(held=False) is Status.WAITING
    log += [grant("t1c1")]
    assert fold("s1", log_of(*log)).due == RunTools(calls=("t1c1",))
    log += [started("t1c1")]
    assert fold("s1", log_of(*log)).due == CheckTool(call_id="t1c1")
    assert fold("s1", log_of(*log)).status(held=False) is Status.NEEDS_CHECK
    log += [done("t1c1", receipt={"changes": [{"path": "a"}]})]
    assert fold("s1", log_of(*log)).due == CallModel(turn=2, attempt=1)
    assert fold("s1", log_of(*log)).changed_runs == (1,)
    log += [AssistantMessage(turn=2, text="Done.", finish="stop")]
    assert fold("s1", log_of(*log)).due == FinishRun()
    log += [RunFinished()]
    assert fold("s1", log_of(*log)).status(held=False) is Status.IDLE


@pytest.mark.parametrize(
    "late",
    [grant("t1c1", "p2"), grant("t1c2"), ApprovalDenied(call_id="t1c1", payload="p2"), done("t9c9")],
)
def test_a_decision_for_another_payload_authorises_nothing(log_of: Make, late: Any) -> None:
    """What does not fit the open question is evidence."""
    state = fold("s1", log_of(BEGIN, SAID, reply(1, True), ask("t1c1"), late))
    assert state.waiting == ("t1c1",)
    assert state.due is None


def test_two_clicks_are_one_yes(log_of: Make) -> None:
    """A decision stored twice, or a no behind a yes, changes nothing any more."""
    twice = [grant("t1c1"), grant("t1c1"), ApprovalDenied(call_id="t1c1", payload="p1")]
    state = fold("s1", log_of(BEGIN, SAID, reply(1, True), ask("t1c1"), *twice))
    assert state.due == RunTools(calls=("t1c1",))
    after = [*twice, started("t1c1"), done("t1c1"), grant("t1c1"), done("t1c1", "failed")]
    assert fold("s1", log_of(BEGIN, SAID, reply(1, True), ask("t1c1"), *after)).due == CallModel(
        turn=2, attempt=1
    )


def test_a_newer_question_replaces_the_older(log_of: Make) -> None:
    """After the files moved on only the newest payload can be allowed."""
    log = [BEGIN, SAID, reply(1, True), ask("t1c1"), ask("t1c1", "p2")]
    assert fold("s1", log_of(*log, grant("t1c1"))).due is None
    assert fold("s1", log_of(*log, grant("t1c1", "p2"))).due is not None


def test_calls_go_in_their_order(log_of: Make) -> None:
    """Leading reads run together; a read behind an effect waits for it; a yes waits for earlier questions."""
    log = [BEGIN, SAID, reply(1, False, False, True, False, True)]
    assert fold("s1", log_of(*log)).due == RunReads(calls=("t1c1", "t1c2"))
    log += [done("t1c1"), done("t1c2")]
    assert fold("s1", log_of(*log)).due == AskApproval(calls=("t1c3", "t1c5"))
    log += [ask("t1c3"), ask("t1c5"), grant("t1c5")]
    assert fold("s1", log_of(*log)).due is None
    log += [ApprovalDenied(call_id="t1c3", payload="p1", reason="no")]
    due = fold("s1", log_of(*log)).due
    assert isinstance(due, RefuseTool)
    assert "no" in due.text
    log += [done("t1c3", "refused")]
    assert fold("s1", log_of(*log)).due == RunReads(calls=("t1c4",))


def test_cancel_stops_all_new_work(log_of: Make) -> None:
    """Behind a cancel only the closing is due, open questions included."""
    log = [BEGIN, SAID, reply(1, True), ask("t1c1"), CancelRequested()]
    state = fold("s1", log_of(*log))
    assert state.due == FinishCancel()
    assert state.waiting == ()
    assert state.status(held=True) is Status.CANCELLING
    state = fold("s1", log_of(*log, grant("t1c1"), Cancelled()))
    assert state.status(held=False) is Status.CANCELLED
    assert state.due is None


def test_what_is_held_up_goes_on_by_a_persons_word_only(log_of: Make) -> None:
    """An interrupted or failed run has nothing due until it is resumed."""
    for stop in (Interrupted(), ModelFailed(turn=1, fault="idle", text="It fell silent.")):
        log = [BEGIN, SAID, stop]
        assert fold("s1", log_of(*log)).due is None
        assert isinstance(fold("s1", log_of(*log, Resumed())).due, CallModel)
    failed = fold("s1", log_of(BEGIN, SAID, ModelFailed(turn=1, fault="idle", text="It fell silent.")))
    assert failed.status(held=False) is Status.FAILED
    assert failed.problem == "It fell silent."


def test_an_interruption_keeps_questions_open(log_of: Make) -> None:
    """Closing the window is no answer: the same question stands after it, and can be answered."""
    log = [BEGIN, SAID, reply(1, True), ask("t1c1")]
    assert fold("s1", log_of(*log, Interrupted())).waiting == ("t1c1",)
    assert fold("s1", log_of(*log, Interrupted(), grant("t1c1"))).due is not None


def test_replies_cut_in_a_call_are_asked_anew_three_times(log_of: Make) -> None:
    """A call cut by the output limit is never run; after three such replies the run stops and says why."""
    log: list[Any] = [BEGIN, SAID]
    for turn in (1, 2, 3):
        log.append(reply(turn, True, finish="length"))
        due = fold("s1", log_of(*log)).due
        assert isinstance(due, RefuseTool)
        assert "output limit" in due.text
        log.append(done(f"t{turn}c1", "refused"))
    assert isinstance(fold("s1", log_of(*log)).due, Pause)


def test_an_unresolved_effect_waits_for_a_person(log_of: Make) -> None:
    """Nothing is repeated on its own when nobody knows what happened."""
    log = [BEGIN, SAID, reply(1, True), ask("t1c1"), grant("t1c1"), started("t1c1")]
    state = fold("s1", log_of(*log, EffectUnresolved(call_id="t1c1", attempt=1, text="?")))
    assert state.due is None
    assert state.needs_check == ("t1c1",)
    assert state.status(held=False) is Status.NEEDS_CHECK


def test_a_branch_inherits_no_run_no_question_and_no_grant(log_of: Make) -> None:
    """The branch is idle; rules for the first chat stay behind, mode and model come along."""
    session_grant = grant("t1c1", scope="session", rule_tools=("edit_file",), rule_pattern="a")
    log = [BEGIN, SAID, reply(1, True, True), ask("t1c1"), ask("t1c2"), session_grant]
    parent = fold("s1", log_of(*log))
    assert parent.session_rules == (Rule(tools=("edit_file",), pattern="a"),)
    branch = fold("s2", log_of(*log, SessionForked(parent="s1", fork_seq=6)))
    assert branch.session_rules == ()
    assert branch.due is None
    assert branch.status(held=False) is Status.IDLE
    assert (branch.route.model, branch.workspace, branch.parent) == ("m", "/w", "s1")
