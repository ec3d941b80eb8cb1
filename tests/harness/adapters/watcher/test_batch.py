"""Many events, one report."""

from desktop.harness.adapters.watcher.batch import EVERYTHING, MAX_PATHS, Batch


def test_what_came_and_went_is_no_news() -> None:
    """A file that was made and removed between two reports is not reported; one that was there before is."""
    batch = Batch(lambda: None)
    batch.touch("temporary", is_new=True)
    batch.touch("temporary")
    batch.touch("old")
    batch.touch("made", is_new=True)
    assert batch.take({"made"}.__contains__) == {"old": False, "made": True}
    assert batch.take({"made"}.__contains__) == {}


def test_a_report_waits_for_quiet_but_not_for_ever() -> None:
    """Each new event moves the report, up to the longest wait."""
    batch = Batch(lambda: None)
    assert batch.due_in_s(1, 10) is None
    batch.touch("a")
    due_s = batch.due_in_s(100, 200)
    assert due_s is not None and 99 < due_s <= 100
    due_s = batch.due_in_s(100, 5)
    assert due_s is not None and due_s <= 5
    assert batch.due_in_s(0, 5) == 0


def test_too_many_paths_are_everything() -> None:
    """A flood of changes is told as one word."""
    batch = Batch(lambda: None)
    for number in range(MAX_PATHS + 1):
        batch.touch(f"f{number}")
    assert list(batch.take(lambda _: True)) == [EVERYTHING]
