"""A durable append of one record against plain SQLite: same pragmas, same payload, same disk, interleaved.

Ours goes the whole way that a caller sees: encoding, the thread that owns the connection, the head, the
fence, the digest chain, the insert, the commit, and back to the event loop with a record. The baseline
inserts the same text into a table with the same key, in one transaction each, in the calling thread.

Limit: half as many appends a second as plain SQLite. The disk's own wait is in both.
"""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.harness.adapters.clock import SystemClock
from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.adapters.store import SqliteStore
from desktop.harness.core.codec import encode
from desktop.harness.core.events import SessionStarted, ToolResulted
from desktop.harness.core.ids import CallId, ProjectId, SessionId
from desktop.harness.ports import Write
from tests.bench.figure import Figure, lower_quartile

PAYLOAD = ('a line of text in a tool result, with some "quotes" and \u00fcmlauts\n' * 24)[:1_500]
SESSION = SessionId("bench")


def measure(*, is_quick: bool) -> list[Figure]:
    """Appends a second, ours and plain."""
    pairs = 500 if is_quick else 3_000
    with tempfile.TemporaryDirectory() as name:
        ours, plain = asyncio.run(_pairs(Path(name), pairs))
    return [
        Figure(
            name="durable append",
            value=1 / lower_quartile(ours),
            baseline=1 / lower_quartile(plain),
            unit="/s",
            limit=0.5,
            at_least=True,
            note=f"lower quartiles of {pairs} appends each, in turns, of {len(PAYLOAD)} characters",
        )
    ]


async def _pairs(place: Path, pairs: int) -> tuple[list[float], list[float]]:
    """The seconds of each append, ours and plain in turns."""
    store = SqliteStore(place / "ours", SystemClock(), KeptFiles(place / "artifacts"))
    started = SessionStarted(
        workspace="/", project=ProjectId("p"), mode="write", model="m", base_url="", version="0"
    )
    await store.create(SESSION, [started])
    lock = await asyncio.to_thread(store.lock, SESSION)
    event = ToolResulted(call_id=CallId("t1c1"), attempt=1, status="ok", text=PAYLOAD)
    connection, insert = _plain(place / "plain.db", encode(event)[1])
    ours: list[float] = []
    plain: list[float] = []
    for _ in range(pairs):
        begun_s = time.perf_counter()
        await store.append(Write(session=SESSION, events=(event,), run=1, fence=lock.fence))
        ours.append(time.perf_counter() - begun_s)
        begun_s = time.perf_counter()
        insert()
        plain.append(time.perf_counter() - begun_s)
    lock.release()
    await store.close()
    connection.close()
    return ours, plain


def _plain(path: Path, data: str) -> tuple[sqlite3.Connection, Callable[[], None]]:
    """A table with the same key, and an insert of the same text."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(
        "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "PRAGMA wal_autocheckpoint = 4096;"
        "CREATE TABLE records (session TEXT, seq INTEGER, at_ms INTEGER, kind TEXT, data TEXT,"
        " PRIMARY KEY (session, seq))"
    )
    numbers = iter(range(1, 10_000_000))

    def insert() -> None:
        connection.execute("BEGIN IMMEDIATE")
        row = (SESSION, next(numbers), time.time_ns() // 1_000_000, "tool_result", data)
        connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("COMMIT")

    return connection, insert
