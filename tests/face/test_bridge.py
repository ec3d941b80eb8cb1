"""The bridge tells what came of each verb, gathers what is streamed, and loses no error."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import SignalInstance

from desktop.face.bridge import Bridge
from desktop.face.open_chat import BATCH_MS
from desktop.face.stopwatch import stopwatch
from desktop.harness.api import Decision, RowKind, Scope, SessionId, StorageFullError
from tests.face.fake_door import FakeDoor, edit_question

RunQt = Callable[[Awaitable[Any]], Any]


class Heard:
    """Keeps what a signal said; `next` waits for it."""

    def __init__(self, signal: SignalInstance) -> None:
        self.all: list[tuple[Any, ...]] = []
        self._came = asyncio.Event()
        signal.connect(self._take)

    def _take(self, *what: Any) -> None:
        self.all.append(what)
        self._came.set()

    async def next(self) -> tuple[Any, ...]:
        await asyncio.wait_for(self._came.wait(), 5)
        self._came.clear()
        return self.all[-1]


def session_of(bridge: Bridge) -> SessionId:
    """The chat that is open."""
    assert bridge.session is not None
    return bridge.session


@asynccontextmanager
async def bridged(tmp_path: Path) -> AsyncIterator[tuple[Bridge, FakeDoor]]:
    """A bridge with an open chat."""
    door = FakeDoor()
    bridge = Bridge(door)
    opened = Heard(bridge.chat.viewChanged)
    bridge.open_folder(str(tmp_path))
    await opened.next()
    yield bridge, door
    await bridge.close()
    assert door.is_closed
    bridge.deleteLater()


def test_a_message_goes_down_and_its_rows_come_up(run_qt: RunQt, tmp_path: Path) -> None:
    """What a person says is on record first, then its rows and the answer's come as patches."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, _):
            sent, rows = Heard(bridge.sent), Heard(bridge.chat.rowsChanged)
            bridge.prompt("hello")
            await sent.next()
            await rows.next()
            assert [row.text for batch in rows.all for patch in batch[0] for row in patch.rows] == [
                "hello",
                "You said: hello",
            ]

    run_qt(play())


def test_a_failed_message_is_told_and_not_lost(run_qt: RunQt, tmp_path: Path) -> None:
    """A full disk answers with its sentence, so that the text can stay in the box."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            door.sessions.fails_with = StorageFullError("The disk is full.")
            failed = Heard(bridge.sendFailed)
            bridge.prompt("hello")
            assert await failed.next() == ("The disk is full.",)

    run_qt(play())


def test_a_question_comes_compared_and_is_decided(run_qt: RunQt, tmp_path: Path) -> None:
    """A waiting call brings its question with the diff; deciding takes the card away."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            door.sessions.plans = [[edit_question(), edit_question("b.txt", number=2)]]
            asked = Heard(bridge.chat.asked)
            bridge.prompt("change it")
            (cards,) = await asked.next()
            assert [card.files[0].added for card in cards] == [1, 1]
            bridge.decide(
                [
                    Decision(call_id=c.question.call_id, payload=c.question.payload, scope=Scope.ONCE)
                    for c in cards
                ]
            )
            assert await asked.next() == ((),)
            assert [decision.scope for decision in door.sessions.decisions] == [Scope.ONCE, Scope.ONCE]

    run_qt(play())


def test_a_file_that_moved_on_brings_the_new_question(run_qt: RunQt, tmp_path: Path) -> None:
    """When a question is asked anew, it is told anew; when nothing changed, it is not."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            door.sessions.plans = [[edit_question()]]
            asked = Heard(bridge.chat.asked)
            bridge.prompt("change it")
            await asked.next()
            door.sessions.change(bridge.session, step="waits")
            await asyncio.sleep(0.1)
            assert len(asked.all) == 1
            door.sessions.ask_again(bridge.session, edit_question(after="one hue\n"))
            (cards,) = await asked.next()
            assert cards[0].question.files[0].after == "one hue\n"

    run_qt(play())


def test_streamed_words_are_gathered(run_qt: RunQt, tmp_path: Path) -> None:
    """A thousand pieces in half a second make at most one change of the rows per batch, each short."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            row = door.sessions.put(bridge.session, RowKind.ASSISTANT, text="", status="streaming")
            await asyncio.sleep(0.1)
            rows = Heard(bridge.chat.rowsChanged)
            stopwatch.is_on, stopwatch.longest_ms = True, {}
            started = asyncio.get_event_loop().time()
            for number in range(1_000):
                door.sessions.stream(bridge.session, "word " * number)
                if number % 20 == 0:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            took_ms = (asyncio.get_event_loop().time() - started) * 1_000
            stopwatch.is_on = False
            assert len(rows.all) <= took_ms / BATCH_MS + 2
            assert rows.all[-1][0][-1].rows[0].text == "word " * 999
            assert rows.all[-1][0][-1].rows[0].key == row.key
            assert stopwatch.longest_ms["rows"] < 8

    run_qt(play())


