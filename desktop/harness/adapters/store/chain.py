"""The digests that tie the records of a session together.

Each record keeps the digest before it and its own, which covers that one and all
columns. So a record can be judged alone (do its columns give its digest?), and a
missing neighbour costs nobody else their proof. What ties a whole session is that
each `before` is the digest of the record before; the first one's stands for the
name of the session and for the record of the parent that it branched from.

This finds accidents and careless hands. It is no signature: whoever may write the
file and knows this module can build another chain.
"""

import hashlib
from typing import NamedTuple

from desktop.harness.core.ids import SessionId


class Row(NamedTuple):
    """One record as it lies in the table; after damage any value may be of another type."""

    seq: int
    at_ms: int
    run: int
    kind: bytes
    data: bytes
    before: bytes
    digest: bytes


def start(
    session: SessionId, parent: SessionId | None = None, fork_seq: int = 0, at_fork: bytes = b""
) -> bytes:
    """What the first own record of a session follows. `at_fork` is the parent's digest at `fork_seq`."""
    name = session.encode()
    origin = b"" if parent is None else parent.encode()
    return hashlib.sha256(
        b"%d %d %d\n%b%b%b" % (len(name), len(origin), fork_seq, name, origin, at_fork)
    ).digest()


def digest(session: bytes, seq: int, at_ms: int, run: int, kind: bytes, data: bytes, before: bytes) -> bytes:
    """The digest of one record; lengths stand first, so that columns cannot run together."""
    return hashlib.sha256(
        b"%d %d %d %d %d %b%b%b%b" % (len(session), len(kind), seq, at_ms, run, before, session, kind, data)
    ).digest()


def is_sound(session: bytes, row: Row) -> bool:
    """Whether the columns of a record give its digest."""
    try:
        return digest(session, row.seq, row.at_ms, row.run, row.kind, row.data, row.before) == row.digest
    except TypeError:
        return False
