"""A request body as the offline helper sees it: the tools, the person's last words, what was done about
them.

Reads the chat messages that every model gets and nothing else, so the helper answers the same after a
restart, in a branch and in a replay. What it cannot read it leaves out; it never raises on odd messages.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_OUR_NOTE = re.compile(r"\[(?:Changed outside Paddock since: |The person undid earlier changes).*\]\Z")
"""Lines that Paddock itself puts around a person's words or a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call and its result, None while there is none."""

    tool: str
    arguments: Mapping[str, Any]
    result: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What the next reply depends on.

    `steps` are the replies with calls since the person's last words, each with its results; `answer_before`
    is the last answer before those words.
    """

    tools: frozenset[str]
    words: str
    steps: tuple[tuple[Call, ...], ...] = ()
    answer_before: str = ""


def read_body(body: bytes) -> Conversation:
    """The conversation in the body of a request."""
    request = json.loads(body)
    messages: Sequence[Any] = [one for one in request.get("messages", ()) if isinstance(one, Mapping)]
    last = max((index for index, one in enumerate(messages) if one.get("role") == "user"), default=-1)
    return Conversation(
        tools=frozenset(_tool_names(request.get("tools") or ())),
        words=_without_notes(_content(messages[last])) if last >= 0 else "",
        steps=tuple(_steps(messages[last + 1 :])),
        answer_before=_last_answer(messages[:last]) if last > 0 else "",
    )


def _tool_names(tools: Sequence[Any]) -> Iterator[str]:
    for tool in tools:
        if isinstance(tool, Mapping) and isinstance(function := tool.get("function"), Mapping):
            yield str(function.get("name"))


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _last_answer(messages: Sequence[Mapping[str, Any]]) -> str:
    said = (_content(one) for one in reversed(messages) if one.get("role") == "assistant")
    return next((text for text in said if text), "")


def _without_notes(text: str) -> str:
    """A person's words without the lines that Paddock put in front."""
    lines = text.split("\n")
    index = 0
    while index < len(lines) and _OUR_NOTE.match(lines[index]):
        index += 1
    if index and index < len(lines) and not lines[index]:
        return "\n".join(lines[index + 1 :])
    return text


def _without_tail(text: str) -> str:
    """A result without the lines that Paddock put behind it."""
    lines = text.split("\n")
    end = len(lines)
    while end and _OUR_NOTE.match(lines[end - 1]):
        end -= 1
    if end < len(lines) and end and not lines[end - 1]:
        return "\n".join(lines[: end - 1])
    return text


def _steps(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Call, ...]]:
    results = {
        str(one.get("tool_call_id")): _without_tail(_content(one))
        for one in messages
        if one.get("role") == "tool"
    }
    for message in messages:
        asked = message.get("tool_calls")
        if message.get("role") == "assistant" and isinstance(asked, list) and asked:
            yield tuple(_call(one, results) for one in asked if isinstance(one, Mapping))


def _call(asked: Mapping[str, Any], results: Mapping[str, str]) -> Call:
    function = asked.get("function")
    function = function if isinstance(function, Mapping) else {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (TypeError, ValueError):
        arguments = {}
    return Call(
        tool=str(function.get("name")),
        arguments=arguments if isinstance(arguments, Mapping) else {},
        result=results.get(str(asked.get("id"))),
    )
