"""What surrounds an effect: the question before it, and the look after a crash."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from posixpath import dirname
from typing import Any

from desktop.harness.core.approvals import Scope, payload_hash
from desktop.harness.core.errors import ToolError
from desktop.harness.core.events import (
    ApprovalRequest,
    EffectSettled,
    EffectUnresolved,
    Settlement,
    ToolStarted,
)
from desktop.harness.core.ids import Digest, Seq, digest_of, step_key
from desktop.harness.core.state import OpenCall, SessionState, Stage
from desktop.harness.core.toolspec import Change, ChangeKind, Preview
from desktop.harness.core.visible import for_name, hidden_count
from desktop.harness.engine.tool_call import Prepared
from desktop.harness.ports import FileView, Workspace


def question_event(prepared: Prepared, again: str = "") -> ApprovalRequest:
    """The question about one prepared call."""
    preview = prepared.preview
    return ApprovalRequest(
        call_id=prepared.call.call_id,
        payload=payload_hash(prepared.call, preview),
        tool=prepared.call.tool,
        title=preview.title,
        changes=tuple(change.as_record() for change in preview.changes),
        command=preview.command,
        again=again,
    )


def moved_on(preview: Preview) -> str:
    """Why a question is asked again."""
    name = for_name(preview.targets[0]) if preview.targets else "What this touches"
    return f"{name} changed since. Here is the new difference."


def recorded_preview(request: ApprovalRequest) -> Preview:
    """As much of the preview as the record of a question holds: enough to say what may be offered."""
    changes = tuple(change_from(record) for record in request.changes)
    names = [name for change in changes for name in (change.path, change.destination) if name]
    return Preview(
        title=request.title,
        changes=changes,
        command=request.command,
        targets=tuple(names),
        hidden=sum(hidden_count(text) for text in (*names, request.command or "")),
    )


def change_from(record: Mapping[str, Any]) -> Change:
    """A change from its record, without contents."""
    return Change(
        kind=ChangeKind(record["kind"]),
        path=record["path"],
        destination=record.get("destination"),
        before=record.get("before"),
        after=record.get("after"),
        is_folder=record.get("is_folder", False),
        mode=record.get("mode"),
        reason=record.get("reason", ""),
    )


def started_event(state: SessionState, prepared: Prepared) -> ToolStarted:
    """The record before an effect: what is done, by what right, and under which key."""
    asked = prepared.call
    call = state.calls[asked.call_id]
    is_by_person = call.stage is Stage.GRANTED
    rule = prepared.rule.text if prepared.rule is not None else ""
    understood = json.dumps([asked.tool, asked.arguments], sort_keys=True, separators=(",", ":"))
    return ToolStarted(
        call_id=asked.call_id,
        tool=asked.tool,
        step_key=step_key(state.session, asked.call_id),
        attempt=call.attempt + 1,
        payload=payload_hash(asked, prepared.preview),
        authority=call.authority if is_by_person else f"rule:{rule}",
        changes=tuple(change.as_record() for change in prepared.preview.changes),
        actor="person" if is_by_person else "rule",
        scope=call.authority.partition(":")[2] if is_by_person else _reach(state, prepared),
        approval=call.granted_at if is_by_person else Seq(0),
        fingerprint=digest_of(understood.encode("utf-8", "surrogatepass")),
    )


def _reach(state: SessionState, prepared: Prepared) -> str:
    """How far the rule reaches that allowed this."""
    if prepared.rule in state.run_rules:
        return "run"
    return str(Scope.SESSION if prepared.rule in state.session_rules else Scope.ALWAYS)


def unresolved_event(call: OpenCall, evidence: Mapping[str, Any]) -> EffectUnresolved:
    """Nobody knows what became of a started effect; `evidence` is what was found."""
    text = "Paddock stopped while this was being done. It is not known whether it happened."
    return EffectUnresolved(call_id=call.asked.call_id, attempt=call.attempt, text=text, evidence=evidence)


def settled_event(call: OpenCall, outcome: Settlement, *, by: str) -> EffectSettled:
    """An answer for a started effect; with what it changed, if it happened, so that it can be undone."""
    changed = outcome is Settlement.HAPPENED and call.changes
    return EffectSettled(
        call_id=call.asked.call_id,
        attempt=call.attempt,
        outcome=str(outcome),
        by=by,
        receipt={"changes": list(call.changes)} if changed else None,
    )


def digest_at(view: FileView, path: str) -> Digest | None:
    """The digest of the file at a path, None when nothing is there. Raises ToolError."""
    if view.info(path) is None:
        return None
    return digest_of(view.read(path))


def clean_strays(workspace: Workspace, effects: Iterable[Sequence[Mapping[str, Any]]]) -> None:
    """Remove the temporary files that a writer who died may have left beside what it was to write."""
    paths = {
        name
        for records in effects
        for one in records
        for name in (one["path"], one.get("destination"))
        if name
    }
    for folder in {dirname(path) or "." for path in paths}:
        with suppress(ToolError):
            workspace.clean_strays(folder)


def outcomes_of(view: FileView, effects: Sequence[Sequence[Mapping[str, Any]]]) -> list[Settlement | None]:
    """What the files prove about each of some effects without a receipt; None where they prove nothing.

    The effects were begun together and in this order, so a file that shows the end of a later one shows
    that those before it happened to it as well.
    """
    changes = [[change_from(record) for record in records] for records in effects]
    order = [change for group in changes for change in group]
    return [_outcome(view, group, order) for group in changes]


def _outcome(view: FileView, group: Sequence[Change], order: Sequence[Change]) -> Settlement | None:
    try:
        found = {_end_shown(view, change, order) for change in group}
    except ToolError:
        return None
    return found.pop() if len(found) == 1 else None


def _end_shown(view: FileView, change: Change, order: Sequence[Change]) -> Settlement | None:
    """Which end of one change the folder shows."""
    if change.is_folder or change.before == change.after:
        return None
    if change.kind is ChangeKind.MOVE:
        there = digest_at(view, change.destination or "")
        here = digest_at(view, change.path)
        if here is None and there == change.before:
            return Settlement.HAPPENED
        return Settlement.DID_NOT_HAPPEN if here == change.before and there is None else None
    now = digest_at(view, change.path)
    at = next(index for index, one in enumerate(order) if one is change)
    is_after = now in {one.after for one in order[at:] if _is_on(one, change.path)}
    is_before = now in {one.before for one in order[: at + 1] if _is_on(one, change.path)}
    if is_after == is_before:  # neither, or a file that came back to what it was
        return None
    return Settlement.HAPPENED if is_after else Settlement.DID_NOT_HAPPEN


def _is_on(change: Change, path: str) -> bool:
    return change.path == path and change.kind is not ChangeKind.MOVE
