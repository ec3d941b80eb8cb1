"""The main job through the whole harness: ask, see the diff, allow, always allow, undo, branch, restart."""

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.api import (
    BusyError,
    Decision,
    Mode,
    Record,
    RowKind,
    Scope,
    Status,
    UsageError,
    WaitingError,
)
from desktop.proof.referee import is_extension
from desktop.proof.script import call, calls, text
from desktop.wiring import open_door

EDIT = {"path": "notes.txt", "old_text": "colour", "new_text": "color"}


def write(path: Path, content: str) -> Path:
    """A file with exactly this content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


async def test_ask_see_allow_once_answer(bench: Any) -> None:
    """One change, from the prompt to the answer: nothing is written before the yes, the diff is exact."""
    b = await bench([call("edit_file", EDIT), text("I changed it.")])
    notes = write(b.folder / "notes.txt", "one colour\n")
    session = await b.start()
    view = await b.say(session, "Use American spelling")
    assert view.status is Status.WAITING
    assert notes.read_text() == "one colour\n"
    (question,) = await b.questions(session)
    assert (question.files[0].before, question.files[0].after) == ("one colour\n", "one color\n")
    view = await b.answer(session)
    assert view.status is Status.IDLE
    assert notes.read_text() == "one color\n"
    assert await b.kinds(session) == [
        "session_started",
        "user_message",
        "run_started",
        "model_requested",
        "assistant_message",
        "approval_request",
        "approval_granted",
        "tool_started",
        "tool_result",
        "model_requested",
        "assistant_message",
        "run_finished",
    ]


async def test_a_waiting_card_survives_a_restart(bench: Any) -> None:
    """The same question stands after a restart, neither granted nor denied, and its buttons work."""
    b = await bench([call("edit_file", EDIT), text("Done.")])
    notes = write(b.folder / "notes.txt", "colour")
    session = await b.start()
    await b.say(session, "go")
    (before,) = await b.questions(session)
    await b.reopen()
    (after,) = await b.questions(session)
    assert after == before
    assert (await b.last(session)).event.kind == "approval_request"
    assert (await b.answer(session)).status is Status.IDLE
    assert notes.read_text() == "color"


async def test_a_file_that_moved_on_asks_again(bench: Any) -> None:
    """A yes to a difference that is no longer true writes nothing; the new difference is asked about."""
    b = await bench([call("edit_file", EDIT), text("Done.")])
    notes = write(b.folder / "notes.txt", "one colour")
    session = await b.start()
    await b.say(session, "go")
    (shown,) = await b.questions(session)
    notes.write_text("two colour")
    yes = Decision(call_id=shown.call_id, payload=shown.payload, scope=Scope.ONCE)
    await b.door.sessions.decide(session, yes)
    view = await b.door.sessions.settled(session)
    assert view.status is Status.WAITING
    assert notes.read_text() == "two colour"
    (again,) = await b.questions(session)
    assert again.payload != shown.payload
    assert "changed since" in again.again
    assert (await b.answer(session)).status is Status.IDLE
    assert notes.read_text() == "two color"


async def test_two_clicks_are_one_effect(bench: Any) -> None:
    """The same yes twice, at once, appends once to the file."""
    grow = {"path": "notes.txt", "old_text": "end", "new_text": "x end"}
    b = await bench([call("edit_file", grow), text("Done.")])
    notes = write(b.folder / "notes.txt", "end")
    session = await b.start()
    await b.say(session, "go")
    (question,) = await b.questions(session)
    yes = Decision(call_id=question.call_id, payload=question.payload, scope=Scope.ONCE)
    await asyncio.gather(b.door.sessions.decide(session, yes), b.door.sessions.decide(session, yes))
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert notes.read_text() == "x end"
    assert (await b.kinds(session)).count("tool_started") == 1


async def test_always_is_remembered_for_this_project_only(bench: Any) -> None:
    """After a restart the saved rule answers without a question here, and not in another folder."""
    b = await bench(
        lambda request: call("edit_file", EDIT) if request["messages"][-1]["role"] == "user" else text("Ok.")
    )
    write(b.folder / "notes.txt", "colour")
    session = await b.start()
    await b.say(session, "go")
    await b.answer(session, Scope.ALWAYS)
    await b.reopen()
    write(b.folder / "notes.txt", "colour again")
    view = await b.say(await b.start(), "go")
    assert view.status is Status.IDLE
    assert (b.folder / "notes.txt").read_text() == "color again"
    (saved,) = await b.door.projects.rules(str(b.folder))
    assert saved.rule.pattern == "notes.txt"
    other = await bench([call("edit_file", EDIT), text("Done.")])
    write(other.folder / "notes.txt", "colour")
    assert (await other.say(await other.start(), "go")).status is Status.WAITING
    await b.door.projects.revoke(str(b.folder), saved.rule_id)
    write(b.folder / "notes.txt", "colour three")
    assert (await b.say(await b.start(), "go")).status is Status.WAITING


async def test_a_scope_that_is_not_offered_decides_nothing(bench: Any) -> None:
    """Always on a deletion is refused in a sentence, and the question stays open."""
    b = await bench([call("delete_file", {"path": "a.txt"}), text("Done.")])
    write(b.folder / "a.txt", "x")
    session = await b.start()
    await b.say(session, "go")
    with pytest.raises(UsageError, match="not offered"):
        await b.answer(session, Scope.ALWAYS)
    with pytest.raises(UsageError, match="does not cover"):
        await b.answer(session, Scope.SESSION, pattern="other/")
    assert (await b.door.sessions.view(session)).status is Status.WAITING


async def test_a_no_reaches_the_model_with_its_reason(bench: Any) -> None:
    """The next request tells what the person said; nothing was written."""
    b = await bench([call("edit_file", EDIT), text("I see.")])
    notes = write(b.folder / "notes.txt", "colour")
    session = await b.start()
    await b.say(session, "go")
    await b.answer(session, None, reason="keep it British")
    assert notes.read_text() == "colour"
    assert "keep it British" in b.sent()[-1]["content"]


async def test_six_edits_of_one_file_land_in_call_order(bench: Any) -> None:
    """A reply with several edits is asked on one card and carried out one on the other."""
    edits = [
        (
            "edit_file",
            {"path": "./a.txt" if n % 2 else "a.txt", "old_text": str(n), "new_text": f"<{n}>"},
            f"id{n}",
        )
        for n in range(6)
    ]
    b = await bench([calls(edits), text("Done.")])
    a = write(b.folder / "a.txt", "0 1 2 3 4 5")
    session = await b.start()
    await b.say(session, "go")
    assert len(await b.questions(session)) == 6
    assert (await b.answer(session)).status is Status.IDLE
    assert a.read_text() == "<0> <1> <2> <3> <4> <5>"


async def test_a_denied_part_lets_the_later_part_be_asked_anew(bench: Any) -> None:
    """Two edits of one file; the first is denied, so the second is shown again as it will really be."""
    first = {"path": "a.txt", "old_text": "1", "new_text": "one"}
    second = {"path": "a.txt", "old_text": "2", "new_text": "two"}
    b = await bench([calls([("edit_file", first, "x"), ("edit_file", second, "y")]), text("Done.")])
    a = write(b.folder / "a.txt", "1 2")
    session = await b.start()
    await b.say(session, "go")
    one, two = await b.questions(session)
    no = Decision(call_id=one.call_id, payload=one.payload, scope=None)
    yes = Decision(call_id=two.call_id, payload=two.payload, scope=Scope.ONCE)
    await b.door.sessions.decide(session, no, yes)
    view = await b.door.sessions.settled(session)
    assert view.status is Status.WAITING
    assert a.read_text() == "1 2"
    await b.answer(session)
    assert a.read_text() == "1 two"


async def test_one_approved_then_a_restart_then_the_other(bench: Any) -> None:
    """Two gated calls, a restart between the answers: each call and each result exists once."""
    pair = [("write_file", {"path": f"{n}.txt", "content": n}, n) for n in ("a", "b")]
    b = await bench([calls(pair), text("Done.")])
    session = await b.start()
    await b.say(session, "go")
    one = (await b.questions(session))[0]
    await b.door.sessions.decide(
        session, Decision(call_id=one.call_id, payload=one.payload, scope=Scope.ONCE)
    )
    await b.door.sessions.settled(session)
    await b.reopen()
    assert (await b.answer(session)).status is Status.IDLE
    assert (b.folder / "a.txt").read_text() + (b.folder / "b.txt").read_text() == "ab"
    assert (await b.kinds(session)).count("tool_result") == 2
    assert [one["role"] for one in b.sent()] == ["user", "assistant", "tool", "tool"]


async def test_reads_run_side_by_side_and_answer_in_call_order(bench: Any) -> None:
    """Three reads, the middle one missing: three results in order, the good ones real."""
    reads = [("read_file", {"path": path}, "same") for path in ("a.txt", "gone.txt", "c.txt")]
    b = await bench([calls(reads), text("Read.")])
    write(b.folder / "a.txt", "alpha")
    write(b.folder / "c.txt", "gamma")
    session = await b.start()
    await b.say(session, "go")
    contents = [one["content"] for one in b.sent() if one["role"] == "tool"]
    assert "alpha" in contents[0]
    assert "gone.txt" in contents[1]
    assert "gamma" in contents[2]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("search_filez", "{}", "does not exist"),
        ("read_file", '{"path": "a', "no complete JSON"),
        ("read_file", "", "missing: path"),
        ("read_file", '["x"]', "not an object"),
        ("read_file", '{"path":"../x"}', "outside"),
    ],
)
async def test_a_bad_call_is_answered_in_words_and_the_turn_goes_on(
    bench: Any, tool: str, arguments: str, words: str
) -> None:
    """The model reads what was wrong, the log keeps the raw text, and later turns work."""
    b = await bench([call(tool, arguments), text("Sorry."), text("Fine.")])
    session = await b.start()
    assert (await b.say(session, "go")).status is Status.IDLE
    assert words in b.sent()[-1]["content"]
    assert (await b.say(session, "again")).status is Status.IDLE
    raw = [
        r.event.calls for r in await b.door.sessions.records(session) if r.event.kind == "assistant_message"
    ]
    assert raw[0][0].arguments == arguments


async def test_look_only_has_no_tools_that_change(bench: Any) -> None:
    """In this mode a write does not exist: no question, nothing written."""
    b = await bench([call("write_file", {"path": "a.txt", "content": "x"}), text("I can't.")])
    session = await b.start(Mode.READ_ONLY)
    assert (await b.say(session, "go")).status is Status.IDLE
    assert "does not exist" in b.sent()[-1]["content"]
    assert list(b.folder.iterdir()) == []


async def test_a_rule_for_one_run_ends_with_it(bench: Any) -> None:
    """`--allow` answers without asking while its run is open, also after a resume, and not later."""

    def new(request: Any) -> Any:
        return call("write_file", {"path": f"{len(request['messages'])}.txt", "content": "x"})

    b = await bench([new, text("Done."), new])
    session = await b.start()
    assert (await b.say(session, "go", rules=["write_file"])).status is Status.IDLE
    assert len(list(b.folder.iterdir())) == 1
    assert (await b.say(session, "more")).status is Status.WAITING


async def test_questions_can_be_answered_with_no(bench: Any) -> None:
    """With questions denied nothing waits, nothing is written, and the run comes to its end."""
    b = await bench([call("edit_file", EDIT), text("Not done.")])
    notes = write(b.folder / "notes.txt", "colour")
    session = await b.start()
    assert (await b.say(session, "go", deny_questions=True)).status is Status.IDLE
    assert notes.read_text() == "colour"
    assert (await b.results(session))[0].status == "refused"


async def test_a_file_never_read_is_not_overwritten_by_a_rule(bench: Any) -> None:
    """A rule does not replace the reading; a person who sees the difference does."""
    over = {"path": "a.txt", "content": "new"}
    b = await bench([call("write_file", over), text("Hm."), call("write_file", over), text("Done.")])
    a = write(b.folder / "a.txt", "old")
    session = await b.start()
    await b.say(session, "go", rules=["write_file"])
    assert a.read_text() == "old"
    assert (await b.results(session))[0].error == "not-read"
    await b.say(session, "go")
    assert (await b.answer(session)).status is Status.IDLE
    assert a.read_text() == "new"


async def test_a_whole_file_is_not_written_over_a_newer_version(bench: Any) -> None:
    """Read, then the person saves a version of the same size; the write is refused by content."""
    script = [
        call("read_file", {"path": "a.txt"}),
        text("Read."),
        call("write_file", {"path": "a.txt", "content": "from the model"}),
        text("Oh."),
    ]
    b = await bench(script)
    a = write(b.folder / "a.txt", "old")
    session = await b.start()
    await b.say(session, "read it")
    a.write_text("own")
    view = await b.say(session, "write it", rules=["write_file"])
    assert view.status is Status.IDLE
    assert a.read_text() == "own"
    assert (await b.results(session))[-1].error == "stale"


async def test_own_writes_in_a_row_are_not_stale(bench: Any) -> None:
    """What the model itself wrote it knows."""
    script = [
        call("write_file", {"path": "a.txt", "content": "1"}),
        call("write_file", {"path": "a.txt", "content": "2"}),
        text("Done."),
    ]
    b = await bench(script)
    assert (await b.say(await b.start(), "go", rules=["write_file"])).status is Status.IDLE
    assert (b.folder / "a.txt").read_text() == "2"


async def test_undo_puts_back_and_never_over_later_edits(bench: Any) -> None:
    """What the message changed is put back; what the person changed since is left alone and named."""
    pair = [
        ("edit_file", {"path": p, "old_text": "colour", "new_text": "color"}, p) for p in ("a.txt", "b.txt")
    ]
    pair.append(("write_file", {"path": "new/c.txt", "content": "c"}, "c"))
    b = await bench([calls(pair), text("Done."), text("I see.")])
    a, other = write(b.folder / "a.txt", "colour"), write(b.folder / "b.txt", "colour")
    session = await b.start()
    await b.say(session, "go")
    view = await b.answer(session)
    assert view.runs == (1,)
    other.write_text("my own words")
    plan = await b.door.sessions.plan_undo(session)
    assert {file.path for file in plan.files} == {"a.txt", "new/c.txt"}
    done = await b.door.sessions.undo(session)
    assert a.read_text() == "colour"
    assert other.read_text() == "my own words"
    assert not (b.folder / "new/c.txt").exists()
    assert done.kept[0][0] == "b.txt"
    assert (await b.door.sessions.view(session)).runs == ()
    await b.say(session, "what now?")
    assert "undid" in b.sent()[-1]["content"]


async def test_undo_takes_several_steps_on_one_file_back_at_once(bench: Any) -> None:
    """Create, edit, move and delete in one run: undoing leaves the folder as it was."""
    script = [
        call("edit_file", {"path": "a.txt", "old_text": "1", "new_text": "2"}),
        call("edit_file", {"path": "a.txt", "old_text": "2", "new_text": "3"}),
        call("move_file", {"source": "a.txt", "destination": "b.txt"}),
        call("delete_file", {"path": "d.txt"}),
        call("write_file", {"path": "e.txt", "content": "e"}),
        text("Done."),
    ]
    b = await bench(script)
    write(b.folder / "a.txt", "1")
    write(b.folder / "d.txt", "d")
    session = await b.start()
    rules = ["edit_file", "move_file", "delete_file", "write_file"]
    assert (await b.say(session, "go", rules=rules)).status is Status.IDLE
    assert sorted(path.name for path in b.folder.iterdir()) == ["b.txt", "e.txt"]
    await b.door.sessions.undo(session)
    found = {path.name: path.read_text() for path in b.folder.iterdir()}
    assert found == {"a.txt": "1", "d.txt": "d"}


async def test_a_branch_knows_nothing_of_what_came_later(bench: Any) -> None:
    """Ten turns, a branch at the fourth: it sends nothing of the later ones, the parent is unchanged."""
    b = await bench([text(f"answer{n}") for n in range(12)])
    session = await b.start()
    marks: list[Record] = []
    for n in range(10):
        await b.say(session, f"question{n}")
        marks.append(await b.last(session))
    before = await b.door.sessions.records(session)
    branch = await b.door.sessions.fork(session, at=marks[3].seq)
    view = await b.say(branch, "and now?")
    assert view.status is Status.IDLE
    wire = str(b.sent())
    assert "question3" in wire
    assert "answer3" in wire
    assert "question4" not in wire
    assert await b.door.sessions.records(session) == before
    listed = {one.session: one for one in await b.door.sessions.summaries()}
    assert (listed[branch].parent, listed[branch].fork_seq) == (session, marks[3].seq)
    assert [r.seq for r in await b.door.sessions.records(branch)] == list(range(1, marks[3].seq + 7))


async def test_a_branch_of_an_open_question_asks_nothing(bench: Any) -> None:
    """Questions and yeses of the first chat do not reach the branch."""
    b = await bench([call("edit_file", EDIT), text("ok")])
    write(b.folder / "notes.txt", "colour")
    session = await b.start()
    await b.say(session, "go")
    branch = await b.door.sessions.fork(session)
    view = await b.door.sessions.view(branch)
    assert (view.status, view.waiting) == (Status.IDLE, ())
    await b.say(branch, "hello")
    assert b.sent()[-2]["content"] == "Not run in this branch."


async def test_model_and_service_are_pinned_to_the_session(bench: Any) -> None:
    """Another default, then a restart: the old session still goes to its own model at its own service."""
    b = await bench([text("one"), text("two")])
    other = await bench([text("three")])
    session = await b.start()
    await b.say(session, "hi")
    await b.reopen()
    await b.say(session, "again")
    assert b.server.requests[-1]["model"] == "scripted"
    await b.door.sessions.set_route(session, other.route)
    await b.reopen()
    assert (await b.door.sessions.view(session)).route == other.route
    await b.say(session, "third")
    assert len(other.server.requests) == 1


async def test_each_request_extends_the_one_before_also_after_a_restart(bench: Any) -> None:
    """Byte for byte, over tool turns, messages and a restart."""
    script = [call("read_file", {"path": "a.txt"}), text("1"), call("edit_file", EDIT), text("2"), text("3")]
    b = await bench(script)
    write(b.folder / "a.txt", "x")
    write(b.folder / "notes.txt", "colour")
    session = await b.start()
    await b.say(session, "one")
    await b.say(session, "two")
    await b.reopen()
    await b.answer(session)
    await b.reopen()
    await b.say(session, "three")
    bodies = b.server.bodies
    assert len(bodies) == 5
    assert all(is_extension(one, two) for one, two in itertools.pairwise(bodies))


async def test_a_second_door_cannot_run_the_same_session(bench: Any) -> None:
    """Two programs on one session start one run; the other is told so."""
    b = await bench([text("slow", pause_s=0.5), text("next")])
    session = await b.start()
    other = await open_door(b.data)
    try:
        await b.door.sessions.prompt(session, "hi")
        with pytest.raises(BusyError):
            await other.sessions.prompt(session, "me too")
        with pytest.raises(BusyError):
            await b.door.sessions.prompt(session, "and me")
        assert (await b.door.sessions.settled(session)).status is Status.IDLE
        await other.sessions.prompt(session, "now me")
        assert (await other.sessions.settled(session)).status is Status.IDLE
    finally:
        await other.close()
    assert len(b.server.requests) == 2


async def test_a_prompt_waits_for_the_open_question(bench: Any) -> None:
    """While something is asked a new prompt is refused in a sentence, and nothing is recorded."""
    b = await bench([call("edit_file", EDIT)])
    write(b.folder / "notes.txt", "colour")
    session = await b.start()
    await b.say(session, "go")
    before = await b.door.sessions.records(session)
    with pytest.raises(WaitingError):
        await b.door.sessions.prompt(session, "something else")
    assert await b.door.sessions.records(session) == before


async def test_a_screen_gets_rows_splices_and_streamed_text(bench: Any) -> None:
    """Watching gives all rows first and then every change; the streamed row becomes the answer."""
    b = await bench([text("one two three", pause_s=0.06)])
    session = await b.start()
    rows: list[Any] = []
    seen: list[str] = []

    async def look() -> None:
        async for update in b.door.sessions.watch(session):
            for patch in update.patches:
                rows[patch.index : patch.index + patch.removed] = patch.rows
            seen.extend(row.status for row in rows if row.kind is RowKind.ASSISTANT)
            if update.view and update.view.status is Status.IDLE and rows:
                return

    looking = asyncio.create_task(look())
    await asyncio.sleep(0)
    await b.say(session, "hi")
    await asyncio.wait_for(looking, 5)
    assert [row.text for row in rows] == ["hi", "one two three"]
    assert "streaming" in seen


@pytest.mark.parametrize("what", ["missing", "file"])
async def test_a_bad_folder_is_one_sentence(bench: Any, what: str) -> None:
    """A missing folder and a file instead of a folder are told plainly."""
    b = await bench()
    path = b.folder / what
    if what == "file":
        path.write_text("x")
    with pytest.raises(UsageError, match=what):
        await b.door.sessions.start(str(path))


async def test_titles_bin_and_restore(bench: Any) -> None:
    """A chat is named after its first prompt, can be renamed, put into the bin and taken out again."""
    b = await bench([text("hi")])
    session = await b.start()
    await b.say(session, "Please mend   the notes")
    assert [one.title for one in await b.door.sessions.summaries()] == ["Please mend the notes"]
    await b.door.projects.rename(session, "Notes")
    await b.door.projects.bin(session)
    assert await b.door.sessions.summaries() == []
    assert [one.title for one in await b.door.sessions.summaries(binned=True)] == ["Notes"]
    await b.door.projects.restore(session)
    assert [one.title for one in await b.door.sessions.summaries()] == ["Notes"]
