"""The command takes words apart, and says what is wrong with them in one sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

from desktop.cli.command import VERBS, is_verb, parser
from desktop.cli.exits import Exit, of_status
from desktop.harness.api import Status


def command(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "desktop", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_every_verb_can_be_parsed_and_has_a_line_of_help() -> None:
    """The table and the parser hold the same verbs."""
    words = parser().format_help()
    for verb in VERBS:
        assert verb.name in words and verb.summary in words


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense", "more"],
        ["run"],
        ["run", "hello", "--mode", "sideways"],
        ["events"],
        ["approve", "s1", "--scope", "sometimes"],
        ["fork", "s1", "--at", "first"],
        ["--no-such-option"],
    ],
)
def test_wrong_words_end_with_one_sentence(words: list[str]) -> None:
    """Wrong use is code 2 with one line on standard error and nothing else."""
    done = command(*words)
    assert done.returncode == Exit.WRONG_USE
    assert done.stdout == "" and len(done.stderr.strip().splitlines()) == 1 and "Traceback" not in done.stderr


def test_help_needs_nothing() -> None:
    """The help is printed without opening the log."""
    done = command("--help")
    assert done.returncode == 0 and "approve" in done.stdout and "tour" in done.stdout


def test_a_folder_is_no_verb() -> None:
    """A first word that is neither a verb nor an option names the folder of the window."""
    assert is_verb("run") and is_verb("tour") and is_verb("--help")
    assert not is_verb("./run") and not is_verb(str(Path("/tmp/run")))


def test_every_status_has_an_exit_code() -> None:
    """No way for a session to come to rest is without a number."""
    assert {of_status(status) for status in Status} >= {Exit.DONE, Exit.WAITING, Exit.CANCELLED}
