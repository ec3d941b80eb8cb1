"""Paths as a model writes them: their grammar, judged before any file is touched.

Holds what a path may look like and what it means by its words alone. It knows
nothing of links or of what exists. `..` is taken back by words, before the file
system is asked, so that a path that climbs out is refused alike whether or not
the folders in it exist. Windows forms that reach for the network or for devices
are refused on every platform; what Windows alone forbids is refused there only
(`windows=True`).
"""

import re
from dataclasses import dataclass

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.visible import for_name

MAX_COMPONENT_BYTES = 255
MAX_PATH_BYTES = 4_095
MAX_DEPTH = 256

_DEVICE_FORM = re.compile(r"[\\/]{2}|\\\?\?\\")
_DRIVE_FORM = re.compile(r"[A-Za-z]:")
_DRIVE_ROOT = re.compile(r"[A-Za-z]:[\\/]")
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(?:[.:].*)?\Z", re.IGNORECASE
)
_SHORT_NAME = re.compile(r"[^.]{1,6}~[0-9]+(?:\..{0,3})?\Z")
_NOT_ON_WINDOWS = re.compile(r'[\x00-\x1f<>:"|?*]')


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A path taken apart: its components without `.` and `..`.

    `drive` is empty for a relative path, `/` or `C:/` for an absolute one.
    `is_folder` says that it ended in a slash.
    """

    parts: tuple[str, ...]
    drive: str = ""
    is_folder: bool = False

    @property
    def text(self) -> str:
        """The components with `/` between them; `.` when there are none."""
        return "/".join(self.parts) or "."


def parse_name(path: str, *, windows: bool = False) -> Name:
    """Take a path apart.

    Raises ToolError: BAD_NAME when its grammar is refused, OUTSIDE when a relative
    path climbs out of the folder.
    """
    _judge_whole(path, windows)
    drive, rest = _drive_of(path, windows)
    pieces = rest.replace("\\", "/").split("/") if windows else rest.split("/")
    parts = _parts_of(pieces, path, is_absolute=bool(drive))
    if len(parts) > MAX_DEPTH:
        raise _bad(path, f"is more than {MAX_DEPTH} folders deep")
    for part in parts:
        _judge_part(part, path, windows)
    return Name(parts=parts, drive=drive, is_folder=bool(parts) and pieces[-1] == "")


def outside(path: str) -> ToolError:
    """The refusal for a path beyond the folder."""
    return ToolError(
        Refusal.OUTSIDE, f"{shown(path)} is outside the folder; use a path relative to the folder."
    )


def shown(path: str) -> str:
    """A path as asked, short and harmless enough for a sentence."""
    safe = for_name(path)
    return safe if len(safe) <= 200 else f"{safe[:197]}..."


def _bad(path: str, problem: str) -> ToolError:
    return ToolError(Refusal.BAD_NAME, f"{shown(path)} {problem}; use another path.")


def _judge_whole(path: str, windows: bool) -> None:
    if "\0" in path:
        raise _bad(path, "holds a NUL character")
    if any("\ud800" <= char <= "\udfff" for char in path):
        raise _bad(path, "holds half a character, so it can't be named exactly")
    if len(path.encode()) > MAX_PATH_BYTES:
        raise _bad(path, f"is longer than {MAX_PATH_BYTES:,} bytes")
    if _DEVICE_FORM.match(path):
        raise _bad(path, "is a network or device name")
    if _DRIVE_FORM.match(path) and not (windows and _DRIVE_ROOT.match(path)):
        raise _bad(path, "begins with a drive letter")
    if windows and path.startswith(("/", "\\")):
        raise _bad(path, "has no drive letter")


def _drive_of(path: str, windows: bool) -> tuple[str, str]:
    if windows and _DRIVE_ROOT.match(path):
        return path[0].upper() + ":/", path[3:]
    return ("/", path[1:]) if path.startswith("/") else ("", path)


def _parts_of(pieces: list[str], path: str, *, is_absolute: bool) -> tuple[str, ...]:
    parts: list[str] = []
    for piece in pieces:
        if piece == "..":
            if not parts and not is_absolute:
                raise outside(path)
            del parts[-1:]
        elif piece not in ("", "."):
            parts.append(piece)
    return tuple(parts)


def _judge_part(part: str, path: str, windows: bool) -> None:
    if len(part.encode()) > MAX_COMPONENT_BYTES:
        raise _bad(path, f"holds a name longer than {MAX_COMPONENT_BYTES} bytes")
    if not windows:
        return
    if _NOT_ON_WINDOWS.search(part):
        raise _bad(path, "holds a character that Windows does not allow")
    if part[-1] in ". ":
        raise _bad(path, "holds a name that ends in a dot or a space")
    if _RESERVED.match(part):
        raise _bad(path, "holds a name that Windows keeps for a device")
    if _SHORT_NAME.match(part):
        raise _bad(path, "holds a short form of a name; use the full name")
