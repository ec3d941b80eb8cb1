"""The rows of a diff view, without Qt and without pixels (see `diff_heights`).

A row is made only when it is asked for, from segments (runs of rows of one sort), so that a
file of 50,000 lines costs as much as its changes do. Unchanged lines fold away but for a few
around each change; folding hides nothing that differs.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from desktop.face.diff import Block, Comparison, body, compare
from desktop.face.shown import line_columns
from desktop.harness.api import FileDiff

CONTEXT = 3
_MANY = 2_000
MIN_COLUMNS = 20
"""No column gets narrower than this; the painter then draws smaller letters."""


class RowSort(Enum):
    """What a row is."""

    HEADING = "heading"
    NOTE = "note"
    FOLD = "fold"
    LINE = "line"


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `before`/`after` are indices of lines; with both, an unchanged line or a pair.

    `partner` is the line on the other side that word marks compare with (inline only). `key` names a
    fold, `count` its hidden lines.
    """

    sort: RowSort
    file: int
    before: int | None = None
    after: int | None = None
    changed: bool = False
    partner: int | None = None
    text: str = ""
    key: tuple[int, int] = (0, 0)
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFile:
    """One file of a change with its comparison, counted once.

    `wide_*` holds the columns of lines that may not fit, `notes` what has to be said in words, `language`
    what its code is coloured as.
    """

    file: FileDiff
    comparison: Comparison
    added: int
    removed: int
    notes: tuple[str, ...]
    wide_before: dict[int, int]
    wide_after: dict[int, int]
    language: str = ""

    @property
    def is_one_sided(self) -> bool:
        """Whether only one side exists, so that two columns would leave one empty."""
        return self.file.before is None or self.file.after is None


def compared(file: FileDiff, *, language: str = "") -> ComparedFile:
    """Compare one file. May take a while for long files: see `diff.LONG_LINES`."""
    comparison = compare(file.before, file.after)
    return ComparedFile(
        file=file,
        comparison=comparison,
        added=comparison.added,
        removed=comparison.removed,
        notes=tuple(_notes(file, comparison)),
        wide_before=_wide(comparison.before),
        wide_after=_wide(comparison.after),
        language=language,
    )


def _notes(file: FileDiff, comparison: Comparison) -> Iterator[str]:
    if file.reason:
        yield file.reason
    yield from file.notes
    if comparison.is_endings_only:
        yield "Only the line endings change."
    if file.binary:
        yield "This is no text, so there is nothing to show line by line."


def _wide(lines: Sequence[str]) -> dict[int, int]:
    return {
        index: width
        for index, line in enumerate(lines)
        if len(line) > MIN_COLUMNS // 8 and (width := line_columns(body(line))) > MIN_COLUMNS
    }


@dataclass(frozen=True, slots=True)
class _Segment:
    """`count` rows of one sort. Lines start at `b`/`a` (same block) or at `offset` of a changed block."""

    sort: RowSort
    file: int
    count: int
    block: Block | None = None
    offset: int = 0
    text: str = ""
    key: tuple[int, int] = (0, 0)
    hidden: int = 0
    inline: bool = False


