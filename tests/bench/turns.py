"""Thirty turns with the command line against the naive loop, process by process, interleaved.

Baseline: `bare_loop`, on the same client, files and server. Each round starts a process of each; the gaps of
all rounds are pooled and their lower quartiles compared, as are those of the starts and of the CPU. Paddock
writes every record to its log meanwhile, the naive loop writes nothing.

Limits: the loop must not be slower than the naive one, which encodes its whole history anew each turn; a
fifth more CPU and start-up time is the price of approvals, redaction, walls and log. 110 MiB is what the
leanest agents of this kind need. 100 KB of log for thirty turns is what comparable agents keep at best.
"""

import statistics
import tempfile
from pathlib import Path

from tests.bench.figure import Figure, lower_quartile
from tests.bench.model_server import Seen, serving
from tests.bench.process import Ran, bare_run, environment, paddock_run, run
from tests.bench.reading_task import make_files, replies

TURNS = 30


def measure(*, is_quick: bool) -> list[Figure]:
    """All figures of short sessions."""
    rounds = 3 if is_quick else 7
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        data, folder = place / "data", place / "folder"
        payload = make_files(folder, TURNS)
        ours: list[tuple[Ran, Seen]] = []
        theirs: list[tuple[Ran, Seen]] = []
        grown: list[int] = []
        for number in range(rounds + 1):
            before = _size(data)
            our, their = _once(place, data, folder, ours=True), _once(place, data, folder, ours=False)
            if number:  # the first round of each fills the caches of the system and makes the log
                grown.append(_size(data) - before)
                ours.append(our)
                theirs.append(their)
    return _figures(ours, theirs, grown, payload)


def _once(place: Path, data: Path, folder: Path, *, ours: bool) -> tuple[Ran, Seen]:
    with serving(replies(TURNS), place) as server:
        command = paddock_run(server.base_url, folder) if ours else bare_run(server.base_url, folder)
        ran = run(command, environment(data))
        seen = server.seen()
    assert len(seen.arrived_s) == TURNS + 1, ran.output
    return ran, seen


def _figures(
    ours: list[tuple[Ran, Seen]], theirs: list[tuple[Ran, Seen]], grown: list[int], payload: int
) -> list[Figure]:
    return [
        Figure(
            name="overhead per turn",
            value=lower_quartile(_gaps(ours)),
            baseline=lower_quartile(_gaps(theirs)),
            unit="ms",
            limit=1.0,
            note=f"lower quartiles; medians {_median(ours):.1f} and {_median(theirs):.1f} ms",
        ),
        Figure(
            name="CPU of 30 turns",
            value=lower_quartile([ran.cpu_s for ran, _ in ours]),
            baseline=lower_quartile([ran.cpu_s for ran, _ in theirs]),
            unit="s",
            limit=1.2,
        ),
        Figure(
            name="start to first request",
            value=lower_quartile(_starts(ours)),
            baseline=lower_quartile(_starts(theirs)),
            unit="ms",
            limit=1.2,
        ),
        Figure(
            name="connections in 30 turns",
            value=max(seen.connections for _, seen in ours),
            unit="",
            limit=1,
        ),
        Figure(
            name="peak memory",
            value=max(ran.peak_bytes for ran, _ in ours) / 2**20,
            unit="MiB",
            limit=110,
            note=f"the naive loop: {max(ran.peak_bytes for ran, _ in theirs) / 2**20:.0f} MiB",
        ),
        Figure(
            name="log beyond the payload",
            value=(max(grown) - payload) / 1_000,
            unit="KB",
            limit=100,
            note=f"the data folder after the process ended; payload {payload / 1_000:.0f} KB of files read",
        ),
    ]


def _gaps(runs: list[tuple[Ran, Seen]]) -> list[float]:
    return [gap for _, seen in runs for gap in seen.gaps_ms]


def _median(runs: list[tuple[Ran, Seen]]) -> float:
    return statistics.median(_gaps(runs))


def _starts(runs: list[tuple[Ran, Seen]]) -> list[float]:
    return [(seen.arrived_s[0] - ran.started_s) * 1_000 for ran, seen in runs]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
