"""Each control verb has its own meaning: pause holds, steer is read once, kill ends, a brake asks."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.api import Status, UsageError
from desktop.proof.script import Until, call, calls, text
from desktop.wiring import open_door


async def until(condition: Any, limit_s: float = 5.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "it never became true"
        await asyncio.sleep(0.01)


class Gate:
    """Holds the server back until it is opened."""

    def __init__(self) -> None:
        self.is_open = False

    def is_set(self) -> bool:
        """Whether the server may go on."""
        return self.is_open


async def test_pause_holds_at_a_safe_point_and_resume_goes_on(bench: Any) -> None:
    """What runs comes to its end, nothing new begins; going on sends what was due, once."""
    gate = Gate()
    b = await bench([[Until(gate), *call("read_file", {"path": "a.txt"})], text("Done.")])
    (b.folder / "a.txt").write_text("alpha")
    session = await b.start()
    await b.door.sessions.prompt(session, "go")
    await until(lambda: b.server.requests)
    await b.door.sessions.pause(session)
    gate.is_open = True
    view = await b.door.sessions.settled(session)
    assert view.status is Status.PAUSED
    assert (await b.kinds(session))[-2:] == ["assistant_message", "paused"]
    assert len(b.server.requests) == 1
    await b.reopen()
    assert (await b.door.sessions.view(session)).status is Status.PAUSED
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert "alpha" in b.sent()[-1]["content"]


async def test_a_paused_question_can_be_answered_and_waits_for_continue(bench: Any) -> None:
    """The answer is recorded at once; the effect comes with Continue."""
    b = await bench([call("write_file", {"path": "a", "content": "x"}), text("Done.")])
    session = await b.start()
    await b.say(session, "go")
    await b.door.sessions.pause(session)
    assert (await b.door.sessions.settled(session)).status is Status.PAUSED
    assert (await b.door.sessions.view(session)).waiting != ()
    await b.answer(session)
    assert not (b.folder / "a").exists()
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert (b.folder / "a").read_text() == "x"


async def test_a_steer_while_the_model_answers_is_read_next_and_once(bench: Any) -> None:
    """Said while a reply comes in: it stands behind that reply, and the run goes on with it."""
    gate = Gate()
    b = await bench([[Until(gate), *text("First.")], text("Second.")])
    session = await b.start()
    await b.door.sessions.prompt(session, "go")
    await until(lambda: b.server.requests)
    await b.door.sessions.steer(session, "use port 9000")
    gate.is_open = True
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert [one["content"] for one in b.sent()] == ["go", "First.", "use port 9000"]
    assert b.server.bodies[1].startswith(b.server.bodies[0][:-2])


async def test_a_steer_while_tools_run_stands_behind_their_results(bench: Any) -> None:
    """Also with an open question: after the answer the model reads results first, then the words."""
    pair = [("write_file", {"path": n, "content": n}, n) for n in ("a", "b")]
    b = await bench([calls(pair), text("Done.")])
    session = await b.start()
    await b.say(session, "go")
    await b.door.sessions.steer(session, "and be quick")
    await b.reopen()
    assert (await b.answer(session)).status is Status.IDLE
    assert [one["role"] for one in b.sent()] == ["user", "assistant", "tool", "tool", "user"]
    assert b.sent()[-1]["content"] == "and be quick"


async def test_a_steer_followed_by_stop_is_not_lost(bench: Any) -> None:
    """Typed and stopped at once: it reaches the model exactly once, with the next message."""
    gate = Gate()
    b = await bench([[Until(gate), *text("never")], text("Ok.")])
    session = await b.start()
    await b.door.sessions.prompt(session, "go")
    await until(lambda: b.server.requests)
    await b.door.sessions.steer(session, "use port 9000")
    await b.door.sessions.cancel(session)
    await b.door.sessions.settled(session)
    gate.is_open = True
    await b.say(session, "now")
    assert str(b.sent()).count("use port 9000") == 1


async def test_nothing_to_steer_is_said(bench: Any) -> None:
    """Without a run the words belong into a message."""
    b = await bench([text("Hello.")])
    session = await b.start()
    await b.say(session, "hi")
    with pytest.raises(UsageError, match="just send"):
        await b.door.sessions.steer(session, "more")


async def test_kill_ends_a_command_at_once_and_keeps_the_evidence(bench: Any) -> None:
    """The run is over when the word is durable; how the command ended is kept, and the next message works."""
    b = await bench([call("run_command", {"command": "trap '' TERM; echo $$ > pid; sleep 30"}), text("Ok.")])
    session = await b.start()
    await b.door.sessions.prompt(session, "go", rules=["run_command"])
    pid = b.folder / "pid"
    await until(lambda: pid.exists() and pid.read_text().strip())
    await b.door.sessions.kill(session)
    assert (await b.door.sessions.settled(session)).status is Status.CANCELLED
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
    log = await b.kinds(session)
    assert log[log.index("killed") + 1 :] == ["tool_result"]
    assert (await b.say(session, "hi")).status is Status.IDLE


async def test_pause_and_kill_reach_a_run_in_another_process(bench: Any) -> None:
    """The words of a second door act on the run where it is."""
    gate = Gate()
    b = await bench([[Until(gate), *call("list_files", {})], [Until(Gate()), *text("never")]])
    session = await b.start()
    await b.door.sessions.prompt(session, "go")
    await until(lambda: b.server.requests)
    other = await open_door(b.data)
    try:
        await other.sessions.pause(session)
        await asyncio.sleep(0.2)
        gate.is_open = True
        assert (await b.door.sessions.settled(session)).status is Status.PAUSED
        await b.door.sessions.resume(session)
        await until(lambda: len(b.server.requests) == 2)
        await other.sessions.kill(session)
        view = await asyncio.wait_for(b.door.sessions.settled(session), 3)
        assert view.status is Status.CANCELLED
    finally:
        await other.close()


@pytest.mark.parametrize("written", ['{"path":"a.txt"}', '{ "path" : "a.txt" }'])
async def test_three_identical_calls_ask_before_going_on(bench: Any, written: str) -> None:
    """However the arguments are written; going on allows three more, so requests stay bounded."""
    b = await bench(lambda r: call("read_file", written if len(r["messages"]) % 4 else '{"path":"a.txt"}'))
    (b.folder / "a.txt").write_text("x")
    session = await b.start()
    view = await b.say(session, "go")
    assert view.status is Status.PAUSED
    assert "3 times in a row" in view.problem
    assert len(b.server.requests) == 3
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.PAUSED
    assert len(b.server.requests) == 6
