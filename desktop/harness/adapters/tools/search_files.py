"""The tool that looks for a regular expression in the files of the folder.

The searching is done by the helper process, because a pattern can be slow for ever
and files can hold anything. Here the places are checked, secrets hidden and lines
laid out: `path:line: text`, in the order of names, so that the same question has
the same answer.
"""

from collections.abc import Callable, Mapping
from typing import Any

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.plaintext import clean_text
from desktop.harness.core.toolspec import Outcome, Preview, ToolCall, ToolResult, ToolSpec
from desktop.harness.core.visible import for_name
from desktop.harness.ports import FileView, Redaction, Worker

TIMEOUT_S = 4.5
"""A pattern that never ends is a plain error within five seconds."""
_BUDGET_S = 3.5
_MAX_MATCHES = 200
_SUMMARY_ROOM_BYTES = 1_000

IgnoreRules = Callable[[], Mapping[str, Any]]


class SearchFiles:
    """Find lines that match, in all text files or beneath one path.

    `root` and `identity` (device, inode) name the folder that the helper process opens by itself.
    `ignored` gives the ignore rules as data.
    """

    spec = ToolSpec(
        name="search_files",
        description="Find lines matching a Python regular expression in the folder's text files.",
        parameters={
            "type": "object",
            "properties": {"pattern": {"type": "string"}, "path": {"type": "string"}},
            "required": ["pattern"],
            "additionalProperties": False,
        },
        timeout_s=TIMEOUT_S,
    )

    def __init__(
        self,
        worker: Worker,
        *,
        root: str,
        identity: tuple[int, int],
        redaction: Redaction,
        ignored: IgnoreRules = dict,
    ) -> None:
        self._worker = worker
        self._root = root
        self._identity = identity
        self._redaction = redaction
        self._ignored = ignored

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """Where would be searched. Raises ToolError (OUTSIDE, NOT_FOUND, BAD_NAME...)."""
        asked = (call.arguments or {}).get("path") or "."
        path = view.resolve(asked)
        if view.info(path) is None:
            raise ToolError(Refusal.NOT_FOUND, f"search_files: there is nothing at {for_name(asked)}.")
        return Preview(title="Search files", targets=(path,))

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """Search. Raises ToolError (BAD_PATTERN, TIMED_OUT, NOT_FOUND, ROOT_CHANGED, FAULT)."""
        device, inode = self._identity
        arguments = {
            "root": self._root,
            "device": device,
            "inode": inode,
            "path": preview.targets[0],
            "pattern": (call.arguments or {})["pattern"],
            "ignored": self._ignored(),
            "max_matches": _MAX_MATCHES,
            "budget_s": _BUDGET_S,
        }
        try:
            found = await self._worker.call("search", arguments, timeout_s=TIMEOUT_S)
        except ToolError as error:
            raise _explained(error) from error
        lines = self._lines(found["matches"])
        is_cut = len(lines) < found["total"] or not found["complete"]
        return ToolResult(
            status=Outcome.OK, text="\n".join([_summary(found, len(lines)), *lines]), truncated=is_cut
        )

    def _lines(self, matches: list[dict[str, Any]]) -> list[str]:
        """As many matches as the result has room for."""
        room = self.spec.max_output_bytes - _SUMMARY_ROOM_BYTES
        lines: list[str] = []
        for match in matches:
            line = f"{self._name(match['path'])}:{match['line']}: {self._piece(match)}"
            room -= len(line.encode()) + 1
            if room < 0:
                break
            lines.append(line)
        return lines

    def _name(self, path: str) -> str:
        readable = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return for_name(self._redaction.redact(readable))

    def _piece(self, match: Mapping[str, Any]) -> str:
        """The part of the line to show: cleaned and redacted before it is cut, so no secret is cut in two."""
        text = self._redaction.redact(clean_text(match["text"]))
        shown = text[match["left"] : len(text) - match["right"]]
        return f"{'…' if match['before'] else ''}{shown}{'…' if match['after'] else ''}"


def _explained(error: ToolError) -> ToolError:
    if error.code is Refusal.TIMED_OUT:
        return ToolError(
            error.code,
            f"search_files: the pattern was stopped after {TIMEOUT_S:g} s. "
            "Use a simpler one, without repeats inside repeats, or a narrower path.",
        )
    return ToolError(error.code, f"search_files: {error}")


def _summary(found: Mapping[str, Any], shown: int) -> str:
    total, files = found["total"], found["files"]
    if not total:
        text = f"No match in {_count(files, 'file')}."
    else:
        text = f"{_count(total, 'match', 'matches')} in {found['matching_files']} of {_count(files, 'file')}."
    if shown < total:
        text += f" The first {shown} are shown."
    if not found["complete"]:
        text += f" Stopped after {_BUDGET_S:g} s, so not every file was searched; give a narrower path."
    if skipped := ", ".join(f"{number} {reason}" for reason, number in sorted(found["skipped"].items())):
        text += f" Not searched: {skipped}."
    return text


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
