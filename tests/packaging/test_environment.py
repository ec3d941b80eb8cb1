"""The choice of a Python, with small programs in place of interpreters."""

import sys
from pathlib import Path

import environment
import pytest

from tests.packaging.conftest import CHECKOUT
from tests.unprivileged import OtherUser


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, beside a launching Python that is too new."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "_base_executable", str(pretend_python(folder, "python3", "3 14\nwhole")))
    return folder


def pretend_python(folder: Path, name: str, told: str, code: int = 0) -> Path:
    """A program that answers like an interpreter that is asked who it is."""
    program = folder / name
    lines = "".join(f"echo {line}\n" for line in told.splitlines())
    program.write_text(f"#!/bin/sh\n{lines}exit {code}\n")
    program.chmod(0o755)
    return program


def test_a_fitting_launcher_is_taken() -> None:
    """The Python that started the launcher is used when it fits, without looking further."""
    assert environment.find_python() == next(environment.candidates())


def test_another_python_is_found_by_name(place: Path) -> None:
    """A launcher that does not fit looks for one that does."""
    fitting = pretend_python(place, "python3.12", "3 12\nwhole")
    assert environment.find_python() == str(fitting)


def test_a_name_alone_is_not_believed(place: Path) -> None:
    """Names that version switchers put on the PATH, and that only print an error, are passed over."""
    pretend_python(place, "python3.13", "no such version", code=127)
    fitting = pretend_python(place, "python3.11", "3 11\nwhole")
    assert environment.find_python() == str(fitting)


def test_a_whole_python_goes_before_one_without_venv(place: Path) -> None:
    """A Python that can make environments is preferred to one that first needs a package."""
    pretend_python(place, "python3.13", "3 13", code=1)
    fitting = pretend_python(place, "python3.11", "3 11\nwhole")
    assert environment.find_python() == str(fitting)


def test_no_fitting_python_is_one_sentence(place: Path) -> None:
    """Where there is none, the sentence names which would do and what is there."""
    with pytest.raises(environment.SetUpError) as caught:
        environment.find_python()
    version = "{}.{}".format(*sys.version_info)
    assert str(caught.value) == (
        f"Paddock needs Python 3.11, 3.12 or 3.13, and found only {version}: "
        "install python3.13 and try again."
    )


def test_what_cannot_be_installed_is_told_as_a_line_to_type(unprivileged: OtherUser) -> None:
    """Without root and without a password-less sudo, the exact line is named and nothing is changed."""
    code = "import environment; environment._need(['libone1', 'two'])"
    done = unprivileged.run_python("-c", code, variables={"PYTHONPATH": str(CHECKOUT / "packaging")})
    assert done.stderr.rstrip().endswith(
        "SetUpError: Paddock needs some system packages; please type: sudo apt-get install -y libone1 two"
    )


def test_a_folder_without_environment_serves_nothing(tmp_path: Path) -> None:
    """No stamp, an empty one or a broken one means: not set up."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "pins.txt").write_text("")
    made = environment.Environment(tmp_path)
    assert not made.serves("run")
    made.folder.mkdir()
    for content in (b"", b"\xff\xfe", b"pins\ncheckout\nrun test\n"):
        made.stamp.write_bytes(content)
        assert not made.serves("run")


def test_looking_for_run_does_not_count_for_test(tmp_path: Path) -> None:
    """An environment that was made to run still has the machine looked at before the first test."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "pins.txt").write_text("one==1")
    made = environment.Environment(tmp_path)
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    made._write_stamp(["run"])
    assert made.serves("run")
    assert not made.serves("test")


def test_changed_pins_and_a_python_that_went_away_count(tmp_path: Path) -> None:
    """After new pins, or an upgrade of the system that took the Python away, it is built anew."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "pins.txt").write_text("one==1")
    made = environment.Environment(tmp_path)
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    made._write_stamp(["run"])
    made.pins.write_text("one==2")
    assert not made.serves("run")
    made._write_stamp(["run"])
    assert made.serves("run")
    made.python.unlink()
    assert not made.serves("run")
