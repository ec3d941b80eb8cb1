"""Reading sessions, whatever became of the bytes.

A branch shares the records of its parents, so a session is read as a row of
stretches, each from the session that owns it. Every record is checked on the way:
one whose bytes are not what was written, or that is not there at all, comes as
`Damaged` at its place, and the rest is read as ever.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from desktop.harness.adapters.store import chain
from desktop.harness.adapters.store.chain import Row, is_sound
from desktop.harness.adapters.store.database import Reads
from desktop.harness.core.codec import decode, storable
from desktop.harness.core.events import Damaged, Record
from desktop.harness.core.ids import RunNumber, Seq, SessionId
from desktop.harness.ports import Head

CHANGED = "its bytes are not what was written"
MISPLACED = "it does not follow the record before it"
MISSING = "it is not there"

_LONGEST_LISTED_GAP = 1_000
"""A longer gap is told once: it comes from a damaged number, not from lost records."""

_ROWS = """
SELECT seq, at_ms, run, CAST(kind AS BLOB), CAST(data AS BLOB), CAST(before AS BLOB), CAST(digest AS BLOB)
FROM records WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Records `first` to `last` of a view, and the session that owns them."""

    owner: SessionId
    parent: SessionId | None
    first: int
    last: int


class Finding(NamedTuple):
    """A record at its place. `row` is None when it is missing, `problem` is empty when it is sound."""

    seq: int
    row: Row | None
    problem: str


def stretches(db: Reads, session: SessionId) -> list[Stretch]:
    """Where the records of a session lie, oldest first; empty when it is unknown."""
    found: list[Stretch] = []
    owner: SessionId | None = SessionId(storable(session))
    upto: int | None = None
    while owner is not None and owner not in {stretch.owner for stretch in found}:
        parent, fork_seq, last = _place(db, owner)
        upto = last if upto is None else upto
        found.append(Stretch(owner=owner, parent=parent, first=fork_seq + 1, last=upto))
        owner, upto = parent, min(upto, fork_seq)
    return [stretch for stretch in reversed(found) if stretch.first <= stretch.last]


def _place(db: Reads, session: SessionId) -> tuple[SessionId | None, int, int]:
    """Parent, number of shared records, and last number of a session, as far as they are known."""
    row = db.execute(
        "SELECT parent, fork_seq, head_seq FROM sessions WHERE session = ?", (session,)
    ).fetchone()
    last = db.execute("SELECT max(seq) FROM records WHERE session = ?", (session,)).fetchone()[0] or 0
    if row is None:
        return None, 0, last
    parent, fork_seq, head_seq = row
    return parent, 0 if parent is None else fork_seq, max(last, head_seq)


def is_rooted(db: Reads, session: SessionId) -> bool:
    """Whether the parents of a session have, or once had, every record that it shares with them."""
    found = stretches(db, session)
    begins = not found or found[0].first == 1
    return begins and all(stretch.last <= _place(db, stretch.owner)[2] for stretch in found)


def find_digest(db: Reads, session: SessionId, seq: int) -> bytes:
    """The digest of the record at `seq` in the view of a session; empty when it is missing."""
    for stretch in stretches(db, session):
        if stretch.first <= seq <= stretch.last:
            found = db.execute(
                "SELECT CAST(digest AS BLOB) FROM records WHERE session = ? AND seq = ?", (stretch.owner, seq)
            ).fetchone()
            return found[0] if found else b""
    return b""


def examine(db: Reads, session: SessionId, after: int = 0, upto: int | None = None) -> Iterator[Finding]:
    """Every record of a view behind `after` at its place, checked, gaps included."""
    known: bytes | None = None
    found = stretches(db, session)
    if found:
        yield from _gap(after + 1, found[0].first)
    for stretch in found:
        last = stretch.last if upto is None else min(stretch.last, upto)
        first = max(stretch.first, after)
        if first == stretch.first and (first == 1 or known is not None):
            known = chain.start(stretch.owner, stretch.parent, first - 1, known or b"")
        known = yield from _examine_stretch(db, stretch.owner, range(first, last + 1), known, after)


def _examine_stretch(
    db: Reads, owner: SessionId, places: range, known: bytes | None, after: int
) -> Generator[Finding, None, bytes | None]:
    """The records at `places`; returns the digest that the next record must follow.

    `known` is what the first one must follow; None, here and there, when that cannot be told. The record
    at `after` is looked at and not given, because the next one follows it.
    """
    name, expected, problem = owner.encode(), places.start, ""
    for row in map(Row._make, db.execute(_ROWS, (owner, places.start, places.stop - 1))):
        seq = row.seq
        if seq > expected:
            yield from _gap(max(expected, after + 1), seq)
            known = None
        expected = seq + 1
        if is_sound(name, row):
            problem = MISPLACED if known is not None and row.before != known else ""
            known = row.digest
        else:
            problem, known = CHANGED, None
        if seq > after:
            yield Finding(seq, row, problem)
    if expected < places.stop:
        yield from _gap(max(expected, after + 1), places.stop)
        return None
    return known


def _gap(first: int, end: int) -> Iterator[Finding]:
    if end - first > _LONGEST_LISTED_GAP:
        end = first + 1
    for seq in range(first, end):
        yield Finding(seq, None, MISSING)


def read(db: Reads, session: SessionId, after: int, upto: int | None) -> list[Record]:
    """The records of a view in order, under the name that was asked for."""
    return [_record(session, finding) for finding in examine(db, session, after, upto)]


def _record(session: SessionId, finding: Finding) -> Record:
    row = finding.row
    if row is not None and not finding.problem:
        event = decode(row.kind.decode("utf-8", "replace"), row.data.decode("utf-8", "replace"))
        return Record(session=session, seq=Seq(row.seq), at_ms=row.at_ms, run=RunNumber(row.run), event=event)
    kind = b"" if row is None or row.kind is None else row.kind
    return Record(
        session=session,
        seq=Seq(finding.seq),
        at_ms=_number(None if row is None else row.at_ms),
        run=RunNumber(_number(None if row is None else row.run)),
        event=Damaged(real_kind=kind.decode("utf-8", "replace"), problem=finding.problem),
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def heads(db: Reads, *, leave_out: str) -> list[Head]:
    """Where each session stands, newest first, without those whose name begins with `leave_out`."""
    rows = db.execute(
        "SELECT session, head_seq, head_at_ms, parent, fork_seq FROM sessions WHERE head_seq > 0"
    )
    found = [
        Head(
            session=SessionId(session),
            seq=Seq(seq),
            at_ms=at_ms,
            parent=parent,
            fork_seq=None if parent is None else Seq(fork_seq),
        )
        for session, seq, at_ms, parent, fork_seq in rows
        if not session.startswith(leave_out)
    ]
    return sorted(found, key=lambda head: (head.at_ms, head.session), reverse=True)
