"""The tool that reads a text file, or a part of it, or a kept long output.

Up to 16 MB are read at once and decoded strictly. A larger file is gone through in
pieces: only the wanted lines are held, and lines are counted (and the content's digest
taken) up to 64 MB. Known secret values are taken out before anything leaves.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from desktop.harness.adapters.tools.excerpt import (
    MAX_BYTES,
    MAX_LINES,
    beyond,
    excerpt,
    from_line,
    line_count,
    report,
)
from desktop.harness.adapters.tools.targets import argument, target
from desktop.harness.adapters.tools.textfile import Encoding, StrictText
from desktop.harness.adapters.tools.threads import in_thread
from desktop.harness.core.errors import Refusal, StorageError, ToolError
from desktop.harness.core.ids import ArtifactId, digest_of
from desktop.harness.core.names import shown
from desktop.harness.core.plaintext import plain
from desktop.harness.core.toolspec import Outcome, Preview, ToolCall, ToolResult, ToolSpec
from desktop.harness.ports import FileView, Redaction, Workspace

WHOLE_BYTES = 16_000_000
COUNTED_BYTES = 64_000_000
_CHUNK_BYTES = 4 << 20
_ARTIFACT = re.compile(r"artifact:([0-9a-zA-Z_-]+)\Z")
_KINDS = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
)

Artifact = Callable[[ArtifactId], Awaitable[bytes]]


class ReadFile:
    """Read lines of a text file."""

    spec = ToolSpec(
        name="read_file",
        description="Read a text file, or artifact:ID. The text stands after the line ---.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "offset": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
                "limit": {"type": "integer", "minimum": 1, "description": "lines"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    )

    def __init__(
        self, workspace: Workspace, *, texts: StrictText, redaction: Redaction, artifact: Artifact
    ) -> None:
        self._workspace = workspace
        self._texts = texts
        self._redaction = redaction
        self._artifact = artifact

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """The resolved path. Raises ToolError."""
        asked = argument(call, "path")
        if _ARTIFACT.match(asked):
            return Preview(title=f"Read {asked}")
        found = target(view, asked)
        return Preview(title=f"Read {found.name}", targets=(found.path,), hidden=found.hidden)

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """The lines. Raises ToolError (NOT_FOUND, NOT_REGULAR, ENCODING, BAD_ARGUMENTS, ...)."""
        asked = argument(call, "path")
        wanted = _Wanted.of(call)
        if kept := _ARTIFACT.match(asked):
            return await self._kept(asked, ArtifactId(kept[1]), wanted)
        return await in_thread(lambda: self._read(asked, preview.targets[0], wanted))

    async def _kept(self, asked: str, artifact: ArtifactId, wanted: "_Wanted") -> ToolResult:
        try:
            data = await self._artifact(artifact)
        except StorageError as error:
            raise ToolError(Refusal.NOT_FOUND, f"There is no output kept as {asked}.") from error
        return self._answer(asked, plain(data).text, len(data), wanted)

    def _read(self, asked: str, path: str, wanted: "_Wanted") -> ToolResult:
        data = self._workspace.read(path, limit_bytes=WHOLE_BYTES + 1)
        if len(data) > WHOLE_BYTES:
            return self._read_large(asked, path, data[:_CHUNK_BYTES], wanted)
        encoding = self._texts.encoding(data)
        if encoding is None:
            raise _no_text(asked, data, len(data))
        text = encoding.decode(data)
        receipt = {"read": {"path": path, "digest": digest_of(data)}}
        return self._answer(asked, text, len(data), wanted, _remarks(text, encoding), receipt)

    def _answer(
        self,
        asked: str,
        text: str,
        size_bytes: int,
        wanted: "_Wanted",
        remarks: tuple[str, ...] = (),
        receipt: dict[str, Any] | None = None,
    ) -> ToolResult:
        text = self._redaction.redact(text)
        part = excerpt(from_line(text, wanted.first), wanted.first, wanted.limit)
        total = line_count(text)
        answer = report(shown(asked), part, total=total, size_bytes=size_bytes, remarks=remarks)
        is_cut = part.first + part.count - 1 < total
        return ToolResult(status=Outcome.OK, text=answer, receipt=receipt, truncated=is_cut)

    def _read_large(self, asked: str, path: str, head: bytes, wanted: "_Wanted") -> ToolResult:
        if b"\0" in head:
            raise _no_text(asked, head, None)
        info = self._workspace.info(path)
        window = _Window(first=wanted.first, limit=wanted.limit)
        counts = info is not None and info.size_bytes <= COUNTED_BYTES
        offset = 0
        while chunk := self._workspace.read(path, limit_bytes=_CHUNK_BYTES, offset=offset):
            offset += len(chunk)
            window.feed(chunk)
            if window.is_full and not counts:
                break
        else:
            counts = True
        if counts and wanted.first > window.total:
            raise beyond(wanted.first, window.total)
        part = excerpt(self._redaction.redact(window.text), wanted.first, wanted.limit)
        total = window.total if counts else None
        size = max(offset, info.size_bytes if info is not None else 0)
        answer = report(shown(asked), part, total=total, size_bytes=size, remarks=())
        receipt = {"read": {"path": path, "digest": window.digest}} if counts else None
        return ToolResult(status=Outcome.OK, text=answer, receipt=receipt, truncated=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    first: int
    limit: int

    @classmethod
    def of(cls, call: ToolCall) -> "_Wanted":
        arguments = call.arguments or {}
        limit = int(arguments.get("limit") or MAX_LINES)
        return cls(first=int(arguments.get("offset") or 1), limit=min(limit, MAX_LINES))


@dataclass(slots=True, kw_only=True)
class _Window:
    """The wanted lines of a large file that goes by in pieces; holds little more than is shown."""

    first: int
    limit: int
    _lines_before: int = 0
    _ends: int = 0
    _last: bytes = b""
    _held: bytearray = field(default_factory=bytearray)
    _hash: Any = field(default_factory=hashlib.sha256)

    def feed(self, chunk: bytes) -> None:
        """Take in the next piece."""
        self._hash.update(chunk)
        start = self._start_in(chunk)
        if start is not None and not self.is_full:
            self._held += chunk[start : start + 2 * MAX_BYTES]
        self._ends += chunk.count(b"\n")
        self._last = chunk[-1:]

    def _start_in(self, chunk: bytes) -> int | None:
        """Where the wanted lines begin or go on in this piece."""
        skipped = self.first - 1 - self._ends
        if skipped <= 0:
            return 0
        if chunk.count(b"\n") < skipped:
            return None
        at = 0
        for _ in range(skipped):
            at = chunk.index(b"\n", at) + 1
        return at

    @property
    def is_full(self) -> bool:
        """Whether more would not be shown anyway."""
        return len(self._held) > MAX_BYTES or self._held.count(b"\n") >= self.limit

    @property
    def total(self) -> int:
        """The lines that went by."""
        return self._ends + (self._last not in (b"", b"\n"))

    @property
    def digest(self) -> str:
        """The digest of what went by."""
        return str(self._hash.hexdigest())

    @property
    def text(self) -> str:
        """The wanted lines; what is no UTF-8 is read as Western European."""
        data = bytes(self._held)
        for length in range(len(data), max(len(data) - 4, -1), -1):
            try:
                return data[:length].decode()
            except UnicodeDecodeError:
                continue
        return data.decode("cp1252", "replace")


def _remarks(text: str, encoding: Encoding) -> tuple[str, ...]:
    remarks = []
    if encoding.name != "utf-8":
        remarks.append(f"{encoding.name} (guessed)" if encoding.is_guess else encoding.name)
    if encoding.bom:
        remarks.append("byte-order mark kept")
    if crlf := text.count("\r\n"):
        remarks.append("CR LF line ends" if crlf == text.count("\n") else "mixed line ends")
    if text and not text.endswith("\n"):
        remarks.append("no line end at the end")
    return tuple(remarks)


def _no_text(asked: str, data: bytes, size_bytes: int | None) -> ToolError:
    kind = next((kind for magic, kind in _KINDS if data.startswith(magic)), "binary data")
    size = "a large file" if size_bytes is None else f"{size_bytes:,} bytes"
    return ToolError(Refusal.ENCODING, f"{shown(asked)} is no text but {kind} ({size}).")
