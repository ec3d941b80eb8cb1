"""What a client sees: statuses, summaries, questions, plans.

Plain data made from folds for the door to hand out. Nothing here is stored; the
log is the truth, and these are views of it.
"""

from dataclasses import dataclass, field

from desktop.harness.core.approvals import Offer, Scope
from desktop.harness.core.definition import Route
from desktop.harness.core.ids import CallId, PayloadHash, ProjectId, RunNumber, Seq, SessionId
from desktop.harness.core.policy import Mode, Rule
from desktop.harness.core.state import Status as Status
from desktop.harness.core.transcript import Patch


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """One line of the session list. `workspace` is the real path of the folder."""

    session: SessionId
    title: str
    status: Status
    workspace: str
    project: ProjectId
    model: str
    mode: Mode
    parent: SessionId | None
    fork_seq: Seq | None
    last_at_ms: int
    waiting: tuple[CallId, ...] = ()
    needs_check: tuple[CallId, ...] = ()
    binned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """What a window shows around the rows.

    `step` says in words what happens now; `problem` is a sentence, empty if there is none. `needs_check`
    are the effects that nobody knows the outcome of, `runs` the runs whose changes can be undone.
    """

    session: SessionId
    title: str
    status: Status
    workspace: str
    mode: Mode
    route: Route
    waiting: tuple[CallId, ...] = ()
    needs_check: tuple[CallId, ...] = ()
    step: str = ""
    problem: str = ""
    runs: tuple[RunNumber, ...] = ()
    last_seq: Seq = Seq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What changed on the screen: splices for the rows, and the view if it changed."""

    patches: tuple[Patch, ...] = ()
    view: SessionView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """One file of a question, as text to compare. `kind` is create, edit, move or delete.

    `before`/`after` are None where the file does not exist. `binary` files have no text. `notes`
    are sentences ("only the permissions change"). `reason` says why the name is protected.
    """

    path: str
    kind: str
    destination: str | None = None
    before: str | None = None
    after: str | None = None
    binary: bool = False
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One approval, recomputed from the call and the files as they are now.

    `again` says why it is asked anew ("notes.txt changed since."). `protection` says which walls
    hold ("no protection for commands yet"). `undoable` says whether Paddock can put it back.
    """

    call_id: CallId
    payload: PayloadHash
    tool: str
    title: str
    files: tuple[FileDiff, ...] = ()
    command: str | None = None
    folder: str = ""
    offer: Offer = field(default_factory=lambda: Offer(always=None, session=None))
    again: str = ""
    protection: str = ""
    undoable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEvidence:
    """One file of an effect without a receipt. `shows` is before, after, other, gone or unreadable."""

    path: str
    shows: str
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What can be seen of an effect without a receipt.

    For files what each shows now, and `differences` from before to now and from now to after where both
    are known. For a command the `tail` of its output, whether it `has_ended`, and its `exit_code` if that
    is known.
    """

    call_id: CallId
    files: tuple[FileEvidence, ...] = ()
    differences: tuple[FileDiff, ...] = ()
    is_command: bool = False
    tail: str = ""
    exit_code: int | None = None
    has_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A person's answer to one question. `scope` None means no.

    `pattern` widens or narrows what session or always covers; it must still cover what was asked.
    """

    call_id: CallId
    payload: PayloadHash
    scope: Scope | None
    pattern: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPlan:
    """What undoing a run would do, or did: per path what happens, and what is left alone and why.

    `files` shows each restored path as a diff from now to then.
    """

    run: RunNumber
    files: tuple[FileDiff, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the next request and the records behind it."""

    role: str
    text: str
    sources: tuple[Seq, ...]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextView:
    """The exact next request: its body, its messages with their sources, and what was left out and why.

    `tokens` is an estimate unless `measured`. `window` is in tokens.
    """

    body: bytes
    messages: tuple[Message, ...]
    left_out: tuple[tuple[Seq, str], ...]
    tokens: int
    measured: bool
    window: int
    window_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One answer of the doctor."""

    check: str
    ok: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRule:
    """One rule of a project, with when it was saved."""

    rule_id: str
    rule: Rule
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """One folder that was opened before. `name` is its last segment."""

    project: ProjectId
    path: str
    name: str
    exists: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A model service a person set up. `key` is ready, none, or session (only in memory)."""

    name: str
    base_url: str
    model: str
    has_key: bool = False
