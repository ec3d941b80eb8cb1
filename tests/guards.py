"""The guards: what no test may leave behind, whatever it tests.

Warnings are errors by pytest's own settings. Here stand the leftovers that pytest does not see: messages of
Qt, widgets on the screen, objects of ours that live on, timers that still run, threads, tasks of asyncio and
its complaints in the log. A fixture of a wider scope than one test may start things that stay.

Decision: hooks instead of fixtures, because a guard has to look after the last fixture has been torn down. A
test that failed for its own reason is not looked at: its frame still holds what it made.
"""

import asyncio
import gc
import logging
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

GRACE_S = 2.0
"""How long a thread that was told to end may take."""

OWN_LOGGERS = ("asyncio", "qasync", "desktop", "paddock")
HARMLESS = ("This plugin does not support", "propagateSizeHints")
"""Beginnings of what Qt's offscreen platform says about itself."""

CLOSING = "_cancel_all_tasks"
"""asyncio's private function that a closing runner calls: the one place where what still runs has a name."""

FAILED = pytest.StashKey[bool]()


class Guards:
    """A pytest plugin that fails a test for what it leaves behind."""

    def __init__(self) -> None:
        self._complaints: list[str] = []
        self._known: weakref.WeakSet[Any] = weakref.WeakSet(threading.enumerate())
        self._log = _LogGuard(self._complaints)
        self._cancel_all_tasks: Callable[[asyncio.AbstractEventLoop], None] = getattr(
            asyncio.runners, CLOSING
        )

    def pytest_sessionstart(self) -> None:
        """Begin to listen."""
        setattr(asyncio.runners, CLOSING, self._notice_tasks)
        for name in OWN_LOGGERS:
            logging.getLogger(name).addHandler(self._log)

    def pytest_unconfigure(self) -> None:
        """Stop listening."""
        setattr(asyncio.runners, CLOSING, self._cancel_all_tasks)
        for name in OWN_LOGGERS:
            logging.getLogger(name).removeHandler(self._log)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """What a fixture of a wider scope starts may stay."""
        before = set(_alive())
        result = yield
        if fixturedef.scope != "function":
            self._known.update(thing for thing in _alive() if thing not in before)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Remember whether the test failed by itself."""
        report = yield
        item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Every test starts with a clean sheet."""
        self._complaints.clear()
        self._log.is_silent = "caplog" in getattr(item, "fixturenames", ())
        _listen_to_qt(self._complaints)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Look at what is left when the last fixture is gone."""
        result = yield
        if item.stash.get(FAILED, False):
            return result
        if isinstance(item, pytest.Function):
            item.funcargs.clear()  # pytest would hold the fixtures' values a little longer
        _listen_to_qt(self._complaints)
        has_qt = "qapp" in getattr(item, "fixturenames", ())  # without it nothing of Qt lives
        left = _leftover_qt(self._known) if has_qt else []
        left += [*_leftover_threads(self._known), *self._complaints]
        if left:
            pytest.fail("left behind:\n  " + "\n  ".join(left), pytrace=False)
        return result

    def _notice_tasks(self, loop: asyncio.AbstractEventLoop) -> None:
        self._complaints += [f"task {task.get_name()}: {task.get_coro()}" for task in asyncio.all_tasks(loop)]
        self._cancel_all_tasks(loop)


class _LogGuard(logging.Handler):
    """Keeps warnings and errors of asyncio, qasync and Paddock, except in a test that asks for `caplog`."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.is_silent = False
        self._complaints = complaints

    def emit(self, record: logging.LogRecord) -> None:
        if not self.is_silent:
            self._complaints.append(f"log of {record.name}: {record.getMessage()}")


def _alive() -> Iterator[Any]:
    """Everything that a guard could complain about, at this moment."""
    yield from threading.enumerate()
    yield from _widgets()


def _leftover_threads(known: "weakref.WeakSet[Any]") -> list[str]:
    """Threads that did not exist before and do not end within the grace."""
    until_s = time.monotonic() + GRACE_S
    left = []
    for thread in threading.enumerate():
        if thread in known or thread is threading.current_thread():
            continue
        if isinstance(thread, threading._DummyThread):
            continue  # a thread of Qt's pool that Python merely saw; it cannot be joined and may be gone
        thread.join(max(0.0, until_s - time.monotonic()))
        if thread.is_alive():
            known.add(thread)  # one test is blamed, not all that follow
            left.append(f"thread {thread.name}")
    return left


def _leftover_qt(known: "weakref.WeakSet[Any]") -> list[str]:
    """Widgets, objects of our own classes and running timers that are still there."""
    core = sys.modules.get("PySide6.QtCore")
    if core is None or core.QCoreApplication.instance() is None:
        return []
    import shiboken6

    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete.value)
    gc.collect()
    objects = [
        thing
        for thing in gc.get_objects()
        if issubclass(type(thing), core.QObject) and shiboken6.isValid(thing) and thing not in known
    ]
    widgets = [widget for widget in _widgets() if widget not in known]
    timers = [thing for thing in objects if isinstance(thing, core.QTimer) and thing.isActive()]
    ours = [thing for thing in objects if type(thing).__module__.partition(".")[0] == "desktop"]
    left = list({id(thing): thing for thing in [*widgets, *timers, *ours]}.values())
    known.update(left)
    return [f"{type(thing).__name__} {thing.objectName() or '(unnamed)'}" for thing in left]


def _widgets() -> list[Any]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return []
    return list(widgets.QApplication.topLevelWidgets())


def _listen_to_qt(complaints: list[str]) -> None:
    """Take Qt's messages as soon as Qt is there; a test without it does not pay for it."""
    core = sys.modules.get("PySide6.QtCore")
    if core is None:
        return

    def hear(kind: Any, _context: Any, text: str) -> None:
        is_noise = kind in (core.QtMsgType.QtDebugMsg, core.QtMsgType.QtInfoMsg)
        if not is_noise and not text.startswith(HARMLESS):
            complaints.append(f"Qt says: {text}")

    core.qInstallMessageHandler(hear)
