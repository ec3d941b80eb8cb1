"""Searching beneath one folder and nowhere else."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.worker.search import MARGIN, SHOWN_CHARACTERS, piece_of, search
from desktop.harness.core.errors import Refusal, ToolError


def found_in(folder: Path, pattern: str, **more: Any) -> dict[str, Any]:
    """What a search beneath the folder finds."""
    here = folder.stat()
    asked = {
        "root": str(folder),
        "device": here.st_dev,
        "inode": here.st_ino,
        "path": ".",
        "pattern": pattern,
        "ignored": {},
        "max_matches": 200,
        "budget_s": 5.0,
    }
    return search(asked | more)


def places(found: dict[str, Any]) -> list[str]:
    """Each match as `path:line`."""
    return [f"{match['path']}:{match['line']}" for match in found["matches"]]


def test_matches_come_in_the_order_of_names(tmp_path: Path) -> None:
    """The same folder gives the same lines in the same order, with totals."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "z.txt").write_text("x\nneedle\n")
    (tmp_path / "a.txt").write_bytes(b"needle\r\nno\r\nneedle")
    (tmp_path / "c.txt").write_text("nothing")
    found = found_in(tmp_path, "^needle$")
    assert places(found) == ["a.txt:1", "a.txt:3", "b/z.txt:2"]
    assert (found["total"], found["files"], found["matching_files"], found["complete"]) == (3, 3, 2, True)
    assert places(found_in(tmp_path, "needle", path="b")) == ["b/z.txt:2"]
    assert places(found_in(tmp_path, "needle", path="a.txt")) == ["a.txt:1", "a.txt:3"]


def test_links_lead_nowhere(tmp_path: Path) -> None:
    """Links to files, folders, the root itself and the world outside are not followed, and counted."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "s.txt").write_text("needle")
    root = tmp_path / "root"
    root.mkdir()
    (root / "real.txt").write_text("needle")
    (root / "to-file").symlink_to(outside / "s.txt")
    (root / "to-folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    found = found_in(root, "needle")
    assert places(found) == ["real.txt:1"] and found["skipped"] == {"links and special files": 3}
    assert places(found_in(root, "needle", path="to-file")) == []
    with pytest.raises(ToolError):
        found_in(root, "needle", path="to-folder/s.txt")
    assert places(found_in(root, "needle", path="to-folder")) == []


def test_nothing_blocks_or_breaks_the_walk(tmp_path: Path) -> None:
    """Pipes, binaries, unreadable names and huge files are skipped, counted, and end nothing."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bin.dat").write_bytes(b"needle\0needle")
    (tmp_path / "wide.txt").write_text("needle", encoding="utf-16")
    (tmp_path / "old.txt").write_bytes("größe needle".encode("cp1252"))
    with (tmp_path / "big.txt").open("wb") as big:
        big.truncate(50_000_001)
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.txt"))).write_text("needle")
    found = found_in(tmp_path, "needle")
    assert places(found) == ["bad\udcff.txt:1", "old.txt:1", "wide.txt:1"]
    assert found["skipped"] == {"links and special files": 1, "binary": 1, "over 50 MB": 1}


def test_ignored_folders_are_not_entered(tmp_path: Path) -> None:
    """Names and patterns keep the walk out, the last matching pattern decides, and asking by name goes in."""
    for path in ("node_modules/x.js", "build/out.txt", "keep.log", "a.log", "src/a.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("needle")
    ignored = {
        "names": ["node_modules"],
        "patterns": [
            [r"(?:.+/)?build/", True],
            [r"(?:.+/)?[^/]*\.log$", True],
            [r"(?:.+/)?keep\.log$", False],
        ],
    }
    found = found_in(tmp_path, "needle", ignored=ignored)
    assert places(found) == ["keep.log:1", "src/a.py:1"] and found["skipped"] == {"ignored": 3}
    assert places(found_in(tmp_path, "needle", ignored=ignored, path="build")) == ["build/out.txt:1"]
    assert places(found_in(tmp_path, "needle", ignored=ignored, path="node_modules")) == [
        "node_modules/x.js:1"
    ]


def test_a_line_of_twelve_megabytes_gives_a_short_piece(tmp_path: Path) -> None:
    """A match in an endless line carries the text around it and no more."""
    (tmp_path / "bundle.js").write_text("x" * 8_000_000 + "needle" + "y" * 4_000_000)
    (match,) = found_in(tmp_path, "needle")["matches"]
    assert len(match["text"]) == SHOWN_CHARACTERS + 2 * MARGIN and "needle" in match["text"]
    assert match["before"] and match["after"]


def test_all_are_counted_and_some_are_carried(tmp_path: Path) -> None:
    """Beyond the cap matches are only counted."""
    (tmp_path / "a.txt").write_text("needle\n" * 5000)
    found = found_in(tmp_path, "needle", max_matches=7)
    assert (len(found["matches"]), found["total"]) == (7, 5000)


def test_out_of_time_it_returns_what_it_has(tmp_path: Path) -> None:
    """When the budget is used up the result says that it is not complete."""
    (tmp_path / "a.txt").write_text("needle\n")
    assert found_in(tmp_path, "needle", budget_s=-1.0)["complete"] is False


def test_a_missing_place_is_said(tmp_path: Path) -> None:
    """A path that is gone by the time of the search is an error, not an empty result."""
    for path in ("gone", "gone/too"):
        with pytest.raises(ToolError) as caught:
            found_in(tmp_path, "x", path=path)
        assert caught.value.code is Refusal.NOT_FOUND


@given(st.text(alphabet="ab", max_size=1500), st.integers(0, 1500), st.integers(0, 1500))
def test_a_piece_holds_the_match(line: str, first: int, last: int) -> None:
    """Wherever a match lies, what is shown is a bounded piece of the line with the match's beginning."""
    start, end = sorted((min(first, len(line)), min(last, len(line))))
    piece = piece_of(line, start, end)
    shown = piece["text"][piece["left"] : len(piece["text"]) - piece["right"]]
    assert len(shown) == min(SHOWN_CHARACTERS, len(line)) and piece["text"] in line
    assert line[start : min(end, start + 100)] in shown
    assert (piece["before"] or piece["after"]) == (len(line) > SHOWN_CHARACTERS)
