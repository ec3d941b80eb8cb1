"""Which changes are our own.

A write is announced by path and content. As long as the path has that content, a
change of it is ours; the first other content ends the announcement.
"""

import contextlib
import hashlib
import os
import stat
import threading
from collections.abc import Iterable, Mapping

from desktop.harness.core.ids import Digest

_MAX_HASHED_BYTES = 64_000_000
_MAX_EXPECTED = 1000
_READ_BYTES = 1 << 20
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)


class OwnChanges:
    """Announced changes. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._expected: dict[str, Digest | None] = {}

    def expect(self, path: str, digest: Digest | None) -> None:
        """Announce that a path gets this content, or (None) that it goes."""
        with self._lock:
            self._expected.pop(path, None)
            if len(self._expected) >= _MAX_EXPECTED:
                del self._expected[next(iter(self._expected))]
            self._expected[path] = digest

    def without_own(self, root: str, news: Mapping[str, bool]) -> frozenset[str]:
        """The paths of a batch that others changed. New folders above our own files are ours as well."""
        own = {path for path in news if self._is_own(root, path)}
        above = {folder for path in self._announced() for folder in _folders_above(path)}
        return frozenset(
            path for path, is_new in news.items() if path not in own | (above if is_new else set())
        )

    def _announced(self) -> list[str]:
        with self._lock:
            return list(self._expected)

    def _is_own(self, root: str, path: str) -> bool:
        with self._lock:
            if path not in self._expected:
                return False
            expected = self._expected[path]
        if _digest_of_file(f"{root}/{path}") == expected:
            return True
        with self._lock:
            if self._expected.get(path) == expected:
                self._expected.pop(path, None)
        return False


def _folders_above(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _digest_of_file(path: str) -> Digest | None:
    """The digest of a regular file; None for nothing, "" for what can't be told."""
    try:
        fd = os.open(path, _FLAGS)
    except FileNotFoundError:
        return None
    except OSError:
        return Digest("")
    with contextlib.closing(os.fdopen(fd, "rb", buffering=0)) as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_HASHED_BYTES:
            return Digest("")
        digest = hashlib.sha256()
        while data := file.read(_READ_BYTES):
            digest.update(data)
        return Digest(digest.hexdigest())
