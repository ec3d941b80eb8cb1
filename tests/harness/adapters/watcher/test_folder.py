"""A real folder, really watched."""

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.harness.adapters.ignore import IgnoreRules
from desktop.harness.adapters.watcher import FolderWatcher
from desktop.harness.core.ids import digest_of

SETTLE_S = 0.9
"""Longer than the quiet before a report and than watchdog waits for the second half of a move."""


class Listener:
    """What a watcher reported, in order."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.reports: list[frozenset[str]] = []
        self.losses = 0
        self.watcher = FolderWatcher(rules_for=lambda root: IgnoreRules(root).covers)

    def start(self) -> None:
        self.watcher.start(str(self.root), self.reports.append, self._lose)
        self.until(lambda: self.watcher.state != "starting")

    def _lose(self) -> None:
        self.losses += 1

    def until(self, is_true: Callable[[], bool], limit_s: float = 6) -> None:
        """Wait for something, or fail."""
        deadline = time.monotonic() + limit_s
        while not is_true():
            assert time.monotonic() < deadline, (self.watcher.state, self.reports)
            time.sleep(0.01)

    def after(self, act: Callable[[], object], *, least: int = 1) -> list[set[str]]:
        """The reports that follow from doing something: wait for `least` of them, then for quiet."""
        self.reports.clear()
        act()
        self.until(lambda: len(self.reports) >= least)
        time.sleep(SETTLE_S)
        return [set(report) for report in self.reports]


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    """A watched folder with one file in it."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "f.txt").write_text("one")
    listener = Listener(root)
    listener.start()
    yield listener
    listener.watcher.stop()
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if "paddock" in name or "Inotify" in name]


def used_watches() -> int:
    """How many inotify watches this process holds."""
    count = 0
    for place in Path("/proc/self/fdinfo").iterdir():
        try:
            count += len(re.findall(r"^inotify wd:", place.read_text(), re.MULTILINE))
        except OSError:
            continue
    return count


@pytest.mark.parametrize("way", ["plain", "atomic", "vim", "from outside"])
def test_each_way_of_saving_is_one_report(listener: Listener, tmp_path: Path, way: str) -> None:
    """In place, temp and rename, vim's backup, a temp file from outside: each time one report of `f.txt`."""
    target = listener.root / "f.txt"

    def save() -> None:
        if way == "plain":
            target.write_text(f"new {time.monotonic()}")
        elif way == "vim":
            (listener.root / "4913").touch()
            (listener.root / "4913").unlink()
            target.rename(listener.root / "f.txt~")
            target.write_text(f"new {time.monotonic()}")
            (listener.root / "f.txt~").unlink()
        else:
            temporary = (tmp_path if way == "from outside" else listener.root) / "f.txt.tmp123"
            temporary.write_text(f"new {time.monotonic()}")
            temporary.replace(target)

    for _ in range(2):
        assert listener.after(save) == [{"f.txt"}]


def test_deeper_and_new_folders_are_seen(listener: Listener) -> None:
    """Files in a folder made just now, moved and deleted files are reported with their relative paths."""

    def make() -> None:
        (listener.root / "a" / "b").mkdir(parents=True)
        (listener.root / "a" / "b" / "c.txt").write_text("x")

    (reported,) = listener.after(make)
    assert reported >= {"a", "a/b/c.txt"}
    moved = listener.after(lambda: (listener.root / "f.txt").rename(listener.root / "a" / "g.txt"))
    assert moved == [{"f.txt", "a/g.txt"}]
    assert listener.after(lambda: (listener.root / "a" / "g.txt").unlink()) == [{"a/g.txt"}]


def test_folders_made_while_they_are_walked_are_watched_once(listener: Listener) -> None:
    """Trees made as fast as they can be, so that walk and event meet the same folder: all of it is seen."""
    tops = [listener.root / f"n{number}" for number in range(200)]

    def make() -> None:
        for top in tops:
            (top / "a" / "b").mkdir(parents=True)
            (top / "a" / "b" / "c.txt").write_text("x")

    files = {f"{top.name}/a/b/c.txt" for top in tops}
    reported = set().union(*listener.after(make))
    assert files <= reported
    last = tops[-1] / "a" / "b" / "c.txt"
    assert listener.after(lambda: last.write_text("y")) == [{f"{tops[-1].name}/a/b/c.txt"}]


def test_our_own_writes_are_not_reported(listener: Listener) -> None:
    """An announced change is ours; the person's next change of the same file is reported."""

    def own() -> None:
        listener.watcher.expect("f.txt", digest_of(b"ours"))
        listener.watcher.expect("new/deep/g.txt", digest_of(b"ours too"))
        (listener.root / "f.txt.tmp").write_text("ours")
        (listener.root / "f.txt.tmp").replace(listener.root / "f.txt")
        (listener.root / "new" / "deep").mkdir(parents=True)
        (listener.root / "new" / "deep" / "g.txt").write_text("ours too")

    assert listener.after(own, least=0) == []
    assert listener.after(lambda: (listener.root / "f.txt").write_text("theirs")) == [{"f.txt"}]

    def own_deletion() -> None:
        listener.watcher.expect("f.txt", None)
        (listener.root / "f.txt").unlink()

    assert listener.after(own_deletion, least=0) == []
    assert listener.after(lambda: (listener.root / "f.txt").write_text("theirs")) == [{"f.txt"}]


