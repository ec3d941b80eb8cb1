"""From a path as asked to its final components: grammar, the folder's own names, links.

A relative path starts at the root. An absolute one is the same file if it begins with
the root's real path, or with the path by which the folder was opened; any other is
outside, and is never looked at.
"""

import sys

from desktop.harness.adapters.sandbox.descent import Descent
from desktop.harness.adapters.sandbox.links import final_parts
from desktop.harness.adapters.sandbox.refusals import not_a_folder, refusal_of
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import Name, outside, parse_name, shown

_WINDOWS = sys.platform == "win32"


class Paths:
    """The paths beneath one held root; `starts` are the absolute paths that mean it."""

    def __init__(self, descent: Descent, *starts: str) -> None:
        self._descent = descent
        self._starts = [_components(start) for start in starts]

    def final(self, path: str) -> tuple[str, ...]:
        """The components of the end of a path, which need not exist. Raises ToolError."""
        name = parse_name(path, windows=_WINDOWS)
        parts = final_parts(self._descent, self._beneath(name, path), path, self._inside)
        if any("\ud800" <= char <= "\udfff" for char in "".join(parts)):
            raise ToolError(Refusal.BAD_NAME, f"{shown(path)} leads to a name that is no text.")
        if name.is_folder and parts:
            self._demand_folder(parts, path)
        return parts

    def _beneath(self, name: Name, path: str) -> tuple[str, ...]:
        if not name.drive:
            return name.parts
        words = [name.drive.rstrip("/"), *name.parts]
        for start in self._starts:
            if _same_words(words[: len(start)], start):
                return tuple(words[len(start) :])
        raise outside(path)

    def _inside(self, target: str) -> list[str] | None:
        words = _components(target)
        for start in self._starts:
            if _same_words(words[: len(start)], start):
                return words[len(start) :]
        return None

    def _demand_folder(self, parts: tuple[str, ...], path: str) -> None:
        try:
            self._descent.down(parts).close()
        except FileNotFoundError:
            return
        except NotADirectoryError:
            raise not_a_folder(path) from None
        except OSError as error:
            raise refusal_of(error, path) from error


def _components(path: str) -> list[str]:
    if _WINDOWS:
        path = path.removeprefix("\\\\?\\").replace("\\", "/")  # the form in which junctions are read
    return path.rstrip("/").split("/")


def _same_words(words: list[str], start: list[str]) -> bool:
    if _WINDOWS:
        return [word.casefold() for word in words] == [word.casefold() for word in start]
    return words == start
