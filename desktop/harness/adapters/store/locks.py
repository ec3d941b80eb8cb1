"""Who may run a session: one operating-system lock a session, on a file of its own.

The system frees the lock when the process that holds it dies, however it dies, so
nothing stale is ever left. The files stay; deleting one would let two processes
hold locks on two files of the same name.

The lock says that somebody runs the session now. That acts of an earlier holder
no longer count is what the fence is for, see `appending`.
"""

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from desktop.harness.core.errors import BusyError
from desktop.harness.core.ids import SessionId

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_TRIES = 3
_PAUSE_S = 0.005
"""A look by `is_taken` holds the lock for some microseconds; it must not count as a holder."""


class HeldLock:
    """The right to run one session. Freed by `release`, and by the end of the process."""

    def __init__(self, handle: int, fence: int, released: Callable[["HeldLock"], None]) -> None:
        self._handle: int | None = handle
        self._fence = fence
        self._released = released

    @property
    def fence(self) -> int:
        """The number that acts of the runner carry."""
        return self._fence

    def release(self) -> None:
        """Give the session free. Safe to call twice."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)
            self._released(self)


def take(path: Path) -> int:
    """A descriptor that holds the lock at `path`; closing it frees it.

    Raises BusyError when somebody else holds it, in this process too, and OSError.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        for _ in range(_TRIES - 1):
            with contextlib.suppress(OSError):
                _take(handle)
                return handle
            time.sleep(_PAUSE_S)
        _take(handle)
    except OSError:
        os.close(handle)
        raise BusyError("This chat is being worked on in another window.") from None
    return handle


def is_taken(path: Path) -> bool:
    """Whether a living process holds the lock at `path`."""
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        _take(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def file_name(session: SessionId) -> str:
    """The name of a session's lock file; a colon is no character for a file name everywhere."""
    return session.replace(":", "+") + ".lock"
