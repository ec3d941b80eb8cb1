"""The environment: the `.venv` of a checkout, built from the pins and known by its stamp.

Holds the stamp, the choice of a Python and the building. It never repairs: an environment without a fitting
stamp is removed and built anew, and the stamp is written last, so whatever interrupted a building is made
good by the next start. It does not install Paddock: a path file makes the checkout importable, which needs
no build step and no network, and a changed source file counts at once.

Decision: the modules that only a building needs are imported by it alone; a start with a fitting stamp reads
two small files and imports next to nothing.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Iterator, List

OLDEST, NEWEST = (3, 11), (3, 13)
STAMP_NAME = "paddock-stamp"
_PROBE = "import sys; print(*sys.version_info[:2]); import venv, ensurepip; print('whole')"


class SetUpError(Exception):
    """The environment cannot be had; the text is one sentence for a person."""


class Environment:
    """The `.venv` at the top of one checkout."""

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        self.folder = checkout / ".venv"
        self.pins = checkout / "packaging" / "pins.txt"
        self.stamp = self.folder / STAMP_NAME

    @property
    def python(self) -> Path:
        """The interpreter inside."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def serves(self, purpose: str) -> bool:
        """Whether it fits the pins and this place, and the machine was looked at for `purpose`."""
        return self._is_current() and purpose in self._read_stamp()[-1].split()

    def prepare(self, purpose: str) -> None:
        """Make it serve `purpose` ("run" or "test"); two starts at once do the work only once.

        Raises SetUpError.
        """
        with _OneAtATime(self.checkout):
            if self.serves(purpose):
                return
            _prepare_machine(purpose)
            checked = self._read_stamp()[-1].split() if self._is_current() else []
            if not checked:
                self._build()
            self._write_stamp(sorted({*checked, "run", purpose}))

    def _is_current(self) -> bool:
        return self._read_stamp()[:-1] == self._stamp_lines() and self.python.exists()

    def _stamp_lines(self) -> List[str]:
        digest = hashlib.sha256(self.pins.read_bytes()).hexdigest()
        return ["pins " + digest, "checkout " + str(self.checkout)]

    def _read_stamp(self) -> List[str]:
        try:
            return self.stamp.read_text("utf-8").splitlines() or [""]
        except (OSError, ValueError):
            return [""]

    def _write_stamp(self, checked: List[str]) -> None:
        unfinished = self.stamp.with_suffix(".new")
        unfinished.write_text("\n".join([*self._stamp_lines(), " ".join(checked)]) + "\n", "utf-8")
        unfinished.replace(self.stamp)

    def _build(self) -> None:
        """Remove what is there and build it from the pins."""
        base = find_python()
        say("Setting up Paddock in .venv (once; some minutes, about 700 MB on disk).")
        _remove(self.folder)
        pip = [
            str(self.python),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
            "--no-input",
        ]
        _must(["venv"], [base, "-m", "venv", str(self.folder)])
        _must(
            ["the", "packages"],
            [*pip, "--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(self.pins)],
        )
        self._site_packages().joinpath("paddock.pth").write_text(str(self.checkout) + "\n", "utf-8")

    def _site_packages(self) -> Path:
        if os.name == "nt":
            return self.folder / "Lib" / "site-packages"
        return next(self.folder.glob("lib/python3*/site-packages"))


class _OneAtATime:
    """A lock on the checkout's folder itself, which leaves no file behind; nothing on Windows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor = -1

    def __enter__(self) -> None:
        if os.name != "nt":
            import fcntl

            self._descriptor = os.open(self._folder, os.O_RDONLY)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def find_python() -> str:
    """A Python that Paddock runs on and that makes environments: this one if it fits, else one that is found.

    Where only its venv module is missing (Debian ships it apart), that is installed or named. Raises
    SetUpError.
    """
    incomplete = []
    for candidate in candidates():
        version, is_whole = probe(candidate)
        if not OLDEST <= version <= NEWEST:
            continue
        if is_whole:
            return candidate
        incomplete.append((candidate, "python{}.{}-venv".format(*version)))
    for candidate, package in incomplete:
        _need([package])
        return candidate
    found = "{}.{}".format(*sys.version_info)
    needed = "Paddock needs Python 3.11, 3.12 or 3.13, and found only {}: install python3.13 and try again."
    raise SetUpError(needed.format(found))


def candidates() -> Iterator[str]:
    """Where a Python may be: the one that runs this, then by name on the PATH, newest first."""
    yield getattr(sys, "_base_executable", None) or sys.executable
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        for folder in folders:
            path = os.path.join(folder, "python3.{}".format(minor))
            if folder and os.access(path, os.X_OK):
                yield path


def probe(python: str) -> "tuple[tuple[int, int], bool]":
    """Version of an interpreter, and whether it can make environments; (0, 0) for one that does not start.

    It is started, not believed by its name: version switchers put names on the PATH that only print an error.
    """
    import subprocess

    try:
        done = subprocess.run(
            [python, "-I", "-c", _PROBE],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=20,
            check=False,
        )
        major, minor, *rest = done.stdout.decode().split()
        return (int(major), int(minor)), rest == ["whole"]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return (0, 0), False


def say(text: str) -> None:
    """Tell the person; standard output belongs to the program that is started."""
    print(text, file=sys.stderr, flush=True)


def _prepare_machine(purpose: str) -> None:
    """Install or name what is missing. Walls are wanted, not needed, to run."""
    import machine

    _need(machine.missing_packages(purpose))
    walls = machine.missing_walls()
    if walls and not machine.install(walls):
        say("Commands will run without protection until this is done: " + machine.install_line(walls))


def _need(packages: List[str]) -> None:
    import machine

    if not packages:
        return
    say("Installing what the system lacks: {}.".format(" ".join(packages)))
    if machine.install(packages):
        return
    if machine.is_debian():
        raise SetUpError("Paddock needs some system packages; please type: " + machine.install_line(packages))
    raise SetUpError("Paddock needs what Debian calls {}: please install it.".format(", ".join(packages)))


def _must(what: List[str], command: List[str]) -> None:
    import subprocess

    if subprocess.call(command, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno()) != 0:
        raise SetUpError(
            "Setting up stopped at {} (the reason is above); start again to redo it.".format(" ".join(what))
        )


def _remove(folder: Path) -> None:
    import shutil

    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
