"""The helper process starts late, ends on time and comes back."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.adapters.worker.client import HelperProcess
from desktop.harness.core.errors import Refusal, ToolError

ROOT = Path(__file__).parents[4]


@pytest.fixture
async def helper() -> AsyncIterator[HelperProcess]:
    """A helper process that ends with the test."""
    helper = HelperProcess()
    yield helper
    await helper.close()


def search_in(folder: Path, pattern: str, **more: Any) -> dict[str, Any]:
    """The arguments of a search job."""
    here = folder.stat()
    return {
        "root": str(folder),
        "device": here.st_dev,
        "inode": here.st_ino,
        "path": ".",
        "pattern": pattern,
        "ignored": {},
        "max_matches": 10,
        "budget_s": 3.0,
        **more,
    }


async def test_it_starts_with_the_first_job(helper: HelperProcess, tmp_path: Path) -> None:
    """No process exists until a job comes, and the next job uses the same one."""
    pids = [helper.pid]
    for _ in range(2):
        await helper.call("search", search_in(tmp_path, "x"), timeout_s=5)
        pids.append(helper.pid)
    assert pids[0] is None and pids[1] is not None and pids[1] == pids[2]


async def test_a_catastrophic_pattern_ends_on_time(helper: HelperProcess, tmp_path: Path) -> None:
    """A pattern that would take for ever is a plain error at the limit; loop and next job are not held up."""
    (tmp_path / "a.txt").write_text("a" * 5000 + "!")
    worst, started = 0.0, time.monotonic()
    task = asyncio.create_task(helper.call("search", search_in(tmp_path, "(a+)+$"), timeout_s=1))
    while not task.done():
        before = time.monotonic()
        await asyncio.sleep(0.01)
        worst = max(worst, time.monotonic() - before)
    with pytest.raises(ToolError) as caught:
        await task
    assert caught.value.code is Refusal.TIMED_OUT
    assert time.monotonic() - started < 10 and worst < 1
    found = await helper.call("search", search_in(tmp_path, "a!"), timeout_s=5)
    assert found["total"] == 1


async def test_cancelling_kills_only_the_own_job(helper: HelperProcess, tmp_path: Path) -> None:
    """A cancelled running job frees the process at once; a job that waits behind it is done."""
    (tmp_path / "a.txt").write_text("a" * 5000 + "!")
    slow = asyncio.create_task(helper.call("search", search_in(tmp_path, "(a+)+$"), timeout_s=60))
    await asyncio.sleep(0.3)
    waiting = asyncio.create_task(helper.call("search", search_in(tmp_path, "a!"), timeout_s=5))
    never = asyncio.create_task(helper.call("search", search_in(tmp_path, "a!"), timeout_s=5))
    await asyncio.sleep(0)
    never.cancel()
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    assert (await waiting)["total"] == 1


async def test_a_killed_process_is_replaced(helper: HelperProcess, tmp_path: Path) -> None:
    """When the process dies between two jobs, the second one gets a new process."""
    await helper.call("search", search_in(tmp_path, "x"), timeout_s=5)
    assert helper.pid is not None
    os.kill(helper.pid, 9)
    await asyncio.sleep(0.1)
    assert (await helper.call("search", search_in(tmp_path, "x"), timeout_s=5))["total"] == 0


async def test_faults_are_said_and_survived(helper: HelperProcess, tmp_path: Path) -> None:
    """An unknown job, a broken request and a bad pattern are errors with a code; the process goes on."""
    for job, arguments, code in (
        ("juggle", {}, Refusal.FAULT),
        ("search", {}, Refusal.FAULT),
        ("search", search_in(tmp_path, "(["), Refusal.BAD_PATTERN),
        ("search", search_in(tmp_path, "a{99999999999999999999}"), Refusal.BAD_PATTERN),
        ("search", search_in(tmp_path, "x", inode=1), Refusal.ROOT_CHANGED),
    ):
        with pytest.raises(ToolError) as caught:
            await helper.call(job, arguments, timeout_s=5)
        assert caught.value.code is code
    assert helper.pid is not None


async def test_memory_is_limited(helper: HelperProcess, tmp_path: Path) -> None:
    """The process may not take more than 1.5 GB, whatever a file or pattern makes it do."""
    await helper.call("search", search_in(tmp_path, "x"), timeout_s=5)
    limits = Path(f"/proc/{helper.pid}/limits").read_text()
    assert re.search(r"Max data size +1500000000 ", limits)


async def test_it_ends_with_the_app(tmp_path: Path) -> None:
    """When the app is killed in the middle of an endless job, the process ends by its own alarm."""
    (tmp_path / "a.txt").write_text("a" * 5000 + "!")
    program = (
        "import asyncio, sys, json, threading, time\n"
        "from desktop.harness.adapters.worker.client import HelperProcess\n"
        "async def main():\n"
        "    helper = HelperProcess()\n"
        "    task = asyncio.create_task(helper.call('search', json.loads(sys.argv[1]), timeout_s=1.5))\n"
        "    await asyncio.sleep(0.5)\n"
        "    print(helper.pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    arguments = json.dumps(search_in(tmp_path, "(a+)+$"))
    with subprocess.Popen(
        [sys.executable, "-c", program, arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as app:
        assert app.stdout is not None
        pid = int(app.stdout.readline())
        app.kill()
    for _ in range(60):
        if not Path(f"/proc/{pid}").exists() or ") Z" in Path(f"/proc/{pid}/stat").read_text():
            break
        await asyncio.sleep(0.1)
    else:
        pytest.fail("the helper process outlived the app")


def test_the_process_side_imports_little() -> None:
    """The helper process never loads Qt, the model client, the database or the event loop."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import desktop.harness.adapters.worker.serving\n"
        "print(' '.join(sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(ROOT)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"PySide6", "openai", "sqlite3", "asyncio", "keyring", "watchdog", "dataclasses"} & set(loaded)


async def test_secrets_of_the_app_are_not_handed_on(
    helper: HelperProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The helper process gets no variable of the app's environment but the language."""
    monkeypatch.setenv("SOME_TOKEN", "canary-4711-value")
    await helper.call("search", search_in(tmp_path, "x"), timeout_s=5)
    assert b"canary" not in Path(f"/proc/{helper.pid}/environ").read_bytes()


async def test_nothing_is_taken_after_closing(tmp_path: Path) -> None:
    """Closing twice is safe, ends the process and refuses further jobs."""
    helper = HelperProcess()
    await helper.call("search", search_in(tmp_path, "x"), timeout_s=5)
    await helper.close()
    await helper.close()
    assert helper.pid is None
    with pytest.raises(ToolError):
        await helper.call("search", search_in(tmp_path, "x"), timeout_s=5)
