"""Stops of every kind: by the person, by the server, by a full disk, by closing the program."""

import asyncio
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.api import (
    SessionSummary,
    Settlement,
    Status,
    StorageFullError,
    UnsettledError,
    UsageError,
)
from desktop.harness.core.events import ReplyProgress, Resumed
from desktop.harness.core.projection import CUT_MARK
from desktop.proof.script import (
    Break,
    Close,
    Pause,
    call,
    calls,
    delta,
    error,
    finish,
    text,
    words,
)

FORTY = " ".join(["word"] * 40)


async def until(condition: Any, limit_s: float = 5.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "it never became true"
        await asyncio.sleep(0.01)


async def test_stop_while_streaming_keeps_the_words(bench: Any) -> None:
    """Stop after forty words: they are kept, marked as cut off for the model, also after a restart."""
    b = await bench([[*words(FORTY + " "), Pause(30)], text("I said word."), text("Still.")])
    session = await b.start()
    await b.door.sessions.prompt(session, "talk")
    live = await b.door.coordinator.live(session)
    await until(lambda: live.partial.count("word") == 40)
    await b.door.sessions.cancel(session)
    assert (await b.door.sessions.settled(session)).status is Status.CANCELLED
    await b.say(session, "what were you saying?")
    cut = {"role": "assistant", "content": f"{FORTY} \n{CUT_MARK}"}
    assert b.sent()[1] == cut
    await b.reopen()
    await b.say(session, "and now?")
    assert b.sent()[1] == cut


async def test_stop_before_the_first_word_adds_nothing(bench: Any) -> None:
    """A stop with zero words leaves no empty message."""
    b = await bench([[Pause(30)], text("Hello.")])
    session = await b.start()
    await b.door.sessions.prompt(session, "talk")
    await until(lambda: b.server.requests)
    await b.door.sessions.cancel(session)
    await b.door.sessions.settled(session)
    await b.say(session, "hi")
    assert [one["role"] for one in b.sent()] == ["user", "user"]


async def test_stop_ends_a_command_and_the_next_message_works(bench: Any) -> None:
    """A running command is ended with all it started; the call is answered before the next message."""
    b = await bench([call("run_command", {"command": "sleep 30 & echo $! > pid; wait"}), text("Hello.")])
    session = await b.start()
    await b.door.sessions.prompt(session, "run it", rules=["run_command"])
    pid = b.folder / "pid"
    await until(lambda: pid.exists() and pid.read_text().strip())
    await b.door.sessions.cancel(session)
    assert (await b.door.sessions.settled(session)).status is Status.CANCELLED
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
    assert (await b.say(session, "hi")).status is Status.IDLE
    assert [one["role"] for one in b.sent()] == ["user", "assistant", "tool", "user"]
    assert "Stopped by the person" in b.sent()[2]["content"]


async def test_stop_with_an_open_question_closes_it(bench: Any) -> None:
    """The card is gone, nothing was written, and the next message is answered first time."""
    b = await bench([call("write_file", {"path": "a", "content": "x"}), text("Hello.")])
    session = await b.start()
    await b.say(session, "go")
    await b.door.sessions.cancel(session)
    view = await b.door.sessions.settled(session)
    assert (view.status, view.waiting) == (Status.CANCELLED, ())
    assert (await b.say(session, "hi")).status is Status.IDLE
    assert not (b.folder / "a").exists()


async def test_another_process_can_stop_a_run(bench: Any) -> None:
    """A cancel that a second door records reaches the run, also when the run writes just behind it."""
    from desktop.wiring import open_door

    b = await bench([[*words("a b c "), Pause(30)]])
    session = await b.start()
    await b.door.sessions.prompt(session, "talk")
    await until(lambda: b.server.requests)
    other = await open_door(b.data)
    runner = b.door.coordinator._runners[session]
    await other.sessions.cancel(session)
    await runner._append([ReplyProgress(turn=1, text="a ")], 1)
    await other.close()
    view = await asyncio.wait_for(b.door.sessions.settled(session), 3)
    assert view.status is Status.CANCELLED


@pytest.mark.parametrize("how", [Close(), Break()])
async def test_half_a_reply_is_a_failure_that_can_be_tried_again(bench: Any, how: Any) -> None:
    """A stream without a finish reason is no answer; its text is kept, trying again sends the same bytes."""
    b = await bench([[*words("Half a "), how], text("A whole answer.")])
    session = await b.start()
    view = await b.say(session, "talk")
    assert view.status is Status.FAILED
    assert view.problem
    failed = (await b.last(session)).event
    assert (failed.kind, failed.partial) == ("model_failed", "Half a ")
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert b.server.bodies[0] == b.server.bodies[1]


async def test_an_error_inside_the_stream_keeps_the_text(bench: Any) -> None:
    """An error object in the stream is the failure that is told, never an empty success."""
    b = await bench([[*words("par"), error("queue full")]])
    session = await b.start()
    view = await b.say(session, "talk")
    assert view.status is Status.FAILED
    assert "queue full" in view.problem
    assert (await b.last(session)).event.partial == "par"


async def test_a_finish_reason_without_end_mark_is_complete(bench: Any) -> None:
    """The answer stands once, without a retry."""
    b = await bench([[delta({"role": "assistant", "content": "All."}, finish="stop"), Close()]])
    session = await b.start()
    assert (await b.say(session, "talk")).status is Status.IDLE
    assert len(b.server.requests) == 1


async def test_a_call_with_finish_reason_stop_runs(bench: Any) -> None:
    """What counts is the call, not the word the server ended with."""
    b = await bench([calls([("list_files", {}, "x")], reason="stop"), text("Nothing here.")])
    assert (await b.say(await b.start(), "look")).status is Status.IDLE
    assert len(b.server.requests) == 2


async def test_a_promise_of_calls_without_calls_ends_the_turn(bench: Any) -> None:
    """One request, no loop."""
    b = await bench([[*words("Hm."), finish("tool_calls")]])
    assert (await b.say(await b.start(), "look")).status is Status.IDLE
    assert len(b.server.requests) == 1


@pytest.mark.parametrize("arguments", ['{"path":"a.txt","content":"cut', '{"path":"a.txt","content":"cut"}'])
async def test_a_call_cut_by_the_output_limit_never_runs(bench: Any, arguments: str) -> None:
    """Also when the cut text happens to parse; after three such replies the run stops and says why."""
    cut = calls([("write_file", arguments, "x")], reason="length")
    b = await bench([cut], repeat_last=True)
    session = await b.start()
    view = await b.say(session, "write", rules=["write_file"])
    assert view.status is Status.PAUSED
    assert "length limit" in view.problem
    assert len(b.server.requests) == 3
    assert list(b.folder.iterdir()) == []
    assert "output limit" in b.sent()[-1]["content"]


async def _fill_disk(b: Any, *, full: bool) -> None:
    """Let the database grow no more, or again."""

    def limit(db: Any) -> None:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages if full else 2**30}").fetchone()

    await b.door.coordinator.parts.store._writer.run(limit)


