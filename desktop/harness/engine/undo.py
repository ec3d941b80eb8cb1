"""Put back what one run changed, path by path, and never over what came later.

The receipts in the log say what each path was before and after; the pre-images hold the bytes.
A path is put back only if it still is what the run left; everything else is left alone and
said so. Undoing is a list of ordinary changes, carried out as any other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from desktop.harness.core.errors import Refusal, StorageError, ToolError
from desktop.harness.core.events import EffectSettled, Record, ToolResulted
from desktop.harness.core.ids import Digest, RunNumber
from desktop.harness.core.toolspec import Change, ChangeKind
from desktop.harness.core.views import UndoPlan
from desktop.harness.engine.effects import change_from, digest_at
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.questions import file_diff


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoring:
    """What an undo does: changes in order, and the paths left alone with the reason."""

    changes: tuple[Change, ...]
    kept: tuple[tuple[str, str], ...]


def changes_of(records: Iterable[Record], run: RunNumber) -> list[Change]:
    """The changes that a run carried out, oldest first."""
    changes: list[Change] = []
    for record in records:
        if record.run == run and isinstance(record.event, ToolResulted | EffectSettled):
            receipt: Mapping[str, Any] = record.event.receipt or {}
            changes.extend(change_from(item) for item in receipt.get("changes", ()))
    return changes


def plan(parts: Parts, hands: Hands, changes: list[Change]) -> Restoring:
    """The inverse of these changes, newest first, where the files still are what the run left. Blocking."""
    now: dict[str, Digest | None] = {}
    restoring: list[Change] = []
    kept: dict[str, str] = {}
    for change in reversed(changes):
        try:
            restoring.append(_inverse(parts, hands, change, now))
        except (ToolError, StorageError) as error:
            kept.setdefault(change.path, str(error))
    return Restoring(changes=tuple(_merged(restoring)), kept=tuple(kept.items()))


def _current(hands: Hands, path: str, now: dict[str, Digest | None]) -> Digest | None:
    if path not in now:
        now[path] = digest_at(hands.workspace, path)
    return now[path]


def _inverse(parts: Parts, hands: Hands, change: Change, now: dict[str, Digest | None]) -> Change:
    """The change that takes one back.

    Raises ToolError when the path moved on, StorageError when its pre-image is gone.
    """
    end = change.destination if change.kind is ChangeKind.MOVE else change.path
    assert end is not None
    left = change.before if change.kind is ChangeKind.MOVE else change.after
    if change.is_folder:
        if change.kind is ChangeKind.MOVE:
            return Change(kind=ChangeKind.MOVE, path=end, destination=change.path, is_folder=True)
        return Change(kind=ChangeKind.CREATE, path=change.path, is_folder=True)
    if _current(hands, end, now) != left:
        raise ToolError(Refusal.STALE, "It was changed again later, so it was left alone.")
    if change.kind is ChangeKind.MOVE:
        if _current(hands, change.path, now) is not None:
            raise ToolError(Refusal.EXISTS, "Something else stands at its old place, so it was left alone.")
        now[end], now[change.path] = None, change.before
        return Change(kind=ChangeKind.MOVE, path=end, destination=change.path, before=left, after=left)
    now[change.path] = change.before
    if change.before is None:
        return Change(kind=ChangeKind.DELETE, path=change.path, before=left)
    kind = ChangeKind.CREATE if left is None else ChangeKind.EDIT
    return Change(
        kind=kind,
        path=change.path,
        before=left,
        after=change.before,
        mode=change.mode,
        after_bytes=parts.preimages.get(change.before),
    )


def _merged(changes: list[Change]) -> list[Change]:
    """Several steps back on one file as one: from what it is now to what it was first."""
    merged: list[Change] = []
    last: dict[str, int] = {}
    for change in changes:
        index = last.get(change.path)
        if index is not None and {change.kind, merged[index].kind} <= {ChangeKind.EDIT, ChangeKind.DELETE}:
            first = merged[index]
            merged[index] = replace(change, before=first.before)
            continue
        if change.kind in (ChangeKind.EDIT, ChangeKind.DELETE):
            last[change.path] = len(merged)
        else:
            last.clear()
        merged.append(change)
    return merged


def carry_out(parts: Parts, hands: Hands, restoring: Restoring) -> Restoring:
    """Do it, keeping the bytes that are replaced; what no longer fits moves to `kept`. Blocking."""
    done: list[Change] = []
    kept = list(restoring.kept)
    for change in restoring.changes:
        try:
            if change.before is not None and change.kind is not ChangeKind.MOVE:
                parts.preimages.keep(hands.workspace.read(change.path))
            hands.expect(change)
            hands.workspace.apply(change)
        except (ToolError, StorageError) as error:
            kept.append((change.path, str(error)))
        else:
            done.append(change)
    return Restoring(changes=tuple(done), kept=tuple(kept))


def as_plan(parts: Parts, hands: Hands, run: RunNumber, restoring: Restoring) -> UndoPlan:
    """The plan as a person sees it, with each file as it is now beside what it will be. Blocking."""
    files = []
    for change in restoring.changes:
        before = None
        if change.before is not None and change.kind is not ChangeKind.MOVE:
            try:
                before = hands.workspace.read(change.path)
            except ToolError:
                before = None
        files.append(file_diff(parts.text_files, replace(change, before_bytes=before)))
    return UndoPlan(run=run, files=tuple(files), kept=restoring.kept)