def test_ignored_folders_cost_no_watches(tmp_path: Path) -> None:
    """Thousands of ignored folders take no watch and make no report, also when they come later."""
    root = tmp_path / "root"
    for number in range(3000):
        (root / "node_modules" / f"p{number % 50}" / f"d{number}").mkdir(parents=True)
    (root / "src").mkdir()
    before = used_watches()
    listener = Listener(root)
    listener.start()
    try:
        assert used_watches() - before == 2
        assert listener.after(lambda: (root / "node_modules" / "p1" / "x.js").write_text("x"), least=0) == []

        def install() -> None:
            for number in range(200):
                (root / "src" / "node_modules" / f"p{number}").mkdir(parents=True)

        assert listener.after(install, least=0) == []
        assert used_watches() - before == 2
        assert listener.after(lambda: (root / "src" / "a.py").write_text("x")) == [{"src/a.py"}]
    finally:
        listener.watcher.stop()
    assert used_watches() == before


def test_a_deleted_folder_is_told_once_and_watched_again(listener: Listener) -> None:
    """Deleting the root is told once; when a folder is back, everything may have changed and is watched."""
    shutil.rmtree(listener.root)
    listener.until(lambda: listener.losses == 1)
    time.sleep(1.2)
    assert listener.losses == 1 and listener.watcher.state == "gone"
    listener.reports.clear()
    listener.root.mkdir()
    listener.until(lambda: listener.watcher.state == "watching" and bool(listener.reports))
    assert listener.reports == [frozenset({"."})]
    assert listener.after(lambda: (listener.root / "new.txt").write_text("x")) == [{"new.txt"}]


def test_a_replaced_folder_is_noticed_without_an_event(listener: Listener) -> None:
    """A renamed root with another folder in its place is told, and the old one is no longer watched."""
    aside = listener.root.with_name("aside")
    listener.root.rename(aside)
    listener.root.mkdir()
    listener.until(lambda: listener.losses == 1)
    listener.until(lambda: listener.watcher.state == "watching")
    time.sleep(SETTLE_S)
    assert listener.after(lambda: (aside / "f.txt").write_text("x"), least=0) == []
    assert listener.after(lambda: (listener.root / "g.txt").write_text("x")) == [{"g.txt"}]


def test_a_folder_that_was_moved_out_is_left_alone(listener: Listener) -> None:
    """What happens in a folder after it was moved out of the root is not reported."""
    (listener.root / "sub").mkdir()
    time.sleep(SETTLE_S)
    outside = listener.root.with_name("outside")
    assert listener.after(lambda: (listener.root / "sub").rename(outside)) == [{"sub"}]
    assert listener.after(lambda: (outside / "f.txt").write_text("x"), least=0) == []


def test_links_are_not_followed(listener: Listener, tmp_path: Path) -> None:
    """A link to a folder outside costs no watch and reports nothing of that folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    assert listener.after(lambda: (listener.root / "link").symlink_to(outside)) == [{"link"}]
    assert listener.after(lambda: (outside / "f.txt").write_text("x"), least=0) == []


def test_without_watches_it_polls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system has no watch left the folder is polled, and the state says so."""
    from watchdog.observers import inotify_c

    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "node_modules").mkdir()
    real = inotify_c.inotify_add_watch
    allowed = 1

    def refuse(fd: int, path: bytes, mask: int) -> int:
        nonlocal allowed
        allowed -= 1
        if allowed >= 0:
            return int(real(fd, path, mask))
        import ctypes

        ctypes.set_errno(28)
        return -1

    monkeypatch.setattr(inotify_c, "inotify_add_watch", refuse)
    listener = Listener(root)
    listener.start()
    try:
        assert listener.watcher.state == "polling"
        (root / "node_modules" / "x").write_text("x")
        (root / "a" / "b.txt").write_text("x")
        listener.until(lambda: bool(listener.reports))
        assert listener.reports == [frozenset({"a/b.txt"})]
    finally:
        listener.watcher.stop()


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    """Starting on a path without a folder tells that it is gone instead of raising."""
    listener = Listener(tmp_path / "never")
    listener.start()
    assert (listener.watcher.state, listener.losses) == ("gone", 1)
    listener.watcher.stop()
    listener.watcher.stop()
    assert listener.watcher.state == "stopped"


def test_stopping_does_not_wait_for_a_big_folder(tmp_path: Path) -> None:
    """A watcher that still sets up watches stops at once."""
    for number in range(3000):
        (tmp_path / f"d{number // 50}" / f"e{number}").mkdir(parents=True)
    watcher = FolderWatcher()
    watcher.start(str(tmp_path), lambda _: None, lambda: None)
    started = time.monotonic()
    watcher.stop()
    assert time.monotonic() - started < 5


def test_a_failing_listener_does_not_end_the_watching(
    listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    """An error in a callback is logged, and the next change is still reported."""
    listener.watcher.stop()
    seen: list[frozenset[str]] = []

    def fail_once(paths: frozenset[str]) -> None:
        seen.append(paths)
        if len(seen) == 1:
            raise RuntimeError("listener")

    listener.watcher.start(str(listener.root), fail_once, lambda: None)
    listener.until(lambda: listener.watcher.state == "watching")
    for number in range(2):
        (listener.root / "f.txt").write_text(str(number))
        time.sleep(SETTLE_S)
    assert len(seen) == 2
    assert "a listener of the watcher failed" in caplog.text
    caplog.clear()
