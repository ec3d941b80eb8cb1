"""The machine: what Paddock needs of the operating system beside Python packages.

Looks for the libraries that Qt loads, a font, and the programs that commands and tests start; installs what
is missing where that needs no question (Debian's apt-get as root or with a password-less sudo), else tells
the exact line to type. It never asks for a password and never changes anything but packages.

Decision: a thing is looked for by the name under which the program will load it, not by package name, so
that a machine which got it another way is left alone.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterable, List

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""What Qt's gui library and its platforms load (read from the wheel), and Debian's package of each."""

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
FONT_PACKAGE = "fonts-dejavu-core"

WALL_PROGRAMS = {"bwrap": "bubblewrap"}
"""Paddock opens without these, and says in the window what is then unprotected."""

TEST_PROGRAMS = {
    "Xvfb": "xvfb",
    "dbus-run-session": "dbus",
    "git": "git",
    "gnome-keyring-daemon": "gnome-keyring",
}


def has_library(name: str) -> bool:
    """Whether the loader finds this shared library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def has_font() -> bool:
    """Whether there is any font at all: without one, Qt draws empty boxes."""
    folders = (Path(folder).expanduser() for folder in FONT_FOLDERS)
    return any(
        path.suffix.lower() in {".ttf", ".otf", ".ttc"} for folder in folders for path in folder.rglob("*")
    )


def missing_packages(purpose: str) -> List[str]:
    """The Debian packages without which `purpose` ("run" or "test") fails."""
    if not sys.platform.startswith("linux"):
        return []
    missing = [package for library, package in LIBRARIES.items() if not has_library(library)]
    if not has_font():
        missing.append(FONT_PACKAGE)
    if purpose == "test":
        missing += missing_programs(TEST_PROGRAMS) + missing_walls()
    return missing


def missing_walls() -> List[str]:
    """The Debian packages without which commands run unprotected."""
    return missing_programs(WALL_PROGRAMS) if sys.platform.startswith("linux") else []


def missing_programs(programs: "dict[str, str]") -> List[str]:
    """The packages of those programs that are not on the PATH."""
    return [package for program, package in programs.items() if shutil.which(program) is None]


def install_line(packages: Iterable[str]) -> str:
    """The line that a person types to install these."""
    return "sudo apt-get install -y " + " ".join(packages)


def is_debian() -> bool:
    """Whether apt-get installs things here."""
    return shutil.which("apt-get") is not None


def install(packages: List[str]) -> bool:
    """Install with apt-get when that needs no question; False when it could not be done."""
    words = _as_root()
    if words is None or not is_debian():
        return False
    apt = [*words, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    _call([*apt, "update"])  # an old list of packages may do: only the installation counts
    return _call([*apt, "install", "-y", "--no-install-recommends", *packages])


def _as_root() -> "List[str] | None":
    """The words that make a command run as root, or None when that needs a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and _call(["sudo", "-n", "true"], quiet=True):
        return ["sudo", "-n"]
    return None


def _call(command: List[str], quiet: bool = False) -> bool:
    output = subprocess.DEVNULL if quiet else sys.stderr.fileno()
    try:
        return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output) == 0
    except OSError:
        return False
