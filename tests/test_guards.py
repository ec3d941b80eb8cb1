"""Each guard is shown to bite: a small test that leaves one thing behind must fail, and say what it was."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent

UNTIDY = """
import asyncio, logging, threading, warnings
from PySide6.QtCore import QObject, QTimer, qWarning
from PySide6.QtWidgets import QWidget

kept = []

class Ours(QObject):
    __module__ = "desktop.face.ours"

async def leave_task():
    kept.append(asyncio.create_task(asyncio.sleep(99), name="planted"))

def test_warning(): warnings.warn("planted")
def test_open_file(): open(__file__)
def test_thread(): threading.Thread(target=threading.Event().wait, name="planted", daemon=True).start()
async def test_task(): await leave_task()
def test_task_on_qt(run_qt): run_qt(leave_task())
def test_log(): logging.getLogger("desktop.x").error("planted")
def test_qt_message(qapp): qWarning("planted")
def test_widget(qapp): kept.append(QWidget(objectName="planted"))
def test_object_of_ours(qapp): kept.append(Ours(objectName="planted"))
def test_timer(qapp):
    kept.append(QTimer(objectName="planted"))
    kept[-1].start(1000)
"""

TOLD = {
    "test_warning": "UserWarning: planted",
    "test_open_file": "unclosed file",
    "test_thread": "thread planted",
    "test_task": "task planted",
    "test_task_on_qt": "task planted",
    "test_log": "log of desktop.x: planted",
    "test_qt_message": "Qt says: planted",
    "test_widget": "QWidget planted",
    "test_object_of_ours": "Ours planted",
    "test_timer": "QTimer planted",
}
"""What each untidy test is told."""

CLEAN = """
import asyncio, threading, pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

@pytest.fixture(scope="module")
def server():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    yield
    stop.set()
    thread.join()

def test_wider_fixture(server): pass

def test_thread_that_ends(): threading.Thread(target=lambda: None).start()

def test_widget_that_goes(qapp):
    widget = QWidget()
    timer = QTimer(widget)
    timer.start(5)
    widget.show()

@pytest.fixture
def window(qapp): return QWidget()

def test_widget_of_a_fixture(window): window.show()

async def test_task_that_is_awaited(): await asyncio.create_task(asyncio.sleep(0))

def test_on_qt(run_qt):
    async def twice():
        await asyncio.sleep(0.001)
        return await asyncio.to_thread(lambda: 2)
    assert run_qt(twice()) == run_qt(twice()) == 2
"""


def run_pytest(folder: Path, source: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run one test file beside the real conftest, under the project's own settings."""
    (folder / "conftest.py").write_text((CHECKOUT / "tests" / "conftest.py").read_text())
    (folder / "test_planted.py").write_text(source)
    (folder / "pyproject.toml").write_text((CHECKOUT / "pyproject.toml").read_text())
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By name of the untidy test: all that was said about it."""
    folder = tmp_path_factory.mktemp("untidy")
    run_pytest(folder, UNTIDY, "--junitxml=report.xml")
    cases = ElementTree.parse(folder / "report.xml").getroot().iter("testcase")
    said = [(case.get("name", ""), ElementTree.tostring(case, "unicode", "text")) for case in cases]
    return {name: "".join(text for other, text in said if other == name) for name, _ in said}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_left_behind_fails_the_test(name: str, verdicts: dict[str, str]) -> None:
    """A test that leaves something behind fails and is told what it left."""
    assert TOLD[name] in verdicts[name]


def test_one_leftover_fails_one_test(verdicts: dict[str, str]) -> None:
    """Every untidy test was caught, and none is blamed for what another left."""
    assert sorted(verdicts) == sorted(TOLD)
    assert not [
        (name, told) for name in TOLD for told in set(TOLD.values()) - {TOLD[name]} if told in verdicts[name]
    ]


def test_tidy_tests_pass(tmp_path: Path) -> None:
    """Threads that end, widgets that go and what a wider fixture keeps are nobody's fault."""
    done = run_pytest(tmp_path, CLEAN)
    assert done.returncode == 0, done.stdout


def test_skips_alone_are_no_success(tmp_path: Path) -> None:
    """A run in which nothing was tested fails."""
    done = run_pytest(tmp_path, "import pytest\n@pytest.mark.skip\ndef test(): pass")
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_no_test_at_all_is_no_success(tmp_path: Path) -> None:
    """A run that found no test fails."""
    assert run_pytest(tmp_path, "").returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_own_keys_of_a_person_are_out_of_reach() -> None:
    """No test sees a key, an address or a data folder that is set on the machine it runs on."""
    assert not [name for name in os.environ if name.startswith(("PADDOCK_", "OPENAI_"))]
