"""File changes in a row in one reply are one change: looked at together, made together, or not at all.

Each part is previewed on the result of those before it. If one does not fit, none is asked about and
none is written. They are written one after the other, and when one fails all the same, those before
it are put back, each only if nobody changed it since. What came of each part is said to the model
as it is, also when something could not be put back. A command is never a part of a change.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.events import AskedCall, ToolResulted
from desktop.harness.core.policy import Verdict
from desktop.harness.core.titles import title_of
from desktop.harness.core.toolspec import Change, Outcome
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.restoring import Restoring, plan
from desktop.harness.engine.restoring import carry_out as put_back
from desktop.harness.engine.tool_call import Prepared, ToolCalls, failed, refused

Looked = Prepared | ToolError
"""A part that can be done, or why it can't."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One part that is carried out now, and which attempt at it this is."""

    prepared: Prepared
    attempt: int

    @property
    def changes(self) -> tuple[Change, ...]:
        """What it changes."""
        return self.prepared.preview.changes

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return self.prepared.preview.title


async def look(
    tools: ToolCalls, calls: Sequence[AskedCall], staged: list[Change] | None = None
) -> list[Looked]:
    """What each part would do on the result of those before it; `staged` grows by what they would change."""
    staged = [] if staged is None else staged
    looked: list[Looked] = []
    for asked in calls:
        try:
            prepared = await tools.prepare(asked, staged)
        except ToolError as error:
            looked.append(error)
            continue
        looked.append(prepared)
        if prepared.verdict is not Verdict.DENY:
            staged.extend(prepared.preview.changes)
    return looked


def all_fitting(looked: Sequence[Looked]) -> list[Prepared] | None:
    """The parts, if all of them can be done and no rule denies one."""
    fitting = [one for one in looked if isinstance(one, Prepared) and one.verdict is not Verdict.DENY]
    return fitting if len(fitting) == len(looked) else None


def denied_by_rule(calls: Sequence[AskedCall], looked: Sequence[Looked]) -> list[ToolResulted]:
    """The results of the parts that a rule denies."""
    return [
        refused(asked, "denied", "A rule of this project does not allow this.")
        for asked, one in zip(calls, looked, strict=True)
        if isinstance(one, Prepared) and one.verdict is Verdict.DENY
    ]


def spoiled(calls: Sequence[AskedCall], looked: Sequence[Looked]) -> list[ToolResulted]:
    """The results of all parts when one does not fit: nothing is changed. Empty when all fit."""
    errors = [one for one in looked if isinstance(one, ToolError)]
    if not errors:
        return []
    if len(calls) == 1:
        return [failed(calls[0], errors[0])]
    titles = [title_of(asked.tool, asked.arguments) for asked in calls]
    parts = list(zip(calls, titles, looked, strict=True))
    culprits = ", ".join(title for _, title, one in parts if isinstance(one, ToolError))
    states = "".join(
        f"\n- {title}: not changed, {'did not fit' if isinstance(one, ToolError) else 'would fit'}"
        for _, title, one in parts
    )
    results = []
    for asked, _, one in parts:
        if isinstance(one, ToolError):
            text = f"{one} Nothing was changed, because file changes of one reply are one change:{states}"
            results.append(failed(asked, ToolError(one.code, text)))
        else:
            text = f"Nothing was changed. This part would fit, but it goes together with: {culprits}."
            results.append(failed(asked, ToolError(Refusal.OTHER_PART, text)))
    return results


async def carry_out(
    parts: Parts, hands: Hands, tools: ToolCalls, steps: Sequence[Step]
) -> list[ToolResulted]:
    """Do all parts in their order; the result of each. Never raises but CancelledError."""
    results: list[ToolResulted] = []
    for step in steps:
        for change in step.changes:
            hands.expect(change)
        result = await tools.run(step.prepared, attempt=step.attempt)
        results.append(result)
        if result.status != Outcome.OK and len(steps) > 1:
            written = [change for done in steps[: len(results) - 1] for change in done.changes]
            restored = await asyncio.to_thread(_put_back, parts, hands, written)
            return _broken_off(steps, results, restored)
    return results


def _put_back(parts: Parts, hands: Hands, written: list[Change]) -> Restoring:
    return put_back(parts, hands, plan(parts, hands, written), keeps_replaced=False)


def _broken_off(
    steps: Sequence[Step], results: Sequence[ToolResulted], restored: Restoring
) -> list[ToolResulted]:
    """The results when the last part that was tried failed: put back, failed, or never begun."""
    *done, last = results
    culprit = steps[len(done)].title
    stayed = dict(restored.kept)
    told = [_undone(step, result, culprit, stayed) for step, result in zip(steps, done, strict=False)]
    state = f"These stay changed: {', '.join(stayed)}." if stayed else "All other files are as they were."
    told.append(replace(last, text=f"{last.text} The changes of this reply are one change. {state}"))
    for step in steps[len(results) :]:
        text = f"Not begun, nothing was changed here, because another part failed: {culprit}."
        told.append(_failed(step, text))
    return told


def _undone(step: Step, result: ToolResulted, culprit: str, stayed: dict[str, str]) -> ToolResulted:
    names = [name for change in step.changes for name in (change.path, change.destination) if name]
    why = next((stayed[name] for name in names if name in stayed), None)
    if why is None:
        text = f"Written and put back as it was before, because another part failed: {culprit}."
        return _failed(step, text)
    text = f"{result.text} It stays so although another part failed ({culprit}). Not put back: {why}"
    return replace(result, text=text)


def _failed(step: Step, text: str) -> ToolResulted:
    return ToolResulted(
        call_id=step.prepared.call.call_id,
        attempt=step.attempt,
        status=str(Outcome.FAILED),
        text=text,
        error=str(Refusal.OTHER_PART),
    )
