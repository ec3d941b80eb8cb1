"""One watcher on one folder: a thread that sets up watches, reports, and looks after the root.

The thread does everything that may take long, so starting returns at once. Once a second it
compares device and inode of the path with the folder it watches: a deleted, replaced or
renamed root is noticed even where no event tells. When a folder is back at the path,
watching begins again.

Where the system has no watches left, the folder is polled every two seconds;
`state` says so.
"""

import logging
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

from desktop.harness.adapters.watcher.batch import EVERYTHING, Batch
from desktop.harness.adapters.watcher.own import OwnChanges
from desktop.harness.adapters.watcher.sources import IsIgnored, Source
from desktop.harness.core.ids import Digest

QUIET_S = 0.15
"""A report waits for this much quiet, so that one save is one report."""
_LONGEST_S = 1.0
_LOOK_S = 1.0

Changed = Callable[[frozenset[str]], None]

_log = logging.getLogger(__name__)


def _nothing_ignored(_root: str) -> IsIgnored:
    return lambda _path, _is_folder: False


class FolderWatcher:
    """Reports changes beneath a folder. `rules_for` gives for a root what is ignored (path, is a folder)."""

    def __init__(self, *, rules_for: Callable[[str], IsIgnored] = _nothing_ignored) -> None:
        self._rules_for = rules_for
        self._own = OwnChanges()
        self._guard: _Guard | None = None

    @property
    def state(self) -> str:
        """`starting`, `watching`, `polling` (no watches left), `gone` (no folder there) or `stopped`."""
        return self._guard.state if self._guard is not None else "stopped"

    def start(self, root: str, changed: Changed, gone: Callable[[], None]) -> None:
        """Watch; returns at once. `changed` gets relative paths with `/`, or `.` for "anything".

        `gone` is called once each time the folder is lost. Both are called from another thread.
        """
        self.stop()
        self._guard = _Guard(root, self._rules_for(root), self._own, changed, gone)
        self._guard.start()

    def expect(self, path: str, digest: Digest | None) -> None:
        """The next change of that path to that content (None: to nothing) is our own."""
        self._own.expect(path, digest)

    def stop(self) -> None:
        """Stop watching and end all threads. Safe to call twice, and from a callback."""
        if (guard := self._guard) is not None:
            guard.stop()
            self._guard = None


class _Guard(threading.Thread):
    """The work of the thread."""

    def __init__(
        self, root: str, is_ignored: IsIgnored, own: OwnChanges, changed: Changed, gone: Callable[[], None]
    ) -> None:
        super().__init__(name="paddock-watcher", daemon=True)
        self._root = root
        self._own = own
        self._changed = changed
        self._gone = gone
        self._wake = threading.Event()
        self._is_stopped = threading.Event()
        self._batch = Batch(self._wake.set)
        self._source = Source(root, is_ignored, self._batch, self._is_stopped.is_set)
        self._identity: tuple[int, int] | None = None
        self.state = "starting"

    def stop(self) -> None:
        """End; waits for the thread unless it is this one."""
        self._is_stopped.set()
        self._wake.set()
        if threading.current_thread() is not self:
            self.join()

    def run(self) -> None:
        """Until stopped: look after the root, watch, report."""
        # the library logs as errors what is ordinary when a folder goes or watching ends
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)
        try:
            while not self._is_stopped.is_set():
                self._look()
                self._report_until(time.monotonic() + _LOOK_S)
        except Exception:  # noqa: BLE001 - without a watcher everything else still works
            _log.exception("the watcher ended by a fault of its own")
        finally:
            self._source.close()
            self.state = "stopped"

    def _look(self) -> None:
        """See whether the watched folder still stands at the path; begin and end watching accordingly."""
        found = _identity_of(self._root)
        if self._identity not in {None, found} or (found is None and self.state == "starting"):
            self._lose()
        if found is None:
            return
        if self._identity is None:
            was_gone = self.state == "gone"
            if self._open(found) and was_gone:
                self._batch.touch(EVERYTHING)
        elif self._source.is_used_up:
            self._open(found, poll=True)

    def _open(self, identity: tuple[int, int], *, poll: bool = False) -> bool:
        """Begin to watch; on failure False, and the next look tries again."""
        self._source.close()
        try:
            self._source.open(poll=poll)
        except OSError:
            self._source.close()
            return False
        self._identity = identity
        self.state = "polling" if self._source.is_polling else "watching"
        return True

    def _lose(self) -> None:
        self._source.close()
        self._batch.clear()
        self._identity = None
        self.state = "gone"
        self._tell(self._gone)

    def _report_until(self, next_look: float) -> None:
        while not self._is_stopped.is_set():
            wait_s = next_look - time.monotonic()
            due_s = self._batch.due_in_s(QUIET_S, _LONGEST_S)
            if due_s is not None and due_s <= 0:
                self._report()
            elif wait_s <= 0:
                return
            else:
                self._wake.wait(wait_s if due_s is None else min(wait_s, due_s))
                self._wake.clear()

    def _report(self) -> None:
        news = self._batch.take(lambda path: os.path.lexists(f"{self._root}/{path}"))
        if paths := self._own.without_own(self._root, news):
            self._tell(lambda: self._changed(paths))

    def _tell(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:  # noqa: BLE001 - one bad report must not end the watching
            _log.exception("a listener of the watcher failed")


def _identity_of(root: str) -> tuple[int, int] | None:
    """Device and inode of the folder at the path, None when there is none."""
    try:
        found = Path(root).stat(follow_symlinks=False)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None
