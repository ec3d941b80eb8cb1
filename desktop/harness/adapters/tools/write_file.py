"""The tool that writes a whole file: a new one with its folders, or the text of an old one.

An existing file keeps its encoding, mark, mode and line ends. A new file whose name
only looks like one that is there is refused: nobody means two of them.
"""

import unicodedata

from desktop.harness.adapters.tools.changes import carry_out
from desktop.harness.adapters.tools.edits import rewritten
from desktop.harness.adapters.tools.proposals import Content, edited, refuse_placeholders
from desktop.harness.adapters.tools.targets import (
    MAX_KEPT_BYTES,
    Target,
    argument,
    read_for_change,
    refuse_read_only,
    target,
    whole_text,
)
from desktop.harness.adapters.tools.textfile import StrictText
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import digest_of
from desktop.harness.core.names import shown
from desktop.harness.core.toolspec import (
    Change,
    ChangeKind,
    Preview,
    SideEffect,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from desktop.harness.ports import FileKind, FileView, PreImages, Workspace


class WriteFile:
    """Write a whole text file."""

    spec = ToolSpec(
        name="write_file",
        description="Write a whole text file; makes its folders. Read an existing file first.",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
            "additionalProperties": False,
        },
        side_effect=SideEffect.WORKSPACE,
    )

    def __init__(self, workspace: Workspace, *, preimages: PreImages, texts: StrictText) -> None:
        self._workspace = workspace
        self._preimages = preimages
        self._texts = texts

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """The file before and after. Raises ToolError (NO_CHANGE, EXISTS, ENCODING, ...)."""
        content = whole_text(call, "content")
        found = target(view, argument(call, "path"))
        info = view.info(found.path)
        if info is None:
            change = self._created(view, found, content)
        elif info.kind is FileKind.FOLDER:
            raise ToolError(Refusal.NOT_REGULAR, f"{shown(found.asked)} is a folder; name a file in it.")
        else:
            change = self._rewritten(view, found, content)
        verb = "Create" if change.kind is ChangeKind.CREATE else "Change"
        return Preview(
            title=f"{verb} {found.name}", changes=(change,), targets=(found.path,), hidden=found.hidden
        )

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """Write the file if it still is as previewed."""
        [change] = preview.changes
        verb = "Created" if change.kind is ChangeKind.CREATE else "Changed"
        return await carry_out(self._workspace, self._preimages, preview, f"{verb} {shown(change.path)}.")

    def _rewritten(self, view: FileView, found: Target, text: str) -> Change:
        refuse_read_only(view, found)
        content = Content.of(self._texts, read_for_change(view, found), found)
        if content.encoding.bom:
            text = text.removeprefix("\ufeff")
        refuse_placeholders(text, content.utf8)
        return edited(content, rewritten(content.utf8, text), found)

    def _created(self, view: FileView, found: Target, text: str) -> Change:
        _refuse_twins(view, found)
        refuse_placeholders(text, b"")
        data = text.encode()
        if len(data) > MAX_KEPT_BYTES:
            raise ToolError(Refusal.TOO_BIG, "content is too long; write in parts.")
        return Change(
            kind=ChangeKind.CREATE,
            path=found.path,
            after=digest_of(data),
            reason=found.reason,
            after_bytes=data,
        )


def _refuse_twins(view: FileView, found: Target) -> None:
    """Raises ToolError(EXISTS) when a name in the folder differs only in how its letters are composed."""
    folder, _, name = found.path.rpartition("/")
    if name.isascii() or found.asked.endswith("/") or view.info(folder or ".") is None:
        return
    wanted = unicodedata.normalize("NFC", name)
    for entry in view.entries(folder or "."):
        other = entry.path.rpartition("/")[2]
        if unicodedata.normalize("NFC", other) == wanted:
            raise ToolError(
                Refusal.EXISTS,
                f"{shown(found.asked)} looks the same as a name that is there ({len(other)} characters, "
                f"not {len(name)}); use the name as list_files shows it.",
            )
