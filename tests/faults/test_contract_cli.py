"""The command as a script meets it: verbs, exit codes, and the fields of every object.

Nothing here looks into the code; what is checked is what scripts rely on. Processes where one matters.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.proof.script import Pause, call, calls, failure, page, text
from desktop.proof.thread import server_thread

EDIT = {"path": "a.md", "old_text": "one", "new_text": "1"}
RECORD = {"session", "seq", "kind", "at_ms", "run", "data"}


def at(server: Any) -> tuple[str, ...]:
    """The words that name the scripted server."""
    return ("--base-url", server.base_url, "--model", "proof")


def is_one_sentence(err: str) -> bool:
    """One line of words and not the name of an error."""
    return len(err.splitlines()) == 1 and 10 < len(err) < 500 and "Error" not in err


def wait_for(fact: Callable[[], Any], limit_s: float = 30.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + limit_s
    while not fact():
        assert time.monotonic() < until, "this did not happen in time"
        time.sleep(0.05)


WRONG_USE: list[tuple[str, ...]] = [
    ("run", ""),
    ("run", " \n\t"),
    ("run", "hi"),
    ("run", "hi", "--workspace", ""),
    ("run", "hi", "--workspace", "{folder}/nowhere"),
    ("run", "hi", "--workspace", "{folder}/a.md"),
    ("run", "hi", "--workspace", "{folder}", "--mode", "rw"),
    ("run", "hi", "--workspace", "{folder}", "--session", "nope"),
    ("run", "hi", "--session", "nope"),
    ("run", "hi", "--workspace", "{folder}", "--base-url", "nonsense", "--model", "m"),
    ("run", "hi", "--workspace", "{folder}", "--base-url", "http://me:hunter2@127.0.0.1:1", "--model", "m"),
    ("frobnicate", "x"),
    ("events", "nope"),
    ("context", "nope"),
    ("approve", "nope"),
    ("fork", "nope", "--at", "1"),
    ("undo", "nope", "--run", "x"),
    ("verify", os.fsdecode(b"\xff")),
]


def test_wrong_use_is_two_and_one_sentence(paddock: Any, inside: Any) -> None:
    """Wrong words, unknown chats and folders that are none: code 2, one sentence, and no chat begins."""
    for words in WRONG_USE:
        done = inside(*(word.replace("{folder}", str(paddock.folder)) for word in words))
        assert (done.code, done.out) == (2, ""), (words, done)
        assert is_one_sentence(done.err) and "hunter2" not in done.err, (words, done)
    done = paddock("run", "hi", "--workspace", "")
    assert (done.code, done.out) == (2, "") and is_one_sentence(done.err)
    assert paddock("sessions").items == []


def test_the_objects_of_every_verb(paddock: Any, inside: Any) -> None:
    """Ask, approve, look, branch, undo, check: each object has the promised fields, each verb its code."""
    with server_thread([call("edit_file", EDIT), text("Done.")]) as server:
        asked = paddock.run("change it", *at(server))
        assert asked.code == 3 and asked.err == ""
        [question] = asked.of("approval_request")
        assert question["data"]["call_id"] and question["data"]["payload"]
        [listed] = paddock("sessions").items
        assert listed["waiting"] == [question["data"]["call_id"]] and listed["needs_check"] == []
        assert listed["title"] == "change it" and listed["status"] == "waiting" and listed["parent"] is None
        assert set(listed) >= {"session", "workspace", "model", "fork_seq", "last_at_ms"}

        expected = paddock("context", asked.session).items[0]
        done = paddock("approve", asked.session, question["data"]["call_id"])
        assert done.code == 0
    assert server.exchanges[1].body.decode().startswith(expected["body"][:-2])
    assert all(set(record) == RECORD for record in [*asked.items, *done.items])
    [started], [result] = done.of("tool_started"), done.of("tool_result")
    assert started["data"]["tool"] == "edit_file" and started["data"]["attempt"] == 1
    assert started["data"]["step_key"] and result["data"]["attempt"] == 1
    assert started["data"]["call_id"] == result["data"]["call_id"] == question["data"]["call_id"]
    assert result["data"]["status"] == "ok" and done.of("assistant_message")[-1]["data"]["text"] == "Done."

    every = inside("events", asked.session).items
    assert every == [*asked.items, *done.items] and [one["seq"] for one in every] == [
        *range(1, len(every) + 1)
    ]
    [branch] = inside("fork", asked.session, "--at", "3").items
    assert set(branch) == {"session", "parent", "fork_seq"} and branch["fork_seq"] == 3
    of_branch = inside("events", branch["session"]).items
    assert [one["seq"] for one in of_branch] == [1, 2, 3, 4] and of_branch[3]["kind"] == "session_forked"
    assert {one["session"] for one in of_branch} == {branch["session"]}
    for odd in ("0", "-1", "999", "x", "1.5", ""):
        assert inside("fork", asked.session, "--at", odd).code == 2

    assert inside("undo", asked.session, "--run", "7").code == 2
    assert inside("undo", asked.session, "--run", "1").code == 0
    assert (paddock.folder / "a.md").read_text("utf-8").startswith("one")
    assert inside("undo", asked.session).code == 2
    assert all(set(one) == {"check", "ok", "text"} for one in inside("doctor").items)
    assert inside("verify").code == 0


def test_answers_that_do_not_fit_decide_nothing(paddock: Any, inside: Any) -> None:
    """Always where it is not offered, a pattern that misses, an unknown call: code 2, the card stays."""
    both = calls(
        [
            ("delete_file", {"path": "a.md"}, "x"),
            ("edit_file", {**EDIT, "path": "notes/b.md", "old_text": "no"}, "y"),
        ]
    )
    with server_thread([both, text("Done.")]) as server:
        session = paddock.run("go", *at(server)).session
        before = inside("events", session).items
        first, second = (one["data"]["call_id"] for one in before if one["kind"] == "approval_request")
        for words in (
            (first, "--scope", "always"),
            ("--scope", "always"),
            (second, "--scope", "always", "--within", "other/*"),
            (second, "--scope", "always", "--within", ""),
            (second, "--within", "notes/*"),
            ("t9c9",),
            (first, "--scope", "forever"),
        ):
            done = inside("approve", session, *words)
            assert done.code == 2 and done.items == [] and is_one_sentence(done.err), (words, done)
        assert inside("run", "more", "--session", session).code == 3
        assert inside("resume", session).code == 3
        assert inside("events", session).items == before
        assert inside("approve", session, second, "--scope", "always", "--within", "notes/*").code == 3
        assert inside("approve", session, second).code == 2
        denied = inside("deny", session, first, "--reason", "keep it")
        assert denied.code == 0 and denied.of("approval_denied")
        assert inside("approve", session).code == 2
    told = [one["content"] for one in server.requests[-1]["messages"] if one["role"] == "tool"]
    assert "keep it" in told[0] and (paddock.folder / "a.md").exists()


def test_ends_of_a_run(paddock: Any, inside: Any) -> None:
    """Refused 7, failed service 6, nothing to resume 0, cancelled while waiting: each has its code."""
    with server_thread([call("edit_file", EDIT), text("Then not.")]) as server:
        assert paddock.run("go", "--on-ask", "deny", *at(server)).code == 7
    faults = [page(), failure(401, "bad key"), failure(404, "no model"), [b"data: x\n\n"], failure(500, "no")]
    with server_thread(faults) as server:
        for _ in faults:
            done = paddock.run("hi", *at(server))
            assert done.code == 6 and is_one_sentence(done.err)
    with server_thread([call("edit_file", EDIT), text("Hello.")]) as server:
        session = paddock.run("go", *at(server)).session
        ended = inside("cancel", session)
        assert ended.code == 0 and ended.items[-1]["kind"] == "cancelled"
        assert inside("resume", session).code == 0 and inside("cancel", session).code == 0
        assert inside("approve", session).code == 2
        assert inside("run", "hi", "--session", session).code == 0
        assert (paddock.folder / "a.md").read_text("utf-8").startswith("one")


def test_two_programs_on_one_chat(paddock: Any) -> None:
    """The second is told so with 8, may look and branch, and its cancel ends the first with 130."""
    slow = [*text("Once upon", pause_s=0.05)[:2], Pause(120), *text("the end")]
    with server_thread([slow]) as server:
        first = paddock.start("run", "tell", "--workspace", str(paddock.folder), *at(server), "--json")
        wait_for(lambda: server.seen)
        [listed] = paddock("sessions").items
        assert listed["status"] == "running"
        session = listed["session"]
        for words in (("run", "more", "--session", session), ("resume", session)):
            assert paddock(*words).code == 8
        assert paddock("context", session).code == 0 and paddock("fork", session).code == 0
        assert paddock("cancel", session).code == 0
        out, err = first.communicate(timeout=20)
    assert first.returncode == 130 and "Traceback" not in err
    assert json.loads(out.splitlines()[-1])["kind"] == "cancelled"


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_goes_away(paddock: Any, reader: str) -> None:
    """Output into `head` ends without a word on standard error, and the work is done all the same."""
    command = f'"{sys.executable}" -m desktop run "list files" --workspace "$1" --json | {reader}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", str(paddock.folder)],
        env={**os.environ, "PADDOCK_DATA_DIR": str(paddock.data)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert [one["status"] for one in paddock("sessions").items] == ["idle"]


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_streams_that_are_closed(paddock: Any, closed: str) -> None:
    """A command started without one of its streams does its work and ends with its code."""
    command = f'"{sys.executable}" -m desktop run "list files" --workspace "$1" --json {closed}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", str(paddock.folder)],
        env={**os.environ, "PADDOCK_DATA_DIR": str(paddock.data)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stderr == ""
    assert [one["status"] for one in paddock("sessions").items] == ["idle"]


def test_odd_prompts_are_prompts(paddock: Any) -> None:
    """A hundred thousand letters and bytes that are no text are taken, kept, and can be read back."""
    with server_thread([text("one"), text("two")]) as server:
        for prompt in ("x" * 100_000, os.fsdecode(b"caf\xe9 \x1b[2J")):
            done = paddock.run(prompt, *at(server))
            assert done.code == 0
            again = paddock.plain("events", done.session)
            assert again.code == 0 and "\x1b" not in again.out
    assert server.breaches == []


def test_folders_without_rights(unprivileged: Any) -> None:
    """What the person may not read is no folder to work in; what they may not write is told to the model."""

    def run(*words: str) -> Any:
        return unprivileged.run_python("-m", "desktop", *words, "--json")

    closed = unprivileged.make_folder("closed", 0o000)
    refused = run("run", "list files", "--workspace", str(closed))
    assert refused.returncode == 2 and is_one_sentence(refused.stderr) and refused.stdout == ""
    fixed = unprivileged.make_folder("fixed")
    (fixed / "a.md").write_text("one\n", "utf-8")
    fixed.chmod(0o555)
    asked = run("run", "replace one with two in a.md", "--workspace", str(fixed))
    assert asked.returncode == 3
    done = run("approve", json.loads(asked.stdout.splitlines()[0])["session"])
    results = [json.loads(line) for line in done.stdout.splitlines() if '"tool_result"' in line]
    assert done.returncode == 0 and results[-1]["data"]["status"] == "failed"
    assert [one.name for one in fixed.iterdir()] == ["a.md"] and (fixed / "a.md").read_text(
        "utf-8"
    ) == "one\n"
    data = unprivileged.home / "data"
    for place in [*data.rglob("*"), data]:
        place.chmod(0o500 if place.is_dir() else 0o400)
    locked = run("run", "list files", "--workspace", str(unprivileged.make_folder("open")))
    assert locked.returncode == 1 and is_one_sentence(locked.stderr)


def test_data_that_is_no_data(paddock: Any, inside: Any, tmp_path: Path) -> None:
    """A file for a folder, a log that is none: code 1 and one sentence; what was there is not touched."""
    (tmp_path / "data").write_text("mine")
    assert (done := inside("sessions")).code == 1 and is_one_sentence(done.err)
    assert (tmp_path / "data").read_text() == "mine"
    (tmp_path / "data").unlink()
    (tmp_path / "data").mkdir()
    log = tmp_path / "data" / "paddock.db"
    log.write_bytes(b"not a database" * 1000)
    for words in (("sessions",), ("verify",), ("run", "list files", "--workspace", str(paddock.folder))):
        assert (done := inside(*words)).code == 1 and is_one_sentence(done.err)
    assert log.read_bytes() == b"not a database" * 1000


def test_an_interrupt_while_nothing_runs_yet(paddock: Any) -> None:
    """Ctrl+C at any moment of the start ends with 130 or with the verb's own code, never with a traceback."""
    for delay_s in (0.1, 0.3, 0.6):
        process = paddock.start("run", "list files", "--workspace", str(paddock.folder), "--json")
        time.sleep(delay_s)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode in (0, 130, -signal.SIGINT) and "Traceback" not in err, (delay_s, err)
    assert paddock("verify").code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_program_that_is_sent_away(paddock: Any, number: signal.Signals) -> None:
    """Terminated, or left by its terminal: what it ran is gone, the chat says interrupted, resume goes on."""
    command = "trap '' TERM HUP; while :; do date >> tally; sleep .05; done"
    with server_thread([call("run_command", {"command": command}), text("Done.")]) as server:
        words = ("run", "go", "--workspace", str(paddock.folder), "--allow", "run_command", *at(server))
        process = paddock.start(*words, "--json")
        tally = paddock.folder / "tally"
        wait_for(lambda: tally.exists() and tally.read_text())
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 143 and err == ""
        before = tally.read_text()
        [listed] = paddock("sessions").items
        assert listed["status"] == "interrupted" and tally.read_text() == before
        assert paddock("resume", listed["session"]).code == 0


def test_a_disk_without_any_room(tmp_path: Path) -> None:
    """With not a byte free each verb says so in a sentence; with room again old chats are whole and go on."""
    script = Path(__file__).with_name("full_disk.sh")
    if os.geteuid() != 0:
        pytest.skip("only root may make a small disk")
    (tmp_path / "disk").mkdir()
    (tmp_path / "folder").mkdir()
    done = subprocess.run(
        ["unshare", "--mount", "sh", str(script), str(tmp_path), sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    steps = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert steps == {"before": "0", "full": "1", "look": "1", "again": "0", "verify": "0"}
    assert all(is_one_sentence(line) and "full" in line for line in done.stderr.splitlines())
