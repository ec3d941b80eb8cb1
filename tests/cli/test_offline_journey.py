"""The main job from the command line with the offline helper: real processes, real files, no key."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from desktop.cli.exits import Exit

REPLACE = "replace colour with color in all .md files"


def read(paddock: Any, name: str) -> str:
    """A file of the project."""
    return str((paddock.folder / name).read_text("utf-8"))


def test_asks_before_it_changes_and_goes_on_after_a_yes(paddock: Any) -> None:
    """One card with every file; nothing is written before the yes, exactly the meant bytes after it."""
    asked = paddock.run(REPLACE)
    assert asked.code == Exit.WAITING and read(paddock, "a.md") == "one colour, two colours\n"
    titles = [item["data"]["title"] for item in asked.of("approval_request")]
    assert titles == ["Change a.md", "Change notes/b.md"]
    done = paddock("approve", asked.session)
    assert done.code == Exit.DONE
    assert read(paddock, "a.md") == "one color, two colors\n"
    assert read(paddock, "notes/b.md") == "no color here\nColour there\n"
    assert read(paddock, "budget.csv") == "paint,colour\n"
    assert "3 places in 2 files" in done.answer and "\u201cColour\u201d" in done.answer


def test_records_are_printed_once_and_only_those_of_the_call(paddock: Any) -> None:
    """What run and approve print, one after the other, is the whole log in order."""
    asked = paddock.run(REPLACE)
    answered = paddock("approve", asked.session)
    log = paddock("events", asked.session).items
    assert asked.items + answered.items == log
    assert [item["seq"] for item in log] == list(range(1, len(log) + 1))
    assert set(log[0]) == {"session", "seq", "kind", "at_ms", "run", "data"}


def test_a_no_keeps_the_files_and_gives_the_reason(paddock: Any) -> None:
    """A denied change leaves every byte alone and the answer says what was not done and why."""
    asked = paddock.run(REPLACE)
    done = paddock("deny", asked.session, "--reason", "British, please")
    assert done.code == Exit.DONE and read(paddock, "a.md") == "one colour, two colours\n"
    assert "Nothing was changed" in done.answer and "British, please" in done.answer


def test_one_of_two_questions_can_be_answered(paddock: Any) -> None:
    """A yes to the first and a no to the second change the first file only, and the answer tells both."""
    asked = paddock.run(REPLACE)
    first, second = (item["data"]["call_id"] for item in asked.of("approval_request"))
    assert paddock("approve", asked.session, first).code == Exit.WAITING
    done = paddock("deny", asked.session, second)
    assert done.code == Exit.DONE
    assert read(paddock, "a.md") == "one color, two colors\n" and "colour" in read(paddock, "notes/b.md")
    assert "`a.md`" in done.answer and "left as it was: `notes/b.md`" in done.answer


def test_always_is_remembered_for_the_folder(paddock: Any) -> None:
    """After *always*, the same file is changed without asking, in another chat too; other files still ask."""
    asked = paddock.run("add one to a.md")
    assert asked.code == Exit.WAITING
    assert paddock("approve", asked.session, "--scope", "always").code == Exit.DONE
    again = paddock.run("add two to a.md")
    assert again.code == Exit.DONE and not again.of("approval_request")
    assert read(paddock, "a.md") == "one colour, two colours\none\ntwo\n"
    assert paddock.run("add two to notes/b.md").code == Exit.WAITING


def test_always_where_it_is_not_offered_decides_nothing(paddock: Any) -> None:
    """A move can't be allowed for ever: code 2, one sentence, and the question still waits."""
    asked = paddock.run("rename a.md to c.md")
    done = paddock("approve", asked.session, "--scope", "always")
    assert done.code == Exit.WRONG_USE and done.out == "" and len(done.err.splitlines()) == 1
    [listed] = paddock("sessions").items
    assert listed["status"] == "waiting" and len(listed["waiting"]) == 1


def test_undo_puts_the_bytes_back(paddock: Any) -> None:
    """Undo gives every changed file its old bytes; a second undo has nothing to do."""
    session = paddock.run(REPLACE).session
    paddock("approve", session)
    assert paddock("undo", session).code == Exit.DONE
    assert read(paddock, "a.md") == "one colour, two colours\n"
    assert paddock("undo", session).code == Exit.WRONG_USE


def test_undo_leaves_later_changes_of_the_person_alone(paddock: Any) -> None:
    """A file that was changed by hand since is kept and named."""
    session = paddock.run(REPLACE).session
    paddock("approve", session)
    (paddock.folder / "a.md").write_text("mine\n", "utf-8")
    done = paddock("undo", session)
    [undone] = done.of("undone")
    assert read(paddock, "a.md") == "mine\n" and "colour" in read(paddock, "notes/b.md")
    assert [item["path"] for item in undone["data"]["kept"]] == ["a.md"]


def test_a_file_that_moved_on_is_asked_about_again(paddock: Any) -> None:
    """The yes was for another difference: nothing is written, the new question waits."""
    asked = paddock.run("replace one with 1 in a.md")
    (paddock.folder / "a.md").write_text("one colour, two colours, three\n", "utf-8")
    done = paddock("approve", asked.session)
    assert done.code == Exit.WAITING and read(paddock, "a.md") == "one colour, two colours, three\n"
    assert done.of("approval_request")[-1]["data"]["again"]
    assert paddock("approve", asked.session).code == Exit.DONE
    assert read(paddock, "a.md") == "1 colour, two colours, three\n"


