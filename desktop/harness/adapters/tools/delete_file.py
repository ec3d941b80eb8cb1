"""The tool that deletes a file or an empty folder, and only what can be put back."""

from desktop.harness.adapters.tools.changes import carry_out
from desktop.harness.adapters.tools.targets import Target, argument, named_itself, read_for_change
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


class DeleteFile:
    """Delete a file or an empty folder."""

    spec = ToolSpec(
        name="delete_file",
        description="Delete a file or an empty folder; it can be undone.",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": False,
        },
        side_effect=SideEffect.WORKSPACE,
    )

    def __init__(self, workspace: Workspace, *, preimages: PreImages) -> None:
        self._workspace = workspace
        self._preimages = preimages

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """What would be gone. Raises ToolError (NOT_FOUND, NOT_EMPTY, TOO_BIG, ROOT, ...)."""
        found = named_itself(view, argument(call, "path"))
        return Preview(
            title=f"Delete {found.name}",
            changes=(_deleted(view, found),),
            targets=(found.path,),
            hidden=found.hidden,
        )

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """Delete if it still is as previewed."""
        text = f"Deleted {shown(preview.changes[0].path)}."
        return await carry_out(self._workspace, self._preimages, preview, text)


def _deleted(view: FileView, found: Target) -> Change:
    info = view.info(found.path)
    if info is not None and info.kind is FileKind.FOLDER:
        if view.entries(found.path):
            raise ToolError(
                Refusal.NOT_EMPTY, f"{shown(found.asked)} is not empty; delete or move what is in it first."
            )
        return Change(kind=ChangeKind.DELETE, path=found.path, is_folder=True, reason=found.reason)
    data = read_for_change(view, found)
    return Change(
        kind=ChangeKind.DELETE,
        path=found.path,
        before=digest_of(data),
        mode=info.mode if info is not None else None,
        reason=found.reason,
        before_bytes=data,
    )
