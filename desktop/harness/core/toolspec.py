"""What a tool declares, what a call asks, what a preview shows and a result holds.

A tool that changes files is a pure proposal: arguments and a view of the files
in, `Change`s out. Carrying changes out is one mechanism for all tools (and for
undo), so no tool holds code that writes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop.harness.core.ids import ArtifactId, CallId, Digest, SessionId

NO_SESSION = SessionId("")


class SideEffect(StrEnum):
    """What a tool can change: nothing, files of the workspace, or whatever a process can."""

    NONE = "none"
    WORKSPACE = "workspace"
    PROCESS = "process"


class Outcome(StrEnum):
    """How a call ended; the strings are part of the outside contract."""

    OK = "ok"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """The declaration of one tool.

    `parameters` is a JSON Schema of one flat object (see `schema`). `allowed` says
    that no rule is needed inside the folder. `max_output_bytes` caps the text
    that reaches the model; the rest becomes an artifact.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    side_effect: SideEffect = SideEffect.NONE
    timeout_s: float = 30.0
    max_output_bytes: int = 48_000

    @property
    def is_effect(self) -> bool:
        """Whether a call may change something, and so needs an approval and a receipt."""
        return self.side_effect is not SideEffect.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call in a reply: our id, the tool, the arguments as the model wrote them, and as understood.

    `raw` is what the server sent (kept as evidence, may be no JSON at all).
    `arguments` is the coerced object, or None when `problem` says why there is none.
    `session` is the one it belongs to, for what is kept beside the log while it runs.
    """

    call_id: CallId
    tool: str
    raw: str
    arguments: Mapping[str, Any] | None = None
    problem: str = ""
    session: SessionId = NO_SESSION


class ChangeKind(StrEnum):
    """What happens to one path."""

    CREATE = "create"
    EDIT = "edit"
    MOVE = "move"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One path, before and after.

    `path` is relative to the folder, resolved, with `/`. `before` and `after` are
    digests of the whole content (None: does not exist; for an empty folder that is
    deleted both are None and `is_folder` is true). `before_bytes`/`after_bytes` are
    the contents themselves; they are covered by the digests and never put in the log.
    `mode` is the permission bits that a created file gets (None: the default).
    `reason` says in a sentence why the path is protected, empty if it is not.
    """

    kind: ChangeKind
    path: str
    destination: str | None = None
    before: Digest | None = None
    after: Digest | None = None
    is_folder: bool = False
    mode: int | None = None
    reason: str = ""
    before_bytes: bytes | None = field(default=None, repr=False, compare=False)
    after_bytes: bytes | None = field(default=None, repr=False, compare=False)

    def as_record(self) -> dict[str, Any]:
        """What the log, the payload hash and the receipt hold of this change."""
        record: dict[str, Any] = {"kind": str(self.kind), "path": self.path}
        for name in ("destination", "before", "after", "mode"):
            if (value := getattr(self, name)) is not None:
                record[name] = value
        if self.is_folder:
            record["is_folder"] = True
        if self.reason:
            record["reason"] = self.reason
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a call would do, without having done it.

    `targets` are the resolved paths that rules are matched against; for a command
    it is empty and `command` is the exact text. `hidden` counts characters that a
    person cannot see in the path or command.
    """

    title: str
    changes: tuple[Change, ...] = ()
    command: str | None = None
    targets: tuple[str, ...] = ()
    hidden: int = 0
    note: str = ""

    @property
    def reason(self) -> str:
        """Why this always asks, empty if a rule may answer."""
        return next((change.reason for change in self.changes if change.reason), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came of one call.

    `text` is what the model reads. `error` is a `Refusal` code, empty if ok. `receipt` is the evidence
    of an effect (for files: the changes as records). `artifact` names the whole
    output when `text` was cut.
    """

    status: Outcome
    text: str
    error: str = ""
    receipt: Mapping[str, Any] | None = None
    artifact: ArtifactId | None = None
    truncated: bool = False
