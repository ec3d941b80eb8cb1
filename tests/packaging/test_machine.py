"""What the system must have: looked for as the program will look for it."""

from pathlib import Path

import machine
import pytest

from tests.unprivileged import OtherUser


def test_this_machine_has_what_the_tests_need() -> None:
    """On a machine where the tests run, nothing is missing for them."""
    assert machine.missing_packages("test") == []


def test_a_library_is_looked_for_by_loading_it() -> None:
    """A library that the loader does not find is missing, whatever packages say."""
    assert machine.has_library("libc.so.6")
    assert not machine.has_library("libpaddock-has-no-such.so.9")


def test_a_program_is_looked_for_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an empty PATH all programs are missing, and their packages are named."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine.missing_walls() == ["bubblewrap"]
    assert {"xvfb", "dbus", "gnome-keyring"} <= set(machine.missing_packages("test"))
    assert "xvfb" not in machine.missing_packages("run")


def test_no_font_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any font gets one: otherwise the window shows empty boxes."""
    monkeypatch.setattr(machine, "FONT_FOLDERS", (str(tmp_path),))
    assert machine.FONT_PACKAGE in machine.missing_packages("run")


def test_nothing_is_installed_without_rights(unprivileged: OtherUser) -> None:
    """A user without root's rights is never asked for a password; the answer is no, at once."""
    code = "import machine; print(machine.install(['bubblewrap']))"
    packaging = str(Path(machine.__file__).parent)
    done = unprivileged.run_python("-c", code, variables={"PYTHONPATH": packaging}, timeout_s=20)
    assert done.stdout.strip() == "False", done.stderr
