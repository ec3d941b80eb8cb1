"""Changes from outside: told to the model once, shown in the open question, never our own."""

import asyncio
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.api import Scope, Status, UsageError
from desktop.proof.script import call, text
from desktop.wiring import open_door

EDIT = {"path": "a.txt", "old_text": "colour", "new_text": "color"}


async def watched(b: Any) -> None:
    """Open the bench's door anew, with watching on."""
    await b.door.close()
    b.door = await open_door(b.data, watches=True)


async def until(condition: Any, limit_s: float = 6.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + limit_s
    while not await condition():
        assert time.monotonic() < end, "it never became true"
        await asyncio.sleep(0.05)


async def test_an_open_question_follows_the_file(bench: Any) -> None:
    """While a card is open the file is saved elsewhere: the card asks anew, with the new difference."""
    b = await bench([call("edit_file", EDIT), text("Done.")])
    await watched(b)
    a: Path = b.folder / "a.txt"
    a.write_text("one colour")
    session = await b.start()
    await b.say(session, "go")
    live = await b.door.coordinator.live(session)
    await asyncio.sleep(0.5)
    a.write_text("two colour")

    async def asked_anew() -> bool:
        return [r.event.kind for r in await b.door.sessions.records(session)].count("approval_request") == 2

    await until(asked_anew)
    (question,) = await b.questions(session)
    assert question.files[0].before == "two colour"
    assert live.state.waiting == (question.call_id,)
    assert (await b.answer(session)).status is Status.IDLE
    assert a.read_text() == "two color"


async def test_the_model_is_told_of_others_changes_and_not_of_its_own(bench: Any) -> None:
    """A change by a tool is none from outside; one by the person is, and is told with the next message."""
    b = await bench([call("edit_file", EDIT), text("Done."), text("I see.")])
    await watched(b)
    a: Path = b.folder / "a.txt"
    a.write_text("colour")
    session = await b.start()
    await b.say(session, "go")
    await b.answer(session, Scope.ONCE)
    live = await b.door.coordinator.live(session)
    live.changed_outside.clear()
    await asyncio.sleep(0.6)
    assert live.changed_outside == set()
    (b.folder / "b.txt").write_text("mine")

    async def noticed() -> bool:
        return "b.txt" in live.changed_outside

    await until(noticed)
    await b.say(session, "what now?")
    assert "Changed outside Paddock since: b.txt" in b.sent()[-1]["content"]
    assert (await b.kinds(session)).count("workspace_changed") == 1


async def test_a_folder_that_is_gone_is_said_and_tools_refuse(bench: Any) -> None:
    """Deleted: the chat says so. Put back as another folder: it is not silently taken for the old one."""
    b = await bench([text("Hello."), text("Again.")])
    await watched(b)
    session = await b.start()
    await b.say(session, "hi")
    live = await b.door.coordinator.live(session)
    shutil.rmtree(b.folder)

    async def said() -> bool:
        return "gone" in live.view().problem

    await until(said)
    with pytest.raises(UsageError):
        await b.door.sessions.prompt(session, "still there?")
    (b.folder.parent / "other").mkdir()
    b.folder.mkdir()
    with pytest.raises(UsageError, match="Another folder"):
        await b.door.sessions.prompt(session, "and now?")
    assert (await b.say(await b.start(), "a new chat")).status is Status.IDLE


async def test_without_a_watcher_nothing_is_written_over(bench: Any) -> None:
    """A watcher that never fires costs no safety: freshness is decided at the write."""
    b = await bench([call("edit_file", EDIT), text("Done.")])
    a: Path = b.folder / "a.txt"
    a.write_text("one colour")
    session = await b.start()
    await b.say(session, "go")
    a.write_text("two colour")
    decided = await b.answer(session)
    assert decided.status is Status.IDLE
    assert a.read_text() == "two color"