async def test_a_full_disk_loses_no_word_and_starts_no_tool(bench: Any) -> None:
    """Full when a message is stored: a sentence, nothing recorded; with room again the session works."""
    b = await bench([text("Hello."), text("Again.")])
    session = await b.start()
    await b.say(session, "first")
    before = await b.door.sessions.records(session)
    await _fill_disk(b, full=True)
    with pytest.raises(StorageFullError):
        await b.door.sessions.prompt(session, "y" * 200_000)
    assert await b.door.sessions.records(session) == before
    await _fill_disk(b, full=False)
    assert (await b.say(session, "y" * 200_000)).status is Status.IDLE


async def test_no_effect_without_its_stored_intent(bench: Any) -> None:
    """Full when the intent of a write is to be stored: the file is not written; with room again it is."""
    b = await bench([call("write_file", {"path": "a", "content": "x"}), text("Done.")])
    session = await b.start()
    await b.say(session, "go")
    store = b.door.coordinator.parts.store
    append = store.append

    async def full_at_intent(*writes: Any) -> Any:
        if any(event.kind == "tool_started" for write in writes for event in write.events):
            await _fill_disk(b, full=True)
            writes = tuple(replace(write, events=[*write.events, Resumed()] * 3000) for write in writes)
        return await append(*writes)

    store.append = full_at_intent
    view = await b.answer(session)
    assert "full" in view.problem
    assert not (b.folder / "a").exists()
    store.append = append
    await _fill_disk(b, full=False)
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert (b.folder / "a").read_text() == "x"


