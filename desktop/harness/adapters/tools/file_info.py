"""The tool that tells what stands at a path without showing its content."""

import time

from desktop.harness.adapters.tools.targets import Target, argument, target
from desktop.harness.adapters.tools.threads import in_thread
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import shown
from desktop.harness.core.toolspec import Outcome, Preview, ToolCall, ToolResult, ToolSpec
from desktop.harness.ports import FileInfo, FileKind, FileView, Workspace


class ShowFileInfo:
    """Kind, size, time and rights of a file or folder."""

    spec = ToolSpec(
        name="file_info",
        description="Kind, size, time and rights of a file or folder.",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """The resolved path. Raises ToolError."""
        found = target(view, argument(call, "path"))
        return Preview(title=f"Look at {found.name}", targets=(found.path,), hidden=found.hidden)

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """One line of facts. Raises ToolError(NOT_FOUND)."""
        return await in_thread(lambda: self._told(target(self._workspace, argument(call, "path"))))

    def _told(self, found: Target) -> ToolResult:
        info = self._workspace.info(found.path)
        if info is None:
            raise ToolError(
                Refusal.NOT_FOUND,
                f"There is nothing at {shown(found.asked)}; list_files shows what is there.",
            )
        return ToolResult(status=Outcome.OK, text=f"{shown(found.asked)}: {', '.join(_facts(found, info))}")


def _facts(found: Target, info: FileInfo) -> list[str]:
    kinds = {FileKind.FILE: "file", FileKind.FOLDER: "folder"}
    facts = [kinds.get(info.kind, "no ordinary file")]
    if info.kind is FileKind.FILE:
        facts.append(f"{info.size_bytes:,} bytes")
    changed = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(info.modified_ms / 1000))
    facts += [f"changed {changed}", f"mode {info.mode:04o}"]
    if info.kind is FileKind.FILE and info.links > 1:
        facts.append(f"{info.links} names (hard links)")
    if found.asked.strip("./") != found.path.strip("./"):
        facts.append(f"stands at {found.name}")
    if found.reason:
        facts.append(f"each change asks: {found.reason}")
    return facts
