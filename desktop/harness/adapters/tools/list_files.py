"""The tool that lists a folder.

One line for each name, so a name must not make a line: what can't be seen in it is
shown as a box. Folders end in `/`, files have their size, links and other kinds say what
they are. Nothing is left out for what it is called; what is beyond the cap is counted.
"""

from collections import deque

from desktop.harness.adapters.tools.targets import argument, target
from desktop.harness.adapters.tools.threads import in_thread
from desktop.harness.core.errors import ToolError
from desktop.harness.core.names import shown
from desktop.harness.core.toolspec import Outcome, Preview, ToolCall, ToolResult, ToolSpec
from desktop.harness.core.visible import for_name, hidden_count_in_name
from desktop.harness.ports import Entry, FileKind, FileView, Workspace

MAX_ENTRIES = 1_000
_MAX_COUNTED = 10_000
_MAX_BYTES = 46_000


class ListFiles:
    """List a folder, and those in it down to a depth."""

    spec = ToolSpec(
        name="list_files",
        description="List a folder (default: the opened one). Folders end in /.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "depth": {"type": "integer", "minimum": 1, "description": "default 1"},
            },
            "additionalProperties": False,
        },
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """The resolved folder. Raises ToolError."""
        found = target(view, argument(call, "path", "."))
        return Preview(title=f"List {found.name}", targets=(found.path,), hidden=found.hidden)

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """The listing, shallow names first when there are too many. Raises ToolError."""
        depth = int((call.arguments or {}).get("depth") or 1)
        return await in_thread(lambda: self._listed(argument(call, "path", "."), preview.targets[0], depth))

    def _listed(self, asked: str, path: str, depth: int) -> ToolResult:
        taken, counted, is_all = self._entries(path, depth)
        lines, size = [], 0
        for entry in taken:
            line = _line(entry)
            size += len(line.encode()) + 1
            if size > _MAX_BYTES:
                break
            lines.append(line)
        left = counted - len(lines)
        head = f"{shown(asked or '.')}: {counted if is_all else f'more than {counted}'} names"
        answer = "\n".join([head, *sorted(lines), *_tail(taken, left, is_all)])
        return ToolResult(status=Outcome.OK, text=answer, truncated=left > 0)

    def _entries(self, path: str, depth: int) -> tuple[list[Entry], int, bool]:
        """Breadth first: what is shown, how many there are, and whether all were counted."""
        waiting = deque([(path, 1)])
        taken: list[Entry] = []
        counted = 0
        while waiting:
            folder, level = waiting.popleft()
            try:
                entries = self._workspace.entries(folder)
            except ToolError:
                if level == 1:
                    raise
                continue  # gone or closed meanwhile; its own line stands already
            counted += len(entries)
            taken += entries[: MAX_ENTRIES - len(taken)]
            if counted > _MAX_COUNTED:
                return taken, counted, not waiting
            if level < depth:
                waiting.extend(
                    (entry.path, level + 1)
                    for entry in entries
                    if entry.kind is FileKind.FOLDER and _is_text(entry)
                )
        return taken, counted, True


def _is_text(entry: Entry) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in entry.path)


def _line(entry: Entry) -> str:
    name = for_name(entry.path)
    if entry.kind is FileKind.FOLDER:
        return f"{name}/"
    if entry.kind is FileKind.FILE:
        return f"{name} ({entry.size_bytes:,} bytes)"
    return f"{name} ({'link' if entry.kind is FileKind.LINK else 'no ordinary file'})"


def _tail(taken: list[Entry], left: int, is_all: bool) -> list[str]:
    tail = []
    if left > 0:
        more = f"{left:,}" if is_all else f"more than {left:,}"
        tail.append(f"[{more} further names are not shown; list a folder of these alone.]")
    if hidden := sum(hidden_count_in_name(entry.path) > 0 for entry in taken):
        tail.append(f"[{hidden} names hold characters that can't be seen; they are shown as ⟦U+…⟧.]")
    return tail
