"""A part of a text as a model reads it: a head line, `---`, the text, and where to go on.

The text between is exact, with its tabs and line ends and without line numbers, so that
what is copied from it matches. Only control characters, which no request may carry, and
very long lines are shown otherwise, and the head line says so.
"""

import re
from dataclasses import dataclass

from desktop.harness.core.errors import Refusal, ToolError

MAX_LINES = 2_000
MAX_BYTES = 46_000
_MAX_LINE = 8_000
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Lines `first`.. of a text. `body` is exact; `remarks` say where it could not be."""

    first: int
    count: int
    body: str
    remarks: tuple[str, ...] = ()


def excerpt(text: str, first: int, limit: int) -> Excerpt:
    """As many whole lines of `text` as may be shown; its first line is number `first`."""
    parts: list[str] = []
    size, cut, at = 0, 0, 0
    while at < len(text) and len(parts) < limit:
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end]
        if len(line) > _MAX_LINE:
            cut += 1
            line = f"{line[:_MAX_LINE]}[… {len(line) - _MAX_LINE:,} more characters]\n"
        size += len(line.encode("utf-8", "replace"))
        if parts and size > MAX_BYTES:
            break
        parts.append(line)
        at = end
    return _finished(first, parts, cut)


def _finished(first: int, parts: list[str], cut: int) -> Excerpt:
    body = "".join(parts)
    shown = _CONTROL.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", body)
    remarks = [f"{cut} long lines cut"] if cut else []
    if shown != body:
        remarks.append("control characters shown as ⟦U+…⟧")
    return Excerpt(first=first, count=len(parts), body=shown, remarks=tuple(remarks))


def line_count(text: str) -> int:
    """How many lines a text has; a last line needs no line end."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def from_line(text: str, number: int) -> str:
    """The text from a line on. Raises ToolError(BAD_ARGUMENTS) when it has fewer lines."""
    at = 0
    for _ in range(number - 1):
        at = text.find("\n", at) + 1
        if not at or at == len(text):
            raise beyond(number, line_count(text))
    return text[at:]


def beyond(number: int, total: int) -> ToolError:
    """The refusal for a line after the last."""
    return ToolError(Refusal.BAD_ARGUMENTS, f"There is no line {number:,}: the file has {total:,} lines.")


def report(name: str, shown: Excerpt, *, total: int | None, size_bytes: int, remarks: tuple[str, ...]) -> str:
    """The whole answer. `total` is None when the lines of a very large file were not counted."""
    last = shown.first + shown.count - 1
    lines = f"lines {shown.first:,}-{last:,}" if shown.count else "no lines"
    of = f" of {total:,}" if total is not None else ""
    head = ", ".join([f"{name}: {lines}{of}", f"{size_bytes:,} bytes", *remarks, *shown.remarks])
    answer = f"{head}\n---\n{shown.body}"
    if total is not None and last >= total:
        return answer
    left = "more lines follow" if total is None else f"{total - last:,} more lines"
    gap = "" if answer.endswith("\n") else "\n"
    return f"{answer}{gap}---\n({left}; read on with offset {last + 1})"
