"""Arguments are coerced once where the schema leaves one meaning, and refused in words otherwise."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.schema import arguments_of, valid_text
from desktop.harness.core.toolspec import ToolSpec

SPEC = ToolSpec(
    name="probe",
    description="",
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "max": {"type": "integer", "minimum": 1},
            "all": {"type": "boolean"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)
FREE = ToolSpec(name="free", description="", parameters={"type": "object", "properties": {}})


@pytest.mark.parametrize("raw", ["", "null", "{}", "  "])
def test_nothing_is_an_empty_object(raw: str) -> None:
    """A tool without parameters runs whatever a server sends for "none"."""
    assert arguments_of(FREE, raw) == {}


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ('{"path":"a","max":"20"}', {"path": "a", "max": 20}),
        ('{"path":"a","max":20.0,"all":"True"}', {"path": "a", "max": 20, "all": True}),
        (json.dumps('{"path":"a"}'), {"path": "a"}),
        ('{"path":"a","max":null}', {"path": "a"}),
    ],
)
def test_one_meaning_is_taken(raw: str, wanted: dict[str, Any]) -> None:
    """Numbers and booleans as strings, an object encoded twice, and null for "left out" are understood."""
    assert arguments_of(SPEC, raw) == wanted


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ('["x"]', "a list, not an object"),
        ('{"path": "a', "no complete JSON"),
        ("{}", "missing: path"),
        ('{"path":"a","colour":1}', "there is no field 'colour'"),
        ('{"path":["a"]}', "path must be a string, not a list"),
        ('{"path":"a","max":"many"}', "max must be an integer"),
        ('{"path":"a","max":0}', "at least 1"),
        ('{"path":"a","all":"perhaps"}', "all must be a boolean"),
        ('{"path":null}', "path must be a string, not null"),
    ],
)
def test_everything_else_is_refused_in_words(raw: str, words: str) -> None:
    """The sentence names the tool, the field and what is wrong with it."""
    with pytest.raises(ToolError, match="probe") as caught:
        arguments_of(SPEC, raw)
    assert caught.value.code is Refusal.BAD_ARGUMENTS
    assert words in str(caught.value)


@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_the_projected_text_is_always_an_object(raw: str) -> None:
    """Whatever a model sent, what goes back to a server parses to an object."""
    assert isinstance(json.loads(valid_text(raw)), dict)


@given(st.text())
def test_reading_arguments_raises_nothing_but_tool_errors(raw: str) -> None:
    """No text at all can break the first gate."""
    with contextlib.suppress(ToolError):
        arguments_of(SPEC, raw)
