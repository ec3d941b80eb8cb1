"""Random logs: events that fit and events that do not, in any order, as crashes and faults leave them."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from desktop.harness.core.events import (
    ApprovalDenied,
    ApprovalGranted,
    ApprovalRequest,
    AskedCall,
    AssistantMessage,
    Cancelled,
    CancelRequested,
    Damaged,
    EffectSettled,
    EffectUnresolved,
    Event,
    Interrupted,
    Killed,
    ModelFailed,
    ModelRequested,
    Paused,
    PauseRequested,
    Record,
    Resumed,
    RetryScheduled,
    RunFinished,
    RunStarted,
    SessionForked,
    SessionStarted,
    Steered,
    ToolResulted,
    ToolStarted,
    Undone,
    UserMessage,
    WorkspaceChanged,
)

WORDS = st.text(st.characters(codec="utf-8") | st.sampled_from('\x00\x1b\ud800{}\\"'), max_size=12)
TURN = st.integers(min_value=1, max_value=4)
CALL = st.builds("t{}c{}".format, TURN, st.integers(min_value=1, max_value=3))
PAYLOAD = st.sampled_from(["p1", "p2"])
RAW = st.sampled_from(['{"path":"a"}', "", "{", '["x"]', '"{\\"path\\":\\"a\\"}"', '{"a":"\\u0000\\ud800"}'])


@st.composite
def _message(draw: st.DrawFn) -> AssistantMessage:
    turn = draw(TURN)
    calls = tuple(
        AskedCall(
            call_id=f"t{turn}c{index + 1}",
            provider_id=draw(st.sampled_from(["", "same"])),
            tool=draw(st.sampled_from(["read_file", "edit_file", "", "wild name\n"])),
            arguments=draw(RAW),
            effect=draw(st.booleans()),
        )
        for index in range(draw(st.integers(min_value=0, max_value=3)))
    )
    finish = draw(st.sampled_from(["stop", "tool_calls", "length", ""]))
    return AssistantMessage(turn=turn, text=draw(WORDS), calls=calls, finish=finish, reasoning=draw(WORDS))


EVENT: st.SearchStrategy[Event] = st.one_of(
    _message(),
    _message(),
    st.builds(UserMessage, text=WORDS),
    st.builds(RunStarted),
    st.builds(ModelRequested, turn=TURN, attempt=TURN),
    st.builds(RetryScheduled, turn=TURN, attempt=TURN, at_ms=st.just(5), deadline_ms=st.just(9)),
    st.builds(ModelFailed, turn=TURN, fault=st.just("idle"), text=WORDS, partial=WORDS),
    st.builds(ApprovalRequest, call_id=CALL, payload=PAYLOAD, tool=st.just("edit_file"), title=WORDS),
    st.builds(
        ApprovalGranted, call_id=CALL, payload=PAYLOAD, scope=st.sampled_from(["once", "session", "always"])
    ),
    st.builds(ApprovalDenied, call_id=CALL, payload=PAYLOAD, reason=WORDS),
    st.builds(
        ToolStarted,
        call_id=CALL,
        tool=st.just("edit_file"),
        step_key=st.just("k"),
        attempt=TURN,
        payload=PAYLOAD,
        authority=st.just("person:once"),
    ),
    st.builds(ToolResulted, call_id=CALL, attempt=TURN, status=st.sampled_from(["ok", "failed"]), text=WORDS),
    st.builds(
        ToolResulted, call_id=CALL, attempt=TURN, status=st.sampled_from(["ok", "refused"]), text=WORDS
    ),
    st.builds(EffectUnresolved, call_id=CALL, attempt=TURN, text=WORDS),
    st.builds(
        EffectSettled,
        call_id=CALL,
        attempt=TURN,
        outcome=st.sampled_from(["happened", "did_not_happen"]),
        by=st.just("check"),
    ),
    st.builds(CancelRequested),
    st.builds(Cancelled, text=WORDS),
    st.builds(Interrupted, text=WORDS),
    st.builds(Paused, reason=WORDS),
    st.builds(Resumed),
    st.builds(PauseRequested),
    st.builds(Killed),
    st.builds(Steered, text=WORDS),
    st.builds(RunFinished),
    st.builds(SessionForked, parent=st.just("s0"), fork_seq=st.just(1)),
    st.builds(WorkspaceChanged, paths=st.lists(WORDS, max_size=2).map(tuple)),
    st.builds(Undone, target_run=st.just(1), restored=st.just(({"path": "a"},))),
    st.builds(Damaged, real_kind=st.just("assistant_message"), problem=st.just("flipped")),
)


@st.composite
def _log(draw: st.DrawFn) -> list[Record]:
    """A session's records: seqs without gap, run numbers that only rise."""
    events: list[Event] = [
        SessionStarted(workspace="/w", project="p", mode="write", model="m", base_url="http://x/v1")
    ]
    events += draw(st.lists(EVENT, max_size=40))
    run, records = 0, []
    for seq, event in enumerate(events, start=1):
        run += isinstance(event, UserMessage)
        records.append(Record(session="s1", seq=seq, at_ms=seq, run=run, event=event))
    return records


@pytest.fixture(scope="session")
def logs() -> st.SearchStrategy[list[Record]]:
    """Random logs of one session."""
    return _log()


@pytest.fixture
def log_of() -> Callable[..., list[Record]]:
    """Records for these events, from seq 1 on."""

    def make(*events: Any) -> list[Record]:
        run, records = 0, []
        for seq, event in enumerate(events, start=1):
            run += isinstance(event, UserMessage)
            records.append(Record(session="s1", seq=seq, at_ms=seq, run=run, event=event))
        return records

    return make
