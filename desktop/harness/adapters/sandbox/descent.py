"""The way down: from the held root to a folder beneath it, never through a link.

Three ways lead down. `OPENAT2` asks the kernel once for the whole path. `WALK`
opens one component after the other without following links. `PATHS` is for systems
that cannot work relative to a descriptor. All refuse links; where links lead is
found out by `links`, and what was found is walked again by this module, so that a
link swapped in between is met and not followed.

One folder can be closed: Paddock's own records, which no tool may see even when the
opened folder contains them. If it lies beneath the root, the kernel's short way is
not taken: each folder on the way is compared with it by device and inode.
"""

import errno
import os
import sys
from enum import StrEnum
from pathlib import Path

from desktop.harness.adapters.sandbox.linux_calls import has_open_beneath, open_beneath
from desktop.harness.adapters.sandbox.place import HAS_DESCRIPTORS, Identity, Place, identity_of

_FLAGS: int = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)


class Way(StrEnum):
    """How a path beneath the root is opened."""

    OPENAT2 = "openat2"
    WALK = "walk"
    PATHS = "paths"


def best_way() -> Way:
    """The strongest way that this system has."""
    if sys.platform == "linux" and has_open_beneath():
        return Way.OPENAT2
    return Way.WALK if HAS_DESCRIPTORS else Way.PATHS


class ClosedError(Exception):
    """The way leads into the closed folder."""


class Descent:
    """The held root, the way down from it, and the folder that is closed."""

    def __init__(self, root: str, *, way: Way, closed: Path | None) -> None:
        self.root = Place.of(root, descriptors=way is not Way.PATHS)
        self.identity: Identity = identity_of(self.root.stat("."))
        self._closed, self._above = _closed_in(self.identity, closed)
        self._is_short = way is Way.OPENAT2 and self._closed is None

    def down(self, parts: tuple[str, ...]) -> Place:
        """Hold the folder at `parts`. Raises OSError (ELOOP at a link) and ClosedError."""
        if self._is_short and parts and self.root.fd is not None:
            path = "/".join(parts)
            return Place(open_beneath(self.root.fd, path, _FLAGS), f"{self.root.path}/{path}")
        place = self._root_again()
        for part in parts:
            with place:
                place = self.inner(place, part)
        return place

    def inner(self, place: Place, part: str) -> Place:
        """Hold one folder deeper. Raises OSError (ELOOP at a link) and ClosedError."""
        inner = place.inner(part)
        self._check_held(inner)
        return inner

    def refuse_closed(self, status: os.stat_result) -> None:
        """Raises ClosedError when this is the closed folder."""
        if self._closed is not None and identity_of(status) == self._closed:
            raise ClosedError

    def refuse_above_closed(self, status: os.stat_result) -> None:
        """Raises ClosedError when this is the closed folder or one that holds it."""
        self.refuse_closed(status)
        if identity_of(status) in self._above:
            raise ClosedError

    def close(self) -> None:
        """Let the root go."""
        self.root.close()

    def _root_again(self) -> Place:
        if self.root.fd is not None:
            return Place(os.dup(self.root.fd), self.root.path)
        return Place(None, self.root.path)

    def _check_held(self, place: Place) -> None:
        if self._closed is None:
            return
        try:
            self.refuse_closed(place.stat("."))
        except BaseException:
            place.close()
            raise


def _closed_in(root: Identity, closed: Path | None) -> tuple[Identity | None, frozenset[Identity]]:
    """The identity of the closed folder if it lies beneath the root, and of the folders between the two."""
    if closed is None or not closed.exists():
        return None, frozenset()
    chain = _chain(closed)
    if root not in chain[1:]:
        return None, frozenset()
    return chain[0], frozenset(chain[1 : chain.index(root)])


def _chain(folder: Path) -> list[Identity]:
    real = folder.resolve()
    return [identity_of(path.stat()) for path in (real, *real.parents) if path.exists()]


def is_within(folder: str, other: Path) -> bool:
    """Whether a folder is `other` or lies in it, judged by device and inode."""
    try:
        return identity_of(other.stat()) in _chain(Path(folder))
    except OSError as error:
        if error.errno == errno.ENOENT:
            return False
        raise
