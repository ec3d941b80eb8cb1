"""Cutting bytes into events: every line ending, every cut, every careless server."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desktop.harness.adapters.providers import sse
from desktop.harness.adapters.providers.sse import EventStream
from desktop.harness.core.errors import ModelError


def events_of(*pieces: bytes) -> list[str]:
    """All events of a stream that arrives in these pieces."""
    stream = EventStream()
    found = [event for piece in pieces for event in stream.feed(piece)]
    return [*found, *stream.end()]


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        (b'data: {"a":1}\n\ndata: [DONE]\n\n', ['{"a":1}', "[DONE]"]),
        (b'data:{"a":1}\r\n\r\ndata:[DONE]\r\n\r\n', ['{"a":1}', "[DONE]"]),
        (b'data: {"a":1}\r\rdata: [DONE]\r\r', ['{"a":1}', "[DONE]"]),
        (b'\xef\xbb\xbfdata: {"a":1}\n\n', ['{"a":1}']),
        (b': ping\n\n: ping\n\ndata: {"a":1}\n\n', ['{"a":1}']),
        (b'event: message\nid: 7\nretry: 10\ndata: {"a":1}\n\n', ['{"a":1}']),
        (b'data: {"a":\ndata: 1}\n\n', ['{"a":\n1}']),
        (b'data: {"a":1}\ndata: {"b":2}\n', ['{"a":1}', '{"b":2}']),
        (b'data: {"a":1}', ['{"a":1}']),
        (b'data: {"a":1}\n\ndata: {"b', ['{"a":1}']),
        (b"data:\n\ndata: \n\n", []),
        (b"<!doctype html>\n<title>Sign in</title>\n", []),
        (b'error: {"code":500}\n\n', ['{"error": {"code":500}}']),
        (b'event: error\ndata: {"message":"full"}\n\n', ['{"error": {"message":"full"}}']),
        (b'event: error\ndata: {"error":{"message":"full"}}\n\n', ['{"error":{"message":"full"}}']),
        ('data: "é"\n\n'.encode("latin-1"), ['"\ufffd"']),
    ],
)
def test_events_are_found_in_whatever_servers_send(raw: bytes, events: list[str]) -> None:
    """Each spelling of a stream gives the events that were meant, whole and byte by byte."""
    assert events_of(raw) == events
    assert events_of(*(raw[at : at + 1] for at in range(len(raw)))) == events


LINES = st.sampled_from([
    b'data: {"content":"\xe4\xb8\xad\xf0\x9f\x98\x80"}', b"data: [DONE]", b"data: {",
    b"data: 1}", b": c", b"",
    b"error: 1", b"event: error", b"data", b"x: y", b"\xff\xfe",
])  # fmt: skip
STREAMS = st.one_of(
    st.binary(max_size=200),
    st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"])), max_size=12).map(
        lambda lines: b"".join(line + end for line, end in lines)
    ),
)


@given(raw=STREAMS, cuts=st.lists(st.integers(0, 200), max_size=6))
@example(raw=b"data: 1\r\n\r\ndata: 2\r\n\r\n", cuts=[8, 10, 20])
def test_where_the_bytes_are_cut_changes_nothing(raw: bytes, cuts: list[int]) -> None:
    """Any bytes, cut anywhere, raise nothing and give the events of the uncut stream."""
    marks = sorted({0, len(raw), *(min(cut, len(raw)) for cut in cuts)})
    pieces = [raw[start:end] for start, end in pairwise(marks)]
    assert events_of(*pieces) == events_of(raw)


def test_a_line_without_end_is_refused() -> None:
    """Memory is bounded: a line, or an event of many lines, over the limit is a fault."""
    for end in (b"", b"\n"):
        stream = EventStream()
        line = b"data: " + b"x" * 1_000_000 + end
        for _ in range(sse.MAX_LINE_BYTES // len(line)):
            stream.feed(line)
        with pytest.raises(ModelError):
            stream.feed(line * 2)


def test_a_long_line_in_small_pieces_is_not_scanned_again_and_again() -> None:
    """Seven megabytes in 64-byte pieces give one event (a quadratic reader would not come back)."""
    stream = EventStream()
    stream.feed(b'data: "')
    for _ in range(7_000_000 // 64):
        stream.feed(b"x" * 64)
    (event,) = stream.feed(b'"\n\n')
    assert len(json.loads(event)) == 7_000_000 // 64 * 64
