"""Undoing a run: which changes it made, and how putting them back looks to a person."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from desktop.harness.core.errors import ToolError
from desktop.harness.core.events import EffectSettled, Record, ToolResulted
from desktop.harness.core.ids import RunNumber
from desktop.harness.core.toolspec import Change, ChangeKind
from desktop.harness.core.views import UndoPlan
from desktop.harness.engine.effects import change_from
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.questions import file_diff
from desktop.harness.engine.restoring import Restoring


def changes_of(records: Iterable[Record], run: RunNumber) -> list[Change]:
    """The changes that a run carried out, oldest first."""
    changes: list[Change] = []
    for record in records:
        if record.run == run and isinstance(record.event, ToolResulted | EffectSettled):
            receipt: Mapping[str, Any] = record.event.receipt or {}
            changes.extend(change_from(item) for item in receipt.get("changes", ()))
    return changes


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
