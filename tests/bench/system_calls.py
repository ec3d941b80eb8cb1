"""What a turn asks of the system: waits for the disk, and processes.

Counted by strace over a whole session of 10 turns and one of 30; the difference, divided by 20, is a turn
without start and end. The task only reads files, so any process that a turn starts is none of a tool's.

Limits: at least one wait for the disk for each event that matters and at most five (comparable agents that
keep a log take 2.8 to 15, others none and lose it); no process.
"""

import re
import shutil
import tempfile
from pathlib import Path

from tests.bench.figure import Figure
from tests.bench.model_server import serving
from tests.bench.process import environment, paddock_run, run
from tests.bench.reading_task import make_files, replies

FEW, MANY = 10, 30
_SYNC = re.compile(r"\b(?:fsync|fdatasync|msync|sync_file_range)\(")
_PROCESS = re.compile(r"\b(?:v?fork\(|clone3?\((?!.*CLONE_THREAD))")


def measure(*, is_quick: bool) -> list[Figure]:
    """Waits for the disk and processes, a turn."""
    if shutil.which("strace") is None:
        return _figures(0, 0, missing="there is no strace here")
    few, many = (_calls(turns) for turns in (FEW, MANY))
    syncs, processes = ((after - before) / (MANY - FEW) for before, after in zip(few, many, strict=True))
    return _figures(syncs, processes)


def _figures(syncs: float, processes: float, *, missing: str = "") -> list[Figure]:
    return [
        Figure(name="fsyncs a turn", value=syncs, unit="", limit=5, missing=missing),
        Figure(name="processes a turn", value=processes, unit="", limit=0, missing=missing),
    ]


def _calls(turns: int) -> tuple[int, int]:
    """How often a session of that many turns waited for the disk and started processes."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        make_files(place / "folder", turns)
        trace = place / "trace"
        names = "fsync,fdatasync,msync,sync_file_range,fork,vfork,clone,clone3"
        with serving(replies(turns), place) as server:
            traced = ["strace", "-f", "-qq", "-e", f"trace={names}", "-o", str(trace)]
            run([*traced, *paddock_run(server.base_url, place / "folder")], environment(place / "data"))
        lines = trace.read_text("utf-8", "replace").splitlines()
    return (
        sum(1 for line in lines if _SYNC.search(line)),
        sum(1 for line in lines if _PROCESS.search(line) and "resumed>" not in line),
    )
