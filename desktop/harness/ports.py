"""What the engine needs of the world, as Protocols that the adapters fill.

Everything here is a capability: whoever is handed one may use it, and nobody can
reach around it.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from desktop.harness.core.definition import Route as Route
from desktop.harness.core.events import Event, Record
from desktop.harness.core.ids import (
    ArtifactId,
    CallId,
    Digest,
    ProjectId,
    RunNumber,
    Seq,
    SessionId,
)
from desktop.harness.core.toolspec import Change, Preview, ToolCall, ToolResult, ToolSpec

# --- the log ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Events for one session (or project log). `fence` must be shown for acts of the runner."""

    session: SessionId
    events: Sequence[Event]
    run: RunNumber = RunNumber(0)
    fence: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a session stands: its last record, and where it branched off."""

    session: SessionId
    seq: Seq
    at_ms: int
    parent: SessionId | None
    fork_seq: Seq | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One finding of `verify`."""

    session: SessionId
    seq: Seq
    problem: str


class SessionLock(Protocol):
    """The right to run one session: an operating-system lock and the fence that came with it."""

    @property
    def fence(self) -> int:
        """The number that acts of the runner carry; higher at each taking."""
        ...

    def release(self) -> None:
        """Give the session free. Safe to call twice."""
        ...


class Store(Protocol):
    """The append-only log and what belongs to it. All methods may be awaited from any one loop.

    Raises StorageError (NewerDataError, StorageFullError) from every method.
    """

    async def append(self, *writes: Write) -> list[Record]:
        """Commit the events of all writes in one transaction; the records, in order.

        Raises BusyError when a fence is no longer the newest.
        """
        ...

    async def create(
        self,
        session: SessionId,
        events: Sequence[Event],
        *,
        parent: SessionId | None = None,
        fork_seq: Seq | None = None,
    ) -> list[Record]:
        """Begin a session (or project log), as a branch of `parent` when one is given."""
        ...

    async def read(self, session: SessionId, *, after: Seq = Seq(0), upto: Seq | None = None) -> list[Record]:
        """The records of a session in order, those shared with its parents included.

        A record that cannot be trusted comes as `Damaged`. An unknown session gives
        an empty list.
        """
        ...

    async def heads(self) -> list[Head]:
        """Where each session stands, newest first. Project logs are left out."""
        ...

    async def summaries(self) -> Mapping[SessionId, tuple[Seq, str]]:
        """The kept summary of each session with the seq it was made at. May be missing or old."""
        ...

    async def keep_summaries(self, summaries: Mapping[SessionId, tuple[Seq, str]]) -> None:
        """Keep summaries; they can be rebuilt from the log at any time."""
        ...

    async def verify(self, session: SessionId | None = None) -> list[Fault]:
        """Check the digest chain of one session or of all; empty when the log is whole."""
        ...

    async def version(self) -> int:
        """A number that changes when another process has committed."""
        ...

    def lock(self, session: SessionId) -> SessionLock:
        """Take the right to run a session, at once. Raises BusyError when it is taken. Blocking but short."""
        ...

    def is_locked(self, session: SessionId) -> bool:
        """Whether a living process holds the session."""
        ...

    async def put_artifact(self, data: bytes) -> ArtifactId:
        """Keep bytes under their hash."""
        ...

    async def artifact(self, artifact: ArtifactId) -> bytes:
        """Kept bytes. Raises StorageError when they are gone or damaged."""
        ...

    async def get_note(self, key: str) -> str | None:
        """A small plain value that is no part of the log: a draft, a recent folder."""
        ...

    async def put_note(self, key: str, value: str | None) -> None:
        """Keep or (None) forget a note."""
        ...

    async def project_of(self, real_path: str, device: int, inode: int) -> ProjectId:
        """The project of a folder, made when it is new. The same inode at another path is another project."""
        ...

    async def close(self) -> None:
        """Finish what is queued, checkpoint and end the thread."""
        ...


