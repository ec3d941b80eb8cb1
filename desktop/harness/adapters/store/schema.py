"""The tables, and the steps by which they came to be.

`PRAGMA user_version` counts the steps that a database has taken. It lives in the
file's header, so a newer database is recognised without opening it, and it changes
in the same transaction as the tables; a table of migrations offers neither, and
two programs that start together could both find a step undone.

`records` is append-only by three triggers. The one before INSERT is there for
`INSERT OR REPLACE`, which deletes without firing a DELETE trigger on connections
that do not ask for it. It is a rowid table on purpose: every record goes to the end
of one tree. In a clustered one it would go between those of other sessions, and long
rows would spill early.

Everything outside `records` may be changed: `sessions` holds where each log stands
(so that a cut tail is noticed) and its fence, the rest can be rebuilt or missed.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the schema. `is_rewriting` asks for a copy of the database before it."""

    script: str
    is_rewriting: bool = False


_FIRST = """
CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    parent TEXT,
    fork_seq INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    head_seq INTEGER NOT NULL DEFAULT 0,
    head_at_ms INTEGER NOT NULL DEFAULT 0,
    head_digest BLOB NOT NULL DEFAULT x''
) WITHOUT ROWID;
CREATE TABLE records (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    run INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    before BLOB NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (session, seq)
);
CREATE TRIGGER records_are_not_changed BEFORE UPDATE ON records
BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
CREATE TRIGGER records_are_not_deleted BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;
CREATE TRIGGER records_are_not_replaced BEFORE INSERT ON records
WHEN EXISTS (SELECT 1 FROM records WHERE session = NEW.session AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'a record is never replaced'); END;
CREATE TABLE summaries (
    session TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    summary TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE notes (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE projects (
    path BLOB NOT NULL,
    device TEXT NOT NULL,
    inode TEXT NOT NULL,
    project TEXT NOT NULL,
    PRIMARY KEY (path, device, inode)
) WITHOUT ROWID;
"""

STEPS: tuple[Step, ...] = (Step(script=_FIRST),)
"""Every step, oldest first; a database that took them all has `user_version` = their number."""
