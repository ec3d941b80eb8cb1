"""From the start of the process to the first paint of the window, and to its filled list of chats.

Baseline: an empty QMainWindow of the same size under the same kind of loop, with nothing imported but what it
needs and the same paint marker; processes start in turns. The real window is painted when its composer is and
takes text; its list when two hundred chats stand in the model of a painted list.

Limits: twice the empty window, since an interface has something to lay out; three times for the list, which
needs the log.
"""

import asyncio
import json
import statistics
import tempfile
from pathlib import Path

from desktop.harness.adapters.clock import SystemClock
from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.adapters.store import SqliteStore
from desktop.harness.core.events import RunStarted, SessionStarted, UserMessage
from desktop.harness.core.ids import SessionId
from tests.bench.figure import Figure, lower_quartile
from tests.bench.process import CHECKOUT, environment, python, run

CHATS = 200
PROGRAM = CHECKOUT / "tests" / "bench" / "window_program.py"


def measure(*, is_quick: bool) -> list[Figure]:
    """First paint and filled list, against an empty window."""
    rounds = 4 if is_quick else 11
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "data"
        asyncio.run(_make_chats(data, Path(name)))
        empty: list[float] = []
        painted: list[float] = []
        listed: list[float] = []
        for number in range(rounds + 1):
            blank, whole = _times(data, "empty"), _times(data, "window", str(CHATS))
            if number:  # the first round fills the caches of the system
                empty.append(blank["painted_s"])
                painted.append(whole["painted_s"])
                listed.append(whole["listed_s"])
    note = (
        f"lower quartiles of {rounds} runs in turns; medians {{:.0f}} and {statistics.median(empty):.0f} ms"
    )
    return [
        Figure(
            name="window, first paint",
            value=lower_quartile(painted),
            baseline=lower_quartile(empty),
            unit="ms",
            limit=2.0,
            note=note.format(statistics.median(painted)),
        ),
        Figure(
            name="window, list filled",
            value=lower_quartile(listed),
            baseline=lower_quartile(empty),
            unit="ms",
            limit=3.0,
            note=note.format(statistics.median(listed)) + f"; {CHATS} chats",
        ),
    ]


def _times(data: Path, *words: str) -> dict[str, float]:
    """Milliseconds from the start of a window's process to each moment that it told."""
    ran = run(python(str(PROGRAM), *words), {**environment(data), "QT_QPA_PLATFORM": "offscreen"})
    told = json.loads(ran.output.splitlines()[-1])
    return {name: (at_s - ran.started_s) * 1_000 for name, at_s in told.items()}


async def _make_chats(data: Path, folder: Path) -> None:
    """A log of many small chats, as a person has after some weeks."""
    store = SqliteStore(data, SystemClock(), KeptFiles(data / "artifacts"))
    found = folder.stat()
    project = await store.project_of(str(folder), found.st_dev, found.st_ino)
    started = SessionStarted(
        workspace=str(folder), project=project, mode="write", model="proof", base_url="", version="0"
    )
    for number in range(CHATS):
        said = UserMessage(text=f"Please look after page {number}")
        await store.create(SessionId(f"s{number:010x}"), [started, said, RunStarted(definition="", rules=())])
    await store.close()