# --- the model -------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request, already encoded.

    `body` is the whole JSON of the request as bytes; it ends with the messages, so that the
    next one extends it.
    """

    route: Route
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta:
    """A piece of what the model thinks aloud; never sent back."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCall:
    """One call of a finished reply. `arguments` is text as it came (an object is encoded to text)."""

    provider_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A finished reply. `finish` is `stop`, `length`, `tool_calls`, ... as the server said."""

    text: str
    reasoning: str = ""
    calls: tuple[ReplyCall, ...] = ()
    finish: str = ""
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


class Model(Protocol):
    """A model service, or something that answers like one."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[TextDelta | ReasoningDelta | Reply, None]:
        """Send once and yield pieces, last the `Reply`.

        Raises ModelError (with the partial text); never retries by itself. Closing the
        iterator or cancelling the task closes the connection.
        """
        ...

    async def models(self, base_url: str) -> list[str]:
        """The names of the models that a service offers. Raises ModelError."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


# --- the workspace ---------------------------------------------------------


class FileKind(StrEnum):
    """What stands at a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileInfo:
    """What is known of one path without reading it. `path` is the resolved relative path with `/`."""

    path: str
    kind: FileKind
    size_bytes: int = 0
    mode: int = 0
    modified_ms: int = 0
    links: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name in a folder. `path` is relative to the root, `kind` of the entry itself, not of its end."""

    path: str
    kind: FileKind
    size_bytes: int = 0


class FileView(Protocol):
    """Reading beneath one folder. Every method raises ToolError with a `Refusal` code."""

    def resolve(self, path: str) -> str:
        """The final relative path (`.` for the root), links inside followed; it need not exist.

        Judges the name by grammar before any file call. An absolute path inside the folder is the same file.
        """
        ...

    def info(self, path: str) -> FileInfo | None:
        """What stands there, links inside followed; None when nothing does."""
        ...

    def read(self, path: str, *, limit_bytes: int | None = None, offset: int = 0) -> bytes:
        """Bytes of a regular file. Never blocks on a pipe, device or socket."""
        ...

    def entries(self, path: str) -> list[Entry]:
        """The names in a folder, sorted."""
        ...


class Workspace(FileView, Protocol):
    """The one folder a session may touch: reading, and carrying out changes."""

    @property
    def root(self) -> str:
        """The real path, for showing and for a command's working folder."""
        ...

    def identity(self) -> tuple[int, int]:
        """Device and inode of the held folder."""
        ...

    def check_root(self) -> None:
        """Raises ToolError(ROOT_CHANGED) when the folder is gone or another one stands at its path."""
        ...

    def apply(self, change: Change) -> None:
        """Carry out one change if the path still has `change.before`; atomic and synced.

        Raises ToolError(STALE) when the file moved on, HARDLINK, NO_PERMISSION, DISK_FULL, EXISTS...;
        then nothing was changed.
        """
        ...

    def clean_strays(self, path: str) -> int:
        """Remove temporary files that writers who died left in a folder; how many. Raises ToolError."""
        ...

    def close(self) -> None:
        """Let the folder go."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A file's content as text.

    `encoding` is a Python codec name; encoding `text` again gives the same bytes (a BOM aside).
    """

    text: str
    encoding: str
    bom: bytes = b""


class TextFiles(Protocol):
    """Bytes to text without loss."""

    def decode(self, data: bytes) -> Text | None:
        """The text, or None when the bytes are no text in a known encoding that gives them back exactly."""
        ...


class PreImages(Protocol):
    """The bytes that writes replaced, by digest."""

    def keep(self, data: bytes) -> Digest:
        """Keep bytes durably and return their digest. Raises StorageError."""
        ...

    def get(self, digest: Digest) -> bytes:
        """Kept bytes. Raises StorageError when they are gone or torn."""
        ...


# --- tools -----------------------------------------------------------------


class Tool(Protocol):
    """One tool. What it can reach was handed to its constructor."""

    @property
    def spec(self) -> ToolSpec:
        """The declaration."""
        ...

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """What the call would do. Writes nothing. Raises ToolError. Runs in a thread."""
        ...

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """Do it. Raises ToolError, or CancelledError after everything it started has ended."""
        ...


