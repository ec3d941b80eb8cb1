"""Events survive the way to text and back; what cannot be read comes back as what it is."""

import json
from dataclasses import MISSING, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core import events
from desktop.harness.core.codec import as_data, decode, encode, known_kinds, record_as_json, storable
from desktop.harness.core.events import (
    AskedCall,
    AssistantMessage,
    Damaged,
    Record,
    ToolResulted,
    Unknown,
    UserMessage,
)

KINDS = [cls for cls in vars(events).values() if isinstance(cls, type) and "kind" in vars(cls)]
TEXT = st.text(max_size=40)


def _value(hint: str) -> st.SearchStrategy[Any]:
    if "AskedCall" in hint:
        return st.lists(
            st.builds(
                AskedCall,
                call_id=TEXT,
                provider_id=TEXT,
                tool=TEXT,
                arguments=TEXT,
                effect=st.booleans(),
            ),
            max_size=3,
        ).map(tuple)
    if hint.startswith("tuple[str") or "SessionId, ..." in hint or "CallId, ..." in hint:
        return st.lists(TEXT, max_size=3).map(tuple)
    if hint.startswith("tuple["):
        return st.lists(st.dictionaries(TEXT, TEXT, max_size=2), max_size=2).map(tuple)
    if "Mapping" in hint:
        return st.none() | st.dictionaries(TEXT, TEXT | st.integers(), max_size=3)
    if "bool" in hint:
        return st.booleans()
    if "float" in hint:
        return st.none() | st.floats(allow_nan=False, allow_infinity=False)
    if "int" in hint or "Seq" in hint or "RunNumber" in hint:
        return st.integers(min_value=0, max_value=2**53)
    return TEXT


@st.composite
def any_event(draw: st.DrawFn) -> Any:
    """One event of any kind, its optional fields set or left out."""
    cls = draw(st.sampled_from([cls for cls in KINDS if cls not in (Unknown, Damaged)]))
    given_fields = {}
    for item in fields(cls):
        if item.default is MISSING or draw(st.booleans()):
            given_fields[item.name] = draw(_value(str(item.type).replace("desktop.harness.core.ids.", "")))
    return cls(**given_fields)


@given(any_event())
def test_every_event_survives_the_round_trip(event: Any) -> None:
    """What was encoded is what is decoded, for each kind, unless it held a lone surrogate."""
    text = encode(event)
    text.encode()
    if storable(repr(event)) == repr(event):
        assert decode(event.kind, text) == event


def test_all_kinds_are_known() -> None:
    """No class of event is forgotten by the codec, and no two share a kind."""
    kinds = [vars(cls)["kind"] for cls in KINDS]
    assert len(kinds) == len(set(kinds))
    assert set(kinds) - {"unknown", "damaged"} == known_kinds()


def test_a_lone_surrogate_is_made_storable() -> None:
    """Text that neither UTF-8 nor SQLite can hold is replaced before it is stored."""
    text = encode(UserMessage(text="a\ud800b"))
    assert json.loads(text)["text"] == "a\ufffdb"


def test_an_unknown_kind_survives_untouched() -> None:
    """A record of a later version keeps its kind and its data."""
    event = decode("future_kind", '{"x":[1,{"y":null}]}')
    assert event == Unknown(real_kind="future_kind", data={"x": [1, {"y": None}]})
    assert json.loads(encode(event)) == {"x": [1, {"y": None}]}


@pytest.mark.parametrize("text", ["", "\x00\x00", "[1]", "{", '{"turn":1}', '"x"', "null"])
def test_unreadable_data_is_called_damaged(text: str) -> None:
    """Data that is no event of its kind never raises."""
    assert isinstance(decode("assistant_message", text), Damaged)


@given(st.text(), st.text())
def test_decoding_never_raises(kind: str, text: str) -> None:
    """Any kind with any text gives some event."""
    assert decode(kind, text) is not None


def test_an_old_shape_is_brought_up() -> None:
    """An upcaster of the kind is applied to data without a shape number, step by step."""

    def second(data: dict[str, Any]) -> dict[str, Any]:
        return {"text": data["words"]}

    def third(data: dict[str, Any]) -> dict[str, Any]:
        return {"text": data["text"].upper()}

    upcasters = {("user_message", 1): second, ("user_message", 2): third}
    assert decode("user_message", '{"words":"hi"}', upcasters) == UserMessage(text="HI")
    assert decode("user_message", '{"text":"hi","v":3}', upcasters) == UserMessage(text="hi")


def test_the_printed_record_has_the_contracted_fields() -> None:
    """Scripts get session, seq, kind, at_ms, run and data, and data always holds the required fields."""
    message = AssistantMessage(turn=1, text="")
    record = Record(session="s1", seq=3, at_ms=5, run=1, event=message)
    printed = record_as_json(record)
    assert list(printed) == ["session", "seq", "kind", "at_ms", "run", "data"]
    assert printed["data"]["text"] == ""
    assert as_data(ToolResulted(call_id="t1c1", attempt=1, status="ok", text="x"))["attempt"] == 1
