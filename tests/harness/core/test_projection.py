"""Whatever the log holds, what is sent is a valid conversation that only grows."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.harness.core.commands import CallModel
from desktop.harness.core.definition import AgentDefinition, Route
from desktop.harness.core.events import (
    ApprovalRequest,
    AskedCall,
    AssistantMessage,
    Cancelled,
    CancelRequested,
    ModelFailed,
    Record,
    SessionForked,
    SessionStarted,
    ToolResulted,
    ToolStarted,
    UserMessage,
    WorkspaceChanged,
)
from desktop.harness.core.projection import CUT_MARK, Projection
from desktop.harness.core.reducer import advance
from desktop.harness.core.state import SessionState
from desktop.proof.referee import Prefixes, Profile, judge

HEAD = AgentDefinition(
    instructions="Be brief.", tools=(), route=Route(model="m", base_url="http://x/v1")
).head()
BEGIN = SessionStarted(workspace="/w", project="p", mode="write", model="m", base_url="http://x/v1")


def messages(records: list[Record]) -> list[dict[str, Any]]:
    """The messages behind the system text."""
    projection = Projection()
    for record in records:
        projection.feed(record)
    parsed: list[dict[str, Any]] = json.loads(projection.body(HEAD))["messages"][1:]
    return parsed


def asked(turn: int, count: int) -> AssistantMessage:
    """A reply with some calls."""
    calls = tuple(
        AskedCall(call_id=f"t{turn}c{n + 1}", provider_id="same", tool="read_file", arguments='{"path":"a"}')
        for n in range(count)
    )
    return AssistantMessage(turn=turn, text="", calls=calls)


def result(call_id: str, text: str) -> ToolResulted:
    """A good result."""
    return ToolResulted(call_id=call_id, attempt=1, status="ok", text=text)


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_request_that_can_be_due_is_valid_and_extends_the_one_before(
    data: st.DataObject, logs: st.SearchStrategy[list[Record]]
) -> None:
    """At each point of any log where the model may be called, the strict referee accepts the request."""
    state, projection, before = SessionState(session="s1"), Projection(), HEAD
    for record in data.draw(logs):
        state = advance(state, record)
        projection.feed(record)
        if not isinstance(state.due, CallModel):
            continue
        assert not projection.has_open_calls
        body = projection.body(HEAD)
        assert judge(body, Profile(), Prefixes()) is None
        assert body.startswith(before)
        before = body[:-2]


@given(data=st.data())
def test_a_cut_anywhere_can_be_gone_on_from(
    data: st.DataObject, logs: st.SearchStrategy[list[Record]]
) -> None:
    """After a crash behind any record, a new message gives a valid request."""
    records = data.draw(logs)
    cut = data.draw(st.integers(min_value=1, max_value=len(records)))
    last = records[cut - 1]
    said = Record(session="s1", seq=last.seq + 1, at_ms=0, run=last.run + 1, event=UserMessage(text="go on"))
    state, projection = SessionState(session="s1"), Projection()
    for record in (*records[:cut], said):
        state = advance(state, record)
        projection.feed(record)
    assert isinstance(state.due, CallModel)
    assert judge(projection.body(HEAD), Profile(), Prefixes()) is None


@given(data=st.data())
def test_folding_again_gives_the_same_bytes(
    data: st.DataObject, logs: st.SearchStrategy[list[Record]]
) -> None:
    """A restart changes no byte of what was sent, and the running digest equals the digest of the whole."""
    import hashlib

    records = data.draw(logs)
    one, two = Projection(), Projection()
    for record in records:
        one.feed(record)
        one.digest(HEAD)
        two.feed(record)
    assert one.body(HEAD) == two.body(HEAD)
    assert one.digest(HEAD) == hashlib.sha256(two.body(HEAD)[:-2]).hexdigest()


def test_results_stand_in_call_order_whatever_came_first(log_of: Callable[..., list[Record]]) -> None:
    """Three reads, the last result first: the messages follow the calls."""
    sent = messages(
        log_of(
            BEGIN,
            UserMessage(text="q"),
            asked(1, 3),
            result("t1c3", "3"),
            result("t1c1", "1"),
            result("t1c2", "2"),
        )
    )
    assert [one.get("content") for one in sent[2:]] == ["1", "2", "3"]
    assert [one["id"] for one in sent[1]["tool_calls"]] == ["t1c1", "t1c2", "t1c3"]


def test_a_late_result_is_evidence_only(log_of: Callable[..., list[Record]]) -> None:
    """A call is answered once; the second answer is listed as left out."""
    projection = Projection()
    for record in log_of(
        BEGIN, UserMessage(text="q"), asked(1, 1), result("t1c1", "1"), result("t1c1", "late")
    ):
        projection.feed(record)
    assert b"late" not in projection.body(HEAD)
    assert projection.left_out[-1][0] == 5


def test_a_started_effect_without_result_is_unknown_not_cancelled(
    log_of: Callable[..., list[Record]],
) -> None:
    """The model is never told an outcome that the log does not hold."""
    started = ToolStarted(
        call_id="t1c1", tool="x", step_key="k", attempt=1, payload="p", authority="person:once"
    )
    sent = messages(log_of(BEGIN, UserMessage(text="q"), asked(1, 2), started, UserMessage(text="hello?")))
    assert "unknown" in sent[2]["content"]
    assert "Not run" in sent[3]["content"]
    assert sent[4] == {"role": "user", "content": "hello?"}


def test_a_stopped_call_is_closed_before_the_next_message(log_of: Callable[..., list[Record]]) -> None:
    """Stop with an open call, then a message: the closing stands between them."""
    sent = messages(
        log_of(
            BEGIN, UserMessage(text="q"), asked(1, 1), CancelRequested(), Cancelled(), UserMessage(text="hi")
        )
    )
    assert [one["role"] for one in sent] == ["user", "assistant", "tool", "user"]
    assert "stopped" in sent[2]["content"]


def test_cut_off_text_is_kept_and_marked(log_of: Callable[..., list[Record]]) -> None:
    """Forty words before a stop reach the model as cut off; a stop without words adds nothing."""
    said = " ".join(["word"] * 40)
    sent = messages(
        log_of(BEGIN, UserMessage(text="q"), CancelRequested(), Cancelled(text=said), UserMessage(text="?"))
    )
    assert sent[1] == {"role": "assistant", "content": f"{said}\n{CUT_MARK}"}
    sent = messages(
        log_of(BEGIN, UserMessage(text="q"), CancelRequested(), Cancelled(), UserMessage(text="?"))
    )
    assert [one["role"] for one in sent] == ["user", "user"]


def test_a_retry_does_not_see_the_broken_attempt(log_of: Callable[..., list[Record]]) -> None:
    """The text of a failed attempt is not sent to the attempt that replaces it."""
    failed = ModelFailed(turn=1, fault="cut_off", text="It broke off.", partial="Hello wor")
    whole = AssistantMessage(turn=1, text="Hello world", finish="stop")
    sent = messages(log_of(BEGIN, UserMessage(text="q"), failed, whole))
    assert sent[1:] == [{"role": "assistant", "content": "Hello world"}]


def test_an_empty_reply_and_mere_reasoning_are_never_sent(log_of: Callable[..., list[Record]]) -> None:
    """No message without content and without calls leaves; what was thought aloud stays in the log."""
    mute = AssistantMessage(turn=1, text="", reasoning="hmm", finish="stop")
    projection = Projection()
    for record in log_of(BEGIN, UserMessage(text="q"), mute):
        projection.feed(record)
    assert [source.role for source in projection.sources] == ["user"]
    assert projection.left_out


def test_our_notes_ride_on_the_next_message(log_of: Callable[..., list[Record]]) -> None:
    """A change from outside is told with the result that comes next, and stands nowhere else."""
    sent = messages(
        log_of(
            BEGIN, UserMessage(text="q"), asked(1, 1), WorkspaceChanged(paths=("a.md",)), result("t1c1", "x")
        )
    )
    assert sent[2]["content"].startswith("x\n\n[Changed outside Paddock")
    sent = messages(log_of(BEGIN, WorkspaceChanged(paths=("a.md",)), UserMessage(text="q")))
    assert sent[0]["content"].endswith("\n\nq")


def test_a_branch_closes_what_was_open(log_of: Callable[..., list[Record]]) -> None:
    """Calls that are open where a branch begins are closed as not run there."""
    question = ApprovalRequest(call_id="t1c1", payload="p", tool="edit_file", title="t")
    sent = messages(
        log_of(
            BEGIN,
            UserMessage(text="q"),
            asked(1, 1),
            question,
            SessionForked(parent="s0", fork_seq=4),
            UserMessage(text="next"),
        )
    )
    assert sent[2]["content"] == "Not run in this branch."
