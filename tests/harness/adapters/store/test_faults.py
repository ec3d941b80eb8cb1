"""Full disks, busy files, killed processes: what was acknowledged is there, the rest is told."""

import asyncio
import contextlib
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop.harness.adapters.store import SqliteStore, database, faults
from desktop.harness.adapters.store.database import open_database
from desktop.harness.adapters.store.lane import Lane
from desktop.harness.core.errors import StorageError, StorageFullError
from desktop.harness.ports import Write
from tests.harness.adapters.store.logs import A, new_store, plain, said

ROOT = Path(__file__).parents[4]
APPENDER = """
import asyncio, sys
from pathlib import Path
from desktop.harness.ports import Write
from tests.harness.adapters.store.logs import A, new_store, said
async def main():
    store = new_store(Path(sys.argv[1]))
    while True:
        records = await store.append(Write(session=A, events=said("x" * 2000, "y")))
        print(records[-1].seq, flush=True)
asyncio.run(main())
"""


@pytest.mark.parametrize("seed", range(4))
async def test_killed_at_any_time(folder: Path, seed: int) -> None:
    """After a process was killed while it appended, everything it acknowledged is there and whole."""
    store = new_store(folder)
    await store.create(A, said("one"))
    with subprocess.Popen(
        [sys.executable, "-c", APPENDER, str(folder)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        await asyncio.sleep(random.Random(seed).uniform(0, 0.3))
        process.kill()
        acknowledged = int(process.stdout.read().split()[-1])
    records = await store.read(A)
    assert records[-1].seq >= acknowledged
    assert len(records) % 2 == 1, "an append is stored whole or not at all"
    assert await store.verify() == []
    await store.append(Write(session=A, events=said("after")))
    await store.close()


@contextlib.contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(folder)]
    if os.name != "posix" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_a_full_disk(tmp_path: Path) -> None:
    """On a full disk a record is refused in a sentence; history stays readable, and later it works again."""
    folder = tmp_path / "small"
    with _small_disk(folder):
        store = new_store(folder)
        await store.create(A, said("one"))
        stored = 1
        filler = folder / "filler"
        filler.write_bytes(b"\0" * (400 << 10))
        with contextlib.suppress(StorageFullError):
            while stored < 100:
                await store.append(Write(session=A, events=said("x" * 20_000)))
                stored += 1
        with pytest.raises(StorageFullError, match="full"):
            await store.append(Write(session=A, events=said("x" * 20_000)))
        with pytest.raises(StorageFullError):
            await store.put_artifact(os.urandom(1 << 20))
        assert len(await store.read(A)) == stored
        filler.unlink()
        await store.append(Write(session=A, events=said("after")))
        assert len(await store.read(A)) == stored + 1
        assert await store.verify() == []
        await store.close()


async def test_a_full_disk_at_the_first_start(tmp_path: Path) -> None:
    """When there is no room even to begin, that is said, and the same store works once there is."""
    folder = tmp_path / "small"
    with _small_disk(folder):
        filler = folder / "filler"
        with contextlib.suppress(OSError):
            filler.write_bytes(b"\0" * (2 << 20))
        store = new_store(folder)
        with pytest.raises(StorageFullError):
            await store.create(A, said("one"))
        filler.unlink()
        await store.create(A, said("one"))
        assert len(await store.read(A)) == 1
        await store.close()


async def test_another_program_keeps_the_log(
    folder: Path, monkeypatch: pytest.MonkeyPatch, store: SqliteStore
) -> None:
    """While another program holds the log, reading goes on, a write waits, and then says so."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 2.0)
    records = await store.create(A, said("one"))
    with closing(sqlite3.connect(folder / "paddock.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        waiting = asyncio.ensure_future(store.append(Write(session=A, events=said("two"))))
        await asyncio.sleep(0)
        assert await store.read(A) == records
        assert not waiting.done()
        with pytest.raises(StorageError, match="busy"):
            await waiting
        waiting = asyncio.ensure_future(store.append(Write(session=A, events=said("two"))))
        await asyncio.sleep(0.05)
        connection.execute("COMMIT")
        (record,) = await waiting
    assert record.seq == 2


async def test_a_log_that_fails_for_good_is_opened_anew(folder: Path) -> None:
    """After an error that lasts, the next job gets a new connection; after a passing one, the same."""
    path = folder / "paddock.db"
    lane = Lane("test", path, lambda: open_database(path))
    with pytest.raises(StorageError, match="could not be used"):
        await lane.run(lambda db: db.execute("no statement"))
    await lane.run(lambda db: None)
    assert lane.connections == 1
    with pytest.raises(StorageError, match="damaged"):
        await lane.run(lambda db: _corrupt())
    await lane.run(lambda db: None)
    assert lane.connections == 2
    lane.close()


def test_a_failing_write_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk error while there is no room is called by its cause."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    path = tmp_path / "paddock.db"
    assert not isinstance(faults.from_sqlite(error, path), StorageFullError)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    assert isinstance(faults.from_sqlite(error, path), StorageFullError)


async def test_a_new_connection_counts_as_a_change(store: SqliteStore) -> None:
    """What others committed while there was no connection must not go unnoticed."""
    version = await store.version()
    with pytest.raises(StorageError):
        await store._writer.run(lambda db: _corrupt())
    assert await store.version() != version


async def test_the_log_beside_is_cut_back(store: SqliteStore, folder: Path) -> None:
    """A long reader lets the write-ahead log grow; once it is gone, so is the growth, without a restart."""
    await store.create(A, said("one"))
    beside = folder / "paddock.db-wal"
    with closing(sqlite3.connect(folder / "paddock.db", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM records").fetchone()
        for _ in range(60):
            await store.append(Write(session=A, events=said(*["x" * 20_000] * 10)))
        assert beside.stat().st_size > 10 << 20
    for _ in range(3):
        await store.append(Write(session=A, events=said("more")))
    assert beside.stat().st_size <= 5 << 20


def _corrupt() -> None:
    error = sqlite3.DatabaseError("malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    raise error


async def test_a_wait_that_is_given_up(store: SqliteStore) -> None:
    """Cancelling takes back an append that has not begun; the log stays whole either way."""
    await store.create(A, said("one"))
    waits = [asyncio.ensure_future(store.append(Write(session=A, events=said(f"{n}")))) for n in range(30)]
    await asyncio.sleep(0)
    for wait in waits[5:]:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    assert 6 <= len(await store.read(A)) <= 31
    assert await store.verify() == []


@pytest.mark.parametrize(
    "code",
    [
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_CONSTRAINT,
        None,
    ],
)
def test_every_error_is_one_sentence(tmp_path: Path, code: int | None) -> None:
    """Whatever SQLite reports, the person reads plain sentences without line breaks."""
    error = sqlite3.OperationalError("what SQLite says")
    if code is not None:
        error.sqlite_errorcode = code
    text = str(faults.from_sqlite(error, tmp_path / "paddock.db"))
    assert text.endswith(".")
    assert "\n" not in text


async def test_little_room_beyond_the_payload(folder: Path) -> None:
    """Thirty turns of two commits take less than 100 KB more than their text once the program ended."""
    store = new_store(folder)
    await store.create(A, said("x" * 200))
    payload_bytes = 200
    for _ in range(30):
        await store.append(Write(session=A, events=said("x" * 1200, "y" * 100, "z" * 150)))
        await store.append(Write(session=A, events=said("x" * 2500, "y" * 100)))
        payload_bytes += 4050
    await store.close()
    size_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert size_bytes - payload_bytes < 100_000
    with plain(folder) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
