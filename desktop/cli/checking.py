"""The verbs that check: `verify`, `doctor`."""

from argparse import ArgumentParser, Namespace

from desktop.cli.exits import Exit
from desktop.cli.output import Output
from desktop.cli.verb import Verb
from desktop.harness.api import Door, SessionId

_FAULTS = ("log", "fault")
"""The checks that must not fail: the log is whole, and every other check could be made."""


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
    """Say which walls hold and whether the parts work; a damaged log is a fault, a missing wall is not."""
    checks = await door.doctor(await _session(door, words))
    for check in checks:
        mark = "\u2713" if check.ok else "!"
        out.both(
            {"check": check.check, "ok": check.ok, "text": check.text}, f"{mark} {check.check}: {check.text}"
        )
    is_faulty = any(check.check in _FAULTS and not check.ok for check in checks)
    return Exit.FAULT if is_faulty else Exit.DONE


async def _session(door: Door, words: Namespace) -> SessionId | None:
    """The session that the call names. Raises UsageError when there is none of that name."""
    if words.session is None:
        return None
    return (await door.sessions.view(SessionId(words.session))).session


VERBS = (
    Verb(name="verify", summary="check that the log is whole", act=verify, declare=_declare),
    Verb(name="doctor", summary="say what works and what protects", act=doctor, declare=_declare),
)
