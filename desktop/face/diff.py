"""Two texts as blocks of equal and changed lines, and as words within a pair of lines.

Pure computing for the diff view: no Qt, no files, no folding (see `diff_rows`). A line
keeps its ending, so a change of CRLF to LF is a change of every line and is never hidden.
Lines are numbered by content first and compared by these numbers, so two different lines
can never pass for equal ones, whatever their hashes. Long texts are cut at lines that
occur once on both sides, which keeps time and memory near linear.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from rapidfuzz.distance import Indel

LONG_LINES = 2_000
"""From so many lines on, comparing belongs off the window's thread."""

_MAX_CELLS = 200_000_000
"""The largest product of line counts that is compared exactly: 25 MB of bits, some 40 ms."""
_MAX_PAIRED = 900
_MAX_TOKENS = 2_000
_ALIKE = 0.4
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A run of lines: `before[b0:b1]` stands against `after[a0:a1]`.

    A changed block has `pairs`: indices into both sides, in order, None where a line has no partner.
    """

    same: bool
    b0: int
    b1: int
    a0: int
    a1: int
    pairs: tuple[tuple[int | None, int | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Both texts as lines with their endings, and the blocks that cover each line exactly once."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def added(self) -> int:
        """How many lines are new or rewritten on the after side."""
        return sum(block.a1 - block.a0 for block in self.blocks if not block.same)

    @property
    def removed(self) -> int:
        """How many lines of the before side are gone or rewritten."""
        return sum(block.b1 - block.b0 for block in self.blocks if not block.same)

    @property
    def is_endings_only(self) -> bool:
        """Whether something changes, and it is nothing but line endings."""
        changed = [block for block in self.blocks if not block.same]
        return bool(changed) and all(
            body(self.before[b]) == body(self.after[a]) if b is not None and a is not None else False
            for block in changed
            for b, a in block.pairs
        )


def split_lines(text: str) -> tuple[str, ...]:
    """The lines with their endings; only CRLF, LF and CR end a line. Joined they are the text again."""
    return tuple(_LINE.findall(text))


def body(line: str) -> str:
    """A line without its ending."""
    return line.rstrip("\r\n")


def ending(line: str) -> str:
    """The ending of a line: CRLF, LF, CR or nothing."""
    return line[len(body(line)) :]


def compare(before: str | None, after: str | None) -> Comparison:
    """Compare two texts; None stands for a file that does not exist."""
    old, new = split_lines(before or ""), split_lines(after or "")
    numbers: dict[str, int] = {}
    old_ids = [numbers.setdefault(line, len(numbers)) for line in old]
    new_ids = [numbers.setdefault(line, len(numbers)) for line in new]
    equal = list(_merged(_matches(old_ids, new_ids, 0, 0)))
    return Comparison(before=old, after=new, blocks=tuple(_blocks(old, new, equal)))


# --- equal runs ------------------------------------------------------------

_Run = tuple[int, int, int]
"""(start before, start after, length) of equal lines."""


def _matches(old: Sequence[int], new: Sequence[int], b0: int, a0: int) -> Iterator[_Run]:
    """Equal runs in order. `b0` and `a0` are added to what is found."""
    head = _common(old, new)
    if head:
        yield b0, a0, head
    tail = _common(old[head:][::-1], new[head:][::-1])
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if inner_old and inner_new:
        yield from _inner(inner_old, inner_new, b0 + head, a0 + head)
    if tail:
        yield b0 + len(old) - tail, a0 + len(new) - tail, tail


def _common(old: Sequence[int], new: Sequence[int]) -> int:
    count = min(len(old), len(new))
    if old[:count] == new[:count]:
        return count
    return next(index for index in range(count) if old[index] != new[index])


def _inner(old: Sequence[int], new: Sequence[int], b0: int, a0: int) -> Iterator[_Run]:
    if len(old) + len(new) <= LONG_LINES:
        yield from _exact(old, new, b0, a0)
        return
    anchors = _anchors(old, new)
    if not anchors:
        if len(old) * len(new) <= _MAX_CELLS:
            yield from _exact(old, new, b0, a0)
        return
    last_b = last_a = 0
    for b, a in [*anchors, (len(old), len(new))]:
        if b > last_b and a > last_a:
            yield from _matches(old[last_b:b], new[last_a:a], b0 + last_b, a0 + last_a)
        if b < len(old):
            yield b0 + b, a0 + a, 1
        last_b, last_a = b + 1, a + 1


def _exact(old: Sequence[int], new: Sequence[int], b0: int, a0: int) -> Iterator[_Run]:
    for op in Indel.opcodes(old, new):
        if op.tag == "equal":
            yield b0 + op.src_start, a0 + op.dest_start, op.src_end - op.src_start


def _anchors(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    """Places of lines that occur once on each side, as the longest row that rises on both."""
    once_old, once_new = _once(old), _once(new)
    points = [(once_old[line], a) for line, a in once_new.items() if line in once_old]
    points.sort(key=lambda point: point[1])
    tops: list[int] = []
    tails: list[int] = []
    links: list[int] = []
    for index, (b, _) in enumerate(points):
        place = bisect_left(tops, b)
        links.append(tails[place - 1] if place else -1)
        if place == len(tops):
            tops.append(b)
            tails.append(index)
        else:
            tops[place] = b
            tails[place] = index
    chain: list[tuple[int, int]] = []
    at = tails[-1] if tails else -1
    while at >= 0:
        chain.append(points[at])
        at = links[at]
    return chain[::-1]


def _once(ids: Sequence[int]) -> dict[int, int]:
    places: dict[int, int] = {}
    for index, line in enumerate(ids):
        places[line] = -1 if line in places else index
    return {line: index for line, index in places.items() if index >= 0}


def _merged(runs: Iterator[_Run]) -> Iterator[_Run]:
    held: _Run | None = None
    for b, a, length in runs:
        if held is not None and held[0] + held[2] == b and held[1] + held[2] == a:
            held = (held[0], held[1], held[2] + length)
            continue
        if held is not None:
            yield held
        held = (b, a, length)
    if held is not None:
        yield held


# --- changed blocks and pairs of lines -------------------------------------


def _blocks(old: Sequence[str], new: Sequence[str], equal: list[_Run]) -> Iterator[Block]:
    b = a = 0
    for b0, a0, length in [*equal, (len(old), len(new), 0)]:
        if b0 > b or a0 > a:
            pairs = tuple(_pairs(old, new, range(b, b0), range(a, a0)))
            yield Block(same=False, b0=b, b1=b0, a0=a, a1=a0, pairs=pairs)
        if length:
            yield Block(same=True, b0=b0, b1=b0 + length, a0=a0, a1=a0 + length)
        b, a = b0 + length, a0 + length


def _pairs(
    old: Sequence[str], new: Sequence[str], olds: range, news: range
) -> Iterator[tuple[int | None, int | None]]:
    """Lines side by side: by likeness in a small block, else in order."""
    if len(olds) == len(news) and all(body(old[b]) == body(new[a]) for b, a in zip(olds, news, strict=True)):
        yield from zip(olds, news, strict=True)
        return
    if not olds or not news or len(olds) * len(news) > _MAX_PAIRED:
        yield from zip_longest(olds, news)
        return
    partners = _partners([old[b] for b in olds], [new[a] for a in news])
    b_at, a_at = olds.start, news.start
    for b, a in [*((olds.start + b, news.start + a) for b, a in partners), (olds.stop, news.stop)]:
        yield from zip_longest(range(b_at, b), range(a_at, a)) if not partners else _apart(b_at, b, a_at, a)
        if b < olds.stop:
            yield b, a
        b_at, a_at = b + 1, a + 1


def _apart(b0: int, b1: int, a0: int, a1: int) -> Iterator[tuple[int | None, int | None]]:
    yield from ((b, None) for b in range(b0, b1))
    yield from ((None, a) for a in range(a0, a1))


def _partners(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The pairs, rising on both sides, whose likeness adds up to most."""
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    like = [[Indel.normalized_similarity(b[:400], a[:400]) for a in new] for b in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            pair = like[i][j] + best[i + 1][j + 1] if like[i][j] >= _ALIKE else 0.0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if like[i][j] >= _ALIKE and best[i][j] == like[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


# --- words -----------------------------------------------------------------


@lru_cache(maxsize=4096)
def word_marks(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Which characters of a pair of lines (without endings) differ, by whole words.

    Empty on both sides when the lines have too little in common for marks to help.
    """
    old_words, new_words = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(old_words) > _MAX_TOKENS or len(new_words) > _MAX_TOKENS:
        return _between(old, new)
    numbers: dict[str, int] = {}
    old_ids = [numbers.setdefault(word, len(numbers)) for word in old_words]
    new_ids = [numbers.setdefault(word, len(numbers)) for word in new_words]
    ops = Indel.opcodes(old_ids, new_ids)
    old_at, new_at = _offsets(old_words), _offsets(new_words)
    shared = sum(old_at[op.src_end] - old_at[op.src_start] for op in ops if op.tag == "equal")
    if 2 * shared < _ALIKE * (len(old) + len(new)):
        return (), ()
    gone = [(old_at[op.src_start], old_at[op.src_end]) for op in ops if op.tag != "equal"]
    come = [(new_at[op.dest_start], new_at[op.dest_end]) for op in ops if op.tag != "equal"]
    return _joined(gone), _joined(come)


def _offsets(words: list[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for start, stop in spans:
        if start == stop:
            continue
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return tuple(joined)


def _between(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """One mark each: what lies between the common start and the common end."""
    count = min(len(old), len(new))
    head = next((index for index in range(count) if old[index] != new[index]), count)
    left = count - head
    tail = next((index for index in range(left) if old[-1 - index] != new[-1 - index]), left)
    return _joined([(head, len(old) - tail)]), _joined([(head, len(new) - tail)])
