"""Rows are a fold of the log; splices keep a screen equal to it."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.events import (
    AskedCall,
    AssistantMessage,
    ModelFailed,
    Record,
    SessionStarted,
    ToolResulted,
    UserMessage,
)
from desktop.harness.core.transcript import Patch, Row, RowKind, Transcript

BEGIN = SessionStarted(workspace="/w", project="p", mode="write", model="m", base_url="http://x/v1")


def spliced(rows: list[Row], patches: tuple[Patch, ...]) -> list[Row]:
    """The rows after some splices, as a screen applies them."""
    for patch in patches:
        assert 0 <= patch.index <= patch.index + patch.removed <= len(rows)
        rows = [*rows[: patch.index], *patch.rows, *rows[patch.index + patch.removed :]]
    return rows


@given(data=st.data())
def test_splices_keep_a_screen_equal_to_the_rows(
    data: st.DataObject, logs: st.SearchStrategy[list[Record]]
) -> None:
    """For any log, with text streamed in between, applying the patches gives the rows; keys stay unique."""
    transcript = Transcript()
    shown: list[Row] = []
    for record in data.draw(logs):
        if data.draw(st.booleans()):
            shown = spliced(shown, transcript.stream("some text", 1, record.run, record.seq))
        shown = spliced(shown, transcript.feed(record))
        assert shown == list(transcript.rows)
        assert len({row.key for row in shown}) == len(shown)


def test_a_call_is_one_row_from_start_to_end(log_of: Callable[..., list[Record]]) -> None:
    """The same row goes from running to its result, with a title that names the target."""
    call = AskedCall(call_id="t1c1", provider_id="", tool="read_file", arguments='{"path":"notes.txt"}')
    transcript = Transcript()
    for record in log_of(
        BEGIN,
        UserMessage(text="q"),
        AssistantMessage(turn=1, text="", calls=(call,)),
        ToolResulted(call_id="t1c1", attempt=1, status="ok", text="hello"),
    ):
        transcript.feed(record)
    row = transcript.rows[-1]
    assert (row.kind, row.title, row.status, row.detail) == (RowKind.TOOL, "Read notes.txt", "ok", "hello")


def test_streamed_text_turns_into_the_answer(log_of: Callable[..., list[Record]]) -> None:
    """The streaming row is replaced by the recorded answer, or by what was kept of it."""
    records = log_of(
        BEGIN, UserMessage(text="q"), AssistantMessage(turn=1, text="Hello world", finish="stop")
    )
    transcript = Transcript()
    for record in records[:2]:
        transcript.feed(record)
    transcript.stream("Hello", 1, 1, 2)
    assert transcript.rows[-1].status == "streaming"
    transcript.feed(records[2])
    assert [row.text for row in transcript.rows] == ["q", "Hello world"]

    broken = Transcript()
    failed = ModelFailed(turn=1, fault="cut_off", text="It broke off.", partial="Hello")
    for record in log_of(BEGIN, UserMessage(text="q")):
        broken.feed(record)
    broken.stream("Hello", 1, 1, 2)
    broken.feed(Record(session="s1", seq=3, at_ms=3, run=1, event=failed))
    assert [(row.text, row.status) for row in broken.rows[1:]] == [
        ("Hello", "cut"),
        ("It broke off.", "failed"),
    ]
