"""Records as short lines for a person who reads along in a terminal.

Only what a person wants to follow: words, calls, questions and outcomes. Everything else is behind `--json`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from desktop.harness.api import Record, record_as_json

_TAIL_LINES = 10
_SHOWS = {
    "before": "is as it was before.",
    "after": "is as it should be after.",
    "other": "is something else now.",
    "gone": "is gone.",
    "unreadable": "cannot be read.",
}
_MARKS = {"ok": "\u2713", "refused": "not allowed", "failed": "failed", "cancelled": "stopped"}


def words_of(record: Record) -> str:
    """The line (or lines) of a record, empty when it needs none."""
    item = record_as_json(record)
    make = _WORDS.get(item["kind"])
    return make(item["data"]) if make else ""


def full_words_of(record: Record) -> str:
    """One line for any record: its number, its kind, and what it says."""
    item = record_as_json(record)
    make = _WORDS.get(item["kind"])
    said = " ".join((make(item["data"]) if make else "").split())
    if len(said) > 160:
        said = said[:159] + "\u2026"
    return f"{record.seq:>5}  {item['kind']:<18} {said}".rstrip()


def _assistant(data: Mapping[str, Any]) -> str:
    lines = [str(data["text"])] if data.get("text") else []
    lines += [f"  \u2192 {call['tool']} {_short(str(call['arguments']))}" for call in data.get("calls", ())]
    return "\n".join(lines)


def _question(data: Mapping[str, Any]) -> str:
    again = f" ({data['again']})" if data.get("again") else ""
    command = f"\n    {data['command']}" if data.get("command") else ""
    files = "".join(f"\n    {change['reason']}" for change in data.get("changes", ()) if change.get("reason"))
    return f"  ? {data['call_id']}: {data['title']}{again}{command}{files}"


def _result(data: Mapping[str, Any]) -> str:
    status = str(data["status"])
    text = _short(str(data.get("text", "")).split("\n", 1)[0])
    return f"  {_MARKS.get(status, status)} {data['call_id']}: {text}".rstrip()


def _undone(data: Mapping[str, Any]) -> str:
    restored = [f"  put back {change.get('path')}" for change in data.get("restored", ())]
    kept = [f"  left alone {item.get('path')}: {item.get('why', '')}" for item in data.get("kept", ())]
    return "\n".join(restored + kept) or "  nothing was put back"


def _unresolved(data: Mapping[str, Any]) -> str:
    evidence = data.get("evidence") or {}
    lines = [f"  ! {data['call_id']}: {data['text']}"]
    lines += [f"    {one['path']} {_SHOWS[one['shows']]}" for one in evidence.get("files", ())]
    if (command := evidence.get("command")) is not None:
        lines.append(f"    {_how_far(command)}")
        lines += [f"    | {line}" for line in str(command.get("tail", "")).splitlines()[-_TAIL_LINES:]]
    return "\n".join(lines)


def _how_far(command: Mapping[str, Any]) -> str:
    if not command:
        return "Nothing was kept of its output, and how it ended is not known."
    if not command.get("has_ended"):
        return "It had not ended when Paddock stopped. The last of its output:"
    code = command.get("exit_code")
    return f"It ended {'from outside' if code is None else f'with exit code {code}'}. The last of its output:"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 120 else text[:119] + "\u2026"


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "session_started": lambda data: f"New chat on {data['workspace']}",
    "session_forked": lambda data: f"Branched from {data['parent']} at {data['fork_seq']}",
    "user_message": lambda data: f"> {data['text']}",
    "assistant_message": _assistant,
    "approval_request": _question,
    "approval_granted": lambda data: f"  allowed {data['call_id']} ({data['scope']})",
    "approval_denied": lambda data: (
        f"  not allowed {data['call_id']}" + (f": {data['reason']}" if data.get("reason") else "")
    ),
    "tool_result": _result,
    "effect_unresolved": _unresolved,
    "effect_settled": lambda data: f"  {data['call_id']}: {str(data['outcome']).replace('_', ' ')}",
    "model_failed": lambda data: f"  ! {data['text']}",
    "interrupted": lambda _: "  interrupted",
    "cancelled": lambda _: "  stopped",
    "killed": lambda _: "  stopped at once",
    "steered": lambda data: f"> {data['text']}",
    "paused": lambda data: f"  paused: {data['reason']}",
    "undone": _undone,
    "mode_changed": lambda data: f"  mode: {data['mode']}",
    "model_changed": lambda data: f"  model: {data['model']}",
    "workspace_changed": lambda data: f"  changed outside: {', '.join(data['paths'])}",
    "damaged": lambda data: f"  ! damaged: {data['problem']}",
}
