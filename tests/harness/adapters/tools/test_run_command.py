"""The tool that runs a command."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from desktop.harness.adapters.redaction import KnownSecrets
from desktop.harness.adapters.sandbox.processes import ShellProcesses
from desktop.harness.adapters.spool import SpoolFolder
from desktop.harness.adapters.tools.run_command import RunCommand
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import ArtifactId, CallId, SessionId, digest_of
from desktop.harness.core.toolspec import Outcome, ToolCall, ToolResult
from desktop.harness.ports import FileView

SESSION = SessionId("s1")
NO_FILES = cast(FileView, None)
"""A command's preview looks at no file."""


class Bench:
    """The tool on a real folder, with the artifacts it kept."""

    def __init__(self, folder: Path) -> None:
        self.artifacts: dict[str, bytes] = {}
        self.secrets = KnownSecrets({"KEY": "canary-9f8e7d6c"})
        self.data = folder / "data"
        self.spool = SpoolFolder(self.data)
        self.tool = RunCommand(
            ShellProcesses(),
            folder=str(folder),
            redaction=self.secrets,
            keep_artifact=self._keep,
            spool=self.spool,
        )

    async def _keep(self, data: bytes) -> ArtifactId:
        name = ArtifactId(digest_of(data))
        self.artifacts[name] = data
        return name

    async def run(self, command: str, **more: Any) -> ToolResult:
        call = call_of(command, **more)
        return await self.tool.run(call, self.tool.preview(call, NO_FILES))


def call_of(command: str, **more: Any) -> ToolCall:
    """A call as the engine hands it over."""
    return ToolCall(
        call_id=CallId("t1c1"),
        tool="run_command",
        raw="",
        arguments={"command": command, **more},
        session=SESSION,
    )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A tool on an empty folder."""
    return Bench(tmp_path)


def test_the_preview_is_the_exact_text(bench: Bench) -> None:
    """A person is shown the command byte for byte, and nothing is run."""
    preview = bench.tool.preview(call_of("echo  'a b' && touch x\n"), NO_FILES)
    assert preview.command == "echo  'a b' && touch x\n" and preview.targets == ()


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("echo a\u200bb", Refusal.HIDDEN_CHARACTERS),
        ("echo \u202egnp.exe", Refusal.HIDDEN_CHARACTERS),
        ("echo \x1b[8mrm", Refusal.HIDDEN_CHARACTERS),
        ("echo " + "x" * 100_001, Refusal.TOO_BIG),
        ("  ", Refusal.BAD_ARGUMENTS),
        ("echo a\0b", Refusal.BAD_ARGUMENTS),
    ],
)
def test_what_a_person_cannot_judge_is_refused(bench: Bench, command: str, code: Refusal) -> None:
    """Hidden characters, endless and empty commands are refused before anybody is asked."""
    with pytest.raises(ToolError) as caught:
        bench.tool.preview(call_of(command), NO_FILES)
    assert caught.value.code is code


async def test_an_exit_code_is_an_answer(bench: Bench) -> None:
    """A command that ends with another code than 0 has run; the first line names the code."""
    result = await bench.run("echo out; exit 3")
    assert result.status is Outcome.OK and result.text == "exit code 3\nout\n"
    assert result.receipt == {"exit_code": 3} and result.error == ""


async def test_a_time_limit_is_a_failure(bench: Bench) -> None:
    """A command over its limit is stopped, keeps its output and says why."""
    result = await bench.run("echo begun; sleep 30", timeout_s=1)
    assert result.status is Outcome.FAILED and result.error == Refusal.TIMED_OUT
    assert result.text.startswith("Stopped after its time limit of 1 s.") and "begun" in result.text


async def test_secrets_are_hidden_everywhere(bench: Bench) -> None:
    """Neither the text nor a kept artifact holds a known value, also when colour codes split it."""
    result = await bench.run(
        "printf 'canary-9f8e7d6c can\\033[1mary-9f8e7d6c\\0'; yes canary-9f8e7d6c | head -9000"
    )
    assert "canary" not in result.text and "[secret-1]" in result.text
    quiet = await bench.run("printf 'can\\033[1mary-9f8e7d6c\\0'")
    assert quiet.text == "exit code 0\n[secret-1]" and quiet.artifact is None
    assert all(b"canary" not in data for data in bench.artifacts.values())


async def test_control_characters_stay_out_of_the_text(bench: Bench) -> None:
    """The text is clean; the bytes as they came are kept beside it."""
    result = await bench.run(r"""printf 'a\000b\033[31mc\033]0;title\007d {"x": "\\ud800"}'""")
    assert result.text == 'exit code 0\nabcd {"x": "\\ud800"}'
    assert (
        result.artifact is not None and b"\x00b\x1b[31mc\x1b]0;title\x07d" in bench.artifacts[result.artifact]
    )


async def test_long_output_is_cut_and_kept(bench: Bench) -> None:
    """Beyond the cap the text has head and tail, and the whole of it is an artifact that can be read."""
    result = await bench.run("i=0; while [ $i -lt 9000 ]; do echo line $i; i=$((i+1)); done")
    size = len(result.text.encode())
    assert result.truncated and result.artifact is not None and 40_000 < size < 48_300
    assert "line 0\n" in result.text and result.text.endswith("line 8999\n")
    assert f"artifact:{result.artifact}" in result.text
    assert bench.artifacts[result.artifact].count(b"\n") == 9000


async def test_no_broken_characters_at_the_cuts(bench: Bench) -> None:
    """Forty thousand three-byte characters are cut between characters."""
    result = await bench.run("python3 -c \"print('\\u4e2d' * 40000)\"")
    assert "\N{REPLACEMENT CHARACTER}" not in result.text and result.truncated


async def test_left_over_processes_are_said(bench: Bench) -> None:
    """A server started in the background ends with the command, and the text says so."""
    result = await bench.run("sleep 4545 & echo started")
    assert "1 background processes were still running" in result.text
    assert result.receipt == {"exit_code": 0, "killed_leftovers": 1}


async def test_how_far_a_command_came_is_kept_while_it_runs(bench: Bench, tmp_path: Path) -> None:
    """Whole lines of its newest output lie in a private file before it ends, without the secret in them."""
    held = asyncio.create_task(bench.run("echo begun canary-9f8e7d6c; printf unfinished; sleep 30"))
    call = CallId("t1c1")
    while (kept := bench.spool.get(SESSION, call)) is None or not kept.tail:
        await asyncio.sleep(0.01)
    assert (kept.tail, kept.exit_code, kept.has_ended) == ("begun [secret-1]\n", None, False)
    (path,) = (bench.data / "s1").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    held.cancel()
    await asyncio.wait([held])


async def test_the_end_of_a_command_is_kept_with_its_exit_code(bench: Bench) -> None:
    """A long output leaves a short tail, from the start of a line, and the exit code."""
    await bench.run("seq 1 100000; exit 3")
    kept = bench.spool.get(SESSION, CallId("t1c1"))
    assert kept is not None
    assert kept.exit_code == 3 and kept.has_ended
    assert kept.tail.endswith("99999\n100000\n") and len(kept.tail) <= 4_000
    assert kept.tail.splitlines()[0].isdigit() and len(kept.tail.splitlines()[0]) == 5
