"""Where a path ends: links inside the folder followed by hand, one hop at a time.

The kernel is never asked to follow: each link is read, and its words are walked
from the folder that holds it. A link whose words leave the folder is refused,
whatever comes after it and whether or not its end exists. What comes out is a
path without links; whoever opens it does so without following any.
"""

import os
import re
import stat
from collections import deque
from collections.abc import Callable

from desktop.harness.adapters.sandbox.descent import ClosedError, Descent
from desktop.harness.adapters.sandbox.place import Place, is_link
from desktop.harness.adapters.sandbox.refusals import (
    link_circle,
    link_outside,
    not_a_folder,
    not_found,
    refusal_of,
)
from desktop.harness.core.names import outside

_MAX_HOPS = 40

Inside = Callable[[str], list[str] | None]
"""The components of an absolute path beneath the root, None when it leads elsewhere."""


def final_parts(descent: Descent, parts: tuple[str, ...], asked: str, inside: Inside) -> tuple[str, ...]:
    """The components of the end of a path; it need not exist.

    Raises ToolError: LINK_OUTSIDE, OUTSIDE (the closed folder), NOT_A_FOLDER, ...
    """
    try:
        quick = _without_links(descent, parts)
        return parts if quick else _Walker(descent, asked, inside).walk(parts)
    except ClosedError as error:
        raise outside(asked) from error
    except OSError as error:
        raise refusal_of(error, asked) from error


def _without_links(descent: Descent, parts: tuple[str, ...]) -> bool:
    if not parts:
        return True
    try:
        with descent.down(parts[:-1]) as place:
            status = place.stat(parts[-1])
    except OSError:
        return False
    descent.refuse_closed(status)
    return not is_link(status)


class _Walker:
    """One walk. `places[i]` holds the folder at `done[:i]`."""

    def __init__(self, descent: Descent, asked: str, inside: Inside) -> None:
        self._descent = descent
        self._asked = asked
        self._inside = inside
        self._hops = 0
        self._done: list[str] = []
        self._places: list[Place] = []
        self._pending: deque[str] = deque()

    def walk(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Walk to the end."""
        self._pending.extend(parts)
        self._places.append(self._descent.down(()))
        try:
            while self._pending:
                if self._step(self._pending.popleft()):
                    break
            return tuple(self._done)
        finally:
            for place in self._places:
                place.close()

    def _step(self, part: str) -> bool:
        """Take one component; true when nothing stands there, which ends the walk."""
        if part == "..":
            self._back()
            return False
        try:
            status = self._places[-1].stat(part)
        except FileNotFoundError:
            if ".." in self._pending:
                raise not_found(self._asked) from None
            self._done += [part, *self._pending]
            return True
        if is_link(status):
            self._follow(part)
        else:
            self._enter(part, status)
        return False

    def _back(self) -> None:
        if not self._done:
            raise link_outside(self._asked)
        self._done.pop()
        self._places.pop().close()

    def _follow(self, part: str) -> None:
        self._hops += 1
        if self._hops > _MAX_HOPS:
            raise link_circle(self._asked)
        target = self._places[-1].link_target(part)
        if os.path.isabs(target) or re.match(r"[\\/]|[A-Za-z]:", target):  # noqa: PTH117 (text only)
            words = self._inside(target)
            if words is None:
                raise link_outside(self._asked)
            while self._done:
                self._back()
        else:
            words = (target.replace("\\", "/") if os.name == "nt" else target).split("/")
        self._pending.extendleft(word for word in reversed(words) if word not in ("", "."))

    def _enter(self, part: str, status: os.stat_result) -> None:
        self._descent.refuse_closed(status)
        if self._pending:
            if not stat.S_ISDIR(status.st_mode):
                raise not_a_folder(self._asked)
            self._places.append(self._descent.inner(self._places[-1], part))
        self._done.append(part)
