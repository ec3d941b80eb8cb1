"""What every test gets: guards against leftovers, a data folder, Qt without a screen, another user.

Fixtures: `data_dir`, `qapp`, `run_qt`, `unprivileged`. Nothing here knows Paddock's own parts; fakes of ports
lie beside the tests that use them.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from tests.guards import CLOSING, Guards
from tests.unprivileged import OtherUser

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

pytest_plugins = ["pytester"]

RunQt = Callable[[Coroutine[Any, Any, Any]], Any]

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("ci")

for name in [name for name in os.environ if name.startswith(("PADDOCK_", "OPENAI_"))]:
    del os.environ[name]  # a test must not see, and never use, what the person at this machine has set
os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)  # nor this person's keychain
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_configure(config: pytest.Config) -> None:
    """Put the guards up."""
    config.pluginmanager.register(Guards(), "paddock-guards")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run in which every test was skipped proves nothing, so it fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    has_only_skips = reporter and reporter.stats.get("skipped") and not reporter.stats.get("passed")
    if exitstatus == pytest.ExitCode.OK and has_only_skips:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder that Paddock uses during this test."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def qapp() -> "QApplication":
    """The one QApplication of this process, on a screen that nobody sees."""
    from PySide6.QtWidgets import QApplication

    existing = QApplication.instance()
    return existing if isinstance(existing, QApplication) else QApplication(["paddock-tests"])


@pytest.fixture
def run_qt(qapp: "QApplication") -> Iterator[RunQt]:
    """A function that runs a coroutine on Qt's event loop, for at most 30 s, and answers with its result."""
    from qasync import QEventLoop

    loop = QEventLoop(qapp)

    def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
        return loop.run_until_complete(asyncio.wait_for(coroutine, 30))

    asyncio.set_event_loop(loop)
    try:
        yield run
        getattr(asyncio.runners, CLOSING)(loop)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
        asyncio.set_event_loop(None)


@pytest.fixture
def unprivileged() -> Iterator[OtherUser]:
    """A user without root's rights and with a home of its own; see `unprivileged.py`."""
    home = Path(tempfile.mkdtemp(prefix="paddock-home-"))
    home.chmod(0o755)
    yield OtherUser(home)
    shutil.rmtree(home)
