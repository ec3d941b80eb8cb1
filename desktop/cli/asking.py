"""Open questions as a person reads them in a terminal: what would change, line by line, and how to answer."""

from difflib import unified_diff

from desktop.cli.output import Output
from desktop.harness.api import Door, FileDiff, Question, SessionId


async def show_questions(door: Door, session: SessionId, out: Output) -> None:
    """Show what waits for an answer. Nothing with `--json`: the records say it."""
    if out.is_json:
        return
    for question in await door.sessions.questions(session):
        _show(question, out)
    out.line()
    out.line(f"Allow once:   paddock approve {session}")
    out.line(f"Always allow: paddock approve {session} --scope always")
    out.line(f'Don\'t allow:  paddock deny {session} --reason "\u2026"')


def _show(question: Question, out: Output) -> None:
    out.line()
    out.line(f"{question.title}  [{question.call_id}]")
    for note in (question.again, question.protection):
        if note:
            out.line(f"  {note}")
    if question.command is not None:
        out.line(f"  in {question.folder}:")
        out.line(f"    {question.command}")
    for file in question.files:
        _show_file(file, out)


def _show_file(file: FileDiff, out: Output) -> None:
    target = f" -> {file.destination}" if file.destination else ""
    out.line(f"  {file.kind} {file.path}{target}")
    for note in (file.reason, *file.notes):
        if note:
            out.line(f"  {note}")
    if file.binary:
        out.line("  (no text)")
        return
    before, after = (file.before or "").splitlines(), (file.after or "").splitlines()
    for line in list(unified_diff(before, after, lineterm="", n=2))[2:]:
        out.line(f"    {line}")
