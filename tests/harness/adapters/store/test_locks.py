"""The right to run a session, between processes."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.harness.adapters.store import SqliteStore, locks
from desktop.harness.core.errors import BusyError
from desktop.harness.core.ids import SessionId
from tests.harness.adapters.store.logs import A, B, said

HOLDER = """
import sys
from pathlib import Path
from tests.harness.adapters.store.logs import A, new_store
held = new_store(Path(sys.argv[1])).lock(A)
print(held.fence, flush=True)
sys.stdin.read()
"""


@contextmanager
def _holder(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Another process that holds session A, and its fence."""
    root = Path(__file__).parents[4]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        cwd=root,
        env={"PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
        process.kill()


async def test_one_holder(store: SqliteStore, another: Callable[[], SqliteStore]) -> None:
    """A session that is held is refused at once, by this store and by others; another session is free."""
    await store.create(A, said("one"))
    held = await asyncio.to_thread(store.lock, A)
    other = another()
    for who in (store, other):
        assert who.is_locked(A)
        with pytest.raises(BusyError):
            await asyncio.to_thread(who.lock, A)
        assert not who.is_locked(B)
    (await asyncio.to_thread(other.lock, B)).release()
    held.release()
    held.release()
    assert not other.is_locked(A)


async def test_each_taking_raises_the_fence(store: SqliteStore, another: Callable[[], SqliteStore]) -> None:
    """Fences of one session only grow, whoever takes it."""
    fences = []
    other = another()
    for who in (store, other, store):
        held = await asyncio.to_thread(who.lock, A)
        fences.append(held.fence)
        held.release()
    assert fences == sorted(set(fences))


async def test_a_holder_that_dies_leaves_nothing(store: SqliteStore, folder: Path) -> None:
    """While another process holds a session it is taken; killed, it is free at once."""
    await store.create(A, said("one"))
    with _holder(folder) as (process, fence):
        assert store.is_locked(A)
        with pytest.raises(BusyError):
            await asyncio.to_thread(store.lock, A)
        process.kill()
        process.wait()
        assert not store.is_locked(A)
        held = await asyncio.to_thread(store.lock, A)
        assert held.fence > fence


async def test_closing_frees_the_locks(store: SqliteStore, another: Callable[[], SqliteStore]) -> None:
    """A closed store holds no session."""
    await asyncio.to_thread(store.lock, A)
    await store.close()
    assert not another().is_locked(A)


async def test_looking_never_gets_in_the_way(store: SqliteStore, another: Callable[[], SqliteStore]) -> None:
    """Whoever only looks whether a session is held does not make it look held."""
    other, stop = another(), threading.Event()

    def look() -> None:
        while not stop.wait(0.0005):
            other.is_locked(A)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(100):
            (await asyncio.to_thread(store.lock, A)).release()
    finally:
        stop.set()
        watcher.join()


def test_a_moment_of_looking_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that is gone a moment later is taken."""
    path = tmp_path / "a.lock"
    looking = [locks.take(path)]
    monkeypatch.setattr("time.sleep", lambda _: os.close(looking.pop()))
    os.close(locks.take(path))


async def test_a_project_log_may_be_locked(store: SqliteStore, folder: Path) -> None:
    """A colon in a name makes no trouble for the file of the lock."""
    (await asyncio.to_thread(store.lock, SessionId("project:01"))).release()
    assert [path.name for path in (folder / "locks").iterdir()] == ["project+01.lock"]
