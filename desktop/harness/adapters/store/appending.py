"""Putting records at the end of a session.

One call is one transaction: read where each session stands, check the fence,
insert, note where it stands now. The head is taken from the table of sessions and
from the records, whichever is further, so that after damage a new record never
takes the number of one that existed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.harness.adapters.store import chain
from desktop.harness.adapters.store.database import transaction
from desktop.harness.adapters.store.reading import find_digest
from desktop.harness.core.codec import encode, kind_of
from desktop.harness.core.errors import BusyError, StorageError
from desktop.harness.core.events import PERSON_KINDS, Event, Record
from desktop.harness.core.ids import Seq, SessionId
from desktop.harness.ports import Write

if TYPE_CHECKING:
    from sqlite_utils import Database

PROJECT_LOG = "project:"
"""How the names of project logs begin; they have no runner, so nothing in them needs a fence."""

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")

_HEAD = """
SELECT fence, head_seq, CAST(head_digest AS BLOB),
       (SELECT max(seq) FROM records WHERE records.session = sessions.session)
FROM sessions WHERE session = ?
"""
_INSERT = """
INSERT INTO records (session, seq, at_ms, run, kind, data, before, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_MOVE_HEAD = "UPDATE sessions SET head_seq = ?, head_at_ms = ?, head_digest = ? WHERE session = ?"
_BEGIN = """
INSERT INTO sessions (session, parent, fork_seq) VALUES (?1, ?2, ?3)
ON CONFLICT (session) DO UPDATE SET parent = ?2, fork_seq = ?3
"""
_RAISE_FENCE = """
INSERT INTO sessions (session, fence) VALUES (?1, 1)
ON CONFLICT (session) DO UPDATE SET fence = fence + 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """Where a session stands: the next record follows `digest` at `seq`."""

    seq: int
    digest: bytes
    fence: int


def check_name(session: SessionId) -> None:
    """Raises StorageError unless the name may stand in a file name and in the chain."""
    if not _SESSION.fullmatch(session):
        raise StorageError(f"{session[:80]!r} is no name for a session.")


def append(db: "Database", writes: Sequence[Write], at_ms: int) -> list[Record]:
    """Commit all events of all writes. Raises BusyError for an old fence, StorageError."""
    with transaction(db):
        return [record for write in writes for record in _write(db, write, at_ms)]


def create(
    db: "Database",
    session: SessionId,
    events: Sequence[Event],
    at_ms: int,
    *,
    parent: SessionId | None = None,
    fork_seq: Seq | None = None,
) -> list[Record]:
    """Begin a session; as a branch it goes on after `fork_seq` (None: the last record) of its parent."""
    check_name(session)
    with transaction(db):
        if _end(db, session) is not None:
            raise StorageError(f"There is a session {session} already.")
        seq, digest = _origin(db, session, parent, fork_seq)
        db.execute(_BEGIN, (session, parent, seq))
        write = Write(session=session, events=events)
        return _insert(db, write, _End(seq=seq, digest=digest, fence=0), at_ms)


def raise_fence(db: "Database", session: SessionId) -> int:
    """Make every fence that was handed out for a session an old one; the new one."""
    with transaction(db):
        db.execute(_RAISE_FENCE, (session,))
        return int(db.execute("SELECT fence FROM sessions WHERE session = ?", (session,)).fetchone()[0])


def _origin(
    db: "Database", session: SessionId, parent: SessionId | None, fork_seq: Seq | None
) -> tuple[int, bytes]:
    """The number and digest that the first own record follows."""
    if parent is None:
        return 0, chain.start(session)
    check_name(parent)
    end = _end(db, parent)
    if end is None:
        raise StorageError(f"There is no session {parent} to branch from.")
    seq = end.seq if fork_seq is None else fork_seq
    if not 1 <= seq <= end.seq:
        raise StorageError(f"The session {parent} has no record {seq} to branch from.")
    return seq, chain.start(session, parent, seq, find_digest(db, parent, seq))


def _write(db: "Database", write: Write, at_ms: int) -> list[Record]:
    check_name(write.session)
    end = _end(db, write.session)
    if end is None:
        if not write.session.startswith(PROJECT_LOG):
            raise StorageError(f"There is no session {write.session}.")
        end = _begin_project_log(db, write.session)
    _check_fence(write, end)
    return _insert(db, write, end, at_ms)


def _begin_project_log(db: "Database", log: SessionId) -> _End:
    db.execute(_BEGIN, (log, None, 0))
    return _End(seq=0, digest=chain.start(log), fence=0)


def _check_fence(write: Write, end: _End) -> None:
    if write.fence is not None:
        if write.fence != end.fence:
            raise BusyError("This chat is being worked on in another window.")
        return
    if write.session.startswith(PROJECT_LOG):
        return
    for event in write.events:
        if kind_of(event) not in PERSON_KINDS:
            raise StorageError(f"{kind_of(event)!r} may be stored only by the holder of the session's lock.")


def _end(db: "Database", session: SessionId) -> _End | None:
    """Where a session stands, None when nothing was ever written to it (it may have been locked)."""
    row = db.conn.execute(_HEAD, (session,)).fetchone()
    if row is None:
        return None
    fence, head_seq, head_digest, last_seq = row
    if last_seq is not None and last_seq > head_seq:
        return _End(seq=last_seq, digest=find_digest(db, session, last_seq), fence=fence)
    return _End(seq=head_seq, digest=head_digest, fence=fence) if head_seq else None


def _insert(db: "Database", write: Write, end: _End, at_ms: int) -> list[Record]:
    session, name, before, seq = write.session, write.session.encode(), end.digest, end.seq
    rows, records = [], []
    for event in write.events:
        seq += 1
        kind, data = kind_of(event), encode(event)
        digest = chain.digest(name, seq, at_ms, write.run, kind.encode(), data.encode(), before)
        rows.append((session, seq, at_ms, write.run, kind, data, before, digest))
        records.append(Record(session=session, seq=Seq(seq), at_ms=at_ms, run=write.run, event=event))
        before = digest
    if rows:
        db.conn.executemany(_INSERT, rows)
        db.conn.execute(_MOVE_HEAD, (seq, at_ms, before, session))
    return records
