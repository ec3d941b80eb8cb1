"""An effect without a receipt comes with what can be seen of it, on record and for a person's eyes."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.adapters.clock import SystemClock
from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.adapters.store import SqliteStore
from desktop.harness.api import SessionId, Status, UsageError
from desktop.harness.core.events import ApprovalGranted, ApprovalRequest, ToolStarted
from desktop.harness.ports import Write
from desktop.proof.script import call, calls, text

CHILD = """
import asyncio, sys
from pathlib import Path
from desktop.harness.api import Route
from desktop.wiring import open_door

async def main():
    door = await open_door(Path(sys.argv[1]))
    session = await door.sessions.start(sys.argv[2], route=Route(model="m", base_url=sys.argv[3]))
    await door.sessions.prompt(session, "go", rules=["run_command", "edit_file", "write_file"])
    await door.sessions.settled(session)

asyncio.run(main())
"""


async def killed(b: Any, when: Any) -> SessionId:
    """Run a prompt in another process and kill it as soon as something is so; the session."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(b.data), str(b.folder), b.server.base_url,
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    try:
        async with asyncio.timeout(30):
            while not when():
                await asyncio.sleep(0.005)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        await child.wait()
    (summary,) = await b.door.sessions.summaries()
    session: SessionId = summary.session
    return session


async def looked_at(b: Any, session: SessionId) -> Any:
    """Let Paddock look what became of it; the record."""
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.NEEDS_CHECK
    return (await b.last(session)).event


async def test_a_killed_command_leaves_the_end_of_its_output(bench: Any) -> None:
    """What it printed before the kill is on record without its secret; the file it was kept in goes."""
    script = "echo building $((40 + 2)); echo token-of-mine-4711; sleep 60"
    b = await bench([call("run_command", {"command": script}), text("Hm.")])
    (b.folder / ".env").write_text("API_TOKEN=token-of-mine-4711\n")
    running = b.data / "running"

    def is_kept() -> bool:
        return any("[secret-1]" in path.read_text() for path in running.glob("*/*.json"))

    session = await killed(b, is_kept)
    unresolved = await looked_at(b, session)
    command = {"tail": "building 42\n[secret-1]\n", "exit_code": None, "has_ended": False}
    assert unresolved.evidence == {"command": command}
    shown = await b.door.sessions.evidence(session, unresolved.call_id)
    assert shown.is_command and shown.tail == command["tail"]
    await b.door.sessions.cancel(session)
    await b.say(session, "go on")
    assert not list(running.rglob("*.json"))
    with pytest.raises(UsageError):
        await b.door.sessions.evidence(session, unresolved.call_id)


async def test_a_file_that_shows_neither_end_is_laid_beside_both(bench: Any) -> None:
    """The record names its digests; a person sees from before to now, and from now to after."""
    edit = {"path": "notes.txt", "old_text": "one", "new_text": "1"}
    b = await bench([call("edit_file", edit), text("Hm.")])
    notes = b.folder / "notes.txt"
    notes.write_text("one\ntwo\n")
    session = await begun(b)
    KeptFiles(b.data / "preimages").keep(b"one\ntwo\n")
    notes.write_text("one\ntwo\nmine\n")
    unresolved = await looked_at(b, session)
    (file,) = unresolved.evidence["files"]
    assert (file["path"], file["shows"], file["size_bytes"]) == ("notes.txt", "other", 13)
    assert len({file["now"], file["before"], file["after"]}) == 3
    shown = await b.door.sessions.evidence(session, unresolved.call_id)
    assert [one.shows for one in shown.files] == ["other"]
    past, future = shown.differences
    assert (past.before, past.after) == ("one\ntwo\n", "one\ntwo\nmine\n")
    assert (future.before, future.after) == ("one\ntwo\nmine\n", "1\ntwo\n")


