"""A chat may be left, branched, cancelled or taken up again at any point of its log: it always goes on.

The scripted server judges each request, so a history that cannot be sent fails the test.
"""

import shutil
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from desktop.harness.api import Decision, PayloadHash, Scope, Seq, Status, UsageError
from desktop.proof.script import DONE, Close, call, calls, finish, reasoning, text, words

RICH: list[Any] = [
    calls([("read_file", {"path": "a.txt"}, "a"), ("read_file", {"path": "gone"}, "b")], say="Let me look."),
    calls(
        [
            ("edit_file", {"path": "a.txt", "old_text": "one", "new_text": "two"}, "a"),
            ("list_files", {}, "b"),
            ("write_file", {"path": "new.txt", "content": "x"}, "c"),
            ("run_command", {"command": "echo hi"}, "d"),
        ]
    ),
    call("nonsense", '{"path": "a', id=""),
    reasoning("hm"),
    [*words("half a sen"), Close()],
    text("The end."),
]


async def rich(bench: Any, *more: Any) -> tuple[Any, Any]:
    """A session with reads, questions, a denial, a failure and a cancelled run in its log."""
    house = await bench([*RICH, *more])
    (house.folder / "a.txt").write_text("one\n")
    session = await house.start()
    await house.say(session, "first")
    questions = await house.questions(session)
    assert len(questions) == 3
    await house.answer(session)
    await house.say(session, "second")
    await house.door.sessions.resume(session)
    await house.door.sessions.settled(session)
    return house, session


async def test_a_branch_at_every_record(bench: Any) -> None:
    """Whatever record a branch ends its share at, it is idle, whole, asks nothing, and takes a prompt."""
    house, session = await rich(bench, *(text(f"branch {number}") for number in range(60)))
    last = (await house.last(session)).seq
    before = await house.door.sessions.records(session)
    for at in range(1, last + 1):
        branch = await house.door.sessions.fork(session, at=Seq(at))
        view = await house.door.sessions.view(branch)
        assert view.status is Status.IDLE and view.waiting == (), at
        context = await house.door.sessions.context(branch)
        assert (await house.say(branch, "and here?")).status is Status.IDLE, at
        sent = house.server.exchanges[-1].body
        assert sent.startswith(context.body[:-2]) or b"[" in sent, at
    assert await house.door.sessions.records(session) == before
    assert await house.door.verify() == []


async def test_a_restart_at_every_answer(bench: Any) -> None:
    """A program that ends after each step and begins anew sends byte for byte what one that stayed would."""
    house, session = await rich(bench, text("More."))
    await house.reopen()
    expected = (await house.door.sessions.context(session)).body
    assert (await house.say(session, "more")).status is Status.IDLE
    assert house.server.exchanges[-1].body.startswith(expected[:-2])
    bodies = [one.body for one in house.server.exchanges]
    for shorter, longer in pairwise(bodies):
        assert longer.startswith(shorter[:-2])


async def test_a_cancel_without_the_folder(bench: Any) -> None:
    """Without its folder nothing can be answered, but the run can be cancelled; put back, work goes on."""
    house = await bench([call("write_file", {"path": "x", "content": "y"}), text("Hello.")])
    session = await house.start()
    await house.say(session, "go")
    away = house.folder.parent / "away"
    house.folder.rename(away)
    with pytest.raises(UsageError):
        await house.answer(session)
    await house.door.sessions.cancel(session)
    view = await house.door.sessions.settled(session)
    assert view.status is Status.CANCELLED
    with pytest.raises(UsageError):
        await house.say(session, "hi")
    away.rename(house.folder)
    assert (await house.say(session, "hi")).status is Status.IDLE


async def test_a_folder_that_goes_while_a_turn_runs(bench: Any) -> None:
    """The next tool says that the folder is gone; the run comes to its end and nothing is made elsewhere."""

    def take_away(_: Any) -> Any:
        shutil.rmtree(house.folder)
        return call("write_file", {"path": "x", "content": "y"})

    house = await bench([take_away, text("It is gone.")])
    session = await house.start()
    view = await house.say(session, "go", rules=["write_file"])
    assert view.status is Status.IDLE and not house.folder.exists()
    assert [result.error for result in await house.results(session)] == ["root-changed"]
    house.folder.mkdir()


@pytest.mark.parametrize("times", [2, 5])
async def test_words_of_a_person_said_many_times(bench: Any, times: int) -> None:
    """Cancel, resume and the same answer, again and again, leave one of each and do each thing once."""
    write = call("write_file", {"path": "x", "content": "y"})
    house = await bench([write, text("Done."), write, text("Hello.")])
    session = await house.start()
    await house.say(session, "go")
    [question] = await house.questions(session)
    for _ in range(times):
        await house.door.sessions.resume(session)
    await house.answer(session)
    for _ in range(times):
        await house.door.sessions.resume(session)
        with pytest.raises(UsageError):
            await house.door.sessions.decide(session, _same(question))
    assert (await house.kinds(session)).count("tool_started") == 1
    (house.folder / "x").unlink()
    await house.say(session, "again")
    for _ in range(times):
        await house.door.sessions.cancel(session)
        await house.door.sessions.settled(session)
    kinds = await house.kinds(session)
    assert (kinds.count("cancel_requested"), kinds.count("cancelled")) == (1, 1)
    assert not (house.folder / "x").exists()
    assert (await house.say(session, "hi")).status is Status.IDLE


def _same(question: Any) -> Any:
    return Decision(call_id=question.call_id, payload=question.payload, scope=Scope.ONCE)


async def test_an_answer_with_another_payload(bench: Any) -> None:
    """A yes to something that was not asked writes nothing, and the question stays."""
    house = await bench([call("write_file", {"path": "x", "content": "y"}), text("Done.")])
    session = await house.start()
    await house.say(session, "go")
    [question] = await house.questions(session)
    other = PayloadHash(question.payload[:-1] + ("0" if question.payload[-1] != "0" else "1"))
    answer = Decision(call_id=question.call_id, payload=other, scope=Scope.ONCE)
    with suppress(UsageError):
        await house.door.sessions.decide(session, answer)
    await house.door.sessions.settled(session)
    assert not (house.folder / "x").exists()
    assert (await house.door.sessions.view(session)).status is Status.WAITING
    await house.answer(session)
    assert (house.folder / "x").exists()


async def test_a_reply_that_ends_without_done(bench: Any) -> None:
    """The reason on the last words is an end; `[DONE]` alone after words is one too."""
    house = await bench([[*words("all of it"), finish(), Close()], [*words("all of that"), DONE]])
    session = await house.start()
    for _ in range(2):
        assert (await house.say(session, "hi")).status is Status.IDLE
    assert house.server.seen == 2
