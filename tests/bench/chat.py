"""The window on a chat of 10,000 messages: from Enter to the painted row, a streamed word, and memory.

The real window, door, log and provider, with the scripted server. From Enter to the row: the key is sent to
the composer, the row is on the screen when the list has been painted with it; in between it was made durable,
so one commit, measured beside it on the same disk, is allowed on top. A streamed word: all processor time of
the window's thread while words come in singly, drawing included, divided by the words. Memory: against the
same program on a chat of 100 messages.

Limits: 16 ms is one frame; 8 ms leaves half of it to Qt; a list that makes only what is seen needs hardly
more memory for a hundred times the rows.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from desktop.harness.adapters.clock import SystemClock
from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.adapters.store import SqliteStore
from desktop.harness.core.events import (
    AssistantMessage,
    Event,
    ModelRequested,
    RunFinished,
    RunStarted,
    SessionStarted,
    UserMessage,
)
from desktop.harness.core.ids import RunNumber, SessionId
from desktop.harness.ports import Write
from tests.bench.figure import Figure
from tests.bench.model_server import serving
from tests.bench.process import CHECKOUT, environment, python, run

SHORT, LONG = 100, 10_000
MESSAGES_SENT = 7
WORDS = 100
SESSION = SessionId("sbench")
PROGRAM = CHECKOUT / "tests" / "bench" / "window_program.py"


def measure(*, is_quick: bool) -> list[Figure]:
    """All figures of a long chat in the window."""
    short, long = _told(SHORT), _told(LONG)
    return [
        Figure(
            name="Enter to painted row",
            value=long["shown_ms"],
            unit="ms",
            limit=round(16 + long["commit_ms"], 1),
            note=f"16 ms and one commit of {long['commit_ms']:.1f} ms; at {SHORT} messages "
            f"{short['shown_ms']:.1f} ms",
        ),
        Figure(
            name="one streamed word",
            value=long["word_ms"],
            unit="ms",
            limit=8,
            note=f"all processor time of the window's thread; at {SHORT} messages {short['word_ms']:.1f} ms; "
            f"longest handler {long['longest_ms']:.1f} ms",
        ),
        Figure(
            name="memory, 10,000 messages",
            value=long["memory_bytes"] / 2**20,
            baseline=short["memory_bytes"] / 2**20,
            unit="MiB",
            limit=1.3,
            note=f"against {SHORT} messages",
        ),
    ]


def _told(messages: int) -> dict[str, Any]:
    """What the window's process tells about a chat of that many messages."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        short_answers = [{"text": "Yes."}] * (MESSAGES_SENT + 1)
        story = {"text": " ".join(f"word{number}" for number in range(WORDS)), "pause_s": 0.05}
        with serving([*short_answers, story], place) as server:
            asyncio.run(_make_chat(place, messages, server.base_url))
            words = python(str(PROGRAM), "chat", SESSION, str(messages))
            variables = {**environment(place / "data"), "QT_QPA_PLATFORM": "offscreen"}
            ran = run(words, {**variables, "PYTHONPATH": str(CHECKOUT)})
    told: dict[str, Any] = json.loads(ran.output.splitlines()[-1])
    return told


async def _make_chat(place: Path, messages: int, base_url: str) -> None:
    """A log as it would have become: prompts and answers of a few sentences."""
    folder = place / "folder"
    folder.mkdir()
    store = SqliteStore(place / "data", SystemClock(), KeptFiles(place / "data" / "artifacts"))
    found = folder.stat()
    project = await store.project_of(str(folder), found.st_dev, found.st_ino)
    started = SessionStarted(
        workspace=str(folder), project=project, mode="write", model="proof", base_url=base_url, version="0"
    )
    await store.create(SESSION, [started])
    lock = await asyncio.to_thread(store.lock, SESSION)
    for first in range(1, messages // 2 + 1, 100):
        runs = range(first, min(first + 100, messages // 2 + 1))
        writes = [
            Write(session=SESSION, events=_exchange(number), run=RunNumber(number), fence=lock.fence)
            for number in runs
        ]
        await store.append(*writes)
    lock.release()
    await store.close()


def _exchange(number: int) -> tuple[Event, ...]:
    """One prompt and its answer."""
    answer = f"Answer {number}: some *Markdown* with `code`, as models write it.\n\n- one point\n- another\n"
    return (
        UserMessage(text=f"Question {number}: what stands in the notes about page {number}?"),
        RunStarted(definition="", rules=()),
        ModelRequested(turn=number, attempt=1),
        AssistantMessage(turn=number, text=answer, request=""),
        RunFinished(),
    )
