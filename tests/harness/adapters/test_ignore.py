"""What searching and watching leave out."""

import os
import time
from pathlib import Path

from desktop.harness.adapters.ignore import IgnoreRules
from desktop.harness.adapters.worker.tree import Ignored


def test_caches_and_dependencies_are_left_out(tmp_path: Path) -> None:
    """Well-known folders are left out at any depth, with all that is in them; files of that name are not."""
    rules = IgnoreRules(str(tmp_path))
    for path in (".git", "a/node_modules", "a/b/__pycache__"):
        assert rules.covers(path, True) and rules.covers(path + "/deep/x", False)
    assert not rules.covers("node_modules", False) and not rules.covers("src/git", True)
    assert (
        rules.covers("a/.f.txt.swp", False)
        and rules.covers("f.txt~", False)
        and not rules.covers(".env", False)
    )


def test_the_folder_adds_its_own_rules(tmp_path: Path) -> None:
    """`.gitignore` is understood with roots, folders and exceptions, and read again when it changes."""
    (tmp_path / ".gitignore").write_text("# made things\n/out\nbuild/\n*.log\n!keep.log\n")
    rules = IgnoreRules(str(tmp_path))
    assert rules.covers("out", True) and not rules.covers("a/out", True)
    assert (
        rules.covers("a/build", True)
        and rules.covers("a/build/x", False)
        and not rules.covers("build", False)
    )
    assert rules.covers("a/b.log", False) and not rules.covers("a/keep.log", False)
    (tmp_path / ".gitignore").write_text("*.tmp")
    assert rules.covers("a.tmp", False) and not rules.covers("a/b.log", False)
    (tmp_path / ".gitignore").unlink()
    assert not rules.covers("a.tmp", False)


def test_the_rules_travel_as_data(tmp_path: Path) -> None:
    """Whoever gets the rules as data decides as these do."""
    (tmp_path / ".gitignore").write_text("build/\n*.log\n!keep.log\n/a/**/z\n")
    rules = IgnoreRules(str(tmp_path))
    other = Ignored(rules.as_data())
    for path in ("build", "x/build", "a.log", "x/keep.log", "a/b/c/z", "node_modules", "plain"):
        for is_folder in (False, True):
            assert other.covers(path, is_folder=is_folder) == rules.covers(path, is_folder), path


def test_a_hostile_file_costs_nothing(tmp_path: Path) -> None:
    """Patterns made to be slow, a pipe and a link in place of the file neither hang nor lead outside."""
    (tmp_path / ".gitignore").write_text(
        "*a*a*a*a*a*a*a*b\n**/a/**/a/**/a/**/a/**/b\n" + "*x\n" * 50_000 + "[\n\\"
    )
    started = time.monotonic()
    assert not IgnoreRules(str(tmp_path)).covers("a" * 250 + "/" + "a/" * 1000 + "c", False)
    assert time.monotonic() - started < 10
    (tmp_path / ".gitignore").unlink()
    os.mkfifo(tmp_path / ".gitignore")
    assert not IgnoreRules(str(tmp_path)).covers("a.log", False)
    (tmp_path / ".gitignore").unlink()
    (tmp_path / "real").write_text("*.log")
    (tmp_path / ".gitignore").symlink_to(tmp_path / "real")
    assert not IgnoreRules(str(tmp_path)).covers("a.log", False)
