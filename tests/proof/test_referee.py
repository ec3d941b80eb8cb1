"""Each rule of the referee: a planted breach is named, and its harmless twin passes."""

import base64
import copy
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from desktop.proof.referee import OVERFLOW_TEXTS, Prefixes, Profile, is_extension, judge, overflow_text

Request = dict[str, Any]


def asked(label: str = "c1", arguments: Any = "{}") -> dict[str, Any]:
    """One entry of `tool_calls`."""
    return {"id": label, "type": "function", "function": {"name": "read_file", "arguments": arguments}}


def answer(label: str = "c1", content: str = "ok") -> dict[str, Any]:
    """One tool message."""
    return {"role": "tool", "tool_call_id": label, "content": content}


def request(*messages: dict[str, Any], **fields: Any) -> Request:
    """A request with these messages after the first two."""
    head = [{"role": "system", "content": "You help."}, {"role": "user", "content": "hi"}]
    return {"model": "proof", "stream": True, "messages": [*head, *messages], **fields}


def assistant(*calls: dict[str, Any], content: str | None = None, **fields: Any) -> dict[str, Any]:
    """One assistant message, with these calls."""
    message: dict[str, Any] = {"role": "assistant", "content": content, **fields}
    return {**message, "tool_calls": list(calls)} if calls else message


USER = {"role": "user", "content": "go on"}

PLANTED: list[tuple[str, Request, Request]] = [
    ("a", request(assistant(asked()), USER), request(assistant(asked()), answer(), USER)),
    ("a", request(assistant(asked())), request(assistant(asked()), answer())),
    (
        "a",
        request(assistant(asked("c1"), asked("c2")), answer("c2"), answer("c1")),
        request(assistant(asked("c1"), asked("c2")), answer("c1"), answer("c2")),
    ),
    (
        "a",
        request(assistant(asked("c1"), asked("c2")), answer("c1"), USER, answer("c2")),
        request(assistant(asked("c1"), asked("c2")), answer("c1"), answer("c2"), USER),
    ),
    ("b", request(answer()), request(assistant(asked()), answer())),
    ("b", request(assistant(asked()), answer("c9")), request(assistant(asked("c9")), answer("c9"))),
    ("c", request(assistant(asked("")), answer("")), request(assistant(asked("x")), answer("x"))),
    ("c", request(assistant(asked("a b")), answer("a b")), request(assistant(asked("a-b")), answer("a-b"))),
    (
        "c",
        request(assistant(asked("x" * 65)), answer("x" * 65)),
        request(assistant(asked("x" * 64)), answer("x" * 64)),
    ),
    (
        "c",
        request(assistant(asked()), answer(), assistant(asked()), answer()),
        request(assistant(asked()), answer(), assistant(asked("c2")), answer("c2")),
    ),
    (
        "d",
        request(assistant(asked(arguments='{"path": "a')), answer()),
        request(assistant(asked(arguments='{"path": "a"}')), answer()),
    ),
    (
        "d",
        request(assistant(asked(arguments="[1]")), answer()),
        request(assistant(asked(arguments='{"a":[1]}')), answer()),
    ),
    (
        "d",
        request(assistant(asked(arguments={})), answer()),
        request(assistant(asked(arguments="{}")), answer()),
    ),
    ("e", request(assistant(), USER), request(assistant(content="Yes."), USER)),
    ("e", request(assistant(content=""), USER), request(assistant(asked(), content=""), answer(), USER)),
    (
        "f",
        request(assistant(asked()), answer(), answer()),
        request(assistant(asked(), asked("c2")), answer(), answer("c2")),
    ),
    ("g", request({"role": "user", "content": "a\x00b"}), request({"role": "user", "content": "a\\x00b"})),
    ("g", request({"role": "user", "content": "\x1b[31m"}), request({"role": "user", "content": "[31m"})),
    ("g", request({"role": "user", "content": "\ud800"}), request({"role": "user", "content": "😀"})),
    ("i", request(assistant(content="a", reasoning_content="b")), request(assistant(content="a"))),
    ("i", request(seed=1), request(temperature=0)),
    ("i", request({"role": "developer", "content": "x"}), request({"role": "system", "content": "x"})),
    (
        "i",
        request(assistant({**asked(), "index": 0}), answer()),
        request(assistant(asked()), answer()),
    ),
]


def encoded(value: Request) -> bytes:
    """The request as bytes."""
    return json.dumps(value).encode()


