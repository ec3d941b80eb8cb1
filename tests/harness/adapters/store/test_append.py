"""Putting records into the log."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.harness.adapters.store import SqliteStore
from desktop.harness.core.errors import BusyError, StorageError
from desktop.harness.core.events import RuleRevoked, SessionForked, Unknown, UserMessage
from desktop.harness.core.ids import RunNumber, Seq, SessionId
from desktop.harness.ports import Write
from tests.harness.adapters.store.logs import A, B, acted, plain, said

PROJECT = SessionId("project:0123")


async def test_records_come_back_as_committed(store: SqliteStore) -> None:
    """What append and create return is what read gives."""
    begun = await store.create(A, said("one", "two"))
    added = await store.append(Write(session=A, events=said("three"), run=RunNumber(7)))
    assert await store.read(A) == begun + added
    assert [record.seq for record in begun + added] == [1, 2, 3]
    assert [record.run for record in begun + added] == [0, 0, 7]
    assert [record.at_ms for record in begun + added] == [1001, 1001, 1002]


async def test_part_of_a_session(store: SqliteStore) -> None:
    """`after` is left out, `upto` is included, and what lies beyond the end is nothing."""
    await store.create(A, said(*"12345"))
    assert [record.seq for record in await store.read(A, after=Seq(2), upto=Seq(4))] == [3, 4]
    assert await store.read(A, after=Seq(5)) == []
    assert await store.read(A, after=Seq(9)) == []
    assert await store.read(SessionId("nobody")) == []


async def test_one_transaction_for_all_writes(store: SqliteStore) -> None:
    """When one of several writes is refused none of them is stored."""
    await store.create(A, said("one"))
    with pytest.raises(StorageError, match="no session"):
        await store.append(Write(session=A, events=said("two")), Write(session=B, events=said("lost")))
    assert len(await store.read(A)) == 1


async def test_several_writes_to_one_session(store: SqliteStore) -> None:
    """Writes to the same session in one call follow each other."""
    await store.create(A, said("one"))
    await store.append(Write(session=A, events=said("two")), Write(session=A, events=said("three", "four")))
    assert [record.seq for record in await store.read(A)] == [1, 2, 3, 4]
    assert await store.verify() == []


async def test_a_session_begins_once(store: SqliteStore) -> None:
    """Beginning a session that is there is refused, and it stays as it was."""
    await store.create(A, said("one"))
    with pytest.raises(StorageError, match="already"):
        await store.create(A, said("again"))
    assert len(await store.read(A)) == 1


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a b", ".hidden", "a\n", "a\0", "x" * 129, "\ud800"])
async def test_names_that_no_session_may_have(store: SqliteStore, name: str) -> None:
    """A name that could leave the folder of locks, or run into the next column, is refused."""
    with pytest.raises(StorageError):
        await store.create(SessionId(name), said("one"))
    with pytest.raises(StorageError):
        store.lock(SessionId(name))
    with pytest.raises(StorageError):
        store.is_locked(SessionId(name))
    with pytest.raises(StorageError):
        await store.append(Write(session=SessionId(name), events=said("one")))


async def test_acts_of_the_runner_need_a_fence(store: SqliteStore) -> None:
    """Whoever shows no fence may say what a person says, and nothing else."""
    await store.create(A, said("one"))
    with pytest.raises(StorageError, match="lock"):
        await store.append(Write(session=A, events=[*said("two"), *acted("late")]))
    with pytest.raises(StorageError, match="lock"):
        await store.append(Write(session=A, events=[Unknown(real_kind="from_the_future")]))
    await store.append(Write(session=A, events=said("two")))
    assert len(await store.read(A)) == 2


async def test_an_old_fence_stores_nothing(store: SqliteStore) -> None:
    """After somebody else took the session the former holder's acts are refused, whole."""
    await store.create(A, said("one"))
    former = await asyncio.to_thread(store.lock, A)
    former.release()
    latter = await asyncio.to_thread(store.lock, A)
    assert latter.fence > former.fence
    with pytest.raises(BusyError):
        await store.append(
            Write(session=A, events=said("two")), Write(session=A, events=acted("late"), fence=former.fence)
        )
    await store.append(Write(session=A, events=acted("now"), fence=latter.fence))
    assert [record.event for record in await store.read(A)] == [*said("one"), *acted("now")]


async def test_a_project_log_has_no_runner(store: SqliteStore) -> None:
    """Anybody may write to the log of a project, which begins by itself and is no session."""
    await store.append(Write(session=PROJECT, events=[RuleRevoked(rule_id="r1")]))
    await store.append(Write(session=PROJECT, events=[RuleRevoked(rule_id="r2")]))
    assert len(await store.read(PROJECT)) == 2
    assert await store.heads() == []
    assert await store.verify() == []


async def test_two_stores_share_one_numbering(store: SqliteStore, another: Callable[[], SqliteStore]) -> None:
    """Two processes that append at the same time leave no gap and no duplicate."""
    await store.create(A, said("one"))
    other = another()
    await asyncio.gather(
        *(who.append(Write(session=A, events=said(f"{n}"))) for n in range(40) for who in (store, other))
    )
    assert [record.seq for record in await store.read(A)] == list(range(1, 82))
    assert await other.verify() == []


