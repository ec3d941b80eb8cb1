"""A damaged log: everything else still opens, says so, and can be gone on with."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.api import NewerDataError, Route, Status, StorageError
from desktop.proof.script import call, text
from desktop.proof.server import ScriptedServer
from desktop.wiring import open_door

SCRIPT = [call("read_file", {"path": "a.txt"}), text("one"), text("two"), text("three")]


def tamper(data: Path, seq: int, content: Any) -> None:
    """Overwrite one record's data behind the back of the triggers."""
    db = sqlite3.connect(data / "paddock.db")
    for (name,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
        db.execute(f'drop trigger "{name}"')
    changed = db.execute(
        "update records set data = ? where seq = ? and session not like 'project:%'", [content, seq]
    )
    assert changed.rowcount == 1
    db.commit()
    db.close()


async def _session(data: Path, folder: Path, server: ScriptedServer) -> str:
    """Two messages with their answers, then the program is closed."""
    door = await open_door(data)
    session = await door.sessions.start(str(folder), route=Route(model="m", base_url=server.base_url))
    for words in ("first", "second"):
        await door.sessions.prompt(session, words)
        assert (await door.sessions.settled(session)).status is Status.IDLE
    await door.close()
    return session


@pytest.mark.parametrize("content", ["{not json", b"\x00\x00\x00", ""])
@pytest.mark.parametrize("seq", range(1, 15))
async def test_one_damaged_record_costs_nothing_else(tmp_path: Path, seq: int, content: Any) -> None:
    """Whichever record is hit, also the last: list and chat open, a marker is there, the next turn works."""
    (tmp_path / "w").mkdir()
    (tmp_path / "w/a.txt").write_text("x")
    async with ScriptedServer(SCRIPT) as server:
        session = await _session(tmp_path / "data", tmp_path / "w", server)
        tamper(tmp_path / "data", seq, content)
        door = await open_door(tmp_path / "data")
        try:
            faults = await door.verify()
            assert [fault.seq for fault in faults] == [seq]
            (listed,) = await door.sessions.summaries()
            records = await door.sessions.records(session)
            assert [record.seq for record in records] == list(range(1, 15))
            assert [record.seq for record in records if record.event.kind == "damaged"] == [seq]
            if seq == 1:
                return  # without its first record a chat has no folder to go on in; it can be read
            assert listed.workspace == str(tmp_path / "w")
            await door.sessions.prompt(session, "third")
            assert (await door.sessions.settled(session)).status is Status.IDLE
            assert "third" in str(server.requests[-1]["messages"][-1])
            assert server.breaches == []
        finally:
            await door.close()


async def test_a_chat_without_its_first_record_can_be_read(tmp_path: Path) -> None:
    """Its folder is unknown, so a prompt is refused in a sentence; the rows are there."""
    (tmp_path / "w").mkdir()
    (tmp_path / "w/a.txt").write_text("x")
    async with ScriptedServer(SCRIPT) as server:
        session = await _session(tmp_path / "data", tmp_path / "w", server)
        tamper(tmp_path / "data", 1, "{")
        door = await open_door(tmp_path / "data")
        try:
            with pytest.raises(Exception, match="folder"):
                await door.sessions.prompt(session, "third")
            first = await anext(aiter(door.sessions.watch(session)))
            assert [row.text for row in first.patches[0].rows if row.text][1:] == [
                "first",
                "one",
                "second",
                "two",
            ]
        finally:
            await door.close()


async def test_a_newer_database_is_left_alone(tmp_path: Path) -> None:
    """Data of a newer Paddock: one sentence, and not a byte of it changes."""
    (tmp_path / "w").mkdir()
    (tmp_path / "w/a.txt").write_text("x")
    data = tmp_path / "data"
    async with ScriptedServer(SCRIPT) as server:
        session = await _session(data, tmp_path / "w", server)
    db = sqlite3.connect(data / "paddock.db")
    newest = db.execute("pragma user_version").fetchone()[0]
    db.execute(f"pragma user_version = {newest + 1}")
    db.commit()
    db.close()
    before = {path.name: path.read_bytes() for path in data.iterdir() if path.is_file()}
    door = await open_door(data)
    with pytest.raises(NewerDataError):
        await door.sessions.records(session)
    with pytest.raises(NewerDataError):
        await door.sessions.start(str(tmp_path / "w"))
    await door.close()
    assert {path.name: path.read_bytes() for path in data.iterdir() if path.is_file()} == before


async def test_garbage_instead_of_a_database_is_one_sentence(tmp_path: Path) -> None:
    """A file that is no database is not overwritten."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "paddock.db").write_bytes(b"not a database at all" * 100)
    door = await open_door(data)
    with pytest.raises(StorageError):
        await door.sessions.summaries()
    await door.close()
    assert (data / "paddock.db").read_bytes() == b"not a database at all" * 100
