"""Five hundred turns in one process, and going on with a session of a thousand messages.

The turns are compared with themselves: the last ten with the first ten of three sessions, so a cost that
grows with the history shows. The resume is compared with a fresh start in the same data folder, interleaved.
Memory is sampled from outside, from the tenth request on.

Limits: a loop that keeps what it has encoded stays flat (1.3 leaves room for noise), 50 ms is a resume that
nobody notices, and 30 MiB is what five hundred turns may leave in memory.
"""

import re
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench.figure import Figure, lower_quartile
from tests.bench.model_server import Seen, serving
from tests.bench.process import Ran, environment, paddock_run, python, run
from tests.bench.reading_task import make_files, replies

TURNS = 500


def measure(*, is_quick: bool) -> list[Figure]:
    """All figures of a long session."""
    rounds = 4 if is_quick else 9
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        data, folder = place / "data", place / "folder"
        make_files(folder, TURNS)
        played = [_play(place, data, folder) for _ in range(1 if is_quick else 3)]
        ran, seen = played[0]
        found = re.search(r"\(chat (\w+)\)", ran.output)
        assert found is not None, ran.output[-2_000:]
        fresh, again = _starts(place, data, folder, found.group(1), rounds)
    return [_flatness([seen for _, seen in played]), _growth(ran, seen), _resume(fresh, again)]


def _play(place: Path, data: Path, folder: Path) -> tuple[Ran, Seen]:
    """One long session in a process of its own."""
    with serving(replies(TURNS), place) as server:
        ran = run(paddock_run(server.base_url, folder), environment(data), looks=True)
        seen = server.seen()
    assert len(seen.arrived_s) == TURNS + 1, ran.output[-2_000:]
    return ran, seen


def _starts(
    place: Path, data: Path, folder: Path, session: str, rounds: int
) -> tuple[list[float], list[float]]:
    """Times from the start of a process to its first request, fresh and going on, in ms.

    The first run only brings the long session to this server; all measured ones ask the address that
    their session has.
    """
    with serving([{"text": "Hello."}] * (2 * rounds + 1), place) as server:
        say = python("-m", "desktop", "run", "And now?", "--session", session)
        run([*say, "--model", "proof", "--base-url", server.base_url], environment(data))
        pairs = []
        for _ in range(rounds):
            first = run(paddock_run(server.base_url, folder), environment(data))
            pairs.append((first, run(say, environment(data))))
        seen = server.seen()
    assert min(seen.sizes[2::2]) > 100 * max(seen.sizes[1::2]) / 50, pairs[0][1].output
    fresh = [first.started_s for first, _ in pairs]
    again = [second.started_s for _, second in pairs]
    return _since(fresh, seen.arrived_s[1::2]), _since(again, seen.arrived_s[2::2])


def _since(started_s: Sequence[float], arrived_s: Sequence[float]) -> list[float]:
    return [(late - early) * 1_000 for early, late in zip(started_s, arrived_s, strict=True)]


def _flatness(sessions: list[Seen]) -> Figure:
    first = [gap for seen in sessions for gap in seen.gaps_ms[:10]]
    last = [gap for seen in sessions for gap in seen.gaps_ms[-10:]]
    return Figure(
        name="last 10 of 500 turns",
        value=lower_quartile(last),
        baseline=lower_quartile(first),
        unit="ms",
        limit=1.3,
        note=f"against the first 10; lower quartiles of {len(sessions)} sessions; medians "
        f"{statistics.median(last):.1f} and {statistics.median(first):.1f} ms",
    )


def _growth(ran: Ran, seen: Seen) -> Figure:
    at_tenth = [size for at_s, size in ran.memory if at_s <= seen.arrived_s[10]]
    peak = max(size for _, size in ran.memory)
    return Figure(
        name="memory growth in 500 turns",
        value=(peak - at_tenth[-1]) / 2**20,
        unit="MiB",
        limit=30,
        note=f"peak less turn 10, which was at {at_tenth[-1] / 2**20:.0f} MiB",
    )


def _resume(fresh: list[float], again: list[float]) -> Figure:
    return Figure(
        name="resume of 1,000 messages",
        value=lower_quartile(again) - lower_quartile(fresh),
        unit="ms",
        limit=50,
        note=f"more than a fresh start of {lower_quartile(fresh):.0f} ms; lower quartiles of {len(fresh)} "
        f"runs each, in turns; medians {statistics.median(again):.0f} and {statistics.median(fresh):.0f} ms",
    )
