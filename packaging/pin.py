"""The pins: every package that the checkout is built with, one version each, with its hashes.

Writes `pins.txt` from `pyproject.toml` for all supported Pythons at once (environment markers tell them
apart). Needs `uv` on the PATH; nobody needs this file to run or test Paddock. It writes no address of a
registry: where packages come from is the business of whoever installs them.

Usage: python3 packaging/pin.py [--upgrade]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PINS = HERE / "pins.txt"


def main(words: list[str]) -> int:
    """Resolve again; without --upgrade, versions that still fit stay as they are."""
    command = ["uv", "pip", "compile", "pyproject.toml", "--extra", "dev", "--universal", "--generate-hashes"]
    command += [
        "--no-emit-index-url",
        "--no-annotate",
        "--custom-compile-command",
        "python3 packaging/pin.py",
    ]
    command += ["--python-version", "3.11", "--quiet", "--output-file", str(PINS), *words]
    return subprocess.call(command, cwd=HERE.parent)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
