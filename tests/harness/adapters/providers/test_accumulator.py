"""Replies from chunks of every shape that servers were seen to send."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.providers import accumulator
from desktop.harness.adapters.providers.accumulator import UNNAMED, Accumulator
from desktop.harness.core.errors import ModelError
from desktop.harness.ports import ReasoningDelta, Reply, TextDelta
from desktop.proof.script import delta, finish, tool_delta, usage


def put_together(*chunks: Any) -> Reply:
    """The reply that these chunks make."""
    reply = Accumulator()
    for chunk in chunks:
        reply.add(chunk)
    return reply.reply()


def calls_of(*entries: list[Any]) -> list[tuple[str, str, str]]:
    """The calls that come out, when each chunk carries one of these lists."""
    reply = put_together(*(delta({"tool_calls": one}) for one in entries))
    return [(call.provider_id, call.tool, call.arguments) for call in reply.calls]


def test_text_reasoning_usage_and_model_are_collected() -> None:
    """The parts of an ordinary reply end up in its fields, and each piece is given out once."""
    reply = Accumulator()
    first = reply.add(delta({"reasoning_content": "hm", "content": ""}))
    second = reply.add(delta({"content": "Yes."}, finish="stop"))
    reply.add(usage(7, 3, 5))
    assert first == [ReasoningDelta(text="hm")] and second == [TextDelta(text="Yes.")]
    assert reply.reply() == Reply(
        text="Yes.",
        reasoning="hm",
        finish="stop",
        model="proof",
        input_tokens=7,
        output_tokens=3,
        cached_tokens=5,
    )


@pytest.mark.parametrize(
    "chunk",
    [
        {}, {"choices": []}, {"choices": None}, {"choices": "x"}, {"choices": [None]}, {"choices": [{}]},
        {"choices": [{"delta": None}]}, {"choices": [{"delta": []}]},
        {"choices": [{"delta": {"content": None}}]},
        {"choices": [{"delta": {"content": 5}}]}, {"choices": [{"delta": {"tool_calls": None}}]},
        {"choices": [{"delta": {"tool_calls": [None, 3]}}]},
        {"choices": [{"index": {}, "delta": {"content": "x"}}]},
        {"choices": [{"index": 1, "delta": {"content": "x"}}]}, {"usage": None}, {"usage": "x"},
        {"usage": {"prompt_tokens": None, "prompt_tokens_details": 1}}, {"choices": [{"finish_reason": 3}]},
        {"choices": [], "prompt_filter_results": [{}]},
    ],
)  # fmt: skip
def test_odd_chunks_change_nothing(chunk: Any) -> None:
    """A chunk without anything usable is passed over, before and between good ones."""
    good = [delta({"content": "a"}), finish("weird_reason"), usage(1, 2)]
    plain = put_together(*good)
    mixed = put_together(chunk, good[0], chunk, good[1], good[2])
    assert mixed.text == plain.text == "a" and mixed.finish == "weird_reason" and not mixed.calls


def test_the_last_usage_counts_and_may_come_in_any_chunk() -> None:
    """Cumulative usage on every chunk is not added up."""
    chunks = [delta({"content": "a"}, usage={"prompt_tokens": 9, "completion_tokens": n}) for n in (1, 2, 3)]
    reply = put_together(*chunks)
    assert (reply.input_tokens, reply.output_tokens) == (9, 3)


def test_content_may_be_a_list_of_parts() -> None:
    """Text parts are joined; other parts are left out."""
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, "b", None]
    assert put_together(delta({"content": parts})).text == "ab"


def test_a_whole_message_counts_as_a_delta() -> None:
    """A completion that was not streamed gives the same reply."""
    message = {"content": "Yes.", "tool_calls": [tool_delta(None, name="read_file", arguments="{}", id="a")]}
    reply = put_together({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert reply.text == "Yes." and reply.calls[0].tool == "read_file" and reply.finish == "stop"


CASES: dict[str, tuple[list[list[Any]], list[tuple[str, str, str]]]] = {
    "indexed pieces": (
        [
            [tool_delta(0, name="f", id="a")],
            [tool_delta(0, arguments='{"x"')],
            [tool_delta(0, arguments=":1}")],
        ],
        [("a", "f", '{"x":1}')],
    ),
    "different ids without index": (
        [
            [tool_delta(None, name="f", arguments='{"x":1}', id="a")],
            [tool_delta(None, name="g", arguments='{"y":2}', id="b")],
        ],
        [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')],
    ),
    "different ids without index in one chunk": (
        [
            [
                tool_delta(None, name="f", arguments="{}", id="a"),
                tool_delta(None, name="f", arguments="{}", id="b"),
            ]
        ],
        [("a", "f", "{}"), ("b", "f", "{}")],
    ),
    "one index twice in the first chunk": (
        [
            [tool_delta(0, name="f", id="a"), tool_delta(0, arguments='{"x"')],
            [tool_delta(0, arguments=":1}")],
        ],
        [("a", "f", '{"x":1}')],
    ),
    "arguments as an object": (
        [[tool_delta(0, name="f", arguments={"ä": [1]}, id="a")]],
        [("a", "f", '{"ä": [1]}')],
    ),
    "arguments null, then missing": (
        [[tool_delta(0, name="f", arguments=None, id="a")], [{"index": 0}], [{"index": 0, "function": {}}]],
        [("a", "f", "")],
    ),
    "the name again and again": (
        [[tool_delta(0, name="f", arguments=piece, id="a")] for piece in ('{"x"', ":1", "}")],
        [("a", "f", '{"x":1}')],
    ),
    "the name growing and in parts": (
        [[tool_delta(0, name="read", id="a")], [tool_delta(0, name="read_f")], [tool_delta(0, name="ile")]],
        [("a", "read_file", "")],
    ),
    "one id for two indexed calls": (
        [
            [tool_delta(0, name="f", arguments="{}", id="a")],
            [tool_delta(1, name="f", arguments="{}", id="a")],
        ],
        [("a", "f", "{}"), ("a", "f", "{}")],
    ),
    "one id for two calls without index": (
        [[tool_delta(None, name="f", arguments=raw, id="a")] for raw in ('{"x":1}', '{"x":2}')],
        [("a", "f", '{"x":1}'), ("a", "f", '{"x":2}')],
    ),
    "empty ids for two indexed calls": (
        [[tool_delta(0, name="f", arguments="{}", id=""), tool_delta(1, name="f", arguments="{}", id="")]],
        [("", "f", "{}"), ("", "f", "{}")],
    ),
    "every call at index 0": (
        [
            [tool_delta(0, name="f", arguments="{}", id="a")],
            [tool_delta(0, name="f", arguments="{}", id="b")],
        ],
        [("a", "f", "{}"), ("b", "f", "{}")],
    ),
    "a new id on every piece of one call": (
        [[tool_delta(0, name="f", arguments='{"x"', id="a")], [tool_delta(0, arguments=":1}", id="b")]],
        [("a", "f", '{"x":1}')],
    ),
    "the whole call sent again": (
        [[tool_delta(0, name="f", arguments='{"x":1}', id="a")]] * 2,
        [("a", "f", '{"x":1}')],
    ),
    "neither index nor id": (
        [
            [tool_delta(None, name="f")],
            [tool_delta(None, arguments='{"x":1}')],
            [tool_delta(None, name="g")],
            [tool_delta(None, arguments="{}")],
        ],
        [("", "f", '{"x":1}'), ("", "g", "{}")],
    ),
    "neither index nor id, side by side": (
        [
            [tool_delta(None, name="f"), tool_delta(None, name="f")],
            [tool_delta(None, arguments='{"x":1}'), tool_delta(None, arguments='{"x":2}')],
        ],
        [("", "f", '{"x":1}'), ("", "f", '{"x":2}')],
    ),
    "an index in words": (
        [[tool_delta(0, name="f", id="a")], [{"index": "0", "function": {"arguments": "{}"}}]],
        [("a", "f", "{}")],
    ),
    "arguments without a name": ([[tool_delta(0, arguments='{"x":1}', id="a")]], [("a", UNNAMED, '{"x":1}')]),
    "nothing at all": ([[{}], [tool_delta(3)]], []),
}


@pytest.mark.parametrize("case", CASES)
def test_calls_are_told_apart(case: str) -> None:
    """Each way of streaming calls gives the calls that were meant, in order."""
    entries, calls = CASES[case]
    assert calls_of(*entries) == calls


def test_the_old_function_call_is_a_call() -> None:
    """Servers that still stream `function_call` are understood."""
    pieces = [{"function_call": {"name": "f", "arguments": '{"x"'}}, {"function_call": {"arguments": ":1}"}}]
    (call,) = put_together(*(delta(piece) for piece in pieces)).calls
    assert (call.tool, call.arguments) == ("f", '{"x":1}')


def test_a_surrogate_pair_in_two_chunks_becomes_one_character() -> None:
    """No piece and no reply ever holds a lone surrogate; half a character is marked."""
    reply = Accumulator()
    shown = [
        piece.text
        for half in ("a\ud83d", "\ude00b", "\ude00", "c\ud83d")
        for piece in reply.add(delta({"content": half}))
    ]
    assert shown == ["a", "😀b", "\ufffd", "c"]
    assert reply.text == "a😀b\ufffdc\ufffd"
    pieces = [[tool_delta(0, name="f", arguments=half)] for half in ('{"x":"\ud83d', '\ude00"}')]
    assert calls_of(*pieces) == [("", "f", '{"x":"😀"}')]


def test_a_reply_without_end_is_refused() -> None:
    """Text, arguments and even empty calls count towards one limit."""
    times = accumulator.MAX_REPLY_CHARACTERS // 1_000_000 + 1
    big = "x" * 1_000_000
    endless = [
        delta({"tool_calls": [tool_delta(number + 1_000 * time) for number in range(1_000)]})
        for time in range(times)
    ]
    named = delta({"tool_calls": [tool_delta(0, name="f", arguments=big)]})
    for chunks in (
        [delta({"content": big})] * times,
        [delta({"reasoning": big})] * times,
        [named] * times,
        endless,
    ):
        with pytest.raises(ModelError):
            put_together(*chunks)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["{}", '{"a":1}'])
)
KEYS = st.sampled_from([
    "choices", "delta", "message", "content", "tool_calls", "index", "id", "function", "name", "arguments",
    "usage", "prompt_tokens", "prompt_tokens_details", "finish_reason", "text", "reasoning", "function_call",
    "model",
])  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
)
DELTAS = st.dictionaries(KEYS, VALUES, max_size=5) | st.fixed_dictionaries(
    {"tool_calls": st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=3)}
)
CHUNKS = st.dictionaries(KEYS, VALUES, max_size=4) | DELTAS.map(lambda fields: delta(fields))


@given(chunks=st.lists(CHUNKS, max_size=6))
def test_no_chunk_can_break_it(chunks: list[dict[str, Any]]) -> None:
    """Any JSON objects give a reply of clean text whose pieces add up to the whole."""
    reply = Accumulator()
    shown = [piece for chunk in chunks for piece in reply.add(chunk)]
    whole = reply.reply()
    text = "".join(piece.text for piece in shown if isinstance(piece, TextDelta))
    assert whole.text.removesuffix("\ufffd") == text.removesuffix("\ufffd")
    json.dumps([whole.text, whole.reasoning, whole.finish, whole.model], ensure_ascii=False).encode()
    for call in whole.calls:
        assert call.tool and f"{call.provider_id}{call.tool}{call.arguments}".encode() is not None