async def test_closing_while_it_streams_leaves_one_record(bench: Any) -> None:
    """Closing the program is no cancel: what was streamed is kept, and the person may go on."""
    b = await bench([[*words("one two "), Pause(30)], text("whole answer")])
    session = await b.start()
    await b.door.sessions.prompt(session, "talk")
    live = await b.door.coordinator.live(session)
    await until(lambda: "two" in live.partial)
    began = time.monotonic()
    await b.reopen()
    assert time.monotonic() - began < 15
    last = (await b.last(session)).event
    assert (last.kind, last.text) == ("interrupted", "one two ")
    assert (await b.door.sessions.view(session)).status is Status.INTERRUPTED
    assert len(b.server.requests) == 1
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE


CHILD = """
import asyncio, sys
from pathlib import Path
from desktop.harness.api import Route
from desktop.wiring import open_door

async def main():
    door = await open_door(Path(sys.argv[1]))
    session = await door.sessions.start(sys.argv[2], route=Route(model="m", base_url=sys.argv[3]))
    await door.sessions.prompt(session, "go", rules=sys.argv[4:])
    await door.sessions.settled(session)
    print(session, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def _killed(b: Any, *rules: str, when: Any = None) -> str:
    """Run a prompt in another process and kill it; the session."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(b.data), str(b.folder), b.server.base_url, *rules,
        stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    try:
        if when is None:
            assert child.stdout is not None
            await asyncio.wait_for(child.stdout.readline(), 20)
        else:
            await until(when, 20)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        await child.wait()
    summaries: list[SessionSummary] = await b.door.sessions.summaries()
    return summaries[0].session


async def test_a_card_survives_sigkill(bench: Any) -> None:
    """Killed with a question open: the same question stands, nothing was written, the answer works."""
    b = await bench([call("write_file", {"path": "a", "content": "x"}), text("Done.")])
    session = await _killed(b)
    view = await b.door.sessions.view(session)
    assert view.status is Status.WAITING
    assert not (b.folder / "a").exists()
    assert (await b.answer(session)).status is Status.IDLE
    assert (b.folder / "a").read_text() == "x"


async def test_streamed_text_survives_sigkill(bench: Any) -> None:
    """Killed in the middle of an answer: what came half a second before is kept, marked, told once."""
    b = await bench([[*words("one two three "), Pause(30)], text("Whole."), text("Next.")])

    def shown() -> bool:
        return b.server.requests and time.monotonic() - asked[0] > 1.5

    asked = [time.monotonic() + 60]

    def begun() -> bool:
        if b.server.requests and asked[0] > time.monotonic() + 30:
            asked[0] = time.monotonic()
        return bool(shown())

    session = await _killed(b, when=begun)
    first = await anext(aiter(b.door.sessions.watch(session)))
    row = first.patches[0].rows[-1]
    assert (row.text, row.status) == ("one two three ", "cut")
    branch = await b.door.sessions.fork(session)
    await b.say(branch, "what did you say?")
    assert b.sent()[1]["content"] == f"one two three \n{CUT_MARK}"
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert [one["role"] for one in b.sent()] == ["user"]


async def test_an_effect_without_receipt_is_never_repeated_on_its_own(bench: Any) -> None:
    """Killed while a command runs: it needs a look, and a new prompt waits for the answer.

    Stopping there is an answer too; the model is told "unknown" then.
    """
    b = await bench([call("run_command", {"command": "echo x >> tally; sleep 60"}), text("Hm.")])
    tally = b.folder / "tally"
    session = await _killed(b, "run_command", when=tally.exists)
    assert (await b.door.sessions.view(session)).status is Status.NEEDS_CHECK
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.NEEDS_CHECK
    assert (await b.kinds(session))[-1] == "effect_unresolved"
    before = await b.door.sessions.records(session)
    with pytest.raises(UnsettledError, match="not known whether it happened"):
        await b.say(session, "what happened?")
    assert await b.door.sessions.records(session) == before
    await b.door.sessions.cancel(session)
    assert (await b.say(session, "what happened?")).status is Status.IDLE
    assert "unknown" in b.sent()[-2]["content"]
    assert tally.read_text() == "x\n"