class Registry(Protocol):
    """The tools of one mode."""

    def specs(self) -> tuple[ToolSpec, ...]:
        """The declarations in a fixed order."""
        ...

    def get(self, name: str) -> Tool | None:
        """The tool of that name, if this mode has it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """How a command ended. `output` is head and tail of both streams as they came, cut at the cap.

    `exit_code` is None when it was killed; `dropped_bytes` counts what was left out;
    `killed_leftovers` counts processes that it left behind and that were ended.
    """

    exit_code: int | None
    output: bytes
    dropped_bytes: int = 0
    timed_out: bool = False
    killed_leftovers: int = 0


class Processes(Protocol):
    """Running commands in the workspace."""

    async def run(
        self,
        command: str,
        *,
        folder: str,
        timeout_s: float,
        max_output_bytes: int,
        on_output: Callable[[bytes, int | None, bool], None] | None = None,
    ) -> CommandResult:
        """Run `sh -c command` with null stdin, no terminal and a minimal environment; end all it started.

        `on_output` is told, now and then and at the end, the newest output, the exit code as far as it is
        known, and whether the command has ended; from another thread. It must not raise.
        Cancelling ends the whole tree before CancelledError leaves. Raises ToolError.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Spooled:
    """The end of what a command printed, without secrets, and how it ended as far as that is known."""

    tail: str = ""
    exit_code: int | None = None
    has_ended: bool = False


class Spool(Protocol):
    """What running commands printed, kept against a crash until their result is on record.

    Blocking but short; raises nothing, because it holds evidence and nothing else.
    """

    def keep(self, session: SessionId, call: CallId, output: Spooled) -> None:
        """Keep how far a command came, instead of what was kept of it before."""
        ...

    def get(self, session: SessionId, call: CallId) -> Spooled | None:
        """What was kept of a command, None when nothing was."""
        ...

    def clear(self, session: SessionId, *, but: Collection[CallId] = ()) -> None:
        """Forget the commands of a session, except these."""
        ...


class Worker(Protocol):
    """One helper process for what is slow or reads untrusted bytes."""

    async def call(self, job: str, arguments: Mapping[str, Any], *, timeout_s: float) -> Any:
        """Run a named job; JSON in and out. Raises ToolError (TIMED_OUT, FAULT, or the job's own code)."""
        ...

    async def close(self) -> None:
        """End the process."""
        ...


class Redaction(Protocol):
    """Takes known secret values out of text before it is kept."""

    def redact(self, text: str) -> str:
        """The text with each known value replaced by a stable placeholder `[secret-n]`."""
        ...

    def learn(self, values: Mapping[str, str]) -> None:
        """Know more secret values, by a name that says where they came from."""
        ...


class Secrets(Protocol):
    """API keys, one per origin. Blocking: call in a thread."""

    def get(self, origin: str) -> str | None:
        """The key of an origin, from the session's memory, else from the keychain."""
        ...

    def put(self, origin: str, key: str) -> bool:
        """Keep a key; False when only for this session, because the keychain can't."""
        ...

    def hold(self, origin: str, key: str) -> None:
        """Use a key while this process lives; it is kept nowhere."""
        ...

    def remove(self, origin: str) -> None:
        """Forget a key everywhere."""
        ...

    def state(self) -> str:
        """`ready`, `none`, `locked` or `slow`."""
        ...


class Settings(Protocol):
    """Named values in one JSON file of the data folder; nothing secret."""

    @property
    def problem(self) -> str:
        """A sentence about a file that could not be read, empty when it could."""
        ...

    def get(self, name: str) -> Any:
        """A value, None when it was never set."""
        ...

    def put(self, name: str, value: Any) -> None:
        """Keep a value (None forgets it); atomic. Blocking but short. Raises StorageError."""
        ...


class Watcher(Protocol):
    """Tells of changes in the folder. A hint: freshness is decided by content hashes at write time."""

    def start(self, root: str, changed: Callable[[frozenset[str]], None], gone: Callable[[], None]) -> None:
        """Watch a folder.

        `changed` gets coalesced relative paths, `gone` is called once when the folder is gone. Both are
        called from another thread.
        """
        ...

    def expect(self, path: str, digest: Digest | None) -> None:
        """The next change of that path to that content is our own."""
        ...

    def stop(self) -> None:
        """Stop watching. Safe to call twice."""
        ...


class Clock(Protocol):
    """Time, so that tests can own it."""

    def now_ms(self) -> int:
        """Wall-clock time in milliseconds, for records."""
        ...

    def monotonic_s(self) -> float:
        """Time for waits and durations."""
        ...
