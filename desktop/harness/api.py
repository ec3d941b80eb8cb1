"""The one door to the harness: what a client may call, and the types it may name.

The window, the command line, the tour and the evaluation are clients of this
door and of nothing behind it. A verb returns when its words are durable; what
follows is told by the feed (`watch`, `feed`), never by a return value.

All methods may raise PaddockError; its text is one plain sentence for the person.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Protocol

from desktop.harness.core.approvals import Offer, Scope
from desktop.harness.core.codec import record_as_json
from desktop.harness.core.definition import Route
from desktop.harness.core.errors import (
    BusyError,
    ModelError,
    ModelFault,
    NewerDataError,
    PaddockError,
    StorageError,
    StorageFullError,
    UnsettledError,
    UsageError,
    WaitingError,
)
from desktop.harness.core.events import Record, Settlement
from desktop.harness.core.ids import CallId, PayloadHash, ProjectId, RunNumber, Seq, SessionId
from desktop.harness.core.policy import Mode, Rule
from desktop.harness.core.transcript import Patch, Row, RowKind
from desktop.harness.core.views import (
    Check,
    ContextView,
    Decision,
    Evidence,
    FileDiff,
    FileEvidence,
    Message,
    Project,
    Question,
    SavedRule,
    Service,
    SessionSummary,
    SessionView,
    Status,
    UndoPlan,
    Update,
)
from desktop.harness.core.visible import for_name, hidden_count, show_safe
from desktop.harness.ports import Fault

__all__ = [
    "BusyError",
    "CallId",
    "Check",
    "ContextView",
    "Decision",
    "Door",
    "Evidence",
    "Fault",
    "FileDiff",
    "FileEvidence",
    "Message",
    "Mode",
    "ModelError",
    "ModelFault",
    "NewerDataError",
    "Offer",
    "PaddockError",
    "Patch",
    "PayloadHash",
    "Project",
    "ProjectAPI",
    "ProjectId",
    "Question",
    "Record",
    "Route",
    "Row",
    "RowKind",
    "Rule",
    "RunNumber",
    "SavedRule",
    "Scope",
    "Seq",
    "Service",
    "ServiceAPI",
    "SessionAPI",
    "SessionId",
    "SessionSummary",
    "SessionView",
    "Settlement",
    "Status",
    "StorageError",
    "StorageFullError",
    "UndoPlan",
    "UnsettledError",
    "Update",
    "UsageError",
    "WaitingError",
    "for_name",
    "hidden_count",
    "record_as_json",
    "show_safe",
]


class SessionAPI(Protocol):
    """Sessions: begin, say, decide, control, look."""

    async def start(
        self, workspace: str, *, mode: Mode = Mode.WRITE, route: Route | None = None
    ) -> SessionId:
        """Begin a session on a folder. Raises UsageError for a missing, unreadable or wrong folder."""
        ...

    async def prompt(
        self, session: SessionId, text: str, *, rules: Sequence[str] = (), deny_questions: bool = False
    ) -> None:
        """Say something; durable when this returns, the run then goes on by itself.

        `rules` (`tool` or `tool:pattern`) hold until the run ends. `deny_questions` answers each
        question with no.
        Raises WaitingError, UnsettledError, BusyError, StorageFullError; then nothing was recorded.
        """
        ...

    async def decide(self, session: SessionId, *decisions: Decision) -> None:
        """Answer questions; the run goes on by itself.

        An answer to a payload that is no longer asked changes nothing.
        Raises UsageError when a scope or pattern is not offered; then nothing was decided.
        """
        ...

    async def resume(self, session: SessionId, *, deny_questions: bool = False) -> None:
        """Go on with what is due."""
        ...

    async def settle(self, session: SessionId, call_id: CallId, outcome: Settlement) -> None:
        """Answer for an effect without a receipt: it happened, it did not, or try it again; the run goes on.

        Raises UsageError when nothing has to be answered for under that name.
        """
        ...

    async def evidence(self, session: SessionId, call_id: CallId) -> Evidence:
        """What can be seen of an effect without a receipt: its files now, or the end of a command's output.

        Raises UsageError when nothing has to be answered for under that name.
        """
        ...

    async def cancel(self, session: SessionId) -> None:
        """Stop the run; returns when acknowledged (durable)."""
        ...

    async def kill(self, session: SessionId) -> None:
        """End the run at once, with all it started; what it was doing is left as it was."""
        ...

    async def pause(self, session: SessionId) -> None:
        """Hold the run at the next safe point; `resume` goes on. Open questions stay open."""
        ...

    async def steer(self, session: SessionId, text: str) -> None:
        """Say something to a run that works; the model reads it with its next request, once.

        Raises UsageError when nothing is being done.
        """
        ...

    async def fork(self, session: SessionId, *, at: Seq | None = None) -> SessionId:
        """Branch: records 1..at (default the last) belong to both. Nothing runs in the branch."""
        ...

    async def plan_undo(self, session: SessionId, run: RunNumber | None = None) -> UndoPlan:
        """What undoing a run (default: the last that changed files) would do."""
        ...

    async def undo(self, session: SessionId, run: RunNumber | None = None) -> UndoPlan:
        """Put back what a run changed, never over later edits; itself on record."""
        ...

    async def set_mode(self, session: SessionId, mode: Mode) -> None:
        """Change what the session may do."""
        ...

    async def set_route(self, session: SessionId, route: Route) -> None:
        """Change the session's model or service."""
        ...

    async def summaries(self, *, workspace: str | None = None, binned: bool = False) -> list[SessionSummary]:
        """All sessions (of a folder), newest first."""
        ...

    async def view(self, session: SessionId) -> SessionView:
        """Where one session stands. Raises UsageError when unknown."""
        ...

    async def records(self, session: SessionId, *, after: Seq = Seq(0)) -> list[Record]:
        """The log of a session."""
        ...

    async def questions(self, session: SessionId) -> list[Question]:
        """All open questions in call order, with diffs made from the files as they are now.

        Where the files moved on since one was asked, it is asked anew: a new record, a new payload.
        """
        ...

    async def context(self, session: SessionId) -> ContextView:
        """The exact next request."""
        ...

    def watch(self, session: SessionId) -> AsyncGenerator[Update, None]:
        """First all rows as one patch and the view, then what changes. Ends when the session is closed."""
        ...

    def feed(self, session: SessionId) -> AsyncGenerator[Record, None]:
        """Records committed from the moment of this call on."""
        ...

    async def settled(self, session: SessionId) -> SessionView:
        """Wait until nothing of the session runs in this process."""
        ...

    async def draft(self, session: SessionId) -> str:
        """The text that was left in the composer."""
        ...

    async def keep_draft(self, session: SessionId, text: str) -> None:
        """Keep the text of the composer."""
        ...


