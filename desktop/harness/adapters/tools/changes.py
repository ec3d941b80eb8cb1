"""Carrying out what a preview shows: pre-images first, then all changes in order, or none.

The one mechanism behind every tool that changes files. What is replaced or deleted is
kept before anything is written. Several changes are looked at together first; if one
fails all the same, those before it are taken back. The receipt is the evidence.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from desktop.harness.adapters.tools.staged import Staged
from desktop.harness.adapters.tools.targets import digest_at
from desktop.harness.adapters.tools.threads import in_thread
from desktop.harness.core.errors import Refusal, StorageError, StorageFullError, ToolError
from desktop.harness.core.names import shown
from desktop.harness.core.toolspec import Change, ChangeKind, Outcome, Preview, ToolResult
from desktop.harness.ports import PreImages, Workspace


async def carry_out(workspace: Workspace, preimages: PreImages, preview: Preview, text: str) -> ToolResult:
    """Do what was previewed; `text` is what the model reads then. Raises ToolError."""
    receipt = await in_thread(lambda: apply_changes(workspace, preimages, preview.changes))
    return ToolResult(status=Outcome.OK, text=text, receipt=receipt)


def apply_changes(workspace: Workspace, preimages: PreImages, changes: Sequence[Change]) -> dict[str, Any]:
    """Carry out changes in order, all or none; the receipt. Blocking.

    Raises ToolError; its text says so when a change could not be taken back.
    """
    if len(changes) > 1:
        _check_all(workspace, changes)
    _keep(preimages, changes)
    done: list[Change] = []
    try:
        for change in changes:
            workspace.apply(change)
            done.append(change)
    except ToolError as error:
        raise _taken_back(workspace, done, error) from error
    return {"changes": [change.as_record() for change in changes]}


def inverse(change: Change) -> Change:
    """The change that takes one back; it needs `before_bytes` for an edit or a deleted file."""
    if change.kind is ChangeKind.MOVE:
        assert change.destination is not None
        return replace(change, path=change.destination, destination=change.path)
    kinds = {ChangeKind.CREATE: ChangeKind.DELETE, ChangeKind.DELETE: ChangeKind.CREATE}
    return replace(
        change,
        kind=kinds.get(change.kind, change.kind),
        before=change.after,
        after=change.before,
        before_bytes=change.after_bytes,
        after_bytes=change.before_bytes,
    )


def _check_all(workspace: Workspace, changes: Sequence[Change]) -> None:
    for index, change in enumerate(changes):
        view = Staged(workspace, changes[:index])
        if not change.is_folder and digest_at(view, change.path) != change.before:
            raise ToolError(
                Refusal.STALE, f"{shown(change.path)} was changed in the meantime, so nothing was changed."
            )


def _keep(preimages: PreImages, changes: Sequence[Change]) -> None:
    try:
        for change in changes:
            if change.before_bytes is not None and change.kind in (ChangeKind.EDIT, ChangeKind.DELETE):
                preimages.keep(change.before_bytes)
    except StorageError as error:
        code = Refusal.DISK_FULL if isinstance(error, StorageFullError) else Refusal.FAULT
        raise ToolError(
            code, f"Nothing was changed, because the old content can't be kept: {error}"
        ) from error


def _taken_back(workspace: Workspace, done: list[Change], error: ToolError) -> ToolError:
    left = []
    for change in reversed(done):
        try:
            workspace.apply(inverse(change))
        except ToolError:
            left.append(shown(change.path))
    if not done:
        return error
    state = f"these stay changed: {', '.join(left)}." if left else "all other files are as they were."
    return ToolError(error.code, f"{error} Of this change {state}")
