"""Another user: running a program without root's rights, so that permission bits mean what they say.

Root reads and writes whatever it likes; a test about an unreadable folder proves nothing as root. As root,
the program gets the ids of `nobody` and a home of its own. Where a parent folder of this Python is closed to
others, it is opened for that program alone, in a mount namespace that vanishes with it; nothing on the disk
is changed. Whoever is not root already is such a user.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
NOBODY = 65534

_OPEN_AND_BECOME = """
set -e
uid=$1; closed=$2; shift 2
if [ -n "$closed" ]; then
    mount -t tmpfs -o mode=755 none /mnt
    count=$1; shift
    while [ "$count" -gt 0 ]; do
        mkdir -p "/mnt$1"; mount --bind "$1" "/mnt$1"; shift; count=$((count - 1))
    done
    mount --rbind "/mnt$closed" "$closed"
fi
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all "$@"
"""
"""Lays a folder that holds nothing but the needed places over the closed one, then drops all rights."""


class OtherUser:
    """A user without rights: `home` is the only folder that it may write."""

    def __init__(self, home: Path) -> None:
        self.home = home
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)

    def make_folder(self, name: str, mode: int = 0o755) -> Path:
        """A folder in the home that belongs to this user."""
        folder = self.home / name
        folder.mkdir()
        self.own(folder)
        folder.chmod(mode)
        return folder

    def own(self, path: Path) -> None:
        """Give a path to this user."""
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)

    def run_python(
        self, *words: str, variables: Mapping[str, str] | None = None, timeout_s: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Run this Python with these words (`-c`, CODE or `-m`, MODULE) as this user; nothing is checked."""
        return self.run([sys.executable, "-P", *words], variables=variables, timeout_s=timeout_s)

    def run(
        self, command: list[str], *, variables: Mapping[str, str] | None = None, timeout_s: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Run any command as this user, in its home."""
        environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "PADDOCK_DATA_DIR": str(self.home / "data"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(CHECKOUT),
            "QT_QPA_PLATFORM": "offscreen",
            **(variables or {}),
        }
        return subprocess.run(
            [*self._become(), *command],
            cwd=self.home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def _become(self) -> list[str]:
        if os.geteuid() != 0:
            return []
        needed = [Path(place).resolve() for place in (sys.base_prefix, sys.prefix, CHECKOUT)]
        closed = next((above for place in needed for above in _closed_above(place)), None)
        become = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            _OPEN_AND_BECOME,
            "sh",
            str(NOBODY),
        ]
        if closed is None:
            return [*become, ""]
        inside = sorted({str(place) for place in needed if place.is_relative_to(closed)})
        return [*become, str(closed), str(len(inside)), *inside]


def _closed_above(place: Path) -> list[Path]:
    """The outermost folder above a place that others may not enter, if there is one."""
    return [above for above in reversed(place.parents) if not above.stat().st_mode & 0o001][:1]
