"""A service that fails is asked again at a time on record; a restart renews nothing, Stop ends the wait."""

import time
from typing import Any

from desktop.harness.api import RowKind, Status
from desktop.proof.script import Break, call, delta, failure, text, tool_delta, words


async def waits(b: Any, session: str) -> None:
    """Until the chat waits for the service."""
    end = time.monotonic() + 5
    while (await b.door.sessions.view(session)).status is not Status.RETRYING:
        assert time.monotonic() < end


async def test_a_busy_service_is_asked_again_when_it_wants(bench: Any) -> None:
    """Twice 429 with a wait of one second: each wait is at least that long, then the answer comes, once."""
    busy = failure(429, "slow down", retry_after="1")
    b = await bench([busy, busy, text("Hello.")])
    session = await b.start()
    began = time.monotonic()
    assert (await b.say(session, "hi")).status is Status.IDLE
    assert time.monotonic() - began >= 2
    assert (await b.kinds(session)).count("retry_scheduled") == 2
    assert b.server.bodies[0] == b.server.bodies[2]


async def test_a_wait_is_visible_and_ends_at_once_with_stop(bench: Any) -> None:
    """While it waits the chat says so; Stop does not wait for the service."""
    b = await bench([failure(503, "later", retry_after="30")])
    session = await b.start()
    await b.door.sessions.prompt(session, "hi")
    await waits(b, session)
    began = time.monotonic()
    await b.door.sessions.cancel(session)
    assert (await b.door.sessions.settled(session)).status is Status.CANCELLED
    assert time.monotonic() - began < 15


async def test_a_restart_renews_no_wait(bench: Any) -> None:
    """The time stands in the log: closed while waiting and gone on with, the attempt follows at that time."""
    b = await bench([failure(503, "later", retry_after="2"), text("Hello.")])
    session = await b.start()
    await b.door.sessions.prompt(session, "hi")
    await waits(b, session)
    await b.reopen()
    assert (await b.door.sessions.view(session)).status is Status.INTERRUPTED
    assert len(b.server.requests) == 1
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE


async def test_an_hour_is_no_wait(bench: Any) -> None:
    """A long wait ends the run with the time in words; nothing sleeps."""
    b = await bench([failure(429, "slow down", retry_after="3600")])
    view = await b.say(await b.start(), "hi")
    assert view.status is Status.FAILED
    assert "60 minutes" in view.problem


async def test_a_broken_reply_is_marked_and_its_call_never_runs(bench: Any) -> None:
    """Half a sentence and the start of a call, a reset, then the whole reply: the tool runs once."""
    piece = tool_delta(0, id="x", name="write_file", arguments='{"path":"a","con')
    broken = [*words("Hello wor"), delta({"tool_calls": [piece]}), Break()]
    b = await bench(
        [broken, call("write_file", {"path": "a", "content": "x"}, say="Hello world"), text("Done.")]
    )
    session = await b.start()
    assert (await b.say(session, "hi", rules=["write_file"])).status is Status.FAILED
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert (await b.kinds(session)).count("tool_started") == 1
    assert (await b.kinds(session)).count("model_failed") == 1
    first = await anext(b.door.sessions.watch(session))
    said = [(row.text, row.status) for row in first.patches[0].rows if row.kind is RowKind.ASSISTANT]
    assert said == [("Hello wor", "cut"), ("Hello world", ""), ("Done.", "")]


async def test_the_tool_before_a_failure_is_not_run_again(bench: Any) -> None:
    """The effect stands; the request that is tried again already holds its result."""
    b = await bench([call("run_command", {"command": "echo x >> tally"}), failure(502, "no"), text("Done.")])
    session = await b.start()
    assert (await b.say(session, "go", rules=["run_command"])).status is Status.IDLE
    assert (b.folder / "tally").read_text() == "x\n"
    assert b.sent()[-1]["role"] == "tool"
