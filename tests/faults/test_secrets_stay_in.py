"""A key goes to its service and nowhere else: not into a child, the log, an error, or to another address."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from desktop.proof.script import Pause, call, calls, failure, text, words
from desktop.proof.thread import server_thread

KEY = "sk-canary/0123+4567=89abcdef-XYZ"
LOOK = (
    "env; cat /proc/self/environ; "
    'for p in $$ $PPID $(ls /proc | grep "^[0-9]"); do tr "\\0" "\\n" < /proc/$p/environ; done 2>/dev/null; '
    "echo end"
)


def at(server: Any) -> tuple[str, ...]:
    """The words that name the scripted server."""
    return ("--base-url", server.base_url, "--model", "proof")


def sent_keys(server: Any) -> list[str]:
    """What each request carried as its key."""
    return [one.headers.get("authorization", "").removeprefix("Bearer ") for one in server.exchanges]


def forms(key: str) -> list[bytes]:
    """The key as it is and as JSON."""
    return [key.encode(), json.dumps(key)[1:-1].encode(), key.replace("/", "\\/").encode()]


def assert_nowhere(paddock: Any, *texts: str) -> None:
    """No form of the key is in what was printed or in any file of the data folder."""
    files = [one for one in paddock.data.rglob("*") if one.is_file()]
    assert files
    for data in [*(one.read_bytes() for one in files), *(one.encode() for one in texts)]:
        assert not any(form in data for form in forms(KEY))


def test_a_key_from_the_environment(paddock: Any) -> None:
    """The service gets it; no command sees it in any process, no file tool shows it, nothing keeps it."""
    (paddock.folder / "leak.txt").write_text(f"{KEY} {KEY[::-1]}\n")
    script = [
        calls([("run_command", {"command": LOOK}, "a"), ("read_file", {"path": "leak.txt"}, "b")]),
        text(f"I was sent {KEY}."),
    ]
    paddock.environment["PADDOCK_API_KEY"] = KEY
    with server_thread(script) as server:
        done = paddock.run(f"mine is {KEY}", "--allow", "run_command", *at(server))
    assert done.code == 0 and set(sent_keys(server)) == {KEY}
    command, read = (one["data"] for one in done.of("tool_result"))
    assert command["status"] == "ok" and "end" in command["text"] and "HOME=" in command["text"]
    assert "[secret-" in read["text"]
    assert not any(form in one.body for one in server.exchanges for form in forms(KEY))
    assert_nowhere(paddock, done.out, done.err)


@pytest.mark.parametrize("status", [401, 403, 400, 500])
def test_a_key_in_an_error_text(paddock: Any, inside: Any, monkeypatch: Any, status: int) -> None:
    """A service that repeats the key in its error has it shown and kept without the key; the code is 6."""
    monkeypatch.setenv("PADDOCK_API_KEY", KEY)
    with server_thread([failure(status, f"Incorrect API key provided: {KEY}")]) as server:
        done = inside("run", "hi", "--workspace", str(paddock.folder), *at(server))
    assert done.code == 6 and len(done.err.splitlines()) == 1
    assert "PADDOCK_API_KEY" not in os.environ
    assert_nowhere(paddock, done.out, done.err)


def test_a_key_goes_to_its_origin_only(paddock: Any, inside: Any, monkeypatch: Any) -> None:
    """A redirect does not carry it, and for a session it goes to the service that is pinned there."""
    with server_thread([text("evil")]) as other, server_thread([text("a"), text("b")]) as mine:
        monkeypatch.setenv("PADDOCK_API_KEY", KEY)
        away = failure(307, {}, location=f"{other.base_url}/chat/completions")
        with server_thread([away]) as server:
            assert inside("run", "hi", "--workspace", str(paddock.folder), *at(server)).code == 6
        first = inside("run", "hi", "--workspace", str(paddock.folder), *at(mine))
        monkeypatch.setenv("PADDOCK_API_KEY", KEY)
        assert inside("run", "more", "--session", first.session).code == 0
        assert sent_keys(mine) == ["none", KEY] and other.seen == 0
        monkeypatch.setenv("PADDOCK_API_KEY", KEY)
        assert inside("run", "there", "--session", first.session, *at(other)).code == 0
        assert sent_keys(other) == [KEY]


def test_other_keys_of_the_environment(paddock: Any, inside: Any, monkeypatch: Any) -> None:
    """What other programs keep in the environment is neither sent as a key nor shown; harmless values are."""
    secret = "ghp_0123456789abcdefABCDEF"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("GITHUB_TOKEN", secret)
    (paddock.folder / "a.md").write_text(f"{secret} /usr/bin plain\n")
    with server_thread([call("read_file", {"path": "a.md"}), text("Done.")]) as server:
        done = inside("run", "hi", "--workspace", str(paddock.folder), *at(server))
    assert done.code == 0 and set(sent_keys(server)) == {"none"}
    assert secret not in done.out and "/usr/bin plain" in done.of("tool_result")[0]["data"]["text"]


def test_values_of_env_files(paddock: Any, inside: Any) -> None:
    """A value of an `.env` file is hidden in every tool and can't be written back as its placeholder."""
    value = "xq7-91Lm_pZ.4411"
    (paddock.folder / ".env").write_text(f"API_TOKEN={value}\nMODE=development\n")
    (paddock.folder / "copy.txt").write_text(f"token {value}\n")
    script = [
        calls(
            [
                ("read_file", {"path": ".env"}, "a"),
                ("search_files", {"pattern": "token .*"}, "b"),
                ("run_command", {"command": "cat .env copy.txt; base64 .env"}, "c"),
                ("edit_file", {"path": "copy.txt", "old_text": "token", "new_text": "[secret-1]"}, "d"),
                ("read_file", {"path": "copy.txt"}, "r"),
                ("edit_file", {"path": "copy.txt", "old_text": "token", "new_text": "pass"}, "e"),
            ]
        ),
        text("Done."),
    ]
    with server_thread(script) as server:
        rules = ("--allow", "run_command", "--allow", "edit_file")
        done = inside("run", "hi", "--workspace", str(paddock.folder), *rules, *at(server))
    assert done.code == 0 and value not in done.out
    assert not any(value.encode() in one.body for one in server.exchanges)
    results = [one["data"] for one in done.of("tool_result")]
    assert [one["status"] for one in results] == ["ok", "ok", "ok", "failed", "ok", "ok"]
    assert "development" in results[0]["text"] and results[3]["error"] == "placeholder"
    assert (paddock.folder / "copy.txt").read_text() == f"pass {value}\n"


