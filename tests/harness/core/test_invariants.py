"""What holds for every log, also one that was cut, lost records, holds some twice or in another order.

Each test draws a log of runs as the runner writes them, spoils it as crashes, faults and late processes
do, and folds it.
"""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.events import (
    ApprovalDenied,
    ApprovalGranted,
    ApprovalRequest,
    AskedCall,
    AssistantMessage,
    Cancelled,
    CancelRequested,
    EffectSettled,
    EffectUnresolved,
    Event,
    Interrupted,
    Killed,
    ModelRequested,
    Record,
    Resumed,
    RunFinished,
    RunStarted,
    SessionStarted,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from desktop.harness.core.projection import Projection
from desktop.harness.core.reducer import advance, fold
from desktop.harness.core.state import SessionState, Stage
from desktop.harness.core.transcript import Transcript

BEGIN = SessionStarted(workspace="/w", project="p", mode="write", model="m", base_url="http://x/v1")
FOUND = st.sampled_from(["happened", "did_not_happen"])


@st.composite
def effects(draw: st.DrawFn, call_id: str) -> list[Event]:
    """One effect from its question to its end, with crashes and late results on the way."""
    asked = ApprovalRequest(call_id=call_id, payload="p", tool="edit_file", title="t")
    if draw(st.integers(0, 5)) == 0:
        refused = ToolResulted(call_id=call_id, attempt=0, status="refused", text="no")
        return [asked, ApprovalDenied(call_id=call_id, payload="p"), refused]
    log: list[Event] = [asked, ApprovalGranted(call_id=call_id, payload="p", scope="once")]
    for attempt in range(1, draw(st.integers(1, 3)) + 1):
        log.append(started(call_id, attempt))
        if draw(st.booleans()):
            log.append(result(draw, call_id, attempt))
            break
        log.append(EffectUnresolved(call_id=call_id, attempt=attempt, text="?"))
        outcome = draw(st.one_of(FOUND, st.just("retry")))
        log.append(EffectSettled(call_id=call_id, attempt=attempt, outcome=outcome, by="person"))
        if draw(st.booleans()):
            log.append(result(draw, call_id, attempt))  # the holder that was lost comes back
        if outcome != "retry":
            break
    if draw(st.booleans()):
        log.append(result(draw, call_id, 1))
    return log


def started(call_id: str, attempt: int) -> ToolStarted:
    """An effect begun."""
    return ToolStarted(
        call_id=call_id,
        tool="edit_file",
        step_key=f"key of {call_id}",
        attempt=attempt,
        payload="p",
        authority="person:once",
    )


def result(draw: st.DrawFn, call_id: str, attempt: int) -> ToolResulted:
    """How an attempt ended."""
    status = draw(st.sampled_from(["ok", "failed", "cancelled"]))
    return ToolResulted(call_id=call_id, attempt=attempt, status=status, text=f"{call_id} ended {attempt}")


@st.composite
def runs(draw: st.DrawFn) -> list[Record]:
    """A session of one to three runs, as the runner would write it."""
    log: list[tuple[int, Event]] = [(0, BEGIN)]
    turn = 0
    for run in range(1, draw(st.integers(1, 3)) + 1):
        events: list[Event] = [UserMessage(text="q"), RunStarted()]
        for _ in range(draw(st.integers(0, 2))):
            turn += 1
            names = [f"t{turn}c{number}" for number in range(1, draw(st.integers(1, 3)) + 1)]
            calls = tuple(
                AskedCall(call_id=name, provider_id="", tool="edit_file", arguments="{}", effect=True)
                for name in names
            )
            events += [
                ModelRequested(turn=turn, attempt=1),
                AssistantMessage(turn=turn, text="", calls=calls),
            ]
            for name in names:
                events += draw(effects(name))
        turn += 1
        ends: list[list[Event]] = [
            [ModelRequested(turn=turn, attempt=1), AssistantMessage(turn=turn, text="a"), RunFinished()],
            [CancelRequested(), Cancelled()],
            [Killed()],
            [Interrupted(), Resumed(), AssistantMessage(turn=turn, text="b"), RunFinished()],
        ]
        events += draw(st.sampled_from(ends))
        log += [(run, event) for event in events]
    return numbered(log)


def numbered(log: Sequence[tuple[int, Event]]) -> list[Record]:
    """Records for these events, without a gap."""
    return [
        Record(session="s1", seq=seq, at_ms=seq, run=run, event=event)
        for seq, (run, event) in enumerate(log, start=1)
    ]


@st.composite
def spoiled(draw: st.DrawFn) -> list[Record]:
    """Such a log with records dropped, doubled and delayed, cut at any record."""
    log = [(record.run, record.event) for record in draw(runs())]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(1, len(log) - 1))
        match draw(st.sampled_from(["drop", "double", "delay"])):
            case "drop" if len(log) > 2:
                del log[at]
            case "double":
                log.insert(draw(st.integers(at, len(log))), log[at])
            case "delay":
                log.insert(draw(st.integers(1, len(log) - 1)), log.pop(at))
    return numbered(log[: draw(st.integers(1, len(log)))])


