"""Replacing passages of a text so that only the bytes that are meant change.

Pure, on UTF-8 bytes without a mark. Between the old and the new passage, lines that
stay keep the bytes they have, whatever their line end; where the passage was found
only as it reads, letters that read the same stay too. A new line takes the line end
of its surroundings. The new text is inserted letter for letter: nothing in it is a
template. A text that holds a CR itself is meant exactly, if its passage was found so.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from desktop.harness.adapters.tools.matching import Match, as_read, clusters

_MAX_COMPARED_LINES = 8_000
_MAX_MERGED_BYTES = 16_000_000
_NEAR_BYTES = 10_000
_LINE_END = re.compile(rb"\r\n|\n")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


def replaced(data: bytes, matches: Sequence[Match], old: str, new: str) -> bytes:
    """The bytes with each match of `old` replaced by `new`."""
    has_cr = "\r" in old or "\r" in new
    parts: list[bytes] = []
    end = 0
    for match in matches:
        text = new.removesuffix("\n") if match.lacks_end else new
        parts.append(data[end : match.start])
        if match.is_loose:
            text = text.replace("\r\n", "\n")
        parts.append(text.encode() if has_cr and not match.is_loose else _merged(data, match, text))
        end = match.end
    return b"".join([*parts, data[end:]])


def rewritten(data: bytes, new: str) -> bytes:
    """A whole text replaced by another; a text without CR takes the line ends that are there."""
    whole = Match(0, len(data))
    if "\r" in new:
        return new.encode()
    if len(data) > _MAX_MERGED_BYTES:
        return new.replace("\n", _line_end_at(data, whole)).encode()
    return _merged(data, whole, new)


def _merged(data: bytes, match: Match, new: str) -> bytes:
    old = data[match.start : match.end].decode()
    if not match.is_loose and "\n" not in old and "\n" not in new:
        return new.encode()
    line_end = _line_end_at(data, match) if "\n" in new else "\n"
    merge = _Merge(same=as_read if match.is_loose else _plain_end, line_end=line_end)
    return merge.lines(_LINE.findall(old), _LINE.findall(new)).encode()


def _plain_end(piece: str) -> str:
    return "\n" if piece == "\r\n" else piece


def _line_end_at(data: bytes, match: Match) -> str:
    """CR LF or LF: of the passage, else of a line shortly before it, else of the next, else LF."""
    if inner := _LINE_END.search(data, match.start, match.end):
        return inner[0].decode()
    before = data.rfind(b"\n", max(0, match.start - _NEAR_BYTES), match.start)
    if before >= 0:
        return "\r\n" if data[before - 1 : before] == b"\r" else "\n"
    after = _LINE_END.search(data, match.end, match.end + _NEAR_BYTES)
    return after[0].decode() if after else "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merge:
    """How one passage is laid over another. `same` gives what makes two pieces equal."""

    same: Callable[[str], str]
    line_end: str

    def lines(self, old: list[str], new: list[str]) -> str:
        """The new lines, those that stay with the bytes they had."""
        seen, wanted = [self._key(line) for line in old], [self._key(line) for line in new]
        head = _common(seen, wanted)
        tail = _common(seen[head:][::-1], wanted[head:][::-1])
        inner, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
        parts = old[:head]
        if inner and inner_new and len(inner) + len(inner_new) <= _MAX_COMPARED_LINES:
            parts += self._compared(inner, inner_new)
        else:
            parts.append(self._changed(inner, inner_new))
        return "".join([*parts, *old[len(old) - tail :]])

    def _key(self, text: str) -> str:
        return (
            text.replace("\r\n", "\n") if self.same is _plain_end else "".join(map(self.same, clusters(text)))
        )

    def _compared(self, old: list[str], new: list[str]) -> list[str]:
        from rapidfuzz.distance import LCSseq  # late: only for changes of several lines

        blocks = LCSseq.opcodes([self._key(line) for line in old], [self._key(line) for line in new])
        parts: list[str] = []
        at = new_at = 0
        for block in blocks:
            if block.tag == "equal":
                parts.append(self._changed(old[at : block.src_start], new[new_at : block.dest_start]))
                parts += old[block.src_start : block.src_end]
                at, new_at = block.src_end, block.dest_end
        return [*parts, self._changed(old[at:], new[new_at:])]

    def _changed(self, old: list[str], new: list[str]) -> str:
        if len(old) == len(new):
            return "".join(map(self._exchanged, old, new))
        return self._exchanged("".join(old), "".join(new))

    def _exchanged(self, old: str, new: str) -> str:
        """What both begin and end with is kept from the old, the rest is the new."""
        had, has = clusters(old), clusters(new)
        seen, wanted = list(map(self.same, had)), list(map(self.same, has))
        head = _common(seen, wanted)
        tail = _common(seen[head:][::-1], wanted[head:][::-1])
        middle = "".join(has[head : len(has) - tail]).replace("\n", self.line_end)
        return "".join([*had[:head], middle, *had[len(had) - tail :]])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two sequences begin with in common."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
