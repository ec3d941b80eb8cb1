"""The strict scripted server in a process of its own, and what it saw.

It stamps the arrival of each request and the end of each reply with the clock that all processes of the
machine share, so programs are timed from outside, without a line of the bench in them.
"""

import json
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.process import CHECKOUT, python

Reply = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the server saw of one or more programs. Times are of `time.monotonic()`."""

    arrived_s: tuple[float, ...]
    ended_s: tuple[float, ...]
    sizes: tuple[int, ...]
    connections: int

    @property
    def gaps_ms(self) -> list[float]:
        """From the end of each reply to the arrival of the next request."""
        return [
            (arrived - ended) * 1_000
            for ended, arrived in zip(self.ended_s, self.arrived_s[1:], strict=False)
        ]


class ModelServer:
    """A running server."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    def seen(self) -> Seen:
        """Everything so far. Raises AssertionError when a request broke a rule."""
        with urllib.request.urlopen(self.base_url.removesuffix("/v1") + "/proof/report") as answer:
            report = json.load(answer)
        assert not report["breaches"], report["breaches"]
        exchanges = report["exchanges"]
        return Seen(
            arrived_s=tuple(one["arrived_s"] for one in exchanges),
            ended_s=tuple(one["ended_s"] for one in exchanges),
            sizes=tuple(one["bytes"] for one in exchanges),
            connections=report["connections"] - 1,
        )


@contextmanager
def serving(replies: Sequence[Reply], place: Path) -> Iterator[ModelServer]:
    """A server with this script until the block ends; the script is kept in the folder `place`."""
    script = place / "script.json"
    script.write_text(json.dumps(list(replies)), "utf-8")
    process = subprocess.Popen(
        python("-m", "desktop.proof", str(script), "--forget"),
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield ModelServer(process.stdout.readline().strip())
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()
