"""The folder in which a change happens, held, with the folders on the way made if need be.

A change names a resolved path. It is judged again here, because a change can come from
a record; the root itself is refused.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from desktop.harness.adapters.sandbox.descent import ClosedError, Descent
from desktop.harness.adapters.sandbox.place import Place
from desktop.harness.adapters.sandbox.refusals import root_refused
from desktop.harness.core.names import parse_name


class Parents:
    """Parent folders beneath one held root. Everything raises ToolError, OSError and ClosedError."""

    def __init__(self, descent: Descent) -> None:
        self._descent = descent

    @contextmanager
    def of(self, path: str) -> Iterator[tuple[Place, str]]:
        """The folder of a path, held, and the last name."""
        parts = _parts_of(path)
        with self._descent.down(parts[:-1]) as place:
            yield place, parts[-1]

    @contextmanager
    def made_for(self, path: str) -> Iterator[tuple[Place, str]]:
        """As `of`, with missing folders made; they are removed again when the block fails."""
        parts = _parts_of(path)
        made = self._make_folders(parts[:-1])
        try:
            with self.of(path) as held:
                yield held
        except BaseException:
            self._remove_made(made)
            raise

    def _make_folders(self, parts: tuple[str, ...]) -> list[tuple[str, ...]]:
        depth = len(parts)
        while depth and not self._stands(parts[:depth]):
            depth -= 1
        made: list[tuple[str, ...]] = []
        try:
            for end in range(depth, len(parts)):
                with self._descent.down(parts[:end]) as place:
                    place.make_folder(parts[end])
                    made.append(parts[: end + 1])
                    place.sync()
        except BaseException:
            self._remove_made(made)
            raise
        return made

    def _stands(self, parts: tuple[str, ...]) -> bool:
        try:
            self._descent.down(parts).close()
        except FileNotFoundError:
            return False
        return True

    def _remove_made(self, made: list[tuple[str, ...]]) -> None:
        try:
            for parts in reversed(made):
                with self._descent.down(parts[:-1]) as place:
                    place.remove_folder(parts[-1])
        except (OSError, ClosedError):
            return  # somebody uses them already, so they stay


def _parts_of(path: str) -> tuple[str, ...]:
    parts = parse_name(path, windows=os.name == "nt").parts
    if not parts:
        raise root_refused(path)
    return parts
