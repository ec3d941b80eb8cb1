"""The referee: the rules that a strict model service applies to a request, each with a letter.

a  each tool call is answered by exactly one tool message, straight after its assistant message, in order
b  no tool message without such a call
c  call ids are 1-64 of `A-Z a-z 0-9 _ -` and unique in the request
d  arguments are a string that holds a JSON object
e  an assistant message has content or tool calls
f  no two tool messages with one id
g  the body is UTF-8 without lone surrogates, U+0000 or ESC
h  the request fits the window (answered with the overflow text of the chosen server family)
i  only fields that the profile allows
j  system text and tool list stay the same through a conversation, until a new prefix was allowed
k  no canary secret anywhere, raw or as JSON, URL or base64 text

Most "this chat is dead for good" reports are one bad item that is sent again each turn, so every request
is judged, whatever it is there to test. The rules are pure but for j, whose memory is `Prefixes`. A
request that outgrows the window is no fault of the sender (it cannot know the window), so h is counted
apart from breaches by the server.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

_LABEL = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FORBIDDEN = re.compile("[\ud800-\udfff\x00\x1b]")
_BYTES_PER_TOKEN = 4
"""For the window only: a round figure, so that a test can say how many bytes fit."""

OVERFLOW_TEXTS: Mapping[str, str] = {
    "llama.cpp": "request ({size} tokens) exceeds the available context size ({window} tokens)",
    "ollama": "prompt too long; exceeded max context length by {over} tokens",
    "vllm": "This model's maximum context length is {window} tokens. However, you requested {size} tokens.",
    "openai": "This model's maximum context length is {window} tokens. Please shorten the messages.",
}
"""What each family of servers says when a request is too long."""


def _request_fields() -> frozenset[str]:
    named = "model messages tools tool_choice parallel_tool_calls stream stream_options"
    return frozenset(f"{named} temperature max_tokens max_completion_tokens".split())


def _message_fields() -> Mapping[str, frozenset[str]]:
    return {
        "system": frozenset({"role", "content"}),
        "user": frozenset({"role", "content"}),
        "assistant": frozenset({"role", "content", "tool_calls"}),
        "tool": frozenset({"role", "content", "tool_call_id"}),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one kind of server is strict about. The default allows only the plain core of the protocol.

    `window_tokens` counts four bytes of the request as one token. `off` names rules that are not applied.
    """

    models: tuple[str, ...] = ("proof",)
    checks_model: bool = False
    window_tokens: int | None = None
    family: str = "openai"
    canaries: tuple[str, ...] = ()
    request_fields: frozenset[str] = field(default_factory=_request_fields)
    message_fields: Mapping[str, frozenset[str]] = field(default_factory=_message_fields)
    off: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One broken rule: its letter, the request (from 0) and what was seen."""

    rule: str
    request: int
    detail: str


class Prefixes:
    """The system texts and tool lists that conversations began with, for rule j.

    A request does not name its session, so conversations are told apart by their first user message. A
    request without any answer in it begins one (several may begin with the same words); every other must
    have a prefix that one of them began with.
    """

    def __init__(self) -> None:
        self._begun: dict[str, set[str]] = {}
        self._allowed = 0

    def allow_new(self) -> None:
        """The next change of a prefix is meant: a mode change or a compaction."""
        self._allowed += 1

    def judge(self, request: Mapping[str, Any]) -> str | None:
        """What is wrong with the prefix, if anything."""
        messages = request["messages"]
        first = next((one.get("content") for one in messages if one.get("role") == "user"), None)
        head = [one for one in messages if one.get("role") == "system"][:1]
        now = json.dumps([head, request.get("tools")])
        known = self._begun.setdefault(json.dumps(first), set())
        is_begin = not any(one.get("role") == "assistant" for one in messages)
        if now in known or is_begin or not known:
            known.add(now)
            return None
        if self._allowed:
            self._allowed -= 1
            known.add(now)
            return None
        return "the system text or the tool list changed"


def judge(body: bytes, profile: Profile, prefixes: Prefixes) -> tuple[str, str] | None:
    """The first broken rule as (letter, detail), or None."""
    for rule, detail in _findings(body, profile, prefixes):
        if rule not in profile.off:
            return rule, detail
    return None


def overflow_text(body: bytes, profile: Profile) -> str | None:
    """Rule h: the words in which the chosen family refuses a request that is too long, or None."""
    size = -(-len(body) // _BYTES_PER_TOKEN)
    window = profile.window_tokens
    if window is None or size <= window or "h" in profile.off:
        return None
    return OVERFLOW_TEXTS[profile.family].format(size=size, window=window, over=size - window)


def is_extension(before: bytes, after: bytes) -> bool:
    """Whether a request only appends messages to the one before it, byte for byte."""
    return before.endswith(b"]}") and after.startswith(before[:-2])


def _findings(body: bytes, profile: Profile, prefixes: Prefixes) -> Iterator[tuple[str, str]]:
    try:
        request = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        yield "g", "the body is not UTF-8"
        return
    except ValueError:
        request = None
    if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
        yield "i", "the body is not a JSON object with messages"
        return
    if not all(isinstance(one, dict) for one in request["messages"]):
        yield "i", "a message is not an object"
        return
    yield from _g_characters(request)
    yield from _k_canaries(body, request, profile.canaries)
    yield from _i_fields(request, profile)
    yield from _c_labels(request["messages"])
    yield from _d_arguments(request["messages"])
    yield from _e_empty(request["messages"])
    yield from _f_twice(request["messages"])
    yield from _a_b_pairs(request["messages"])
    if detail := prefixes.judge(request):
        yield "j", detail


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _g_characters(request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for string in _strings(request):
        if found := _FORBIDDEN.search(string):
            yield "g", f"U+{ord(found.group()):04X} in a string"


def _k_canaries(body: bytes, request: dict[str, Any], canaries: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if not canaries:
        return
    everything = "\n".join([body.decode(), *_strings(request)])
    for number, canary in enumerate(canaries, start=1):
        if any(form in everything for form in _forms(canary)):
            yield "k", f"canary {number} is in the request"


def _forms(canary: str) -> Iterator[str]:
    """The ways in which a secret may stand in a text; base64 at each of its three alignments."""
    yield canary
    yield json.dumps(canary)[1:-1]
    yield quote(canary, safe="")
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + canary.encode()).decode().rstrip("=")
        yield encoded[-(-shift * 8 // 6) : -1]


def _i_fields(request: dict[str, Any], profile: Profile) -> Iterator[tuple[str, str]]:
    for name in request.keys() - profile.request_fields:
        yield "i", f"the field {name} is not allowed"
    for message in request["messages"]:
        role = message.get("role")
        allowed = profile.message_fields.get(role) if isinstance(role, str) else None
        if allowed is None:
            yield "i", f"the role {role} is not allowed"
        elif extra := message.keys() - allowed:
            yield "i", f"the field {min(extra)} is not allowed in a message of role {role}"
    for entry in _calls(request["messages"]):
        if entry.keys() - {"id", "type", "function"} or entry.get("type") != "function":
            yield "i", "a tool call has fields that are not allowed"
        if set(_function(entry)) != {"name", "arguments"}:
            yield "i", "the function of a tool call needs a name and arguments, and nothing else"


def _calls(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        for entry in message.get("tool_calls") or []:
            yield entry if isinstance(entry, dict) else {}


def _function(entry: dict[str, Any]) -> dict[str, Any]:
    function = entry.get("function")
    return function if isinstance(function, dict) else {}


def _c_labels(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for entry in _calls(messages):
        label = entry.get("id")
        if not isinstance(label, str) or not _LABEL.fullmatch(label):
            yield "c", f"{label!r} is no call id"
        elif label in seen:
            yield "c", f"the call id {label} is used twice"
        else:
            seen.add(label)


def _d_arguments(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in _calls(messages):
        raw = _function(entry).get("arguments")
        try:
            good = isinstance(raw, str) and isinstance(json.loads(raw), dict)
        except ValueError:
            good = False
        if not good:
            yield "d", "arguments are not a string with a JSON object"


def _e_empty(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for message in messages:
        if (
            message.get("role") == "assistant"
            and not message.get("content")
            and not message.get("tool_calls")
        ):
            yield "e", "an assistant message has neither content nor tool calls"


def _f_twice(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    answered = [one.get("tool_call_id") for one in messages if one.get("role") == "tool"]
    if len(set(map(str, answered))) != len(answered):
        yield "f", "one call is answered twice"


def _a_b_pairs(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    open_calls: list[Any] = []
    for message in messages:
        if message.get("role") == "tool":
            label = message.get("tool_call_id")
            if label not in open_calls:
                yield "b", f"a tool message answers {label!r}, which is not open"
            elif label != open_calls.pop(0):
                yield "a", "tool messages are not in the order of the calls"
        elif open_calls:
            yield "a", f"the call {open_calls[0]} is not answered"
            open_calls = []
        if message.get("role") == "assistant":
            open_calls = [one.get("id") for one in _calls([message])]
    if open_calls:
        yield "a", f"the call {open_calls[0]} is not answered"