@pytest.mark.parametrize("keeps", [True, False])
async def test_a_file_that_is_gone(bench: Any, *, keeps: bool) -> None:
    """Gone is said as it is, with the content before where it was kept."""
    b = await bench([call("edit_file", {"path": "a", "old_text": "one", "new_text": "1"}), text("Hm.")])
    (b.folder / "a").write_text("one")
    session = await begun(b)
    if keeps:
        KeptFiles(b.data / "preimages").keep(b"one")
    (b.folder / "a").unlink()
    unresolved = await looked_at(b, session)
    assert unresolved.evidence["files"][0]["shows"] == "gone"
    shown = await b.door.sessions.evidence(session, unresolved.call_id)
    assert [(one.before, one.after) for one in shown.differences] == [("one", None), (None, "1")] * keeps


async def test_each_edit_of_one_file_is_settled_by_what_the_file_shows(bench: Any) -> None:
    """Killed after the second of three edits of one file: two happened, the third did not; none is asked."""
    edits = [
        ("edit_file", {"path": "a", "old_text": str(n), "new_text": f"{n + 1}"}, str(n)) for n in range(3)
    ]
    b = await bench([calls(edits), text("Done.")])
    (b.folder / "a").write_text("0")
    session = await begun(b)
    (b.folder / "a").write_text("2")
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    settled = [r.event for r in await b.door.sessions.records(session) if r.event.kind == "effect_settled"]
    assert [event.outcome for event in settled] == ["happened", "happened", "did_not_happen"]
    assert "tool_result" not in await b.kinds(session)


async def begun(b: Any) -> SessionId:
    """Ask, allow and begin all effects of a reply, and leave it at that as a crash does."""
    session: SessionId = await b.start()
    await b.say(session, "go")
    await b.door.close()
    store = SqliteStore(b.data, SystemClock(), KeptFiles(b.data / "artifacts"))
    asked = [r.event for r in await store.read(session) if isinstance(r.event, ApprovalRequest)]
    granted = [ApprovalGranted(call_id=one.call_id, payload=one.payload, scope="once") for one in asked]
    started = [
        ToolStarted(
            call_id=one.call_id,
            tool=one.tool,
            step_key="k",
            attempt=1,
            payload=one.payload,
            authority="person:once",
            changes=one.changes,
        )
        for one in asked
    ]
    lock = await asyncio.to_thread(store.lock, session)
    await store.append(Write(session=session, events=[*granted, *started], run=1, fence=lock.fence))
    lock.release()
    await store.close()
    await b.reopen()
    return session


async def test_a_cut_write_leaves_the_old_content_and_no_stray_file(bench: Any) -> None:
    """Killed in the middle of writing 50 MB: the file is old or new, and the temporary file goes."""
    edit = {"path": "deep/big.txt", "old_text": "needle", "new_text": "thread"}
    b = await bench([call("edit_file", edit), text("Done.")])
    big = b.folder / "deep/big.txt"
    big.parent.mkdir()
    old = b"needle\n" + b"x" * 50_000_000 + b"\n"
    big.write_bytes(old)

    def strays() -> list[Path]:
        return list(big.parent.glob(".paddock-*"))

    session = await killed(b, strays)
    left = big.read_bytes()
    assert left in (old, old.replace(b"needle", b"thread"))
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert strays() == []
    (settled,) = [r.event for r in await b.door.sessions.records(session) if r.event.kind == "effect_settled"]
    assert settled.outcome == ("did_not_happen" if left == old else "happened")


async def test_opening_a_folder_removes_what_a_dead_writer_left(bench: Any) -> None:
    """Only files of our own kind that nobody holds; names that only look alike stay."""
    b = await bench([text("Hi.")])
    for name in (".paddock-0123456789abcdef~", ".paddock-notes~", "a~"):
        (b.folder / name).write_text("x")
    await b.say(await b.start(), "hi")
    assert sorted(path.name for path in b.folder.iterdir()) == [".paddock-notes~", "a~"]
