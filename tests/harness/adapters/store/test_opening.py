"""Opening, bringing up to date, and closing."""

import asyncio
import hashlib
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.adapters.store import SqliteStore, database, header
from desktop.harness.adapters.store.database import open_database
from desktop.harness.adapters.store.schema import STEPS, Step
from desktop.harness.core.errors import NewerDataError, StorageError
from desktop.harness.ports import Write
from tests.harness.adapters.store.logs import A, TickingClock, new_store, plain, said

NEWER = len(STEPS) + 1


def _picture(folder: Path) -> dict[str, str]:
    """Every file of a folder with the digest of its bytes."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def _lanes() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("paddock-log")]


async def test_making_a_store_touches_nothing(folder: Path) -> None:
    """A store that nobody uses makes no folder and no thread."""
    store = new_store(folder)
    assert not folder.exists()
    assert _lanes() == []
    await store.close()
    assert not folder.exists()


@pytest.mark.skipif(os.name != "posix", reason="rights are kept otherwise")
async def test_rights_from_the_first_moment(folder: Path) -> None:
    """Folder and files are for their owner only, whatever the umask, also while they are open."""
    before = os.umask(0)
    try:
        store = new_store(folder)
        await store.create(A, said("one"))
        (await asyncio.to_thread(store.lock, A)).release()
        await store.put_artifact(b"bytes")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    finally:
        os.umask(before)
    await store.close()
    assert {"paddock.db", "paddock.db-wal", "paddock.db-shm", "a.lock"} <= modes.keys()
    for name, mode in modes.items():
        assert mode == (0o700 if (folder / name).is_dir() or len(name) == 2 else 0o600), name
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="rights are kept otherwise")
def test_the_file_is_made_with_its_rights(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is never readable for others, not even before its rights are looked after."""
    monkeypatch.setattr(database, "_tighten", lambda path, mode: None)
    open_database(folder / "paddock.db").close()
    assert stat.S_IMODE((folder / "paddock.db").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="rights are kept otherwise")
async def test_open_rights_are_taken_back(folder: Path) -> None:
    """A folder or file that others may read is closed to them."""
    folder.mkdir(mode=0o755)
    (folder / "paddock.db").touch(mode=0o644)
    store = new_store(folder)
    await store.create(A, said("one"))
    await store.close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "paddock.db").stat().st_mode) == 0o600