class ProjectAPI(Protocol):
    """What belongs to a folder rather than to one session."""

    async def recent(self) -> list[Project]:
        """Folders opened before, newest first."""
        ...

    def caution(self, path: str) -> str:
        """What to tell a person before this folder is opened: a sentence, empty for an ordinary folder."""
        ...

    async def rules(self, workspace: str) -> list[SavedRule]:
        """What *Always allow* saved for this folder."""
        ...

    async def revoke(self, workspace: str, rule_id: str) -> None:
        """Take a rule back."""
        ...

    async def rename(self, session: SessionId, title: str) -> None:
        """Give a session another title."""
        ...

    async def bin(self, session: SessionId) -> None:
        """Put a session into the bin; nothing is erased."""
        ...

    async def restore(self, session: SessionId) -> None:
        """Take a session out of the bin."""
        ...


class ServiceAPI(Protocol):
    """Model services, keys and settings."""

    def default_route(self) -> Route:
        """Where new sessions go."""
        ...

    def services(self) -> list[Service]:
        """The services set up, the offline helper (empty base_url) last."""
        ...

    async def save(self, service: Service, *, default: bool = False) -> None:
        """Add or change a service."""
        ...

    async def remove(self, base_url: str) -> None:
        """Forget a service and its key."""
        ...

    async def put_key(self, base_url: str, key: str) -> bool:
        """Keep a key for the origin of an address; False when only for this session."""
        ...

    async def lend_key(self, base_url: str, key: str) -> None:
        """Use a key for the origin of an address while this process lives; it is kept nowhere."""
        ...

    async def remove_key(self, base_url: str) -> None:
        """Forget a key."""
        ...

    async def has_key(self, base_url: str) -> bool:
        """Whether there is a key for the origin."""
        ...

    async def keychain(self) -> str:
        """`ready`, `none`, `locked` or `slow`."""
        ...

    async def models(self, base_url: str) -> list[str]:
        """What the service offers. Raises ModelError with a plain sentence."""
        ...

    def problem(self) -> str:
        """What is wrong with the settings file, in a sentence; empty when nothing is."""
        ...

    def setting(self, name: str) -> Any:
        """One setting (theme, diff style, window places...), None when never set."""
        ...

    async def set_setting(self, name: str, value: Any) -> None:
        """Keep one setting in the settings file."""
        ...


class Door(Protocol):
    """The whole harness as a client holds it."""

    @property
    def sessions(self) -> SessionAPI:
        """Sessions: begin, say, decide, control, look."""
        ...

    @property
    def projects(self) -> ProjectAPI:
        """What belongs to a folder."""
        ...

    @property
    def services(self) -> ServiceAPI:
        """Model services, keys and settings."""
        ...

    async def verify(self, session: SessionId | None = None) -> list[Fault]:
        """Check the digest chain of one session or of all."""
        ...

    async def doctor(self, session: SessionId | None = None) -> list[Check]:
        """Say which walls hold and whether the parts work."""
        ...

    async def warm(self) -> None:
        """Load what a first message will need, in the background; may take seconds, and be cancelled."""
        ...

    async def close(self) -> None:
        """Stop what runs (one `interrupted` record each), then let everything go; within 3 s."""
        ...
