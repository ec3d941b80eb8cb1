"""The tool that replaces one passage of a file.

The passage must be unique unless all are meant: guessing which one a model had in mind
is how files get ruined quietly. What it may differ in is written in `matching`.
"""

import re

from desktop.harness.adapters.tools.changes import carry_out
from desktop.harness.adapters.tools.edits import replaced
from desktop.harness.adapters.tools.matching import MAX_MATCHES, Match, find
from desktop.harness.adapters.tools.nearest import nearest_text
from desktop.harness.adapters.tools.proposals import Content, edited, refuse_placeholders
from desktop.harness.adapters.tools.targets import (
    argument,
    read_for_change,
    refuse_read_only,
    target,
    whole_text,
)
from desktop.harness.adapters.tools.textfile import StrictText
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import shown
from desktop.harness.core.toolspec import Preview, SideEffect, ToolCall, ToolResult, ToolSpec
from desktop.harness.ports import FileView, PreImages, Redaction, Workspace

_MAX_NAMED_LINES = 5


class EditFile:
    """Replace a passage that occurs exactly once, or everywhere with `all`."""

    spec = ToolSpec(
        name="edit_file",
        description="Replace old_text, which must occur exactly once (all: everywhere), in a text file.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "old_text": {"type": "string", "description": "copied from read_file"},
                "new_text": {"type": "string"},
                "all": {"type": "boolean"},
            },
            "required": ["path", "old_text", "new_text"],
            "additionalProperties": False,
        },
        side_effect=SideEffect.WORKSPACE,
    )

    def __init__(
        self, workspace: Workspace, *, preimages: PreImages, texts: StrictText, redaction: Redaction
    ) -> None:
        self._workspace = workspace
        self._preimages = preimages
        self._texts = texts
        self._redaction = redaction

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """The file before and after. Raises ToolError (NO_MATCH, MANY_MATCHES, NO_CHANGE, ENCODING, ...)."""
        old, new = whole_text(call, "old_text").removeprefix("\ufeff"), whole_text(call, "new_text")
        found = target(view, argument(call, "path"))
        refuse_read_only(view, found)
        content = Content.of(self._texts, read_for_change(view, found), found)
        if content.encoding.bom:
            new = new.removeprefix("\ufeff")
        if not old:
            raise ToolError(Refusal.BAD_ARGUMENTS, "old_text is empty; use write_file to write a whole file.")
        if old == new:
            raise ToolError(Refusal.NO_CHANGE, "old_text and new_text are the same, so nothing would change.")
        matches = self._matches(content, old, found.asked, is_all=bool((call.arguments or {}).get("all")))
        refuse_placeholders(new, content.utf8)
        change = edited(content, replaced(content.utf8, matches, old, new), found)
        return Preview(
            title=f"Change {found.name}", changes=(change,), targets=(found.path,), hidden=found.hidden
        )

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """Write the change if the file still is as previewed."""
        return await carry_out(
            self._workspace, self._preimages, preview, f"Changed {shown(preview.changes[0].path)}."
        )

    def _matches(self, content: Content, old: str, asked: str, *, is_all: bool) -> list[Match]:
        matches = find(content.utf8, old)
        if not matches:
            nearest = self._redaction.redact(nearest_text(content.utf8, old))
            hint = nearest or "Nothing in it is near; read the file again."
            raise ToolError(Refusal.NO_MATCH, f"old_text is not in {shown(asked)}. {hint}")
        if len(matches) > MAX_MATCHES:
            raise ToolError(
                Refusal.TOO_BIG,
                f"old_text occurs more than {MAX_MATCHES:,} times in {shown(asked)}; use a longer one.",
            )
        if len(matches) > 1 and not is_all:
            raise ToolError(
                Refusal.MANY_MATCHES,
                f"old_text occurs {len(matches)} times in {shown(asked)}, "
                f"at lines {_lines(content.utf8, matches)}; "
                "add text around it to make it unique, or set all.",
            )
        return matches


def _lines(data: bytes, matches: list[Match]) -> str:
    numbers = [data.count(b"\n", 0, match.start) + 1 for match in matches[:_MAX_NAMED_LINES]]
    more = "" if len(matches) <= _MAX_NAMED_LINES else ", ..."
    return re.sub(r", (\d+)$", r" and \1", ", ".join(map(str, numbers))) + more
