"""The wheel: a package that is complete on its own, built offline."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.packaging.conftest import CHECKOUT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of a copy of this checkout."""
    copy = tmp_path_factory.mktemp("wheel") / "checkout"
    skipped = shutil.ignore_patterns(".*", "__pycache__", "tests", "dist", "build")
    shutil.copytree(CHECKOUT, copy, ignore=skipped)
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    done = subprocess.run(words, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(next((copy / "dist").glob("paddock-*.whl")))


def test_wheel_carries_code_and_resources(wheel: zipfile.ZipFile) -> None:
    """Every module and every resource of the checkout is in the wheel, and nothing else but its metadata."""
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    code = {f"desktop/{path.relative_to(CHECKOUT / 'desktop')}" for path in files(CHECKOUT / "desktop")}
    shipped = {
        f"desktop/_resources/{path.relative_to(CHECKOUT / 'resources')}"
        for path in files(CHECKOUT / "resources")
    }
    assert names == code | shipped


def test_wheel_brings_the_command(wheel: zipfile.ZipFile) -> None:
    """Installed, the wheel brings `paddock`, its licence and the bounds on Python and Qt."""
    told = {Path(name).name: wheel.read(name).decode() for name in wheel.namelist() if ".dist-info/" in name}
    assert "paddock = desktop.__main__:main" in told["entry_points.txt"]
    assert "The Paddock authors" in told["LICENSE"]
    assert "Requires-Python: <3.14,>=3.11" in told["METADATA"]
    assert "pyside6-essentials<6.12,>=6.11.3; python_version < '3.12'" in told["METADATA"].lower()


def files(folder: Path) -> list[Path]:
    """The files of a folder that belong to the checkout."""
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
