"""A small checkout that sets itself up in seconds: the real launcher, one tiny pin, a telling program."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent

METADATA = "Metadata-Version: 2.1\nName: tiny-pin\nVersion: 1\n"
PROGRAM = """
import json, os, sys
import tiny_pin
platform = os.environ.get("QT_QPA_PLATFORM")
print(json.dumps({"words": sys.argv[1:], "platform": platform, "pid": os.getpid()}))
sys.exit(int(os.environ.get("ANSWER", "0")))
"""


class SmallCheckout:
    """A copy of the launcher around a program of three lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "packaging").mkdir(parents=True)
        for source in (CHECKOUT / "packaging").glob("*.py"):
            shutil.copy(source, folder / "packaging")
        (folder / "desktop").mkdir()
        (folder / "desktop" / "__main__.py").write_text(PROGRAM)
        self.pins = folder / "packaging" / "pins.txt"
        self.stamp = folder / ".venv" / "paddock-stamp"
        self.first: subprocess.CompletedProcess[str] | None = None
        self.pin_tiny_wheel()

    def pin_tiny_wheel(self, *, digest: str | None = None) -> None:
        """Pin one wheel that lies beside the pins; no network is asked."""
        wheel = self.folder / "packaging" / "tiny_pin-1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("tiny_pin.py", "")
            archive.writestr("tiny_pin-1.dist-info/METADATA", METADATA)
            archive.writestr(
                "tiny_pin-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr("tiny_pin-1.dist-info/RECORD", "")
        digest = digest or hashlib.sha256(wheel.read_bytes()).hexdigest()
        lines = ["--no-index", f"--find-links {wheel.parent.as_uri()}", f"tiny-pin==1 --hash=sha256:{digest}"]
        self.pins.write_text("\n".join(lines) + "\n")

    def start(
        self, *words: str, variables: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> "subprocess.Popen[str]":
        """Start the launcher with this test's Python."""
        return subprocess.Popen(
            [sys.executable, str(self.folder / "packaging" / "dev.py"), *words],
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **(variables or {})},
            cwd=cwd or self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(
        self, *words: str, variables: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Start the launcher and wait."""
        process = self.start(*words, variables=variables, cwd=cwd)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(words, process.returncode, out, err)


@pytest.fixture
def small_checkout(tmp_path: Path) -> SmallCheckout:
    """A checkout that has not been set up."""
    return SmallCheckout(tmp_path / "checkout with a space")


@pytest.fixture(scope="module")
def ready_checkout(tmp_path_factory: pytest.TempPathFactory) -> SmallCheckout:
    """A checkout that has been set up once; a test must leave it so."""
    checkout = SmallCheckout(tmp_path_factory.mktemp("ready") / "checkout")
    checkout.first = checkout.call("run", "--", "sessions", "--json")
    assert checkout.first.returncode == 0, checkout.first.stderr
    return checkout