async def test_the_version_tells_of_others_only(
    store: SqliteStore, another: Callable[[], SqliteStore]
) -> None:
    """The version stays after an own commit and changes after another's."""
    await store.create(A, said("one"))
    version = await store.version()
    await store.append(Write(session=A, events=said("two")))
    assert await store.version() == version
    await another().append(Write(session=A, events=said("three")))
    assert await store.version() != version


@pytest.mark.parametrize("text", ["\0", "\ud800 alone", "\udc00\ud800", "\x1b[31mred", "é😀\u2028", "😀"])
async def test_any_text_can_be_stored(store: SqliteStore, text: str) -> None:
    """Text that SQLite or UTF-8 cannot hold is stored with a replacement, never refused."""
    await store.create(A, said(text))
    (record,) = await store.read(A)
    assert isinstance(record.event, UserMessage)
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert record.event.text == expected
    assert await store.verify() == []


async def test_nothing_to_append(store: SqliteStore) -> None:
    """A write without events is no record."""
    await store.create(A, said("one"))
    assert await store.append(Write(session=A, events=[])) == []
    assert await store.append() == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET data = '{}'",
        "DELETE FROM records",
        "INSERT INTO records SELECT * FROM records",
        "INSERT OR REPLACE INTO records SELECT * FROM records",
        "REPLACE INTO records SELECT session, seq, 0, 0, kind, '{}', before, digest FROM records",
        "INSERT OR IGNORE INTO records SELECT * FROM records",
        "INSERT INTO records SELECT * FROM records WHERE true ON CONFLICT DO UPDATE SET data = '{}'",
    ],
)
async def test_records_are_never_changed(store: SqliteStore, folder: Path, statement: str) -> None:
    """No statement of any program changes, deletes or replaces a record."""
    records = await store.create(A, said("one", "two"))
    with pytest.raises(sqlite3.IntegrityError, match="never"), plain(folder) as connection:
        connection.execute(statement)
    assert await store.read(A) == records


async def test_a_branch_copies_nothing(store: SqliteStore, folder: Path) -> None:
    """A branch shows its parent's records under its own name, then its own, in one numbering."""
    shared = await store.create(A, said("one", "two", "three"))
    forked = SessionForked(parent=A, fork_seq=Seq(2))
    (own,) = await store.create(B, [forked], parent=A, fork_seq=Seq(2))
    assert own.seq == 3
    records = await store.read(B)
    assert [record.event for record in records] == [*(record.event for record in shared[:2]), forked]
    assert {record.session for record in records} == {B}
    assert [record.at_ms for record in records[:2]] == [record.at_ms for record in shared[:2]]
    with plain(folder) as connection:
        assert connection.execute("SELECT count(*) FROM records").fetchone() == (4,)


async def test_a_branch_of_a_branch_before_its_beginning(store: SqliteStore) -> None:
    """A branch may end inside what its parent shares with its own parent."""
    await store.create(A, said(*"1234"))
    await store.create(B, said("b5"), parent=A, fork_seq=Seq(4))
    await store.create(SessionId("c"), said("c3"), parent=B, fork_seq=Seq(2))
    await store.create(SessionId("d"), said("d4"), parent=SessionId("c"))
    texts = [record.event.text for record in await store.read(SessionId("d"))]  # type: ignore[attr-defined]  # all are messages
    assert texts == ["1", "2", "c3", "d4"]
    assert await store.verify() == []


@pytest.mark.parametrize("seq", [0, -1, 4])
async def test_a_branch_needs_a_place(store: SqliteStore, seq: int) -> None:
    """A branch at a record that is not there, or of nobody, is refused and leaves nothing."""
    await store.create(A, said(*"123"))
    with pytest.raises(StorageError):
        await store.create(B, said("lost"), parent=A, fork_seq=Seq(seq))
    with pytest.raises(StorageError):
        await store.create(B, said("lost"), parent=SessionId("nobody"), fork_seq=Seq(1))
    assert await store.read(B) == []


async def test_heads_newest_first(store: SqliteStore) -> None:
    """Each session is listed with its last record and where it branched off."""
    await store.create(A, said("one", "two"))
    await store.create(B, said("three"), parent=A, fork_seq=Seq(1))
    await store.append(Write(session=A, events=said("four")))
    first, second = await store.heads()
    assert (first.session, first.seq, first.at_ms, first.parent, first.fork_seq) == (A, 3, 1003, None, None)
    assert (second.session, second.seq, second.at_ms, second.parent, second.fork_seq) == (B, 2, 1002, A, 1)


async def test_a_lock_before_the_beginning(store: SqliteStore) -> None:
    """A session may be locked before its first record; it is listed only after it."""
    held = await asyncio.to_thread(store.lock, A)
    assert await store.heads() == []
    await store.create(A, said("one"))
    await store.append(Write(session=A, events=acted("two"), fence=held.fence))
    assert len(await store.read(A)) == 2
