"""Touched paths, gathered until a moment of quiet.

One save of an editor is up to a dozen events on up to four names. What counts is which
names are different afterwards: a name that came and went in between was a tool
of the save and is nobody's news.
"""

import threading
import time
from collections.abc import Callable

MAX_PATHS = 1000
EVERYTHING = "."
"""Stands for "anything may have changed", for instance when events were lost."""


class Batch:
    """Paths touched since the last report. Filled from one thread, emptied from another."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._touched: dict[str, bool] = {}
        self._first_at = 0.0
        self._last_at = 0.0

    def touch(self, path: str, *, is_new: bool = False) -> None:
        """Note a path; `is_new` says that there was nothing at it before."""
        with self._lock:
            now = time.monotonic()
            if not self._touched:
                self._first_at = now
            self._last_at = now
            self._touched.setdefault(path, is_new)
        self._wake()

    def due_in_s(self, quiet_s: float, longest_s: float) -> float | None:
        """How long to wait until a report is due; None when nothing was touched."""
        with self._lock:
            if not self._touched:
                return None
            due_at = min(self._last_at + quiet_s, self._first_at + longest_s)
            return max(0.0, due_at - time.monotonic())

    def take(self, exists: Callable[[str], bool]) -> dict[str, bool]:
        """Empty the batch: each path that is news, and whether it was new; too many are `EVERYTHING`."""
        with self._lock:
            touched, self._touched = self._touched, {}
        news = {path: is_new for path, is_new in touched.items() if not is_new or exists(path)}
        return news if len(news) <= MAX_PATHS else {EVERYTHING: False}

    def clear(self) -> None:
        """Forget what was touched."""
        with self._lock:
            self._touched = {}
