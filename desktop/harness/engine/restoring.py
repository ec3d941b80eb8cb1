"""Putting changes back: their inverse, path by path, and never over what came later.

The receipts say what each path was before and after; the pre-images hold the bytes. A path is put
back only if it still is what the change left; everything else is left alone and said so. What is put
back is a list of ordinary changes, carried out as any other. Used when a person undoes a run, and when
a change of several files failed half-way.
"""

from dataclasses import dataclass, replace

from desktop.harness.core.errors import Refusal, StorageError, ToolError
from desktop.harness.core.ids import Digest
from desktop.harness.core.toolspec import Change, ChangeKind
from desktop.harness.engine.effects import digest_at
from desktop.harness.engine.parts import Hands, Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoring:
    """What is put back: changes in order, and the paths left alone with the reason."""

    changes: tuple[Change, ...]
    kept: tuple[tuple[str, str], ...]


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


def carry_out(parts: Parts, hands: Hands, restoring: Restoring, *, keeps_replaced: bool = True) -> Restoring:
    """Do it; what no longer fits moves to `kept`. Blocking.

    `keeps_replaced` says whether the bytes that are replaced are kept as well; on a full disk they can't be.
    """
    done: list[Change] = []
    kept = list(restoring.kept)
    for change in restoring.changes:
        try:
            if keeps_replaced and change.before is not None and change.kind is not ChangeKind.MOVE:
                parts.preimages.keep(hands.workspace.read(change.path))
            hands.expect(change)
            hands.workspace.apply(change)
        except (ToolError, StorageError) as error:
            kept.append((change.path, str(error)))
        else:
            done.append(change)
    return Restoring(changes=tuple(done), kept=tuple(kept))