@pytest.mark.parametrize(
    ("outcome", "tally", "kinds", "words"),
    [
        (Settlement.HAPPENED, "x\n", ["effect_settled", "model_requested"], "did happen"),
        (Settlement.DID_NOT_HAPPEN, "x\n", ["effect_settled", "model_requested"], "did not happen"),
        (Settlement.RETRY, "x\nx\n", ["effect_settled", "tool_started", "tool_result"], "code"),
    ],
)
async def test_a_person_settles_an_effect_without_receipt(
    bench: Any, outcome: Settlement, tally: str, kinds: list[str], words: str
) -> None:
    """Yes, no, or try again: the answer is on record, the run goes on with it, a retry keeps its step key."""
    b = await bench(
        [call("run_command", {"command": "echo x >> tally; test -f ok || sleep 60"}), text("Ok.")]
    )
    session = await _killed(b, "run_command", when=(b.folder / "tally").exists)
    (b.folder / "ok").write_text("")
    (call_id,) = (await b.door.sessions.summaries())[0].needs_check
    await b.door.sessions.settle(session, call_id, outcome)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert (b.folder / "tally").read_text() == tally
    log = await b.kinds(session)
    after = log[log.index("effect_unresolved") + 1 :]
    assert after[: len(kinds)] == kinds
    assert words in b.sent()[-1]["content"]
    started = [r.event for r in await b.door.sessions.records(session) if r.event.kind == "tool_started"]
    assert len({event.step_key for event in started}) == 1
    assert [event.attempt for event in started] == list(range(1, len(started) + 1))
    with pytest.raises(UsageError):
        await b.door.sessions.settle(session, call_id, outcome)


@pytest.mark.parametrize("happened", [True, False])
async def test_a_change_of_a_file_is_checked_after_a_crash(bench: Any, *, happened: bool) -> None:
    """The file itself shows which end of the change it has; the run goes on with that, once."""
    from desktop.harness.core.events import ToolStarted

    b = await bench([call("write_file", {"path": "a", "content": "new"}), text("Done.")])
    (b.folder / "a").write_text("old")
    session = await b.start()
    await b.say(session, "go")
    (question,) = await b.questions(session)
    await b.door.close()
    await _pretend_started(b.data, session, question)
    if happened:
        (b.folder / "a").write_text("new")
    await b.reopen()
    assert (await b.door.sessions.view(session)).status is Status.NEEDS_CHECK
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    settled = [r.event for r in await b.door.sessions.records(session) if r.event.kind == "effect_settled"]
    assert [event.outcome for event in settled] == ["happened" if happened else "did_not_happen"]
    assert ToolStarted.kind in await b.kinds(session)


async def _pretend_started(data: Path, session: str, question: Any) -> None:
    """Append what a crash between the intent and the receipt leaves behind."""
    from desktop.harness.adapters.clock import SystemClock
    from desktop.harness.adapters.preimages import KeptFiles
    from desktop.harness.adapters.store import SqliteStore
    from desktop.harness.core.events import ApprovalGranted, ApprovalRequest, ToolStarted
    from desktop.harness.ports import Write

    store = SqliteStore(data, SystemClock(), KeptFiles(data / "artifacts"))
    records = await store.read(session)
    asked = next(r.event for r in records if isinstance(r.event, ApprovalRequest))
    granted = ApprovalGranted(call_id=question.call_id, payload=question.payload, scope="once")
    started = ToolStarted(
        call_id=question.call_id,
        tool="write_file",
        step_key="k",
        attempt=1,
        payload=question.payload,
        authority="person:once",
        changes=asked.changes,
    )
    lock = await asyncio.to_thread(store.lock, session)
    await store.append(Write(session=session, events=[granted, started], run=1, fence=lock.fence))
    lock.release()
    await store.close()
