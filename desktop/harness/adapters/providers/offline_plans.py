"""Which plan the offline helper follows for which request, and the plans for single files and commands."""

from collections.abc import Set as AbstractSet
from typing import Any

from desktop.harness.adapters.providers.offline_look import plan_list, plan_names, plan_read, plan_search
from desktop.harness.adapters.providers.offline_replace import plan_replace
from desktop.harness.adapters.providers.offline_requests import (
    Agree,
    Append,
    Create,
    Delete,
    Help,
    List,
    Move,
    Names,
    Read,
    Replace,
    Request,
    Run,
    Search,
    Talk,
    Unclear,
)
from desktop.harness.adapters.providers.offline_results import Excerpt, Result, is_missing
from desktop.harness.adapters.providers.offline_steps import Act as Act
from desktop.harness.adapters.providers.offline_steps import Plan as Plan
from desktop.harness.adapters.providers.offline_steps import one
from desktop.harness.adapters.providers.offline_words import HELP, block, cannot, code, shown, unclear


def plan_for(request: Request, tools: AbstractSet[str]) -> Plan:
    """The plan for a request."""
    match request:
        case List():
            return plan_list(request)
        case Names():
            return plan_names(request)
        case Read():
            return plan_read(request)
        case Search():
            return plan_search(request)
        case Replace():
            return plan_replace(request, tools)
        case Create():
            return plan_create(request, tools)
        case Append():
            return plan_append(request, tools)
        case Move() | Delete() | Run():
            return _plan_single(request)
        case Help():
            return _say(HELP)
        case Talk():
            return _say(request.answer)
        case Unclear():
            return _say(unclear(request.question))
        case Agree():
            return _say(unclear())


def _say(text: str) -> Plan:
    yield from ()
    return text


def _plan_single(request: Move | Delete | Run) -> Plan:
    """One call and one sentence."""
    if isinstance(request, Move):
        text = f"This gives {code(request.source)} the name {code(request.destination)}:"
        [result] = yield one("move_file", text, source=request.source, destination=request.destination)
        return _outcome(result, f"{code(request.source)} is now {code(request.destination)}.")
    if isinstance(request, Delete):
        [result] = yield one("delete_file", f"This deletes {code(request.path)}:", path=request.path)
        return _outcome(result, f"{code(request.path)} is deleted. It can be put back with undo.")
    [result] = yield one("run_command", f"This runs {code(request.command)}:", command=request.command)
    if not result.is_ok:
        return _outcome(result, "")
    return _command_words(request.command, result.text)


def _command_words(command: str, text: str) -> str:
    head, _, output = text.partition("\n")
    ended = "is done" if head == "exit code 0" else f"ended with: {head}"
    return f"{code(command)} {ended}.\n\n{block(output)}" if output.strip() else f"{code(command)} {ended}."


def _outcome(result: Result, done: str) -> str:
    """The sentence for a call that went well, was refused, or met a problem."""
    if result.is_refused:
        why = f" You said: {shown(result.reason)}" if result.reason else ""
        return f"You did not allow it, so nothing was changed.{why}"
    return f"That did not work: {result.problem}" if result.problem else done


def plan_create(request: Create, tools: AbstractSet[str]) -> Plan:
    """A new file, never over one that is there."""
    if "write_file" not in tools:
        return cannot("write_file", tools)
    [result] = yield one("file_info", path=request.path)
    if result.is_refused or not is_missing(result):
        if result.problem:
            return f"That did not work: {result.problem}"
        return (
            f"{code(request.path)} is there already, so I leave it as it is. "
            f"Say `add \u2026 to {request.path}` or `replace \u2026 with \u2026 in {request.path}` "
            f"to change it."
        )
    return (yield from _write(request.path, request.text))


def _write(path: str, text: str) -> Plan:
    content = text if not text or text.endswith("\n") else f"{text}\n"
    [result] = yield one("write_file", f"This makes the file {code(path)}:", path=path, content=content)
    return _outcome(result, f"{code(path)} is there now.")


def plan_append(request: Append, tools: AbstractSet[str]) -> Plan:
    """A line behind the last one. The end of the file is found by reading it."""
    if "edit_file" not in tools:
        return cannot("edit_file", tools)
    [result] = yield one("read_file", path=request.path)
    if is_missing(result):
        return (yield from _write(request.path, request.text))
    if not result.is_ok:
        return _outcome(result, "")
    whole = Excerpt.of(result)
    if not whole.is_whole:
        return f"I can't see the end of {code(request.path)} exactly, so nothing was changed."
    words = f"This adds a line at the end of {code(request.path)}:"
    arguments = _edit(whole.text, request.text)
    if arguments is None:
        [result] = yield one("write_file", words, path=request.path, content=f"{request.text}\n")
    else:
        [result] = yield one("edit_file", words, path=request.path, **arguments)
    return _outcome(result, f"Added to {code(request.path)}.")


def _edit(content: str, line: str) -> dict[str, Any] | None:
    """The edit that puts a line behind the text: its shortest end that occurs once. None for an empty
    file."""
    body = content.replace("\r\n", "\n").rstrip("\n")
    if not body:
        return None
    lines = body.split("\n")
    for number in range(1, len(lines) + 1):
        tail = "\n".join(lines[-number:])
        if tail and body.count(tail) == 1:
            return {"old_text": tail, "new_text": f"{tail}\n{line}"}
    return {"old_text": body, "new_text": f"{body}\n{line}"}
