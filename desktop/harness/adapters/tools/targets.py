"""What a call is aimed at: the path as asked, where it ends, and what stands in the way of a rule.

Shared by all file tools, so that a path is resolved, counted for hidden characters and
judged for protected names in one way.
"""

import hashlib
from dataclasses import dataclass

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import Digest
from desktop.harness.core.names import shown
from desktop.harness.core.protected import protected_reason
from desktop.harness.core.toolspec import ToolCall
from desktop.harness.core.visible import for_name, hidden_count_in_name
from desktop.harness.ports import FileKind, FileView

MAX_KEPT_BYTES = 200_000_000
"""The largest content that a change may replace: it has to be kept for undo, and to be shown."""
_CHUNK_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A path. `path` is resolved; `reason` says why it is protected, `hidden` counts unseen characters."""

    asked: str
    path: str
    hidden: int
    reason: str

    @property
    def name(self) -> str:
        """The resolved path, for showing."""
        return for_name(self.path)


def argument(call: ToolCall, name: str, default: str = "") -> str:
    """A text argument of a checked call."""
    return str((call.arguments or {}).get(name, default))


def whole_text(call: ToolCall, name: str) -> str:
    """A text argument that can be written. Raises ToolError(ENCODING) for half characters."""
    text = argument(call, name)
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ToolError(Refusal.ENCODING, f"{name} holds half a character, which no file can hold.")
    return text


def target(view: FileView, asked: str) -> Target:
    """Where a path ends. Raises ToolError."""
    path = view.resolve(asked)
    return Target(
        asked=asked,
        path=path,
        hidden=max(hidden_count_in_name(asked), hidden_count_in_name(path)),
        reason=protected_reason(path) or protected_reason(asked),
    )


def named_itself(view: FileView, asked: str) -> Target:
    """As `target`, for what acts on a name: the root and links are refused.

    Raises ToolError: ROOT; NOT_REGULAR when the last name is a link, because its end is meant by no one.
    """
    found = target(view, asked)
    if found.path == ".":
        raise ToolError(Refusal.ROOT, f"{shown(asked)} is the opened folder itself, which no tool changes.")
    parent, _, name = asked.rstrip("/").rpartition("/")
    if name in ("", ".", ".."):
        return found
    folder = view.resolve(parent or ("/" if asked.startswith("/") else "."))
    if found.path != (name if folder == "." else f"{folder}/{name}"):
        raise ToolError(
            Refusal.NOT_REGULAR, f"{shown(asked)} is a link to {found.name}; name the file itself."
        )
    return found


def refuse_read_only(view: FileView, found: Target) -> None:
    """Raises ToolError(NO_PERMISSION) for a file that nobody may write: its owner marked it so on purpose."""
    info = view.info(found.path)
    if info is not None and info.kind is FileKind.FILE and not info.mode & 0o222:
        raise ToolError(
            Refusal.NO_PERMISSION,
            f"{shown(found.asked)} is marked read-only, so it is left alone; ask the person.",
        )


def read_for_change(view: FileView, found: Target) -> bytes:
    """The whole content of a file that is to be changed. Raises ToolError(TOO_BIG) above 200 MB."""
    info = view.info(found.path)
    if info is not None and info.kind is FileKind.FILE and info.size_bytes > MAX_KEPT_BYTES:
        raise ToolError(
            Refusal.TOO_BIG,
            f"{shown(found.asked)} has {info.size_bytes:,} bytes, too many to be kept for undo.",
        )
    return view.read(found.path)


def digest_at(view: FileView, path: str) -> Digest | None:
    """The digest of a file of any size, None when nothing is there. Raises ToolError."""
    if view.info(path) is None:
        return None
    found = hashlib.sha256()
    offset = 0
    while chunk := view.read(path, limit_bytes=_CHUNK_BYTES, offset=offset):
        found.update(chunk)
        offset += len(chunk)
    return Digest(found.hexdigest())