def test_a_branch_shares_the_records_and_runs_nothing(paddock: Any) -> None:
    """A fork holds its parent's records, is idle, and goes on by itself without touching the parent."""
    asked = paddock.run(REPLACE)
    [forked] = paddock("fork", asked.session, "--at", "2").items
    assert forked["parent"] == asked.session and forked["fork_seq"] == 2
    kinds = [item["kind"] for item in paddock("events", forked["session"]).items]
    assert kinds == ["session_started", "user_message", "session_forked"]
    assert paddock("run", "list files", "--session", forked["session"]).code == Exit.DONE
    listed = {item["session"]: item for item in paddock("sessions").items}
    assert listed[asked.session]["status"] == "waiting" and listed[forked["session"]]["status"] == "idle"


def test_look_only_changes_nothing_and_says_so(paddock: Any) -> None:
    """In the read-only mode the helper finds the places and names the mode that would be needed."""
    done = paddock.run(REPLACE, "--mode", "read-only")
    assert done.code == Exit.DONE and not done.of("approval_request")
    assert "3 places in 2 files" in done.answer and "Can change files" in done.answer


def test_allow_and_on_ask_deny(paddock: Any) -> None:
    """A rule of the call lets the named file through; what still asks is refused with code 7."""
    done = paddock.run(REPLACE, "--allow", "edit_file:a.md", "--on-ask", "deny")
    assert done.code == Exit.REFUSED
    assert read(paddock, "a.md") == "one color, two colors\n" and "colour" in read(paddock, "notes/b.md")


def test_a_yes_takes_up_the_offer(paddock: Any) -> None:
    """When only other capitals are found the helper offers the fitting request, and "yes" makes it."""
    first = paddock.run("replace COLOUR with COLOR in notes/b.md")
    assert first.code == Exit.DONE and "Say yes to do this: `" in first.answer
    second = paddock("run", "yes", "--session", first.session)
    assert second.code == Exit.WAITING


def test_files_are_made_added_to_moved_and_deleted(paddock: Any) -> None:
    """The plain requests about single files do what they say, with their texts to the letter."""
    allow = [
        word for tool in ("write_file", "edit_file", "move_file", "delete_file") for word in ("--allow", tool)
    ]
    assert paddock.run('create plans/x.md with "say \u201chi\u201d"', *allow).code == Exit.DONE
    assert read(paddock, "plans/x.md") == "say \u201chi\u201d\n"
    again = paddock.run("create plans/x.md with other", *allow)
    assert "is there already" in again.answer and read(paddock, "plans/x.md") == "say \u201chi\u201d\n"
    paddock.run("add more to plans/x.md", *allow)
    assert read(paddock, "plans/x.md") == "say \u201chi\u201d\nmore\n"
    paddock.run("move plans/x.md into the notes folder", *allow)
    assert read(paddock, "notes/x.md") == "say \u201chi\u201d\nmore\n"
    assert paddock.run("delete notes/x.md", *allow).code == Exit.DONE
    assert not (paddock.folder / "notes" / "x.md").exists()


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_adding_a_line_keeps_the_line_ends(paddock: Any, ending: str) -> None:
    """A line that is added takes the line end of its file; every other byte stays."""
    before = f"one{ending}same{ending}same{ending}".encode()
    (paddock.folder / "l.txt").write_bytes(before)
    paddock.run("add two to l.txt", "--allow", "edit_file")
    assert (paddock.folder / "l.txt").read_bytes() == before + f"two{ending}".encode()


def test_many_files_are_found_although_a_search_shows_only_some(paddock: Any) -> None:
    """A folder with more matches than one search shows is still changed whole."""
    for number in range(30):
        (paddock.folder / f"n{number:02}.md").write_text("colour\n" * 20, "utf-8")
    done = paddock.run(REPLACE, "--allow", "edit_file")
    assert done.code == Exit.DONE
    assert not [path for path in paddock.folder.rglob("*.md") if "colour" in path.read_text("utf-8")]
    assert "32 files" in done.answer


def test_context_is_the_next_request(paddock: Any) -> None:
    """The request that would leave next is shown whole, with a size for each message."""
    session = paddock.run("list files").session
    [context] = paddock("context", session).items
    assert '"messages"' in context["body"] and context["messages"][-1]["role"] == "assistant"
    assert context["tokens"] > 0 and context["window"] > 0


def test_verify_and_doctor(paddock: Any) -> None:
    """A log that was written in many calls is whole, and the doctor answers in the form that scripts read."""
    session = paddock.run(REPLACE).session
    paddock("approve", session)
    assert paddock("verify").code == Exit.DONE and paddock("verify", session).out == ""
    done = paddock("doctor")
    assert done.code == Exit.DONE and all(set(check) == {"check", "ok", "text"} for check in done.items)


def test_a_damaged_log_is_a_fault_for_verify_and_doctor(paddock: Any) -> None:
    """Both end with 1 and name it, so that a script that only looks at the exit code is not misled."""
    paddock("approve", paddock.run(REPLACE).session)
    with closing(sqlite3.connect(paddock.data / "paddock.db")) as log:
        for (name,) in log.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            log.execute(f'drop trigger "{name}"')
        log.execute("update records set data = '{}' where seq = 2 and session not like 'project:%'")
        log.commit()
    assert paddock("verify").code == Exit.FAULT
    done = paddock("doctor")
    assert done.code == Exit.FAULT
    assert [check["check"] for check in done.items if check["check"] == "log" and not check["ok"]] == ["log"]


def test_people_read_words(paddock: Any) -> None:
    """Without `--json` the difference and the words to answer with are printed."""
    done = paddock.plain("run", "replace one with 1 in a.md", "--workspace", str(paddock.folder))
    assert "-one colour" in done.out and "+1 colour" in done.out and "paddock approve" in done.out
