"""What can be found out about an effect that left no receipt, for the record and for a person's eyes.

Nothing here decides whether it happened: for files it says which end of the change each shows, for a
command how far it came. The record holds digests and the end of an output, never the content of a file;
what a person sees beside it is made from the files as they are now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from desktop.harness.core.errors import StorageError, ToolError
from desktop.harness.core.ids import CallId, Digest, SessionId
from desktop.harness.core.state import OpenCall
from desktop.harness.core.toolspec import Change, ChangeKind
from desktop.harness.core.views import Evidence, FileDiff, FileEvidence
from desktop.harness.engine.effects import change_from, digest_at
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.questions import file_diff
from desktop.harness.engine.tool_call import ToolCalls
from desktop.harness.ports import FileView


def evidence_of(parts: Parts, view: FileView | None, session: SessionId, call: OpenCall) -> dict[str, Any]:
    """What stands in the record of an unresolved effect. Blocking. `view` is None when the folder is gone."""
    if call.changes:
        files = [_file(view, *end) for record in call.changes for end in _ends(change_from(record))]
        return {"files": files}
    spooled = parts.spool.get(session, call.asked.call_id)
    return {"command": asdict(spooled) if spooled is not None else {}}


def _ends(change: Change) -> Sequence[tuple[str, Digest | None, Digest | None]]:
    """Each path that a change touches, with what stands there before and after it."""
    if change.kind is ChangeKind.MOVE and change.destination is not None:
        return ((change.path, change.before, None), (change.destination, None, change.before))
    return ((change.path, change.before, change.after),)


def _file(view: FileView | None, path: str, before: Digest | None, after: Digest | None) -> dict[str, Any]:
    found: dict[str, Any] = {"path": path, "before": before, "after": after}
    try:
        if view is None:
            return found | {"shows": "unreadable"}
        info = view.info(path)
        now = None if info is None else digest_at(view, path)
    except ToolError:
        return found | {"shows": "unreadable"}
    size_bytes = 0 if info is None else info.size_bytes
    return found | {"now": now, "size_bytes": size_bytes, "shows": _shows(now, before, after)}


def _shows(now: Digest | None, before: Digest | None, after: Digest | None) -> str:
    if now == before:
        return "before"
    if now == after:
        return "after"
    return "gone" if now is None else "other"


def shown_evidence(parts: Parts, hands: Hands | None, live: LiveSession, call_id: CallId) -> Evidence:
    """The evidence as a person sees it, with what stands in the files now. Blocking."""
    call = live.state.calls[call_id]
    view = hands.workspace if hands is not None else None
    found = evidence_of(parts, view, live.state.session, call)
    kept: Mapping[str, Any] = (call.evidence or found).get("command", {})
    changes = [change_from(record) for record in call.changes]
    return Evidence(
        call_id=call_id,
        files=tuple(
            FileEvidence(path=one["path"], shows=one["shows"], size_bytes=one.get("size_bytes", 0))
            for one in found.get("files", ())
        ),
        differences=() if hands is None else _differences(parts, hands, live, call, changes),
        is_command=not call.changes,
        tail=str(kept.get("tail", "")),
        exit_code=kept.get("exit_code"),
        has_ended=bool(kept.get("has_ended")),
    )


def _differences(
    parts: Parts, hands: Hands, live: LiveSession, call: OpenCall, changes: Sequence[Change]
) -> tuple[FileDiff, ...]:
    """From before to now and from now to after, for a file that shows neither; as far as both are known."""
    if len(changes) != 1 or changes[0].kind is ChangeKind.MOVE or changes[0].is_folder:
        return ()
    change = changes[0]
    try:
        now = hands.workspace.read(change.path) if hands.workspace.info(change.path) is not None else None
        before = None if change.before is None else parts.preimages.get(change.before)
        after = _after(parts, hands, live, call, replace(change, before_bytes=before))
    except (ToolError, StorageError):
        return ()
    steps = ((before, now, "From before to now."), (now, after, "From now to how it would be after."))
    return tuple(_step(parts, change, *step) for step in steps if step[0] != step[1])


def _after(parts: Parts, hands: Hands, live: LiveSession, call: OpenCall, change: Change) -> bytes | None:
    """What the change would have left, made again from what it began with. Raises ToolError."""
    if change.after is None:
        return None
    tool, asked = ToolCalls(parts, hands, live, ()).understand(call.asked)
    begun = (
        Change(kind=ChangeKind.DELETE, path=change.path)
        if change.before_bytes is None
        else Change(kind=ChangeKind.EDIT, path=change.path, after_bytes=change.before_bytes)
    )
    preview = tool.preview(asked, parts.stage(hands.workspace, [begun]))
    return preview.changes[0].after_bytes


def _step(parts: Parts, change: Change, old: bytes | None, new: bytes | None, note: str) -> FileDiff:
    kind = ChangeKind.CREATE if old is None else ChangeKind.DELETE if new is None else ChangeKind.EDIT
    shown = Change(kind=kind, path=change.path, before_bytes=old, after_bytes=new)
    diff = file_diff(parts.text_files, shown)
    return replace(diff, notes=(note, *diff.notes))
