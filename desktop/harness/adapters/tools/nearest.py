"""What to say when a passage is not found: the nearest text, its line, and what differs.

Lines of the passage that occur in the file vote for a place; where none does, the line
most like the passage's longest one decides. Characters that look alike are named by
their Unicode names, because a model can't see the difference either.
"""

import unicodedata
from collections import Counter, defaultdict

from desktop.harness.core.visible import show_safe

_MAX_BYTES = 4_000_000
_MAX_SHOWN = 200
_LEAST_LIKENESS = 60


def nearest_text(data: bytes, passage: str) -> str:
    """A few lines about the text nearest to a passage that is not there; "" when nothing is near."""
    if len(data) > _MAX_BYTES:
        return ""
    lines = data.decode().replace("\r\n", "\n").split("\n")
    wanted = passage.replace("\r\n", "\n").split("\n")
    start = _by_votes(lines, wanted)
    if start is None:
        start = _by_likeness(lines, wanted)
    return "" if start is None else _difference(lines, wanted, start)


def _by_votes(lines: list[str], wanted: list[str]) -> int | None:
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if len(places[line.strip()]) < 50:
            places[line.strip()].append(number)
    votes = Counter(
        number - offset
        for offset, line in enumerate(wanted)
        if len(line.strip()) > 2
        for number in places.get(line.strip(), ())
    )
    return max(0, votes.most_common(1)[0][0]) if votes else None


def _by_likeness(lines: list[str], wanted: list[str]) -> int | None:
    from rapidfuzz import fuzz, process  # late: only for passages that are not found

    offset, longest = max(enumerate(wanted), key=lambda item: len(item[1].strip()))
    if not longest.strip():
        return None
    scorer = fuzz.ratio if len(wanted) > 1 else fuzz.partial_ratio
    usable = [line if line.strip() else "" for line in lines]
    found = process.extractOne(longest, usable, scorer=scorer, score_cutoff=_LEAST_LIKENESS)
    return None if found is None else max(0, int(found[2]) - offset)


def _difference(lines: list[str], wanted: list[str], start: int) -> str:
    for offset, line in enumerate(wanted):
        there = lines[start + offset] if start + offset < len(lines) else None
        if there == line or (offset in (0, len(wanted) - 1) and there is not None and line and line in there):
            continue
        number = start + offset + 1
        if there is None:
            return f"The nearest text begins at line {start + 1}, but the file ends at line {len(lines)}."
        return (
            f"The nearest text begins at line {start + 1}. Line {number} is\n{_short(there)}\n"
            f"where old_text has\n{_short(line)}{_named(there, line)}"
        )
    return f"The nearest text is at line {start + 1}."


def _short(line: str) -> str:
    shown = show_safe(line)
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"


def _named(there: str, line: str) -> str:
    """The first differing characters by name, where the eye would not see them."""
    for mine, theirs in zip(there, line, strict=False):
        if mine != theirs:
            if mine.isascii() and theirs.isascii() and mine.isprintable() and theirs.isprintable():
                return ""
            return f"\n(the file has {_name(mine)}, old_text has {_name(theirs)})"
    return ""


def _name(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"
