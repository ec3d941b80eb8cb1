"""The tool that gives a file or folder another name, and never overwrites."""

from desktop.harness.adapters.tools.changes import carry_out
from desktop.harness.adapters.tools.targets import Target, argument, digest_at, named_itself
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import shown
from desktop.harness.core.protected import protected_reason
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

_MAX_JUDGED_NAMES = 2_000


class MoveFile:
    """Move or rename a file or folder."""

    spec = ToolSpec(
        name="move_file",
        description="Move or rename a file or folder. destination is the full new path and must be free.",
        parameters={
            "type": "object",
            "properties": {"source": {"type": "string"}, "destination": {"type": "string"}},
            "required": ["source", "destination"],
            "additionalProperties": False,
        },
        side_effect=SideEffect.WORKSPACE,
    )

    def __init__(self, workspace: Workspace, *, preimages: PreImages) -> None:
        self._workspace = workspace
        self._preimages = preimages

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """Both names. Raises ToolError (EXISTS, NOT_FOUND, ROOT, ...)."""
        source = named_itself(view, argument(call, "source"))
        destination = named_itself(view, argument(call, "destination"))
        change = _moved(view, source, destination)
        return Preview(
            title=f"Move {source.name} to {destination.name}",
            changes=(change,),
            targets=(source.path, destination.path),
            hidden=source.hidden + destination.hidden,
        )

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """Rename if the file still is as previewed and the new name still is free."""
        [change] = preview.changes
        text = f"Moved {shown(change.path)} to {shown(change.destination or '')}."
        return await carry_out(self._workspace, self._preimages, preview, text)


def _moved(view: FileView, source: Target, destination: Target) -> Change:
    info = view.info(source.path)
    if info is None:
        raise ToolError(
            Refusal.NOT_FOUND, f"There is nothing at {shown(source.asked)}; list_files shows what is there."
        )
    if info.kind not in (FileKind.FILE, FileKind.FOLDER):
        raise ToolError(
            Refusal.NOT_REGULAR, f"{shown(source.asked)} is no ordinary file, so it is not moved."
        )
    if source.path == destination.path:
        raise ToolError(Refusal.NO_CHANGE, f"{shown(source.asked)} has that name already.")
    if view.info(destination.path) is not None:
        raise ToolError(
            Refusal.EXISTS,
            f"{shown(destination.asked)} is there already and is not overwritten; use another name.",
        )
    is_folder = info.kind is FileKind.FOLDER
    if destination.asked.endswith("/") and not is_folder:
        raise ToolError(
            Refusal.NOT_A_FOLDER, f"{shown(destination.asked)} names a folder; name the new file."
        )
    if is_folder and destination.path.startswith(f"{source.path}/"):
        raise ToolError(Refusal.BAD_NAME, f"{shown(source.asked)} can't be moved into itself.")
    digest = None if is_folder else digest_at(view, source.path)
    return Change(
        kind=ChangeKind.MOVE,
        path=source.path,
        destination=destination.path,
        before=digest,
        after=digest,
        is_folder=is_folder,
        reason=source.reason
        or destination.reason
        or (_reason_within(view, source.path) if is_folder else ""),
    )


def _reason_within(view: FileView, folder: str) -> str:
    """Why something in a folder is protected; a folder with too many names to look at counts as protected."""
    folders, judged = [folder], 0
    while folders:
        for entry in view.entries(folders.pop()):
            judged += 1
            if reason := protected_reason(entry.path):
                return reason
            if entry.kind is FileKind.FOLDER:
                folders.append(entry.path)
        if judged > _MAX_JUDGED_NAMES:
            return "It holds too many files to look at each name."
    return ""
