"""Several file changes of one reply are one change: all of it is written, or none."""

from pathlib import Path
from typing import Any

import pytest

from desktop.harness.adapters.sandbox.root import HeldFolder
from desktop.harness.api import Decision, Question, Scope, Status, UsageError
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.toolspec import Change
from desktop.proof.script import calls, text


def edit(path: str, old: str, new: str) -> tuple[str, dict[str, str], str]:
    """One edit."""
    return ("edit_file", {"path": path, "old_text": old, "new_text": new}, f"{path}{old}")


def three(last: str = "3") -> Any:
    """A change of three files."""
    return calls([edit("a.txt", "1", "one"), edit("b.txt", "2", "two"), edit("c.txt", last, "three")])


def fill(folder: Path) -> None:
    """The three files as they are before."""
    for name, content in zip("abc", "123", strict=True):
        (folder / f"{name}.txt").write_text(content)


def contents(folder: Path) -> str:
    """What the three files hold."""
    return " ".join((folder / f"{name}.txt").read_text() for name in "abc")


def yes(question: Question) -> Decision:
    """Allow once."""
    return Decision(call_id=question.call_id, payload=question.payload, scope=Scope.ONCE)


@pytest.mark.parametrize("rules", [[], ["edit_file"]])
async def test_a_part_that_does_not_match_spoils_the_whole_change(bench: Any, rules: list[str]) -> None:
    """Nothing is asked and nothing is written; each result says how its own file stands and why."""
    b = await bench([three(last="nowhere"), text("Oh.")])
    fill(b.folder)
    session = await b.start()
    assert (await b.say(session, "go", rules=rules)).status is Status.IDLE
    assert contents(b.folder) == "1 2 3"
    assert not {"approval_request", "tool_started"} & set(await b.kinds(session))
    one, two, third = await b.results(session)
    assert [one.error, two.error, third.error] == ["other-part", "other-part", "no-match"]
    assert "Nothing was changed" in one.text
    assert "Change c.txt" in two.text
    assert "- Change a.txt: not changed, would fit" in third.text
    assert "- Change c.txt: not changed, did not fit" in third.text


async def test_a_file_marked_read_only_spoils_the_whole_change(bench: Any) -> None:
    """A file that its owner made read-only is not replaced behind the mark, and neither are the others."""
    b = await bench([three(), text("Oh.")])
    fill(b.folder)
    (b.folder / "c.txt").chmod(0o444)
    session = await b.start()
    assert (await b.say(session, "go", rules=["edit_file"])).status is Status.IDLE
    assert contents(b.folder) == "1 2 3"
    assert [one.error for one in await b.results(session)] == ["other-part", "other-part", "no-permission"]


