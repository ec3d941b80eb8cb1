"""The list of chats groups, indents, filters, and keeps its places when it is refreshed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from desktop.face.models.session_lines import grouped
from desktop.face.models.session_model import SessionModel, SessionRole
from desktop.harness.api import Mode, ProjectId, SessionId, SessionSummary, Status


def summary(number: int, **fields: Any) -> SessionSummary:
    """One chat."""
    values: dict[str, Any] = {
        "title": f"title {number}",
        "status": Status.IDLE,
        "workspace": "/home/ann/Reports",
        "parent": None,
    } | fields
    return SessionSummary(
        session=SessionId(f"s{number}"),
        project=ProjectId(values["workspace"]),
        model="m",
        mode=Mode.WRITE,
        fork_seq=None,
        last_at_ms=number,
        **values,
    )


LISTS = st.lists(
    st.builds(
        summary,
        st.integers(0, 9),
        title=st.sampled_from(["alpha", "beta", "gamma"]),
        status=st.sampled_from(list(Status)),
        workspace=st.sampled_from(["/a/Garden", "/b/Reports", "/c/Letters"]),
        parent=st.none() | st.integers(0, 9).map(lambda n: SessionId(f"s{n}")),
        binned=st.booleans(),
    ),
    unique_by=lambda made: made.session,
    max_size=9,
)


def shown(model: SessionModel) -> list[tuple[str, list[tuple[str, int]]]]:
    """What the model shows: folders with their chats and depths."""
    found = []
    for row in range(model.rowCount()):
        group = model.index(row, 0)
        lines = [model.index(r, 0, group).data(SessionRole.LINE) for r in range(model.rowCount(group))]
        found.append((group.data(), [(line.summary.session, line.depth) for line in lines]))
    return found


@given(st.lists(LISTS, min_size=1, max_size=5))
def test_refreshing_shows_the_new_list_without_a_reset(
    qapp: QApplication, lists: list[list[SessionSummary]]
) -> None:
    """After any series of lists the model shows the last one, by splices that Qt's tester accepts."""
    model = SessionModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    for summaries in lists:
        model.set_summaries(summaries)
        expected = [
            (group.name, [(line.summary.session, line.depth) for line in group.lines])
            for group in grouped(summaries)
        ]
        assert shown(model) == expected
    assert not resets
    del tester


@given(LISTS)
def test_no_chat_is_lost_by_grouping(summaries: list[SessionSummary]) -> None:
    """Every chat outside the bin is in exactly one group, though parents may be missing."""
    listed = [line.summary.session for group in grouped(summaries) for line in group.lines]
    loops = {s.session for s in summaries if not s.binned} - set(listed)
    assert len(listed) == len(set(listed))
    assert all(_is_in_loop(session, summaries) for session in loops)


def _is_in_loop(session: SessionId, summaries: list[SessionSummary]) -> bool:
    parents = {s.session: s.parent for s in summaries}
    seen: set[SessionId] = set()
    here: SessionId | None = session
    while here is not None and here in parents and here not in seen:
        seen.add(here)
        here = parents[here]
    return here in seen


def test_a_place_survives_a_refresh(qapp: QApplication) -> None:
    """A chat that moves up in the list is still the one that the view held."""
    model = SessionModel()
    model.set_summaries([summary(1), summary(2), summary(3)])
    held = QPersistentModelIndex(model.index_of(SessionId("s3")))
    model.set_summaries([summary(3, title="new"), summary(1)])
    assert held.row() == 0
    assert held.data() == "new"


def test_branches_stand_under_their_parent(qapp: QApplication) -> None:
    """A branch follows its parent, indented; one whose parent is gone stands by itself."""
    model = SessionModel()
    model.set_summaries(
        [summary(1, parent=SessionId("s2")), summary(3, parent=SessionId("gone")), summary(2)]
    )
    assert shown(model) == [("Reports", [("s3", 0), ("s2", 0), ("s1", 1)])]


def test_searching_looks_in_titles(qapp: QApplication) -> None:
    """All words must be in the title, whatever their case and order."""
    model = SessionModel()
    model.set_summaries([summary(1, title="Fix dates"), summary(2, title="Fix words")])
    model.set_words("DATE fix")
    assert shown(model) == [("Reports", [("s1", 0)])]
    model.set_words("")
    assert model.count() == 2


def test_status_is_told_in_words(qapp: QApplication) -> None:
    """A screen reader hears the title and the status; a title cannot hide anything."""
    model = SessionModel()
    model.set_summaries([summary(1, title="a\u202eb", status=Status.WAITING)])
    said = model.index_of(SessionId("s1")).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "a⟦U+202E⟧b, waiting for you"


def test_editing_a_title_tells_it_and_changes_nothing_yet(qapp: QApplication) -> None:
    """A new title is told once, tidied; an empty or equal one is not."""
    model = SessionModel()
    model.set_summaries([summary(1, title="old")])
    told: list[tuple[str, str]] = []
    model.renamed.connect(lambda session, title: told.append((session, title)))
    index = model.index_of(SessionId("s1"))
    assert not model.setData(index, "  ")
    assert not model.setData(index, "old")
    assert model.setData(index, " new  title ")
    assert told == [("s1", "new title")]
    assert index.data() == "old"
