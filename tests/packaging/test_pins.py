"""The pins: complete, exact, and without a word about where packages come from."""

import re
import tomllib
from pathlib import Path

from tests.packaging.conftest import CHECKOUT

PINS = (CHECKOUT / "packaging" / "pins.txt").read_text()
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
ENTRIES = [entry for entry in re.split(r"\n(?=\S)", PINS) if not entry.startswith("#")]


def test_each_pin_is_exact_and_hashed() -> None:
    """Every entry names one version and at least one digest."""
    assert ENTRIES
    assert not [
        entry
        for entry in ENTRIES
        if not re.match(r"[\w.-]+==[\w.]+[ ;]", entry) or "--hash=sha256:" not in entry
    ]


def test_no_address_is_named() -> None:
    """Where packages come from is for whoever installs them to say."""
    assert "://" not in PINS
    assert not re.search(r"^\s*--(?!hash)", PINS, re.MULTILINE)


def test_each_dependency_is_pinned() -> None:
    """What the project asks for, to run and to be tested, is in the pins."""
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    names = {re.split(r"[^\w.-]", words)[0].lower() for words in asked}
    assert names <= {entry.partition("==")[0].lower() for entry in ENTRIES}


def test_qt_is_the_sound_one_for_each_python() -> None:
    """Below Python 3.12 the pinned Qt is older than 6.12, which would abort there."""
    qt = dict(
        re.findall(r"^pyside6-essentials==([\d.]+) ; python_full_version (\S+ '3.12')", PINS, re.MULTILINE)
    )
    below = next(version for version, marker in qt.items() if marker.startswith("<"))
    assert (6, 11, 3) <= tuple(map(int, below.split("."))) < (6, 12)
    assert len(qt) == 2


def test_hooks_are_local() -> None:
    """The commit hooks run what the environment has; nothing is fetched."""
    hooks = Path(CHECKOUT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"repo: (\S+)", hooks) == ["local"]
    assert all(entry.startswith(".venv/bin/") for entry in re.findall(r"entry: (\S+)", hooks))
