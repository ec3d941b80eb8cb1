"""`paddock approve` and `paddock deny`: answer questions, and go on.

An answer names the payload that stands in the log, which is the one that was shown. If the files moved on
since, the harness asks again; the new question is not answered by the old yes.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from desktop.cli.asking import show_questions
from desktop.cli.exits import Exit
from desktop.cli.following import follow
from desktop.cli.output import Output
from desktop.cli.verb import Verb, takes_session
from desktop.harness.api import (
    CallId,
    Decision,
    Door,
    PayloadHash,
    Scope,
    SessionId,
    SessionView,
    UsageError,
    record_as_json,
)


def _declare_call(parser: ArgumentParser) -> None:
    takes_session(parser)
    parser.add_argument("call", metavar="CALL", nargs="?", help="one question; default: all that wait")


def _declare_approve(parser: ArgumentParser) -> None:
    _declare_call(parser)
    parser.add_argument(
        "--scope",
        choices=[str(scope) for scope in Scope],
        default=str(Scope.ONCE),
        help="once (default), for this chat, or always in this folder",
    )
    parser.add_argument("--within", metavar="PATTERN", help="what session or always covers")


def _declare_deny(parser: ArgumentParser) -> None:
    _declare_call(parser)
    parser.add_argument("--reason", metavar="TEXT", default="", help="told to the model")


async def approve(door: Door, words: Namespace, out: Output) -> int:
    """Say yes."""
    scope = Scope(words.scope)
    if words.within is not None and scope is Scope.ONCE:
        raise UsageError("--within belongs to --scope session or --scope always.")
    return await _decide(door, words, out, scope=scope, pattern=words.within)


async def deny(door: Door, words: Namespace, out: Output) -> int:
    """Say no."""
    return await _decide(door, words, out, scope=None, reason=words.reason)


async def _decide(
    door: Door,
    words: Namespace,
    out: Output,
    *,
    scope: Scope | None,
    pattern: str | None = None,
    reason: str = "",
) -> int:
    session = SessionId(words.session)
    view = await door.sessions.view(session)
    calls = _asked_for(view, words.call)
    payloads = await _payloads(door, session)
    decisions = [
        Decision(call_id=call, payload=payloads[call], scope=scope, pattern=pattern, reason=reason)
        for call in calls
    ]

    async def answer() -> None:
        await door.sessions.decide(session, *decisions)

    _, code = await follow(door, session, out, answer, after=view.last_seq)
    if code == Exit.WAITING:
        await show_questions(door, session, out)
    return code


def _asked_for(view: SessionView, call: str | None) -> Sequence[CallId]:
    """The questions that the call means."""
    if call is not None and call not in view.waiting:
        open_calls = ", ".join(view.waiting) or "none"
        raise UsageError(f"There is no open question {call} in this chat; open are: {open_calls}.")
    if not view.waiting:
        raise UsageError("No question is open in this chat.")
    return view.waiting if call is None else [CallId(call)]


async def _payloads(door: Door, session: SessionId) -> dict[str, PayloadHash]:
    """The payload of the newest question of each call."""
    items = map(record_as_json, await door.sessions.records(session))
    return {
        item["data"]["call_id"]: PayloadHash(item["data"]["payload"])
        for item in items
        if item["kind"] == "approval_request"
    }


VERBS = (
    Verb(name="approve", summary="say yes to what waits, and go on", act=approve, declare=_declare_approve),
    Verb(name="deny", summary="say no to what waits, and go on", act=deny, declare=_declare_deny),
)
