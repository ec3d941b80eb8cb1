"""The sidebar tells what a person asks for, by pointer and by keys, and changes nothing itself."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget

from desktop.face import strings
from desktop.face.tool_tip import plain_tip
from desktop.face.widgets.sidebar import SessionSidebar
from desktop.harness.api import Mode, ProjectId, SessionId, SessionSummary, Status
from tests.face.widgets.stage import nameless, show, take_away


def summary(number: int, title: str, workspace: str = "/home/ann/Reports") -> SessionSummary:
    """One chat."""
    return SessionSummary(
        session=SessionId(f"s{number}"),
        title=title,
        status=Status.IDLE,
        workspace=workspace,
        project=ProjectId(workspace),
        model="m",
        mode=Mode.WRITE,
        parent=None,
        fork_seq=None,
        last_at_ms=number,
    )


CHATS = [summary(1, "Fix dates"), summary(2, "Summary"), summary(3, "Roses", "/home/ann/Garden")]


@pytest.fixture
def sidebar(qapp: QApplication) -> Iterator[SessionSidebar]:
    """A sidebar with three chats on the screen."""
    made = SessionSidebar()
    made.set_summaries(CHATS)
    show(qapp, made, 240, 600)
    yield made
    take_away(qapp, made)


def told_by(sidebar: SessionSidebar) -> list[tuple[object, ...]]:
    """Everything that the sidebar tells, from now on."""
    told: list[tuple[object, ...]] = []
    for name in ("opened", "newRequested", "renamed", "deleted", "restoreRequested", "branchRequested"):
        getattr(sidebar, name).connect(lambda *values, name=name: told.append((name, *values)))
    return told


def click(sidebar: SessionSidebar, index: QModelIndex) -> None:
    """Click on a line."""
    spot = sidebar.list.visualRect(index).center()
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_a_click_opens_and_arrows_only_mark(sidebar: SessionSidebar) -> None:
    """Moving with the keys opens nothing; a click or Enter opens the chat."""
    told = told_by(sidebar)
    click(sidebar, sidebar.model.index_of(SessionId("s1")))
    QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    assert told == [("opened", "s1")]
    QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert told == [("opened", "s1"), ("opened", "s2")]


def test_folders_fold_and_stay_folded(sidebar: SessionSidebar) -> None:
    """A click on a folder hides its chats; a refreshed list does not unfold it."""
    folder = sidebar.model.index(0, 0)
    assert sidebar.list.isExpanded(folder)
    click(sidebar, folder)
    sidebar.set_summaries([*CHATS, summary(4, "Tulips", "/home/ann/Garden")])
    assert not sidebar.list.isExpanded(sidebar.model.index(0, 0))


def test_the_chosen_chat_stays_chosen(sidebar: SessionSidebar) -> None:
    """A refresh that reorders the list keeps the selection on the same chat and opens nothing."""
    told = told_by(sidebar)
    sidebar.select(SessionId("s2"))
    sidebar.set_summaries([summary(2, "Summary, new"), summary(1, "Fix dates")])
    assert sidebar.selected() == "s2"
    assert told == []


def test_renaming_in_place(qapp: QApplication, sidebar: SessionSidebar) -> None:
    """F2 opens a field over the title; Enter tells the new title and does not open the chat."""
    told = told_by(sidebar)
    sidebar.select(SessionId("s1"))
    sidebar.list.setFocus()
    QTest.keyClick(sidebar.list, Qt.Key.Key_F2)
    field = sidebar.list.findChild(QLineEdit, "titleField")
    assert field is not None and field.text() == "Fix dates" and field.accessibleName()
    QTest.keyClicks(field, "Mend dates")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qapp.processEvents()
    assert told == [("renamed", "s1", "Mend dates")]


def test_deleting_can_be_taken_back(sidebar: SessionSidebar) -> None:
    """Delete tells it at once and shows a bar; its button tells to restore that chat."""
    told = told_by(sidebar)
    sidebar.select(SessionId("s1"))
    sidebar.list.setFocus()
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    sidebar.set_summaries(CHATS[1:])
    bar = sidebar.findChild(QWidget, "undoBar")
    assert bar is not None and bar.isVisible()
    sidebar.undo_button.click()
    assert told == [("deleted", "s1"), ("restoreRequested", "s1")]
    assert not bar.isVisible()


def test_the_menu_offers_all_and_keys_for_it(sidebar: SessionSidebar) -> None:
    """The menu of a chat opens, renames, branches and deletes; a folder has none."""
    told = told_by(sidebar)
    index = sidebar.model.index_of(SessionId("s2"))
    sidebar.select(SessionId("s2"))
    assert sidebar.menu_for(sidebar.model.index(0, 0)) is None
    menu = sidebar.menu_for(index)
    assert menu is not None
    for action in menu.actions():
        if action.text() != strings.RENAME:
            action.trigger()
    menu.close()
    assert told == [("opened", "s2"), ("branchRequested", "s2"), ("deleted", "s2")]


def test_searching_says_when_nothing_is_found(sidebar: SessionSidebar) -> None:
    """A search shows what fits; when nothing does, a sentence says what was searched."""
    sidebar.search.setFocus()
    QTest.keyClicks(sidebar.search, "rose")
    assert sidebar.model.count() == 1
    QTest.keyClicks(sidebar.search, " zebra")
    words = sidebar.findChild(QLabel, "sidebarWords")
    assert words is not None and words.isVisible() and "rose zebra" in words.text()
    sidebar.search.clear()
    assert sidebar.list.isVisible() and sidebar.model.count() == 3


def test_no_chats_says_so(qapp: QApplication, sidebar: SessionSidebar) -> None:
    """An empty list has a sentence in its place."""
    sidebar.set_summaries([])
    words = sidebar.findChild(QLabel, "sidebarWords")
    assert words is not None and words.isVisible() and words.text() == strings.NO_CHATS


def test_new_chat_and_settings_are_told(sidebar: SessionSidebar) -> None:
    """Both buttons tell what was asked for."""
    told = told_by(sidebar)
    asked: list[None] = []
    sidebar.settingsRequested.connect(lambda: asked.append(None))
    sidebar.new_button.click()
    sidebar.settings_button.click()
    assert told == [("newRequested",)]
    assert len(asked) == 1


def test_a_tool_tip_is_plain_text() -> None:
    """A title that looks like markup is shown as it is; a hidden character is a box."""
    assert plain_tip("<img src=x>\u202e") == "<qt>&lt;img src=x&gt;⟦U+202E⟧</qt>"
    assert plain_tip("") == ""


def test_every_control_has_its_names_and_the_keyboard_reaches_all(
    qapp: QApplication, sidebar: SessionSidebar
) -> None:
    """Controls are named; Tab goes search, list, new chat, settings."""
    assert not nameless(sidebar)
    sidebar.search.setFocus()
    reached = []
    for _ in range(4):
        focused = qapp.focusWidget()
        assert focused is not None
        reached.append(focused.objectName())
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert reached == ["searchBox", "sessionList", "newSessionButton", "settingsButton"]