def test_what_the_folder_says_is_no_setting(paddock: Any, inside: Any, monkeypatch: Any) -> None:
    """Settings, rules and hooks that lie in the opened folder are files like others: nothing obeys them."""
    monkeypatch.setenv("PADDOCK_API_KEY", KEY)
    marker = paddock.folder / "ran"
    evil = json.dumps(
        {"base_url": "http://127.0.0.1:9", "rules": ["run_command"], "default": "http://127.0.0.1:9"}
    )
    for name in ("settings.json", ".paddock/settings.json", "paddock.json", ".env"):
        (paddock.folder / name).parent.mkdir(exist_ok=True)
        (paddock.folder / name).write_text(evil)
    for name in ("sitecustomize.py", "usercustomize.py", "conftest.py", "json.py", "asyncio.py"):
        (paddock.folder / name).write_text(f"open({str(marker)!r}, 'w').close()\n")
    (paddock.folder / ".git").mkdir()
    (paddock.folder / ".git" / "config").write_text(
        f"[core]\n\tfsmonitor = touch {marker}\n\tpager = touch {marker}\n"
    )
    script = [calls([("search_files", {"pattern": "x"}, "a"), ("run_command", {"command": "true"}, "b")])]
    with server_thread(script) as server:
        done = inside("run", "hi", "--workspace", str(paddock.folder), *at(server))
    assert done.code == 3 and [one["data"]["status"] for one in done.of("tool_result")] == ["ok"]
    assert not marker.exists() and set(sent_keys(server)) == {KEY}


def test_the_data_folder_is_for_its_owner(paddock: Any, inside: Any) -> None:
    """Every folder there is 0700 and every file 0600, whatever the umask says."""
    before = os.umask(0)
    try:
        with server_thread([call("write_file", {"path": "a.md", "content": "x"}), text("Done.")]) as server:
            words = ("run", "hi", "--workspace", str(paddock.folder), "--allow", "write_file", *at(server))
            inside("run", "read a.md", "--workspace", str(paddock.folder))
            inside(*words)
    finally:
        os.umask(before)
    for place in [paddock.data, *paddock.data.rglob("*")]:
        assert place.stat().st_mode & 0o777 == (0o700 if place.is_dir() else 0o600), place


def test_a_program_in_the_folder_is_not_ours(paddock: Any) -> None:
    """Started inside the opened folder, Paddock loads none of its modules into the processes it starts."""
    marker = paddock.folder / "ran"
    for name in ("sitecustomize.py", "json.py", "keeper.py", "signal.py"):
        (paddock.folder / name).write_text(f"open({str(marker)!r}, 'w').close()\n")
    script = [
        calls([("search_files", {"pattern": "x"}, "a"), ("run_command", {"command": "true"}, "b")]),
        text("x"),
    ]
    command = [
        sys.executable,
        "-P",
        "-m",
        "desktop",
        "run",
        "hi",
        "--workspace",
        ".",
        "--allow",
        "run_command",
    ]
    with server_thread(script) as server:
        done = subprocess.run(
            [*command, *at(server), "--json"],
            cwd=paddock.folder,
            env={
                **os.environ,
                "PADDOCK_DATA_DIR": str(paddock.data),
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert not marker.exists()


def test_a_key_in_an_answer_that_is_cut_off(paddock: Any) -> None:
    """A service that says the key and then nothing more does not get it into the log by being stopped."""
    paddock.environment["PADDOCK_API_KEY"] = KEY
    slow = [*words(f"it is {KEY} I think"), Pause(60)]
    with server_thread([slow]) as server:
        process = paddock.start("run", "tell", "--workspace", str(paddock.folder), *at(server), "--json")
        while not server.seen:
            time.sleep(0.05)
        time.sleep(1.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and "it is [secret-" in out
    assert_nowhere(paddock, out, err)
