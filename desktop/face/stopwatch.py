"""How long our own handlers keep the window's thread: a measure for tests, off by default."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Keeps the longest time of each name, in milliseconds, while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.longest_ms: dict[str, float] = {}

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        if not self.is_on:
            yield
            return
        started = time.perf_counter()
        try:
            yield
        finally:
            took_ms = (time.perf_counter() - started) * 1_000
            self.longest_ms[name] = max(took_ms, self.longest_ms.get(name, 0.0))


stopwatch = Stopwatch()
"""The one of this process."""
