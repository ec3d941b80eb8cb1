"""The control verbs: `resume`, `pause`, `steer`, `cancel`, `kill`, `settle`, `undo`, `fork`."""

from argparse import ArgumentParser, Namespace

from desktop.cli.asking import show_questions
from desktop.cli.exits import Exit
from desktop.cli.following import follow
from desktop.cli.output import Output
from desktop.cli.verb import Verb, takes_session
from desktop.harness.api import CallId, Door, RunNumber, Seq, SessionId, Settlement, Status


async def resume(door: Door, words: Namespace, out: Output) -> int:
    """Go on with what is due; with nothing to go on with, that is fine too."""
    session = SessionId(words.session)
    view = await door.sessions.view(session)
    _, code = await follow(door, session, out, lambda: door.sessions.resume(session), after=view.last_seq)
    if code == Exit.WAITING:
        await show_questions(door, session, out)
    is_nothing_left = view.status is Status.CANCELLED and code == Exit.CANCELLED
    return Exit.DONE if is_nothing_left else code


async def cancel(door: Door, words: Namespace, out: Output) -> int:
    """Stop the run, wherever it runs."""
    session = SessionId(words.session)
    view = await door.sessions.view(session)
    _, code = await follow(door, session, out, lambda: door.sessions.cancel(session), after=view.last_seq)
    return Exit.DONE if code in (Exit.CANCELLED, Exit.BUSY) else code


async def kill(door: Door, words: Namespace, out: Output) -> int:
    """End the run at once, wherever it runs."""
    session = SessionId(words.session)
    view = await door.sessions.view(session)
    _, code = await follow(door, session, out, lambda: door.sessions.kill(session), after=view.last_seq)
    return Exit.DONE if code in (Exit.CANCELLED, Exit.BUSY) else code


async def pause(door: Door, words: Namespace, out: Output) -> int:
    """Hold the run at its next safe point, wherever it runs."""
    session = SessionId(words.session)
    view = await door.sessions.view(session)
    _, code = await follow(door, session, out, lambda: door.sessions.pause(session), after=view.last_seq)
    return Exit.DONE if code in (Exit.HELD_UP, Exit.BUSY) else code


def _declare_steer(parser: ArgumentParser) -> None:
    takes_session(parser)
    parser.add_argument("text", metavar="TEXT", help="what the model reads with its next request")


async def steer(door: Door, words: Namespace, out: Output) -> int:
    """Say something to a run that works."""
    session = SessionId(words.session)
    await door.sessions.steer(session, words.text)
    out.line("It is read with the next request.")
    return Exit.DONE


def _declare_settle(parser: ArgumentParser) -> None:
    takes_session(parser)
    parser.add_argument("call", metavar="CALL", help="the effect that nobody knows the outcome of")
    answer = parser.add_mutually_exclusive_group(required=True)
    for outcome in Settlement:
        flag = f"--{str(outcome).replace('_', '-')}"
        answer.add_argument(flag, dest="outcome", action="store_const", const=outcome)


async def settle(door: Door, words: Namespace, out: Output) -> int:
    """Answer for an effect without a receipt, and go on."""
    session = SessionId(words.session)
    view = await door.sessions.view(session)

    async def answer() -> None:
        await door.sessions.settle(session, CallId(words.call), words.outcome)

    _, code = await follow(door, session, out, answer, after=view.last_seq)
    if code == Exit.WAITING:
        await show_questions(door, session, out)
    return code


def _declare_undo(parser: ArgumentParser) -> None:
    takes_session(parser)
    parser.add_argument("--run", metavar="N", type=int, help="which prompt's changes; default: the last")


async def undo(door: Door, words: Namespace, out: Output) -> int:
    """Put back what a run changed."""
    session = SessionId(words.session)
    view = await door.sessions.view(session)
    run = None if words.run is None else RunNumber(words.run)

    async def put_back() -> None:
        await door.sessions.undo(session, run)

    await follow(door, session, out, put_back, after=view.last_seq)
    return Exit.DONE


def _declare_fork(parser: ArgumentParser) -> None:
    takes_session(parser)
    parser.add_argument(
        "--at", metavar="SEQ", type=int, help="the last record that both share; default: the last"
    )


async def fork(door: Door, words: Namespace, out: Output) -> int:
    """Branch a session."""
    parent = SessionId(words.session)
    at = (await door.sessions.view(parent)).last_seq if words.at is None else Seq(words.at)
    branch = await door.sessions.fork(parent, at=at)
    out.both(
        {"session": branch, "parent": parent, "fork_seq": at}, f"New branch {branch} of {parent} at {at}."
    )
    return Exit.DONE


VERBS = (
    Verb(name="resume", summary="go on where a chat was left", act=resume, declare=takes_session),
    Verb(name="cancel", summary="stop what a chat is doing", act=cancel, declare=takes_session),
    Verb(name="kill", summary="end what a chat is doing at once", act=kill, declare=takes_session),
    Verb(name="pause", summary="hold a chat at its next safe point", act=pause, declare=takes_session),
    Verb(name="steer", summary="say something to a chat that works", act=steer, declare=_declare_steer),
    Verb(
        name="settle",
        summary="say whether an effect without a receipt happened",
        act=settle,
        declare=_declare_settle,
    ),
    Verb(name="undo", summary="put back the files that a prompt changed", act=undo, declare=_declare_undo),
    Verb(name="fork", summary="branch a chat", act=fork, declare=_declare_fork),
)
