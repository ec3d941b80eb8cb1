"""The verbs that only look: `sessions`, `events`, `context`."""

import time
from argparse import Namespace

from desktop.cli.exits import Exit
from desktop.cli.output import Output
from desktop.cli.record_words import full_words_of
from desktop.cli.verb import Verb, takes_session
from desktop.harness.api import ContextView, Door, SessionId, SessionSummary, record_as_json


async def sessions(door: Door, words: Namespace, out: Output) -> int:
    """All chats, newest first."""
    listed = await door.sessions.summaries()
    for one in listed:
        out.both(_summary(one), _summary_words(one))
        for call in one.needs_check:
            out.line(f"  ! {call} may have happened or not: paddock settle {one.session} {call}")
    if not listed:
        out.line("There are no chats yet.")
    return Exit.DONE


def _summary(one: SessionSummary) -> dict[str, object]:
    return {
        "session": one.session,
        "title": one.title,
        "status": str(one.status),
        "workspace": one.workspace,
        "model": one.model,
        "parent": one.parent,
        "fork_seq": one.fork_seq,
        "last_at_ms": one.last_at_ms,
        "waiting": list(one.waiting),
        "needs_check": list(one.needs_check),
    }


def _summary_words(one: SessionSummary) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.last_at_ms / 1000))
    return f"{one.session}  {when}  {one.status!s:<12} {one.title or '(nothing said yet)'}  [{one.workspace}]"


async def events(door: Door, words: Namespace, out: Output) -> int:
    """The whole log of a session."""
    session = SessionId(words.session)
    await door.sessions.view(session)
    for record in await door.sessions.records(session):
        if out.is_json:
            out.item(record_as_json(record))
        else:
            out.line(full_words_of(record))
    return Exit.DONE


async def context(door: Door, words: Namespace, out: Output) -> int:
    """The exact next request, with what was left out and why."""
    view = await door.sessions.context(SessionId(words.session))
    if out.is_json:
        out.item(_context(view))
        return Exit.DONE
    for message in view.messages:
        sources = ", ".join(map(str, message.sources)) or "-"
        out.line(f"--- {message.role}, about {message.tokens} tokens, from records {sources}")
        out.line(message.text)
    for seq, reason in view.left_out:
        out.line(f"--- left out: record {seq}, {reason}")
    out.line(f"--- {_size_words(view)}")
    return Exit.DONE


def _context(view: ContextView) -> dict[str, object]:
    """`body` is the exact text of the request."""
    return {
        "body": view.body.decode("utf-8", "replace"),
        "messages": [
            {"role": one.role, "text": one.text, "sources": list(one.sources), "tokens": one.tokens}
            for one in view.messages
        ],
        "left_out": [{"seq": seq, "reason": reason} for seq, reason in view.left_out],
        "tokens": view.tokens,
        "measured": view.measured,
        "window": view.window,
        "window_known": view.window_known,
    }


def _size_words(view: ContextView) -> str:
    about = "" if view.measured else "about "
    known = "" if view.window_known else ", the real size is not known"
    return f"{about}{view.tokens:,} tokens of {view.window:,}{known}"


VERBS = (
    Verb(name="sessions", summary="list all chats", act=sessions),
    Verb(name="events", summary="print the log of a chat", act=events, declare=takes_session),
    Verb(name="context", summary="show the next request to the model", act=context, declare=takes_session),
)
