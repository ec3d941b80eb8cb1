"""Going through the whole log in search of damage.

What a check finds in a session is exactly what reading shows as damaged, and
beyond that: a head that fits no record, records that no session claims, and pages
of the file that SQLite itself cannot make sense of. It repairs nothing.
"""

from desktop.harness.adapters.store.database import Reads
from desktop.harness.adapters.store.reading import examine, find_digest, is_rooted, stretches
from desktop.harness.core.ids import Seq, SessionId
from desktop.harness.ports import Fault

NOWHERE = SessionId("")
"""The session of a finding that belongs to the file."""

_MOST_PAGE_FAULTS = 20


def names(db: Reads) -> list[SessionId]:
    """Every session that has a head or records."""
    rows = db.execute("SELECT session FROM sessions WHERE head_seq > 0 UNION SELECT session FROM records")
    return [SessionId(session) for (session,) in rows]


def check_file(db: Reads) -> list[Fault]:
    """What SQLite finds wrong with the pages of the file."""
    rows = db.execute(f"PRAGMA quick_check({_MOST_PAGE_FAULTS})")
    return [Fault(session=NOWHERE, seq=Seq(0), problem=text) for (text,) in rows if text != "ok"]


def check_session(db: Reads, session: SessionId, *, is_own_only: bool = False) -> list[Fault]:
    """What is wrong with a session; with `is_own_only` without what it shares with its parents."""
    row = db.execute(
        "SELECT parent, fork_seq, head_seq, CAST(head_digest AS BLOB) FROM sessions WHERE session = ?",
        (session,),
    ).fetchone()
    if row is None:
        unclaimed = Fault(session=session, seq=Seq(0), problem="its records are claimed by no session")
        return [unclaimed] if stretches(db, session) else []
    parent, fork_seq, head_seq, head_digest = row
    after = fork_seq if is_own_only and parent is not None else 0
    faults = [
        Fault(session=session, seq=Seq(finding.seq), problem=finding.problem)
        for finding in examine(db, session, after)
        if finding.problem
    ]
    if not is_rooted(db, session):
        faults.append(Fault(session=session, seq=Seq(fork_seq), problem="what it branched from is not there"))
    if not faults and head_digest != find_digest(db, session, head_seq):
        faults.append(
            Fault(session=session, seq=Seq(head_seq), problem="the head of the session is another one")
        )
    return faults
