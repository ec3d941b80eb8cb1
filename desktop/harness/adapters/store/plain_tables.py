"""The tables beside the log: summaries, notes and projects.

Plain values that are overwritten. Summaries can be rebuilt from the log, notes can
be missed; a project's id cannot, it is the name of its log.
"""

import os
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from desktop.harness.adapters.store.database import Reads, transaction
from desktop.harness.core.codec import storable
from desktop.harness.core.ids import ProjectId, Seq, SessionId

if TYPE_CHECKING:
    from sqlite_utils import Database

_KEEP_SUMMARY = "INSERT OR REPLACE INTO summaries (session, seq, summary) VALUES (?, ?, ?)"
_KEEP_NOTE = "INSERT OR REPLACE INTO notes (key, value) VALUES (?, ?)"
_FIND_PROJECT = "SELECT project FROM projects WHERE path = ? AND device = ? AND inode = ?"
_ADD_PROJECT = "INSERT INTO projects (path, device, inode, project) VALUES (?, ?, ?, ?)"


def summaries(db: Reads) -> dict[SessionId, tuple[Seq, str]]:
    """The kept summaries with the seq each was made at."""
    rows = db.execute("SELECT session, seq, summary FROM summaries")
    return {SessionId(session): (Seq(seq), summary) for session, seq, summary in rows}


def keep_summaries(db: "Database", kept: Mapping[SessionId, tuple[Seq, str]]) -> None:
    """Keep summaries in place of older ones."""
    with transaction(db):
        rows = [(session, seq, storable(summary)) for session, (seq, summary) in kept.items()]
        db.conn.executemany(_KEEP_SUMMARY, rows)


def get_note(db: Reads, key: str) -> str | None:
    """A note, if it is there."""
    row = db.execute("SELECT value FROM notes WHERE key = ?", (storable(key),)).fetchone()
    return None if row is None else str(row[0])


def put_note(db: "Database", key: str, value: str | None) -> None:
    """Keep a note, or forget it."""
    with transaction(db):
        if value is None:
            db.execute("DELETE FROM notes WHERE key = ?", (storable(key),))
        else:
            db.execute(_KEEP_NOTE, (storable(key), storable(value)))


def project_of(db: "Database", real_path: str, device: int, inode: int) -> ProjectId:
    """The project of a folder, made when it is new.

    Device and inode are kept as text, since both may be wider than SQLite's integers, and the path as
    the bytes that the system uses.
    """
    place = (os.fsencode(real_path), str(device), str(inode))
    found = db.execute(_FIND_PROJECT, place).fetchone()
    if found is not None:
        return ProjectId(found[0])
    with transaction(db):
        found = db.execute(_FIND_PROJECT, place).fetchone()
        project = found[0] if found is not None else secrets.token_hex(8)
        if found is None:
            db.execute(_ADD_PROJECT, (*place, project))
    return ProjectId(project)
