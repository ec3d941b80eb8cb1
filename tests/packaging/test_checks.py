"""The order and the verdict of the checks, with small programs in their place."""

from pathlib import Path

import checks
import pytest

PROGRAMS = ("ruff", "mypy", "lint-imports", "pytest")


def make_programs(folder: Path, failing: tuple[str, ...] = ()) -> Path:
    """Programs that write down that they ran, and fail when told to; answers with the Python beside them."""
    for name in PROGRAMS:
        program = folder / name
        program.write_text(
            f'#!/bin/sh\necho "{name} $*" >> "{folder}/ran"\nexit {3 if name in failing else 0}\n'
        )
        program.chmod(0o755)
    return folder / "python"


def test_all_checks_run_and_the_tests_come_last(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Style, layout, types, layers, tests: each once, in this order; the tests' own line closes."""
    assert checks.run_all(make_programs(tmp_path), tmp_path, ["-k", "one"]) == 0
    ran = (tmp_path / "ran").read_text().splitlines()
    assert ran == [
        "ruff check .",
        "ruff format --check .",
        "mypy ",
        "lint-imports --no-logo",
        "pytest -k one",
    ]
    assert capfd.readouterr().out.splitlines()[-1].startswith("== tests")


@pytest.mark.parametrize("failing", PROGRAMS)
def test_one_failure_fails_the_whole(failing: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whichever check fails, the others still run and the whole is a failure that names it."""
    assert checks.run_all(make_programs(tmp_path, (failing,)), tmp_path, []) == 1
    assert len((tmp_path / "ran").read_text().splitlines()) == 5
    assert "Failed: " in capfd.readouterr().err.splitlines()[-1]
