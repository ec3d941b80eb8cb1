"""The checks: what must be true of a commit, in the order in which it is told.

Each is a program of the environment, shown with its time. All of them run even when one fails, so that one
look shows everything; the tests come last, because their closing line is the one that is read. What each
check demands stands in `pyproject.toml`, not here.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import List

from environment import say

CHECKS = {
    "style": ["ruff", "check", "."],
    "layout": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
    "layers": ["lint-imports", "--no-logo"],
}
TESTS = ["pytest"]


def run_all(python: Path, checkout: Path, words: List[str]) -> int:
    """0 when each check and the tests passed; `words` go to pytest."""
    failed = [name for name, check in CHECKS.items() if not _passes(name, check, python, checkout)]
    if not _passes("tests", [*TESTS, *words], python, checkout):
        failed.append("tests")
    if failed:
        say("Failed: {}.".format(", ".join(failed)))
    return 1 if failed else 0


def _passes(name: str, check: List[str], python: Path, checkout: Path) -> bool:
    """Run one check and tell its time; the tests tell their own, as their last line."""
    variables = {**os.environ, "PYTHONUNBUFFERED": "1"}
    variables.setdefault("QT_QPA_PLATFORM", "offscreen")
    print("== {}: {}".format(name, " ".join(check)), flush=True)
    began_s = time.monotonic()
    program = str(python.with_name(check[0]))
    code = subprocess.call([program, *check[1:]], cwd=checkout, env=variables, stdin=subprocess.DEVNULL)
    if check[0] != TESTS[0]:
        print(
            "-- {}: {}, {:.1f} s".format(name, "failed" if code else "ok", time.monotonic() - began_s),
            flush=True,
        )
    return code == 0
