"""The attacker of the confinement tests: a process that makes two names change places."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from desktop.harness.adapters.sandbox.descent import Way, best_way

_SWAPPER = """
import ctypes, sys
exchange = ctypes.CDLL(None).renameat2
one, other = (ctypes.c_char_p(word.encode()) for word in sys.argv[1:])
while True:
    exchange(-100, one, -100, other, 2)
"""


@contextmanager
def _swapping(one: Path, other: Path) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", _SWAPPER, str(one), str(other)]) as attacker:
        try:
            yield
        finally:
            attacker.kill()


@pytest.fixture
def swapping() -> Callable[[Path, Path], AbstractContextManager[None]]:
    """While the block runs, another process exchanges the two names without end (Linux)."""
    return _swapping


def ways() -> list[Way]:
    """The ways down that this system can take."""
    return [way for way in Way if way is not Way.OPENAT2 or best_way() is Way.OPENAT2]


@pytest.fixture(params=ways())
def way(request: pytest.FixtureRequest) -> Way:
    """Each way down in turn."""
    found: Way = request.param
    return found