async def test_newer_data_stay_untouched(folder: Path) -> None:
    """A log of a newer version is refused with every method and not one byte of the folder changes."""
    store = new_store(folder)
    await store.create(A, said("one"))
    await store.close()
    with plain(folder) as connection:
        connection.execute(f"PRAGMA user_version = {NEWER}")
    with closing(sqlite3.connect(folder / "paddock.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = _picture(folder)
    store = new_store(folder)
    for use in (store.heads, store.version, lambda: store.create(A, said("two"))):
        with pytest.raises(NewerDataError):
            await use()
    with pytest.raises(NewerDataError):
        await asyncio.to_thread(store.lock, A)
    await store.close()
    assert _picture(folder) == before


async def test_newer_data_that_wait_in_the_log_beside(folder: Path, tmp_path: Path) -> None:
    """A newer version that stands only in the write-ahead log, after a crash, is seen too."""
    store = new_store(folder)
    await store.create(A, said("one"))
    await store.close()
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with closing(sqlite3.connect(folder / "paddock.db")) as connection:
        connection.execute("CREATE TABLE novelty (x)")
        connection.execute(f"PRAGMA user_version = {NEWER}")
        connection.commit()
        for name in ("paddock.db", "paddock.db-wal"):
            (crashed / name).write_bytes((folder / name).read_bytes())
    assert header.stored_version(crashed / "paddock.db") == NEWER
    before = _picture(crashed)
    store = new_store(crashed)
    with pytest.raises(NewerDataError):
        await store.heads()
    await store.close()
    assert _picture(crashed) == before


def test_a_torn_log_beside(folder: Path) -> None:
    """What was never committed, or is cut off, in the write-ahead log says nothing."""
    folder.mkdir()
    path = folder / "paddock.db"
    assert header.stored_version(path) == 0
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {NEWER}")
        log = Path(f"{path}-wal").read_bytes()
        for length in (0, 31, 40, 60, 500, len(log) - 1):
            (folder / "copy-wal").write_bytes(log[:length])
            assert header.stored_version(folder / "copy") == 0
        (folder / "copy-wal").write_bytes(log)
        assert header.stored_version(folder / "copy") == NEWER
        restarted = log[:16] + bytes(8) + log[24:]
        (folder / "copy-wal").write_bytes(restarted)
        assert header.stored_version(folder / "copy") == 0, "frames of an earlier round are no news"


def test_steps_are_taken_once_and_in_order(folder: Path) -> None:
    """An older log takes the steps that it lacks; before one that rewrites, a copy is put aside."""
    folder.mkdir()
    path = folder / "paddock.db"
    first = (Step(script="CREATE TABLE t (x); INSERT INTO t VALUES (1);"),)
    open_database(path, steps=first).close()
    second = (*first, Step(script="CREATE TABLE u (x);"))
    open_database(path, steps=second).close()
    assert not (folder / "backups").exists()
    third = (*second, Step(script="UPDATE t SET x = x + 1;", is_rewriting=True))
    for _ in range(2):
        db = open_database(path, steps=third)
        assert db.execute("SELECT x FROM t").fetchall() == [(2,)]
        db.close()
    (backup,) = (folder / "backups").iterdir()
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT x FROM t").fetchall() == [(1,)]
        assert copy.execute("PRAGMA user_version").fetchone() == (2,)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600 or os.name != "posix"


def test_a_failing_step_changes_nothing(folder: Path) -> None:
    """When a step fails in the middle the log stays at its version with its tables."""
    folder.mkdir()
    path = folder / "paddock.db"
    open_database(path, steps=STEPS).close()
    broken = (*STEPS, Step(script="CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1);"))
    with pytest.raises(sqlite3.OperationalError):
        open_database(path, steps=broken)
    db = open_database(path, steps=STEPS)
    assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'extra'").fetchone() == (0,)
    db.close()


async def test_two_stores_make_one_log(another: Callable[[], SqliteStore]) -> None:
    """Two processes that start on an empty folder at once both work."""
    stores = [another() for _ in range(4)]
    await asyncio.gather(*(store.heads() for store in stores), *(store.version() for store in stores))


async def test_after_closing(folder: Path) -> None:
    """Closing leaves one file and no thread; twice is fine; then every method says that it is closed."""
    store = new_store(folder)
    await store.create(A, said("one"))
    held = await asyncio.to_thread(store.lock, A)
    await asyncio.gather(store.close(), store.close())
    await store.close()
    assert _lanes() == []
    assert sorted(path.name for path in folder.iterdir()) == ["locks", "paddock.db"]
    for use in (store.heads, store.version, store.append, store.verify):
        with pytest.raises(StorageError, match="closed"):
            await use()
    with pytest.raises(StorageError, match="closed"):
        await asyncio.to_thread(store.lock, A)
    assert not store.is_locked(A)
    held.release()


async def test_what_is_queued_is_finished(folder: Path) -> None:
    """Appends that were asked for before closing are stored."""
    store = new_store(folder)
    await store.create(A, said("one"))
    appends = [asyncio.ensure_future(store.append(Write(session=A, events=said(f"{n}")))) for n in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*appends)
    store = new_store(folder)
    assert len(await store.read(A)) == 21
    await store.close()


def test_several_loops(folder: Path) -> None:
    """One store serves loops that run in different threads, and one loop after another."""
    store = new_store(folder)
    asyncio.run(store.create(A, said("one")))

    def work() -> None:
        asyncio.run(store.append(Write(session=A, events=said("more"))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asyncio.run(store.read(A))) == 5
    asyncio.run(store.close())


async def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    """A data folder that cannot be made is told in a sentence."""
    (tmp_path / "file").touch()
    store = SqliteStore(tmp_path / "file" / "data", TickingClock(), KeptFiles(tmp_path / "artifacts"))
    with pytest.raises(StorageError):
        await store.heads()
    with pytest.raises(StorageError):
        await asyncio.to_thread(store.lock, A)
    await store.close()


_LOOK_AND_LEAVE = """
import asyncio, sys
from pathlib import Path
from tests.harness.adapters.store.logs import A, new_store, said
async def visit():
    store = new_store(Path(sys.argv[1]))
    await store.read(A)
    if len(sys.argv) > 2:
        await store.append(said_write(A, sys.argv[2]))
    await store.close()
def said_write(session, text):
    from desktop.harness.ports import Write
    return Write(session=session, events=said(text))
asyncio.run(visit())
"""


async def test_another_process_that_comes_and_goes_takes_nothing_away(folder: Path) -> None:
    """With both lanes open here, a visitor that opens and closes leaves the shared log in place: what a later
    process commits is seen here, and what is committed here afterwards is in the file."""
    store = new_store(folder)
    await store.create(A, said("one"))
    await store.read(A)
    await _visit(folder)
    await _visit(folder, "two")
    assert len(await store.read(A)) == 2
    await store.append(Write(session=A, events=said("three")))
    await store.close()
    again = new_store(folder)
    assert len(await again.read(A)) == 3
    await again.close()


async def _visit(folder: Path, *words: str) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _LOOK_AND_LEAVE, str(folder), *words)
    assert await process.wait() == 0