def states(records: Sequence[Record]) -> list[SessionState]:
    """The state after each record."""
    state, found = SessionState(session="s1"), []
    for record in records:
        state = advance(state, record)
        found.append(state)
    return found


@given(records=spoiled())
def test_a_finished_run_emits_no_command(records: list[Record]) -> None:
    """Whenever no run is open nothing is due and nothing waits; a record of an old run opens none again."""
    for state in states(records):
        if not state.is_open:
            assert state.due is None
            assert (state.waiting, state.needs_check) == ((), ())
    last = records[-1]
    closed = [*records, Record(session="s1", seq=last.seq + 1, at_ms=0, run=last.run, event=RunFinished())]
    for late in records:
        if late.run <= last.run and not isinstance(late.event, UserMessage):
            end = Record(session="s1", seq=last.seq + 2, at_ms=0, run=late.run, event=late.event)
            assert fold("s1", [*closed, end]).due is None


@given(records=spoiled())
def test_a_call_is_completed_once(records: list[Record]) -> None:
    """No record opens a call again that has its end, and what comes for it later changes nothing."""
    for before, after, record in zip([None, *states(records)], states(records), records, strict=False):
        if before is None or before.turn != after.turn or before.run != after.run:
            continue
        for name, call in before.calls.items():
            is_done = call.stage is Stage.DONE and name in after.calls
            assert not is_done or after.calls[name] == call, record


@given(records=runs())
def test_the_model_is_told_one_outcome_a_call(records: list[Record]) -> None:
    """Each call has one tool message, the result that the state took: never that of a lost attempt."""
    projection, transcript = Projection(), Transcript()
    taken: dict[str, str] = {}
    state = SessionState(session="s1")
    for record in records:
        before, state = state, advance(state, record)
        projection.feed(record)
        transcript.feed(record)
        event = record.event
        if isinstance(event, ToolResulted) and event.call_id in before.calls:
            is_end = before.calls[event.call_id].is_open and not state.calls[event.call_id].is_open
            if is_end:
                taken[event.call_id] = event.text
    said = [projection.message_bytes(one).decode() for one in projection.sources if one.role == "tool"]
    told = Counter(one.partition('"tool_call_id":"')[2].partition('"')[0] for one in said)
    assert set(told.values()) <= {1}
    for name, text in taken.items():
        assert any(f'"tool_call_id":"{name}"' in one and text in one for one in said)
        (row,) = [row for row in transcript.rows if row.call_id == name]
        assert row.detail == text


@given(records=spoiled())
def test_a_second_delivery_changes_nothing(records: list[Record]) -> None:
    """A result, a settlement or an answer that comes twice in a row leaves the calls as after the first."""
    ends = (ToolResulted, EffectSettled, ApprovalGranted, ApprovalDenied, ToolStarted, EffectUnresolved)
    for at, record in enumerate(records):
        if isinstance(record.event, ends):
            state = fold("s1", records[: at + 1])
            again = Record(session="s1", seq=record.seq + 1, at_ms=0, run=record.run, event=record.event)
            assert advance(state, again).calls == state.calls
            assert advance(state, again).due == state.due


def test_a_late_result_after_a_cancelled_one_is_shown_as_late() -> None:
    """A tool that minds no signal ends after its cancelled result is on record: one message, one notice."""
    call = AskedCall(call_id="t1c1", provider_id="", tool="run_command", arguments="{}", effect=True)
    cancelled = ToolResulted(call_id="t1c1", attempt=1, status="cancelled", text="Stopped.")
    late = ToolResulted(call_id="t1c1", attempt=1, status="ok", text="It ended.")
    log: list[Event] = [
        UserMessage(text="q"),
        AssistantMessage(turn=1, text="", calls=(call,)),
        started("t1c1", 1),
        CancelRequested(),
        cancelled,
        Cancelled(),
        late,
    ]
    records = numbered([(0, BEGIN), *((1, event) for event in log)])
    projection, transcript = Projection(), Transcript()
    for record in records:
        projection.feed(record)
        transcript.feed(record)
    said = [projection.message_bytes(one) for one in projection.sources if one.role == "tool"]
    assert len(said) == 1
    assert b"Stopped." in said[0]
    assert projection.left_out == ((8, "a late or second result for a call that was already answered"),)
    (row,) = [row for row in transcript.rows if row.call_id == "t1c1"]
    assert (row.status, row.detail) == ("cancelled", "Stopped.")
    assert "late result" in transcript.rows[-1].text
    assert fold("s1", records).due is None