async def test_a_change_is_begun_and_ended_in_one_commit_each(bench: Any) -> None:
    """Three parts under one decision: begun together, then written, then told together."""
    b = await bench([three(), text("Done.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    assert (await b.answer(session)).status is Status.IDLE
    assert contents(b.folder) == "one two three"
    kinds = await b.kinds(session)
    at = kinds.index("tool_started")
    assert kinds[at : at + 7] == ["tool_started"] * 3 + ["tool_result"] * 3 + ["model_requested"]


async def test_nothing_is_written_while_a_part_is_undecided(bench: Any) -> None:
    """A yes to one part waits for the answers to the others, also over a restart, and then all are made."""
    b = await bench([three(), text("Done.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    for number in (2, 1, 0):
        assert contents(b.folder) == "1 2 3"
        question = (await b.questions(session))[number]
        await b.door.sessions.decide(session, yes(question))
        await b.door.sessions.settled(session)
        await b.reopen()
    assert (await b.door.sessions.view(session)).status is Status.IDLE
    assert contents(b.folder) == "one two three"


async def test_stop_closes_all_questions_of_a_change(bench: Any) -> None:
    """One part allowed and two open, then Stop: nothing waits any more, nothing is ever written."""
    b = await bench([three(), text("Next.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    one, two, _ = await b.questions(session)
    await b.door.sessions.decide(session, yes(one))
    await b.door.sessions.settled(session)
    first = await anext(aiter(b.door.sessions.watch(session)))
    assert [row.status for row in first.patches[0].rows[-3:]] == ["allowed", "waiting", "waiting"]
    await b.door.sessions.cancel(session)
    view = await b.door.sessions.settled(session)
    assert (view.status, view.waiting) == (Status.CANCELLED, ())
    with pytest.raises(UsageError, match="Nothing is asked"):
        await b.door.sessions.decide(session, yes(two))
    assert contents(b.folder) == "1 2 3"
    assert (await b.say(session, "next")).status is Status.IDLE
    assert "tool_started" not in await b.kinds(session)


async def test_rules_and_answers_together_are_one_change(bench: Any) -> None:
    """What a rule allows waits for what a person is asked, and is made with it."""
    b = await bench([three(), text("Done.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go", rules=["edit_file:a.txt"])
    questions = await b.questions(session)
    assert [question.call_id for question in questions] == ["t1c2", "t1c3"]
    assert contents(b.folder) == "1 2 3"
    assert (await b.answer(session)).status is Status.IDLE
    assert contents(b.folder) == "one two three"


async def test_a_denied_part_lets_the_others_be_made(bench: Any) -> None:
    """A person may say no to one file; the others, which do not build on it, are made as shown."""
    b = await bench([three(), text("Done.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    one, two, third = await b.questions(session)
    no = Decision(call_id=two.call_id, payload=two.payload, scope=None)
    await b.door.sessions.decide(session, yes(one), no, yes(third))
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert contents(b.folder) == "one 2 three"


async def test_a_part_that_moved_on_holds_back_the_others(bench: Any) -> None:
    """One file changed between the question and the yes: none is written until that is allowed."""
    b = await bench([three(), text("Done.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    shown = await b.questions(session)
    (b.folder / "b.txt").write_text("2, mine")
    await b.door.sessions.decide(session, *map(yes, shown))
    assert (await b.door.sessions.settled(session)).status is Status.WAITING
    assert contents(b.folder) == "1 2, mine 3"
    (again,) = await b.questions(session)
    assert "changed since" in again.again
    assert (await b.answer(session)).status is Status.IDLE
    assert contents(b.folder) == "one two, mine three"


@pytest.mark.parametrize("rules", [[], ["edit_file"]])
async def test_six_edits_of_one_file_are_one_change(bench: Any, rules: list[str]) -> None:
    """All land in the order of the calls, under both spellings of the path, by a yes or by a rule."""
    edits = [edit("./a.txt" if n % 2 else "a.txt", str(n), f"{n + 1}<{n}>") for n in range(6)]
    b = await bench([calls(edits), text("Done.")])
    (b.folder / "a.txt").write_text("0")
    session = await b.start()
    await b.say(session, "go", rules=rules)
    if not rules:
        await b.answer(session)
    assert (b.folder / "a.txt").read_text() == "6<5><4><3><2><1><0>"
    assert [one.status for one in await b.results(session)] == ["ok"] * 6
    await b.door.sessions.undo(session)
    assert (b.folder / "a.txt").read_text() == "0"


async def test_a_command_ends_the_change_and_is_no_part_of_it(bench: Any) -> None:
    """The edits before a command are made without waiting for its answer; it is asked on the same card."""
    reply = [
        edit("a.txt", "1", "one"),
        ("run_command", {"command": "cat a.txt"}, "x"),
        edit("b.txt", "2", "two"),
    ]
    b = await bench([calls(reply), text("Done.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    first, *others = await b.questions(session)
    assert len(others) == 2
    await b.door.sessions.decide(session, yes(first))
    await b.door.sessions.settled(session)
    assert contents(b.folder) == "one 2 3"
    assert (await b.answer(session)).status is Status.IDLE
    assert contents(b.folder) == "one two 3"
    assert (await b.results(session))[1].text.endswith("one")


async def test_a_read_between_two_changes_parts_them(bench: Any) -> None:
    """What is read in between shows the first change, and the second has its own end."""
    reply = [
        edit("a.txt", "1", "one"),
        ("read_file", {"path": "a.txt"}, "r"),
        edit("b.txt", "nowhere", "two"),
    ]
    b = await bench([calls(reply), text("Done.")])
    fill(b.folder)
    session = await b.start()
    assert (await b.say(session, "go", rules=["edit_file"])).status is Status.IDLE
    one, read, two = await b.results(session)
    assert (one.status, two.error) == ("ok", "no-match")
    assert "one" in read.text


class _Fails:
    """Stands before a folder's writes and lets those of one path fail, as a full disk does."""

    def __init__(self, path: str, before: Any = None) -> None:
        self._path = path
        self._before = before
        self._apply = HeldFolder.apply

    def into(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on writes fail."""
        failing = self

        def apply(folder: HeldFolder, change: Change) -> None:
            if change.path == failing._path:
                if failing._before is not None:
                    failing._before()
                raise ToolError(Refusal.DISK_FULL, "The disk is full.")
            failing._apply(folder, change)

        monkeypatch.setattr(HeldFolder, "apply", apply)


async def test_a_write_that_fails_puts_back_those_before_it(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the second of three files: all are as before, and each result says so."""
    b = await bench([three(), text("Oh.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    _Fails("b.txt").into(monkeypatch)
    assert (await b.answer(session)).status is Status.IDLE
    assert contents(b.folder) == "1 2 3"
    one, two, third = await b.results(session)
    assert [one.status, two.status, third.status] == ["failed"] * 3
    assert [one.error, two.error, third.error] == ["other-part", "disk-full", "other-part"]
    assert "put back as it was" in one.text
    assert "All other files are as they were" in two.text
    assert "Not begun" in third.text
    assert (await b.door.sessions.view(session)).runs == ()


async def test_what_cannot_be_put_back_is_said_and_can_be_undone_later(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person saves the first file in the very moment that the second fails: theirs is not touched."""
    b = await bench([three(), text("Oh.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go")
    _Fails("b.txt", before=lambda: (b.folder / "a.txt").write_text("mine")).into(monkeypatch)
    await b.answer(session)
    assert contents(b.folder) == "mine 2 3"
    one, two, _ = await b.results(session)
    assert one.status == "ok"
    assert "stays so" in one.text
    assert "changed again later" in one.text
    assert "These stay changed: a.txt" in two.text


async def test_every_effect_says_by_what_right_it_happens(bench: Any) -> None:
    """Actor, scope, approval, key, attempt and fingerprint stand in the record before the effect."""
    b = await bench([three(), text("Done.")])
    fill(b.folder)
    session = await b.start()
    await b.say(session, "go", rules=["edit_file:a.txt"])
    await b.answer(session, Scope.SESSION)
    records = await b.door.sessions.records(session)
    by_rule, by_person, _ = [record.event for record in records if record.event.kind == "tool_started"]
    assert (by_rule.actor, by_rule.scope, by_rule.authority) == ("rule", "run", "rule:edit_file:a.txt")
    assert (by_rule.approval, by_person.actor, by_person.scope) == (0, "person", "session")
    assert records[by_person.approval - 1].event.kind == "approval_granted"
    assert records[by_person.approval - 1].event.call_id == by_person.call_id
    assert len({by_rule.step_key, by_person.step_key}) == 2
    assert len(by_person.fingerprint) == 64
    assert by_person.attempt == 1
