"""What the launcher adds to a start once everything is set up.

`dev.py run -- --help` against `python -m desktop --help` in the same environment, interleaved; the medians
are told apart in milliseconds, as the launcher's share does not grow with the program. Limit: 300 ms.
"""

import statistics
import subprocess
import sys
import time

from tests.bench.figure import Figure
from tests.bench.process import CHECKOUT

LIMIT_MS = 300.0
STAMP = CHECKOUT / ".venv" / "paddock-stamp"
LAUNCHER = CHECKOUT / "packaging" / "dev.py"


def measure(*, is_quick: bool) -> list[Figure]:
    """The difference of two medians."""
    name = "launcher, second start"
    if not STAMP.exists():
        return [
            Figure(
                name=name, value=0.0, unit="ms", limit=LIMIT_MS, missing="this checkout was not set up by it"
            )
        ]
    launched = [getattr(sys, "_base_executable", sys.executable), str(LAUNCHER), "run", "--", "--help"]
    direct = [sys.executable, "-P", "-m", "desktop", "--help"]
    took_ms: dict[int, list[float]] = {0: [], 1: []}
    for _ in range(5 if is_quick else 21):
        for which, command in enumerate((direct, launched)):
            took_ms[which].append(_time_ms(command))
    program_ms, whole_ms = statistics.median(took_ms[0]), statistics.median(took_ms[1])
    note = f"{whole_ms:.0f} ms with, {program_ms:.0f} ms without the launcher"
    return [Figure(name=name, value=max(0.0, whole_ms - program_ms), unit="ms", limit=LIMIT_MS, note=note)]


def _time_ms(command: list[str]) -> float:
    started_s = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - started_s) * 1000
