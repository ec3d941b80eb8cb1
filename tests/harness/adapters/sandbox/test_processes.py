"""Commands run, end, and leave nothing behind."""

import asyncio
import os
import resource
import sys
import time
from pathlib import Path

import pytest

from desktop.harness.adapters.sandbox.processes import ShellProcesses, command_environment
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.ports import CommandResult


async def run(command: str, folder: Path, *, timeout_s: float = 10, cap: int = 20_000) -> CommandResult:
    """Run one command as the app would."""
    return await ShellProcesses().run(command, folder=str(folder), timeout_s=timeout_s, max_output_bytes=cap)


def processes_with(word: str) -> list[str]:
    """Command lines of living processes that hold a word."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes()
        except OSError:
            continue
        if word.encode() in line and place.parent.name != str(os.getpid()):
            found.append(line.decode())
    return found


async def test_both_streams_and_the_exit_code(tmp_path: Path) -> None:
    """Output and errors come as one stream in the order they were written, in the given folder."""
    done = await run("echo one; echo two >&2; pwd; exit 3", tmp_path)
    assert done.output.decode().splitlines() == ["one", "two", str(tmp_path)]
    assert done.exit_code == 3 and not done.timed_out


@pytest.mark.parametrize("command", ["cat", "read x </dev/tty", "sudo -k true", "git commit", "cat /dev/tty"])
async def test_nothing_waits_for_a_person(command: str, tmp_path: Path) -> None:
    """Commands that want input, a terminal, a password or an editor end by themselves, at once."""
    started = time.monotonic()
    done = await run(command, tmp_path, timeout_s=60)
    assert time.monotonic() - started < 20
    assert done.exit_code is not None and (done.exit_code != 0 or command == "cat")


async def test_git_commit_does_not_wait_for_an_editor(tmp_path: Path) -> None:
    """A commit without a message fails at once, because there is no editor that could hang."""
    setup = "git init -q . && git config user.email a@b && git config user.name n && echo x > f && git add f"
    done = await run(f"{setup} && git commit", tmp_path)
    assert done.exit_code not in {0, None}


async def test_a_background_child_does_not_hold_the_command(tmp_path: Path) -> None:
    """A child that keeps the output open is ended when the shell is done, and counted."""
    started = time.monotonic()
    done = await run("(while :; do echo noise; sleep 0.05; done) & sleep 0.3; echo done", tmp_path)
    assert time.monotonic() - started < 10
    assert done.exit_code == 0 and b"done" in done.output
    assert done.killed_leftovers >= 1


async def test_runaway_children_are_found(tmp_path: Path) -> None:
    """Double forks, new sessions, a wiped environment and ignored signals do not save a process."""
    hidden = "setsid env -i sh -c \"trap '' TERM HUP; setsid sleep 4242 & sleep 4242; sleep 4242\" &"
    done = await run(f"{hidden} (sleep 4242 &) ; nohup sleep 4242 & sleep 0.3; echo out", tmp_path)
    assert done.exit_code == 0 and done.killed_leftovers >= 3
    assert processes_with("4242") == []


async def test_a_flood_is_bounded(tmp_path: Path) -> None:
    """`yes` fills no memory, keeps head and tail, and its time limit fires on time."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    done = await run("echo first; yes", tmp_path, timeout_s=5)
    assert 5 <= time.monotonic() - started < 20
    assert done.timed_out and done.exit_code is None
    assert done.output.startswith(b"first\n") and done.output.endswith(b"y\n")
    assert done.dropped_bytes > 1_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


async def test_the_loop_is_free_while_a_flood_comes_in(tmp_path: Path) -> None:
    """While a command floods its output, a timer of the event loop is never held up."""
    task = asyncio.create_task(run("yes", tmp_path, timeout_s=2))
    worst = 0.0
    while not task.done():
        before = time.monotonic()
        await asyncio.sleep(0.01)
        worst = max(worst, time.monotonic() - before)
    assert (await task).timed_out
    assert worst < 1


async def test_a_stubborn_command_is_ended_by_force(tmp_path: Path) -> None:
    """A command that ignores the polite signal is gone about two seconds after its limit."""
    started = time.monotonic()
    done = await run("trap '' TERM; while :; do sleep 0.1; done", tmp_path, timeout_s=0.5)
    assert done.timed_out and 2 < time.monotonic() - started < 15


async def test_cancelling_leaves_after_the_tree(tmp_path: Path) -> None:
    """When CancelledError leaves, nothing writes any more."""
    tally = tmp_path / "tally"
    task = asyncio.create_task(
        run("(while :; do date >> tally; sleep .05; done) & wait", tmp_path, timeout_s=60)
    )
    while not tally.exists():
        await asyncio.sleep(0.02)
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 15
    size = tally.stat().st_size
    await asyncio.sleep(0.3)
    assert tally.stat().st_size == size


async def test_a_killed_keeper_does_not_free_the_command(tmp_path: Path) -> None:
    """A command that kills its keeper is found by its mark and ended."""
    done = await run("kill -9 $PPID; sleep 4343", tmp_path)
    assert done.exit_code is None
    assert processes_with("4343") == []


async def test_a_command_ends_with_the_app(tmp_path: Path) -> None:
    """When the process that runs a command is killed, the command does not outlive it."""
    program = (
        "import asyncio\n"
        "from desktop.harness.adapters.sandbox.processes import ShellProcesses\n"
        "asyncio.run(ShellProcesses().run('>up; sleep 4444', folder='.', timeout_s=9, max_output_bytes=9))"
    )
    root = str(Path(__file__).parents[4])
    app = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=tmp_path, env={"PYTHONPATH": root, "PATH": os.defpath}
    )
    while not (tmp_path / "up").exists():
        await asyncio.sleep(0.02)
    app.kill()
    await app.wait()
    for _ in range(100):
        if not processes_with("4444"):
            break
        await asyncio.sleep(0.03)
    assert processes_with("4444") == []


async def test_the_environment_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No secret of the app's environment reaches a command."""
    monkeypatch.setenv("OPENAI_API_KEY", "canary-4711-value")
    monkeypatch.setenv("SOMETHING_ELSE", "canary-4711-value")
    done = await run("env; tr '\\0' '\\n' </proc/self/environ", tmp_path)
    assert b"canary" not in done.output and b"GIT_TERMINAL_PROMPT=0" in done.output
    assert command_environment({"LC_TIME": "de_DE", "DBUS_SESSION_BUS_ADDRESS": "x"})["LC_TIME"] == "de_DE"
    assert "DBUS_SESSION_BUS_ADDRESS" not in command_environment({"DBUS_SESSION_BUS_ADDRESS": "x"})


async def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    """In a folder that is gone nothing is run."""
    with pytest.raises(ToolError) as caught:
        await run("echo hi", tmp_path / "gone")
    assert caught.value.code is Refusal.ROOT_CHANGED


async def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Running commands, also cancelled and failing ones, costs no descriptors."""
    await run("true", tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        await run("true", tmp_path)
        with pytest.raises(ToolError):
            await run("true", tmp_path / "gone")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
