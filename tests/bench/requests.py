"""What is sent: how big the fixed part is, and whether each request only adds to the one before.

The fixed part is the first request without the person's words: instructions and the declarations of all
tools. The write registry has every tool of the read-only one, so what it sends is both together. Then a
session of many turns with all kinds of file tools, ended and gone on with by another process, is compared
byte by byte.

Limits: 7,600 bytes keep the whole prompt below what the leanest complete agents send; every turn must extend
the one before, or a model service computes the whole history anew.
"""

import itertools
import json
import re
import tempfile
from pathlib import Path

from desktop.proof import ScriptedServer, server_thread
from desktop.proof.referee import is_extension
from desktop.proof.script import calls, text
from tests.bench.figure import Figure
from tests.bench.process import environment, paddock_run, python, run
from tests.bench.reading_task import make_files, name


def measure(*, is_quick: bool) -> list[Figure]:
    """The size of the fixed part, and the share of requests that extend the one before."""
    turns = 30 if is_quick else 150
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        make_files(place / "folder", turns)
        with server_thread([_reply(turn) for turn in range(turns)] + [text("Done.")] * 3) as server:
            _play(server, place)
            bodies = server.bodies
            assert not server.breaches, server.breaches
    assert len(bodies) == turns + 3, len(bodies)
    pairs = list(itertools.pairwise(bodies))
    extended = sum(is_extension(before, after) for before, after in pairs)
    return [
        Figure(
            name="instructions and tools",
            value=_fixed_bytes(bodies[0]),
            unit="bytes",
            limit=7_600,
            note="all of the first request but the person's words and the model's name",
        ),
        Figure(
            name="requests that extend",
            value=100 * extended / len(pairs),
            unit="%",
            limit=100,
            at_least=True,
            note=f"{extended} of {len(pairs)}, two of them after a resume in a new process",
        ),
    ]


def _play(server: ScriptedServer, place: Path) -> None:
    """A long session, then two more prompts, each in a process of its own."""
    variables = environment(place / "data")
    allowed = ("--allow", "write_file", "--allow", "edit_file", "--allow", "move_file")
    ran = run(paddock_run(server.base_url, place / "folder", *allowed), variables)
    found = re.search(r"\(chat (\w+)\)", ran.output)
    assert found is not None, ran.output[-2_000:]
    for prompt in ("And now?", "Anything else? \u00dcml\u00e4uts \U0001f600 too."):
        run(python("-m", "desktop", "run", prompt, "--session", found.group(1)), variables)


def _reply(turn: int) -> list[object]:
    """Reads for the most part, with a change, a search and a fault now and then, two calls at a time too."""
    reads = ("read_file", {"path": name(turn)}, f"call_{turn}")
    others = {
        3: ("write_file", {"path": f"new/{turn}.txt", "content": f"turn {turn}\n"}, f"write_{turn}"),
        4: ("list_files", {}, f"list_{turn}"),
        5: (
            "edit_file",
            {"path": name(turn - 5), "old_text": "line 3:", "new_text": "LINE 3:"},
            f"edit_{turn}",
        ),
        6: ("no_such_tool", {}, f"none_{turn}"),
        7: ("search_files", {"pattern": "line 1[0-3]", "path": name(turn)}, f"search_{turn}"),
    }
    other = others.get(turn % 8)
    return list(calls([reads, other] if other else [reads], say=f"Turn {turn}." if turn % 3 == 0 else ""))


def _fixed_bytes(body: bytes) -> int:
    """The size of the tools and of the system message as they were sent."""
    request = json.loads(body)
    fixed = {"tools": request["tools"], "messages": request["messages"][:1]}
    return len(json.dumps(fixed, ensure_ascii=False, separators=(",", ":")).encode())
