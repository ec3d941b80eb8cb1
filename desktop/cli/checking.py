"""The verbs that check: `verify`, `doctor`."""

from argparse import ArgumentParser, Namespace

from desktop.cli.exits import Exit
from desktop.cli.output import Output
from desktop.cli.verb import Verb
from desktop.harness.api import Door, SessionId


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", nargs="?", help="one chat; default: all")


async def verify(door: Door, words: Namespace, out: Output) -> int:
    """Check the chain of digests."""
    session = await _session(door, words)
    faults = await door.verify(session)
    for fault in faults:
        out.both(
            {"session": fault.session, "seq": fault.seq, "problem": fault.problem},
            f"{fault.session} at {fault.seq}: {fault.problem}",
        )
    if faults:
        return Exit.FAULT
    out.line("The log is whole.")
    return Exit.DONE


async def doctor(door: Door, words: Namespace, out: Output) -> int:
    """Say which walls hold and whether the parts work."""
    for check in await door.doctor(await _session(door, words)):
        mark = "\u2713" if check.ok else "!"
        out.both(
            {"check": check.check, "ok": check.ok, "text": check.text}, f"{mark} {check.check}: {check.text}"
        )
    return Exit.DONE


async def _session(door: Door, words: Namespace) -> SessionId | None:
    """The session that the call names. Raises UsageError when there is none of that name."""
    if words.session is None:
        return None
    return (await door.sessions.view(SessionId(words.session))).session


VERBS = (
    Verb(name="verify", summary="check that the log is whole", act=verify, declare=_declare),
    Verb(name="doctor", summary="say what works and what protects", act=doctor, declare=_declare),
)