def test_drafts_are_kept_per_chat(run_qt: RunQt, tmp_path: Path) -> None:
    """Text that was typed is there again when its chat is opened, also after closing."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            first = session_of(bridge)
            opened = Heard(bridge.chat.opened)
            bridge.chat.change_draft("half a thought")
            bridge.begin(str(tmp_path))
            assert await opened.next() == (bridge.session, "")
            assert bridge.session != first
            bridge.open(first)
            assert await opened.next() == (first, "half a thought")
            bridge.chat.change_draft("half a thought more")
        assert door.sessions.chats[first].draft == "half a thought more"

    run_qt(play())


def test_a_branch_opens_with_its_text(run_qt: RunQt, tmp_path: Path) -> None:
    """A branch is another chat with the rows up to the place, and the given text as its draft."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            sent, opened = Heard(bridge.sent), Heard(bridge.chat.opened)
            bridge.prompt("hello")
            await sent.next()
            bridge.branch(bridge.session, 0, "hello")
            session, draft = await opened.next()
            assert draft == "hello"
            assert door.sessions.chats[session].rows == []

    run_qt(play())


def test_every_error_is_told_in_words(
    run_qt: RunQt, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the harness comes as its sentence; a fault of our own is logged and told plainly."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            failed = Heard(bridge.failed)
            bridge.open_folder(str(tmp_path / "missing"))
            assert "There is no folder" in (await failed.next())[0]
            with caplog.at_level(logging.ERROR, "paddock.face"):
                bridge.set_mode("write")
                monkeypatch.setattr(door.sessions, "change", None)  # a bug, on purpose
                assert "inside Paddock (TypeError)" in (await failed.next())[0]
            assert caplog.records[0].exc_info is not None

    run_qt(play())


def test_undo_shows_its_plan_first(run_qt: RunQt, tmp_path: Path) -> None:
    """Planning tells paths, difference and what is left alone, and changes nothing; undoing then does it."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            planned, undone = Heard(bridge.undoPlanned), Heard(bridge.undone)
            bridge.plan_undo(1)
            plan, files = await planned.next()
            assert (plan.kept, files[0].added) == ((("list.txt", "it was changed since"),), 1)
            assert door.sessions.chats[session_of(bridge)].rows == []
            bridge.undo(1)
            await undone.next()
            assert door.sessions.chats[session_of(bridge)].rows[-1].text == "Put back as before: notes.txt."

    run_qt(play())


def test_settings_part(run_qt: RunQt, tmp_path: Path) -> None:
    """Models come as a list or as a reason, keys say whether they last, rules can be taken back."""

    async def play() -> None:
        async with bridged(tmp_path) as (bridge, door):
            models, reason = Heard(bridge.settings.modelsListed), Heard(bridge.settings.modelsFailed)
            bridge.settings.list_models("http://127.0.0.1:1234/v1")
            assert (await models.next())[1] == ["qwen3", "llama4"]
            bridge.settings.list_models("http://nobody/v1")
            assert (await reason.next())[1] == "Nothing answers at this address."
            door.services.keychain_is = "locked"
            saved = Heard(bridge.settings.keySaved)
            bridge.settings.put_key("http://127.0.0.1:1234/v1", "secret")
            assert await saved.next() == ("http://127.0.0.1:1234/v1", False)
            door.projects.save(str(tmp_path), edit_question().offer.always)
            rules = Heard(bridge.settings.rulesListed)
            bridge.settings.list_rules(str(tmp_path))
            _, found = await rules.next()
            bridge.settings.revoke(str(tmp_path), found[0].rule_id)
            assert (await rules.next())[1] == []

    run_qt(play())
