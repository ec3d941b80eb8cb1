"""What running commands printed is kept in private files, read back, and forgotten when it is on record."""

from pathlib import Path

import pytest

from desktop.harness.adapters.spool import SpoolFolder
from desktop.harness.core.ids import CallId, SessionId
from desktop.harness.ports import Spooled

ONE, TWO = SessionId("s1"), SessionId("s2")
FIRST, SECOND = CallId("t1c1"), CallId("t1c2")


def test_what_is_kept_is_read_back_and_replaced(tmp_path: Path) -> None:
    """The newest is what counts, also for another object on the same folder."""
    spool = SpoolFolder(tmp_path / "running")
    assert spool.get(ONE, FIRST) is None
    spool.keep(ONE, FIRST, Spooled(tail="one\n"))
    spool.keep(ONE, FIRST, Spooled(tail="one\ntwo ü\n", exit_code=2, has_ended=True))
    again = SpoolFolder(tmp_path / "running")
    assert again.get(ONE, FIRST) == Spooled(tail="one\ntwo ü\n", exit_code=2, has_ended=True)
    assert again.get(ONE, SECOND) is None and again.get(TWO, FIRST) is None
    for path in (tmp_path / "running").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_one_session_is_cleared_except_what_still_has_no_receipt(tmp_path: Path) -> None:
    """Half-written files go as well; other sessions stay as they are; an empty folder goes."""
    spool = SpoolFolder(tmp_path)
    for session in (ONE, TWO):
        for call in (FIRST, SECOND):
            spool.keep(session, call, Spooled(tail="x"))
    (tmp_path / "s1" / "t1c2.part").write_text("{")
    spool.clear(ONE, but=[SECOND])
    assert [path.name for path in (tmp_path / "s1").iterdir()] == ["t1c2.json"]
    spool.clear(ONE)
    assert [path.name for path in tmp_path.iterdir()] == ["s2"]
    assert spool.get(TWO, FIRST) == Spooled(tail="x")
    spool.clear(SessionId("never"))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"tail": "x"}', "\x00"])
def test_a_broken_file_is_no_evidence(tmp_path: Path, content: str) -> None:
    """A crash of the whole machine may leave anything; it is taken for nothing."""
    spool = SpoolFolder(tmp_path)
    spool.keep(ONE, FIRST, Spooled(tail="x"))
    (tmp_path / "s1" / "t1c1.json").write_text(content)
    assert spool.get(ONE, FIRST) is None


def test_names_that_are_no_names_and_a_folder_that_cannot_be(tmp_path: Path) -> None:
    """Nothing is written outside the folder, and a disk that fails costs nobody anything but the evidence."""
    spool = SpoolFolder(tmp_path / "running")
    spool.keep(SessionId("../out"), FIRST, Spooled(tail="x"))
    spool.keep(ONE, CallId("../../out"), Spooled(tail="x"))
    spool.clear(SessionId("../.."))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "running").write_text("a file")
    spool.keep(ONE, FIRST, Spooled(tail="x"))
    assert spool.get(ONE, FIRST) is None
    spool.clear(ONE)