class DiffRows:
    """All rows for one way of showing: `side` by side or inline, with some folds open and some files shut."""

    def __init__(
        self,
        files: Sequence[ComparedFile],
        *,
        side: bool,
        opened: frozenset[tuple[int, int]] = frozenset(),
        shut: frozenset[int] = frozenset(),
        whole: bool = False,
        headings: bool = True,
    ) -> None:
        self.files = tuple(files)
        self.side = side
        self.has_headings = headings
        self._opened = opened
        self._whole = whole
        self._segments: list[_Segment] = []
        for index, file in enumerate(self.files):
            if headings:
                self._segments.append(_Segment(RowSort.HEADING, index, 1))
            if index not in shut:
                self._segments.extend(self._file(index, file))
        self._starts = [0]
        for segment in self._segments:
            self._starts.append(self._starts[-1] + segment.count)

    def __len__(self) -> int:
        return self._starts[-1]

    def row(self, index: int) -> Row:
        """The row at an index."""
        place = bisect_right(self._starts, index) - 1
        return self._row(self._segments[place], index - self._starts[place])

    def heading(self, file: int) -> int:
        """The index of a file's heading."""
        places = enumerate(self._segments)
        return next(
            self._starts[i] for i, part in places if part.sort is RowSort.HEADING and part.file == file
        )

    def changes(self) -> list[int]:
        """The index of the first row of each change."""
        return [
            self._starts[i]
            for i, part in enumerate(self._segments)
            if part.sort is RowSort.LINE and part.block is not None and not part.block.same
        ]

    def high(self, *, side_columns: int, whole_columns: int) -> Iterator[tuple[int, Row]]:
        """Rows that are no line or do not fit on one, in order, each with its index."""
        limits = [
            whole_columns if not self.side or file.is_one_sided else side_columns for file in self.files
        ]
        over = [
            (_over(file.wide_before, limit), _over(file.wide_after, limit))
            for file, limit in zip(self.files, limits, strict=True)
        ]
        for start, segment in zip(self._starts, self._segments, strict=False):
            offsets = (0,) if segment.block is None else _high_offsets(segment, *over[segment.file])
            for offset in offsets:
                yield start + offset, self._row(segment, offset)

    def has_many_high(self, *, side_columns: int, whole_columns: int) -> bool:
        """Whether so many lines are too long that cutting them after blanks would take too long."""
        limit = side_columns if self.side else whole_columns
        return (
            sum(
                len(_over(wide, limit)) for file in self.files for wide in (file.wide_before, file.wide_after)
            )
            > _MANY
        )

    def is_inline(self, row: Row) -> bool:
        """Whether a line row has the whole width."""
        return not self.side or self.files[row.file].is_one_sided

    # --- the parts ---

    def _file(self, index: int, file: ComparedFile) -> Iterator[_Segment]:
        for note in file.notes:
            yield _Segment(RowSort.NOTE, index, 1, text=note)
        if file.file.binary:
            return
        inline = not self.side or file.is_one_sided
        blocks = file.comparison.blocks
        for place, block in enumerate(blocks):
            if block.same:
                yield from self._same((index, place), block, first=place == 0, last=place == len(blocks) - 1)
            else:
                count = block.b1 - block.b0 + block.a1 - block.a0 if inline else len(block.pairs)
                yield _Segment(RowSort.LINE, index, count, block=block, inline=inline)

    def _same(self, key: tuple[int, int], block: Block, *, first: bool, last: bool) -> Iterator[_Segment]:
        length = block.b1 - block.b0
        head, tail = 0 if first else CONTEXT, 0 if last else CONTEXT
        hidden = length - head - tail
        if self._whole or key in self._opened or hidden < 2:
            yield _Segment(RowSort.LINE, key[0], length, block=block)
            return
        if head:
            yield _Segment(RowSort.LINE, key[0], head, block=block)
        yield _Segment(RowSort.FOLD, key[0], 1, key=key, hidden=hidden)
        if tail:
            yield _Segment(RowSort.LINE, key[0], tail, block=block, offset=length - tail)

    def _row(self, segment: _Segment, offset: int) -> Row:
        block = segment.block
        if block is None:
            return Row(segment.sort, segment.file, text=segment.text, key=segment.key, count=segment.hidden)
        offset += segment.offset
        if block.same:
            return Row(RowSort.LINE, segment.file, block.b0 + offset, block.a0 + offset)
        if not segment.inline:
            before, after = block.pairs[offset]
            return Row(RowSort.LINE, segment.file, before, after, changed=True)
        return _inline_row(segment.file, block, offset)


def _over(wide: dict[int, int], limit: int) -> list[int]:
    return sorted(index for index, width in wide.items() if width > limit)


def _within(indices: list[int], start: int, stop: int) -> list[int]:
    return indices[bisect_left(indices, start) : bisect_left(indices, stop)]


def _high_offsets(segment: _Segment, before: list[int], after: list[int]) -> Sequence[int]:
    """Which rows of a segment of lines hold one of the given lines."""
    block = segment.block
    if block is None:
        return ()
    if block.same:
        b, a = block.b0 + segment.offset, block.a0 + segment.offset
        found = {line - b for line in _within(before, b, b + segment.count)}
        found.update(line - a for line in _within(after, a, a + segment.count))
        return sorted(found)
    gone = _within(before, block.b0, block.b1)
    come = _within(after, block.a0, block.a1)
    if segment.inline:
        return [line - block.b0 for line in gone] + [line - block.a0 + block.b1 - block.b0 for line in come]
    if not gone and not come:
        return ()
    high_b, high_a = set(gone), set(come)
    return [offset for offset, (b, a) in enumerate(block.pairs) if b in high_b or a in high_a]


def _inline_row(file: int, block: Block, offset: int) -> Row:
    """In a change, first all lines that go, then all that come."""
    gone = block.b1 - block.b0
    if offset < gone:
        before = block.b0 + offset
        partner = next((a for b, a in _near(block, offset) if b == before), None)
        return Row(RowSort.LINE, file, before, None, changed=True, partner=partner)
    after = block.a0 + offset - gone
    partner = next((b for b, a in _near(block, offset - gone) if a == after), None)
    return Row(RowSort.LINE, file, None, after, changed=True, partner=partner)


def _near(block: Block, offset: int) -> Sequence[tuple[int | None, int | None]]:
    """The pairs among which the line at an offset of one side stands."""
    if block.b0 == block.b1 or block.a0 == block.a1:
        return ()
    other = max(block.b1 - block.b0, block.a1 - block.a0)
    return (
        block.pairs[offset : offset + other + 1]
        if len(block.pairs) < 2_000
        else block.pairs[offset : offset + 1]
    )
