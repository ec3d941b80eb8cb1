"""The verbs against a scripted model server: ends, faults, signals and two processes at once."""

import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop.cli.exits import Exit
from desktop.proof.script import Pause, call, failure, page, text
from desktop.proof.thread import server_thread

EDIT = {"path": "a.md", "old_text": "one", "new_text": "1"}


def wait_for(fact: Callable[[], Any], limit_s: float = 20.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + limit_s
    while not fact():
        assert time.monotonic() < until, "this did not happen in time"
        time.sleep(0.05)


def at(server: Any) -> tuple[str, ...]:
    """The words that name the scripted server."""
    return ("--base-url", server.base_url, "--model", "proof")


def test_ask_allow_answer(paddock: Any) -> None:
    """A served model proposes, a yes makes it so, the answer comes, and no rule of the server was broken."""
    with server_thread([call("edit_file", EDIT), text("Done.")]) as server:
        asked = paddock.run("change it", *at(server))
        assert asked.code == Exit.WAITING
        done = paddock("approve", asked.session)
        assert done.code == Exit.DONE and done.answer == "Done."
        assert not server.breaches
    assert (paddock.folder / "a.md").read_text("utf-8").startswith("1 colour")


def test_denied_question_of_a_script_ends_with_seven(paddock: Any) -> None:
    """With `--on-ask deny` the model is told no and goes on; the code says that something was refused."""
    with server_thread([call("edit_file", EDIT), text("Then not.")]) as server:
        done = paddock.run("change it", "--on-ask", "deny", *at(server))
    assert done.code == Exit.REFUSED and done.answer == "Then not."


def test_answers_without_refusal_end_with_zero(paddock: Any) -> None:
    """`--on-ask deny` alone changes nothing about the code."""
    with server_thread([text("Hello.")]) as server:
        assert paddock.run("hi", "--on-ask", "deny", *at(server)).code == Exit.DONE


def test_faults_of_the_service_are_one_sentence_and_six(paddock: Any) -> None:
    """Unreachable, a web page, a wrong key, an unknown model: each is said in one line and ends with 6."""
    replies = [page(), failure(401, "no such key"), failure(404, "no such model")]
    with server_thread(replies) as server:
        for _ in replies:
            done = paddock.run("hi", *at(server))
            assert done.code == Exit.MODEL_FAILED and len(done.err.splitlines()) == 1
    gone = paddock.run("hi", "--base-url", server.base_url, "--model", "proof")
    assert gone.code == Exit.MODEL_FAILED and len(gone.err.splitlines()) == 1


def test_interrupt_cancels_the_run(paddock: Any) -> None:
    """Ctrl+C while the answer streams ends the run in good order with 130 and a cancelled record."""
    slow = [*text("Once upon a time", pause_s=0.2)[:4], Pause(30), *text("the end")]
    with server_thread([slow]) as server:
        process = paddock.start("run", "tell", "--workspace", str(paddock.folder), *at(server), "--json")
        wait_for(lambda: server.seen)
        time.sleep(0.6)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == Exit.CANCELLED and "Traceback" not in err
    assert '"kind":"cancelled"' in out
    assert paddock("verify").code == Exit.DONE


def test_terminate_leaves_an_interrupted_run_to_resume(paddock: Any) -> None:
    """A terminate signal records where it was left; resume goes on and finishes."""
    slow = [*text("Once upon", pause_s=0.2)[:2], Pause(30), *text("the end")]
    with server_thread([slow, text("The whole story.")]) as server:
        process = paddock.start("run", "tell", "--workspace", str(paddock.folder), *at(server), "--json")
        wait_for(lambda: server.seen)
        time.sleep(0.6)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
        assert process.returncode == Exit.TERMINATED and "Traceback" not in err
        [listed] = paddock("sessions").items
        assert listed["status"] == "interrupted"
        done = paddock("resume", listed["session"])
    assert done.code == Exit.DONE and done.answer == "The whole story."


def test_a_session_in_use_is_not_run_twice(paddock: Any) -> None:
    """While one process runs a session, a prompt from another ends with 8, unrecorded; cancel works."""
    slow = [*text("Once upon", pause_s=0.2)[:2], Pause(30), *text("the end")]
    with server_thread([slow]) as server:
        process = paddock.start("run", "tell", "--workspace", str(paddock.folder), *at(server), "--json")
        wait_for(lambda: server.seen)
        [listed] = paddock("sessions").items
        busy = paddock("run", "me too", "--session", listed["session"])
        assert busy.code == Exit.BUSY and not busy.items and len(busy.err.splitlines()) == 1
        assert paddock("cancel", listed["session"]).code == Exit.DONE
        process.communicate(timeout=20)
    assert process.returncode == Exit.CANCELLED


def test_a_waiting_session_takes_no_prompt(paddock: Any) -> None:
    """A new prompt does not slip past an open question: code 3, nothing recorded."""
    asked = paddock.run("replace one with 1 in a.md")
    done = paddock("run", "never mind", "--session", asked.session)
    assert done.code == Exit.WAITING and not done.items


def test_wrong_use_is_one_sentence_and_two(paddock: Any, tmp_path: Path) -> None:
    """Unknown chats, folders that are none, and contradicting words end with 2 and one line."""
    asked = paddock.run("replace one with 1 in a.md")
    a_file = tmp_path / "file.txt"
    a_file.write_text("x", "utf-8")
    calls = [
        ("events", "nobody"),
        ("verify", "nobody"),
        ("approve", "nobody"),
        ("approve", asked.session, "t9c9"),
        ("approve", asked.session, "--within", "*"),
        ("fork", asked.session, "--at", "999"),
        ("run", "hi", "--workspace", str(tmp_path / "missing")),
        ("run", "hi", "--workspace", str(a_file)),
        ("run", "hi"),
        ("run", "   ", "--workspace", str(paddock.folder)),
        ("run", "hi", "--session", asked.session, "--workspace", str(tmp_path)),
    ]
    for words in calls:
        done = paddock(*words)
        assert done.code == Exit.WRONG_USE, words
        assert not done.items and len(done.err.splitlines()) == 1, words


def test_damage_is_found_and_named(paddock: Any) -> None:
    """A flipped byte in the log makes verify end with 1 and say where."""
    session = paddock.run("list files").session
    [log] = [path for path in paddock.data.rglob("*") if path.is_file() and _is_database(path)]
    with sqlite3.connect(log) as connection:
        for (name,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger {name}")
        connection.execute("update records set data = replace(data, 'list files', 'LIST files')")
    connection.close()
    done = paddock("verify", session)
    assert done.code == Exit.FAULT and done.items[0]["session"] == session
    assert {"session", "seq", "problem"} == set(done.items[0])


def _is_database(path: Path) -> bool:
    return path.read_bytes()[:15] == b"SQLite format 3"


def test_a_data_folder_that_cannot_be_used_is_a_fault(paddock: Any) -> None:
    """A file where the data folder should be ends with 1 and one sentence."""
    paddock.data.write_text("in the way", "utf-8")
    done = paddock("sessions")
    assert done.code == Exit.FAULT and len(done.err.splitlines()) == 1


def test_a_reader_that_stops_reading_does_not_stop_the_work(paddock: Any) -> None:
    """With the pipe closed after the first line the run still ends as it would."""
    process = paddock.start("run", "list files", "--workspace", str(paddock.folder), "--json")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=30) == Exit.DONE
    assert process.stderr.read() == ""
    process.stderr.close()