@pytest.mark.parametrize(("rule", "breach", "twin"), PLANTED)
def test_a_planted_breach_is_named_and_its_twin_passes(rule: str, breach: Request, twin: Request) -> None:
    """The first broken rule of a bad request is the one that was planted; the mended request breaks none."""
    found = judge(encoded(breach), Profile(), Prefixes())
    assert found is not None and found[0] == rule
    assert judge(encoded(twin), Profile(), Prefixes()) is None


def test_bytes_that_are_no_utf8_break_rule_g() -> None:
    """A request in another encoding is refused before it is parsed; the same text in UTF-8 passes."""
    body = json.dumps(request({"role": "user", "content": "é"}), ensure_ascii=False)
    assert judge(body.encode("latin-1"), Profile(), Prefixes()) == ("g", "the body is not UTF-8")
    assert judge(body.encode(), Profile(), Prefixes()) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"messages": 1}', b'{"messages": [1]}'])
def test_a_body_without_messages_is_refused(body: bytes) -> None:
    """What is no request at all is named, never raised."""
    found = judge(body, Profile(), Prefixes())
    assert found is not None and found[0] == "i"


@pytest.mark.parametrize("family", sorted(OVERFLOW_TEXTS))
def test_a_long_request_gets_the_overflow_text_of_the_family(family: str) -> None:
    """Rule h answers in the words of the chosen server, one token past the window and not before."""
    profile = Profile(window_tokens=100, family=family)
    assert overflow_text(b"x" * 400, profile) is None
    text = overflow_text(b"x" * 401, profile)
    assert text is not None and ("100" in text or "1 tokens" in text)


def test_a_changed_prefix_breaks_rule_j_until_it_is_allowed() -> None:
    """Another system text or tool list in one conversation is a breach; an announced one is not."""
    tools = [{"type": "function", "function": {"name": "read_file"}}]
    later = assistant(content="a"), USER
    prefixes = Prefixes()
    assert judge(encoded(request(tools=tools)), Profile(), prefixes) is None
    assert judge(encoded(request(*later, tools=tools)), Profile(), prefixes) is None
    stamped = copy.deepcopy(request(*later, tools=tools))
    stamped["messages"][0]["content"] = "You help. It is 10:04."
    for changed in (request(*later), stamped):
        found = judge(encoded(changed), Profile(), prefixes)
        assert found is not None and found[0] == "j"
    prefixes.allow_new()
    assert judge(encoded(request(*later)), Profile(), prefixes) is None
    assert judge(encoded(stamped), Profile(), prefixes) is not None


def test_conversations_that_begin_alike_may_have_their_own_prefix() -> None:
    """Two chats with the same first words, one of them read-only, can go on side by side."""
    tools = [{"type": "function", "function": {"name": "read_file"}}]
    prefixes = Prefixes()
    for messages in ((), (assistant(content="a"), USER)):
        assert judge(encoded(request(*messages, tools=tools)), Profile(), prefixes) is None
        assert judge(encoded(request(*messages)), Profile(), prefixes) is None


CANARY = "sk-proof/ä+9f8e7d6c5b4a"


@pytest.mark.parametrize(
    "hide",
    [
        lambda secret: secret,
        lambda secret: json.dumps(secret)[1:-1],
        lambda secret: quote(secret, safe=""),
        lambda secret: base64.b64encode(b"KEY=" + secret.encode() + b"\n").decode(),
        lambda secret: base64.b64encode(b"K=" + secret.encode() + b"\n").decode(),
        lambda secret: base64.b64encode(b"KEY" + secret.encode()).decode(),
    ],
)
def test_a_canary_breaks_rule_k_in_every_disguise(hide: Callable[[str], str]) -> None:
    """A secret is found raw and as JSON, URL or base64 text at any alignment; another secret is not."""
    profile = Profile(canaries=(CANARY,))
    body = encoded(request({"role": "user", "content": f"see {hide(CANARY)} there"}))
    assert judge(body, profile, Prefixes()) == ("k", "canary 1 is in the request")
    twin = encoded(request({"role": "user", "content": f"see {hide('another-value-0123456789')} there"}))
    assert judge(twin, profile, Prefixes()) is None


def test_a_rule_can_be_switched_off() -> None:
    """A profile without a rule lets its breach pass and still sees the others."""
    body = encoded(request(assistant(content="", reasoning_content="b"), USER))
    found = judge(body, Profile(off=frozenset("i")), Prefixes())
    assert found is not None and found[0] == "e"


def test_an_extension_appends_messages_byte_for_byte() -> None:
    """Only a request that starts with all bytes of the one before it extends it."""
    before = b'{"model":"m","messages":[{"a":1}]}'
    assert is_extension(before, b'{"model":"m","messages":[{"a":1},{"b":2}]}')
    assert not is_extension(before, b'{"model":"m","messages":[{"a": 1},{"b":2}]}')
