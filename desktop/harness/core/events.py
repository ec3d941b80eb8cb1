"""Every event of the log, and the record that carries one.

An event says what happened, in the past tense; it holds no behaviour. The
`kind` strings are for ever, the class names may change. Values are plain JSON:
strings, numbers, booleans, lists and objects.

Two families: the words of a person (any process may append them) and the acts
of the runner (only the holder of the session's lock, who shows its fence).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from desktop.harness.core.ids import (
    ArtifactId,
    CallId,
    Digest,
    PayloadHash,
    ProjectId,
    RunNumber,
    Seq,
    SessionId,
    StepKey,
)


class Event(Protocol):
    """Anything that a record can carry."""

    kind: ClassVar[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One event at its place in a session.

    `session` is the session it was read for; records that a fork shares with its
    parent appear under the fork's name. `run` is 0 before the first prompt.
    """

    session: SessionId
    seq: Seq
    at_ms: int
    run: RunNumber
    event: Event


# --- the session -----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
    """A session began on one folder, with one mode and one model."""

    kind: ClassVar = "session_started"
    workspace: str
    project: ProjectId
    mode: str
    model: str
    base_url: str
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionForked:
    """The session began as a branch: it holds the parent's records up to `fork_seq`."""

    kind: ClassVar = "session_forked"
    parent: SessionId
    fork_seq: Seq
    shared_effects: tuple[CallId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeChanged:
    """The person changed what the session may do."""

    kind: ClassVar = "mode_changed"
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChanged:
    """The person chose another model or another service for this session."""

    kind: ClassVar = "model_changed"
    model: str
    base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionChanged:
    """What the agent is (instructions, tools, model) is not what the run was begun with any more."""

    kind: ClassVar = "definition_changed"
    definition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceChanged:
    """Files changed outside Paddock. `paths` is sorted; `more` counts those left out."""

    kind: ClassVar = "workspace_changed"
    paths: tuple[str, ...]
    more: int = 0


# --- words of a person -----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """A person said something; this opens a run."""

    kind: ClassVar = "user_message"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalGranted:
    """A person said yes to one approval.

    `payload` is the hash of what was on the screen. A decision that names any other
    payload is kept as evidence and authorises nothing. `rule` (tools and pattern) is what a scope wider than
    once covers.
    """

    kind: ClassVar = "approval_granted"
    call_id: CallId
    payload: PayloadHash
    scope: str
    rule_tools: tuple[str, ...] = ()
    rule_pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDenied:
    """A person (or `--on-ask deny`) said no; the reason goes to the model."""

    kind: ClassVar = "approval_denied"
    call_id: CallId
    payload: PayloadHash
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested:
    """A person asked the run to stop. From here on no new work starts."""

    kind: ClassVar = "cancel_requested"


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """A person ended the run at once; what it was doing is left as it was."""

    kind: ClassVar = "killed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRequested:
    """A person asked the run to hold at the next safe point: between two steps, never inside one."""

    kind: ClassVar = "pause_requested"


@dataclass(frozen=True, slots=True, kw_only=True)
class Steered:
    """A person said something to the run while it works; the model reads it with its next request."""

    kind: ClassVar = "steered"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A person asked to go on with what is due."""

    kind: ClassVar = "resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What one run changed was put back.

    `restored` are the changes that were carried out, as records of `Change`; `kept` are the paths
    left alone with the reason each.
    """

    kind: ClassVar = "undone"
    target_run: RunNumber
    restored: tuple[Mapping[str, Any], ...]
    kept: tuple[Mapping[str, str], ...] = ()


# --- acts of the runner ----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run began; `rules` (`tool` or `tool:pattern`) are in force until it ends."""

    kind: ClassVar = "run_started"
    definition: str = ""
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequested:
    """A request is about to leave; what it holds is the projection of the records up to this one."""

    kind: ClassVar = "model_requested"
    turn: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyProgress:
    """A piece of streamed text, kept against a crash: what came since the piece before it."""

    kind: ClassVar = "reply_progress"
    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """One tool call as the server sent it.

    `call_id` is ours, `provider_id` a mere label. `effect` says whether the tool may change something.
    """

    call_id: CallId
    provider_id: str
    tool: str
    arguments: str
    effect: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """A complete reply.

    `finish` is the server's finish reason. `request` is the digest of the request that it answers.
    """

    kind: ClassVar = "assistant_message"
    turn: int
    text: str
    request: str = ""
    calls: tuple[AskedCall, ...] = ()
    reasoning: str = ""
    finish: str = ""
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    """A request failed; `text` is the sentence for the person, `partial` what had arrived."""

    kind: ClassVar = "model_failed"
    turn: int
    fault: str
    text: str
    request: str = ""
    partial: str = ""
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryScheduled:
    """The failed request is tried again at a time, until a deadline; both in milliseconds since the epoch."""

    kind: ClassVar = "retry_scheduled"
    turn: int
    attempt: int
    at_ms: int
    deadline_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A question to the person.

    `changes` are `Change` records; the diff itself is recomputed, never stored. A newer request for
    the same call replaces the older one.
    """

    kind: ClassVar = "approval_request"
    call_id: CallId
    payload: PayloadHash
    tool: str
    title: str
    changes: tuple[Mapping[str, Any], ...] = ()
    command: str | None = None
    again: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """An effect is about to happen. Committed before it, with what authorises it.

    `step_key` is its idempotency key and stays the same over attempts. `actor` (person or rule) allowed it,
    as far as `scope` reaches (once, session, always; run: only this prompt); `approval` is the record of the
    yes, 0 for a rule, which `authority` names. `payload` is what was allowed and `fingerprint` the digest of
    the tool's name and arguments. Logs of the first version hold none of actor, scope, approval, fingerprint.
    """

    kind: ClassVar = "tool_started"
    call_id: CallId
    tool: str
    step_key: StepKey
    attempt: int
    payload: PayloadHash
    authority: str
    changes: tuple[Mapping[str, Any], ...] = ()
    actor: str = ""
    scope: str = ""
    approval: Seq = Seq(0)
    fingerprint: Digest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResulted:
    """A call ended. `text` is what the model reads."""

    kind: ClassVar = "tool_result"
    call_id: CallId
    attempt: int
    status: str
    text: str
    error: str = ""
    receipt: Mapping[str, Any] | None = None
    artifact: ArtifactId | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectUnresolved:
    """An effect was started and left no receipt; nobody knows whether it happened.

    `evidence` is what was found when somebody looked: `files`, each a path with its `now`, `before` and
    `after` digests, `size_bytes`, and what it `shows` (before, after, other, gone, unreadable); or `command`
    with the `tail` of its output, whether it `has_ended`, and its `exit_code` where that is known.
    """

    kind: ClassVar = "effect_unresolved"
    call_id: CallId
    attempt: int
    text: str
    evidence: Mapping[str, Any] | None = None


class Settlement(StrEnum):
    """What was said of an effect without a receipt."""

    HAPPENED = "happened"
    DID_NOT_HAPPEN = "did_not_happen"
    RETRY = "retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSettled:
    """An effect without a receipt was answered for. `by` is `check` (the tool's own look) or `person`."""

    kind: ClassVar = "effect_settled"
    call_id: CallId
    attempt: int
    outcome: str
    by: str
    receipt: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """The program stopped while the run was open. `text` is what had been streamed."""

    kind: ClassVar = "interrupted"
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The run is over by the person's wish and everything it owned has ended. `text` as in `Interrupted`."""

    kind: ClassVar = "cancelled"
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The run waits for *Continue*; `reason` says why."""

    kind: ClassVar = "paused"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """The run came to its answer."""

    kind: ClassVar = "run_finished"


# --- the log of a project --------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSaved:
    """*Always allow* (or a denial) for every session of the project."""

    kind: ClassVar = "rule_saved"
    rule_id: str
    tools: tuple[str, ...]
    pattern: str
    deny: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRevoked:
    """A saved rule was taken back."""

    kind: ClassVar = "rule_revoked"
    rule_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTitled:
    """A person gave a session another title."""

    kind: ClassVar = "session_titled"
    titled: SessionId
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBinned:
    """A session was put into the bin; nothing of it is gone."""

    kind: ClassVar = "session_binned"
    binned: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRestored:
    """A session was taken out of the bin."""

    kind: ClassVar = "session_restored"
    restored: SessionId


# --- what could not be read ------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A kind that this version does not know; its data survives untouched."""

    kind: ClassVar = "unknown"
    real_kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """A record whose bytes are not what was written. It means nothing, and says so."""

    kind: ClassVar = "damaged"
    real_kind: str
    problem: str


PERSON_KINDS = frozenset(
    {
        "user_message",
        "approval_granted",
        "approval_denied",
        "cancel_requested",
        "killed",
        "pause_requested",
        "steered",
        "resumed",
        "undone",
        "mode_changed",
        "model_changed",
        "workspace_changed",
        "session_started",
        "session_forked",
    }
)
"""Kinds that any process may append without holding the session's lock."""
