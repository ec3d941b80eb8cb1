"""Running a program and knowing what it cost: wall time from the moment before it starts, CPU, peak memory.

The peak is the kernel's own (`ru_maxrss`). It counts the memory of whoever started the program up to the
`exec`, so a bench that starts programs imports neither Qt nor the harness.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
BARE_LOOP = CHECKOUT / "tests" / "bench" / "bare_loop.py"

_LOOK_EVERY_S = 0.02


class ProgramFailedError(Exception):
    """A measured program did not end well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One ended program. `memory` are samples of (time.monotonic(), bytes resident)."""

    started_s: float
    cpu_s: float
    peak_bytes: int
    output: str
    memory: tuple[tuple[float, int], ...]


def python(*words: str) -> list[str]:
    """A command for this interpreter; `-P` as the launcher does."""
    return [sys.executable, "-P", *words]


def paddock_run(base_url: str, folder: Path, *more: str) -> list[str]:
    """`paddock run` on a folder, without a window."""
    route = ("--model", "proof", "--base-url", base_url)
    return python("-m", "desktop", "run", "Read all files.", "--workspace", str(folder), *route, *more)


def bare_run(base_url: str, folder: Path) -> list[str]:
    """The naive loop on the same folder."""
    return python(str(BARE_LOOP), base_url, str(folder))


def environment(data_dir: Path) -> dict[str, str]:
    """The person's variables without what would change the figures.

    One of them forbids Python to keep its bytecode; with it every start would compile all modules anew, ours
    and the baseline's, which no installed program does.
    """
    changing = ("OPENAI_", "PADDOCK_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(changing)}
    return {**kept, "PADDOCK_DATA_DIR": str(data_dir)}


def run(command: Sequence[str], variables: Mapping[str, str], *, looks: bool = False) -> Ran:
    """Run a program to its end. `looks` samples its memory meanwhile. Raises ProgramFailedError."""
    started_s = time.monotonic()
    process = subprocess.Popen(
        command,
        env=dict(variables),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    memory: list[tuple[float, int]] = []
    assert process.stdout is not None
    output = _drained(process.stdout.fileno(), (lambda: _look(process.pid, memory)) if looks else None)
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    text = output.decode("utf-8", "replace")
    if process.returncode:
        raise ProgramFailedError(f"{' '.join(command)} ended with {process.returncode}:\n{text[-2_000:]}")
    return Ran(
        started_s=started_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        output=text,
        memory=tuple(memory),
    )


def _drained(handle: int, look: Callable[[], None] | None) -> bytes:
    """All that the program prints; looks at it in between."""
    pieces: list[bytes] = []
    os.set_blocking(handle, look is None)
    while True:
        try:
            piece = os.read(handle, 65_536)
        except BlockingIOError:
            time.sleep(_LOOK_EVERY_S)
        else:
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
        if look is not None:
            look()


def _look(pid: int, memory: list[tuple[float, int]]) -> None:
    try:
        status = Path(f"/proc/{pid}/statm").read_text("ascii")
    except OSError:
        return
    memory.append((time.monotonic(), int(status.split()[1]) * os.sysconf("SC_PAGE_SIZE")))
