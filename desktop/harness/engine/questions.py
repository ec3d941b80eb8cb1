"""The open questions of a session, as a person sees them: with diffs made from the files as they are now.

A diff is never stored. When the files moved on since a question was recorded, it is asked anew, under
the session's lock, and the new question is what the person gets.
"""

from collections.abc import Sequence

from desktop.harness.core.approvals import Offer, Scope, offer, payload_hash, within
from desktop.harness.core.errors import ToolError, UsageError
from desktop.harness.core.events import ApprovalDenied, ApprovalGranted, Event
from desktop.harness.core.ids import CallId
from desktop.harness.core.policy import Rule
from desktop.harness.core.state import OpenCall, SessionState, Stage, payload_of
from desktop.harness.core.toolspec import Change, ChangeKind, Preview, SideEffect
from desktop.harness.core.views import Decision, FileDiff, Question
from desktop.harness.engine.effects import moved_on, question_event, recorded_preview
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.tool_call import Prepared, ToolCalls
from desktop.harness.ports import TextFiles


async def prepare_waiting(
    parts: Parts, hands: Hands, live: LiveSession
) -> dict[CallId, Prepared | ToolError]:
    """What each open effect would do now, each on the result of those before it."""
    tools = ToolCalls(parts, hands, live, ())
    staged: list[Change] = []
    prepared: dict[CallId, Prepared | ToolError] = {}
    for call_id, call in live.state.calls.items():
        if not (call.is_open and call.asked.effect) or call.stage is Stage.DENIED:
            continue
        try:
            ready = await tools.prepare(call.asked, staged)
        except ToolError as error:
            prepared[call_id] = error
            continue
        prepared[call_id] = ready
        staged.extend(ready.preview.changes)
    return prepared


def fresh_questions(state: SessionState, prepared: dict[CallId, Prepared | ToolError]) -> list[Event]:
    """New requests for the questions whose payload is not what the files give any more."""
    events: list[Event] = []
    for call_id in state.waiting:
        ready = prepared.get(call_id)
        if not isinstance(ready, Prepared):
            continue
        if payload_hash(ready.call, ready.preview) != payload_of(state, call_id):
            events.append(question_event(ready, moved_on(ready.preview)))
    return events


def question_of(
    parts: Parts, hands: Hands, state: SessionState, call_id: CallId, ready: Prepared | ToolError
) -> Question:
    """The question with everything a person has to see."""
    call = state.calls[call_id]
    if isinstance(ready, ToolError):
        return _lost_question(call, ready)
    preview = ready.preview
    is_command = ready.tool.spec.side_effect is SideEffect.PROCESS
    return Question(
        call_id=call_id,
        payload=payload_hash(ready.call, preview),
        tool=ready.call.tool,
        title=preview.title,
        files=tuple(file_diff(parts.text_files, change) for change in preview.changes),
        command=preview.command,
        folder=hands.workspace.root,
        offer=offer(ready.tool.spec, preview),
        again=call.question.again if call.question else "",
        protection=parts.command_protection if is_command else "",
        undoable=not is_command,
    )


def _lost_question(call: OpenCall, error: ToolError) -> Question:
    """A question whose change fits no more; a yes would fail in words, so it says why."""
    assert call.question is not None
    return Question(
        call_id=call.asked.call_id,
        payload=call.question.payload,
        tool=call.asked.tool,
        title=call.question.title,
        command=call.question.command,
        again=str(error),
    )


def file_diff(text_files: TextFiles, change: Change) -> FileDiff:
    """One change as text to compare."""
    before = text_files.decode(change.before_bytes) if change.before_bytes is not None else None
    after = text_files.decode(change.after_bytes) if change.after_bytes is not None else None
    is_binary = (change.before_bytes is not None and before is None) or (
        change.after_bytes is not None and after is None
    )
    shown = after or before
    return FileDiff(
        path=change.path,
        kind=str(change.kind),
        destination=change.destination,
        before=None if before is None or is_binary else before.text,
        after=None if after is None or is_binary else after.text,
        binary=is_binary,
        encoding=shown.encoding if shown else "",
        notes=_notes(change, is_binary),
        reason=change.reason,
    )


def _notes(change: Change, is_binary: bool) -> tuple[str, ...]:
    notes: list[str] = []
    if change.is_folder:
        notes.append("This is an empty folder.")
    if is_binary:
        notes.append("This is no text, so its content cannot be shown.")
    if change.kind is ChangeKind.MOVE:
        notes.append("The content stays the same.")
    if change.kind is ChangeKind.CREATE and not change.after_bytes and not change.is_folder:
        notes.append("The new file is empty.")
    return tuple(notes)


# --- answers ---


def events_for(
    state: SessionState, decisions: Sequence[Decision], specs: dict[CallId, Offer]
) -> tuple[list[Event], list[Rule]]:
    """The records of these answers, and the rules that *Always* saves.

    Raises UsageError when a scope or pattern is not offered, or nothing of that name is asked.
    """
    events: list[Event] = []
    rules: list[Rule] = []
    for decision in decisions:
        call = state.calls.get(decision.call_id)
        if call is None or call.question is None:
            raise UsageError(f"Nothing is asked under the name {decision.call_id}.")
        if decision.scope is None:
            events.append(
                ApprovalDenied(call_id=decision.call_id, payload=decision.payload, reason=decision.reason)
            )
            continue
        rule = _covering(decision, specs[decision.call_id], recorded_preview(call.question))
        events.append(
            ApprovalGranted(
                call_id=decision.call_id,
                payload=decision.payload,
                scope=str(decision.scope),
                rule_tools=rule.tools if rule else (),
                rule_pattern=rule.pattern if rule else "",
            )
        )
        if rule is not None and decision.scope is Scope.ALWAYS and rule not in rules:
            rules.append(rule)
    return events, rules


def _covering(decision: Decision, offered: Offer, preview: Preview) -> Rule | None:
    """The rule that a wider yes stands for. Raises UsageError."""
    if decision.scope is Scope.ONCE:
        if decision.pattern is not None:
            raise UsageError("A pattern goes with a yes for this chat or for always, not with a single yes.")
        return None
    rule = offered.always if decision.scope is Scope.ALWAYS else offered.session
    if rule is None:
        words = "Always" if decision.scope is Scope.ALWAYS else "For this chat"
        raise UsageError(f"{words} is not offered here. {offered.why_not}".strip())
    covering = within(rule, decision.pattern, preview)
    if covering is None:
        raise UsageError(f"The pattern {decision.pattern} does not cover what was asked.")
    return covering
