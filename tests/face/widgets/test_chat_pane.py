"""The chat keeps the reader's place, costs the same at any length, and can be used with keys alone."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from desktop.face import strings, theme
from desktop.face.widgets.chat_pane import ChatPane
from desktop.face.widgets.row_heights import RowHeights
from desktop.harness.api import Patch, Row, RowKind, RunNumber, Seq
from tests.face.widgets.stage import nameless, show, take_away


def row(number: int, **fields: Any) -> Row:
    """One row with a key of its own."""
    values: dict[str, Any] = {"kind": RowKind.USER, "text": f"message {number} " * 6} | fields
    return Row(key=f"k{number}", seq=Seq(number), at_ms=number, run=RunNumber(number), **values)


def answer(number: int, text: str, status: str = "") -> Row:
    """One answer."""
    return row(number, kind=RowKind.ASSISTANT, text=text, status=status)


def mixed(count: int) -> list[Row]:
    """Rows of all kinds and heights."""
    made = []
    for n in range(count):
        kind = (RowKind.USER, RowKind.ASSISTANT, RowKind.TOOL, RowKind.TOOL, RowKind.NOTICE)[n % 5]
        text = f"row {n} " + "with more words " * (n * 7 % 90)
        title = f"Read {n}.txt" if kind is RowKind.TOOL else ""
        made.append(row(n, kind=kind, text=text, title=title, status="ok" if title else "", detail=text))
    return made


def append(pane: ChatPane, made: Row) -> None:
    """One more row."""
    pane.apply([Patch(index=pane.model.rowCount(), removed=0, rows=(made,))])


@pytest.fixture
def pane(qapp: QApplication) -> Iterator[ChatPane]:
    """A chat on the screen."""
    made = ChatPane()
    show(qapp, made)
    yield made
    take_away(qapp, made)


def fill(qapp: QApplication, pane: ChatPane, rows: list[Row]) -> None:
    """Show a chat and let it settle."""
    pane.set_rows(rows)
    qapp.processEvents()


def test_a_chat_opens_at_its_end_and_follows_what_comes(qapp: QApplication, pane: ChatPane) -> None:
    """At the end the view stays at the end: new rows and growing answers stay in sight."""
    fill(qapp, pane, mixed(60))
    bar = pane.view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    append(pane, answer(100, "first words", "streaming"))
    for size in range(1, 30):
        pane.apply([Patch(index=60, removed=1, rows=(answer(100, "words\n\n" * size, "streaming"),))])
        assert bar.value() == bar.maximum()
    assert pane.view.rect_of(60).bottom() <= pane.view.viewport().height()


def test_the_readers_place_is_never_taken(qapp: QApplication, pane: ChatPane) -> None:
    """Who reads further up sees the same rows at the same places, whatever comes below."""
    fill(qapp, pane, mixed(60))
    bar = pane.view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    qapp.processEvents()
    index = pane.view.indexAt(QPoint(100, 200))
    place = pane.view.visualRect(index).top()
    append(pane, answer(100, "new\n\n" * 40, "streaming"))
    pane.apply([Patch(index=60, removed=1, rows=(answer(100, "new\n\n" * 90),))])
    qapp.processEvents()
    assert pane.view.indexAt(QPoint(100, 200)) == index
    assert pane.view.visualRect(index).top() == place


def test_jumping_to_the_newest_is_offered_only_away_from_it(qapp: QApplication, pane: ChatPane) -> None:
    """The button comes when the newest row is out of sight, goes there, and goes away."""
    fill(qapp, pane, mixed(60))
    jump = pane.findChild(QPushButton, "jumpButton")
    assert jump is not None and not jump.isVisible()
    pane.view.verticalScrollBar().setValue(10)
    assert jump.isVisible()
    jump.click()
    assert not jump.isVisible()
    assert pane.view.is_at_end


@pytest.mark.parametrize("step", [7, 40, 300])
def test_scrolling_up_moves_by_exactly_what_was_asked(qapp: QApplication, pane: ChatPane, step: int) -> None:
    """Rows that come into sight for the first time do not make the ones already seen jump."""
    fill(qapp, pane, mixed(200))
    bar = pane.view.verticalScrollBar()
    for _ in range(60):
        index = pane.view.indexAt(QPoint(100, 50))
        before = pane.view.visualRect(index).top()
        bar.setValue(bar.value() - step)
        qapp.processEvents()
        assert pane.view.visualRect(index).top() == before + step


def test_all_rows_follow_each_other_without_gaps(qapp: QApplication, pane: ChatPane) -> None:
    """Scrolled through from top to end, each row begins where the one before ends and all are seen."""
    fill(qapp, pane, mixed(80))
    bar, seen = pane.view.verticalScrollBar(), set()
    bar.setValue(0)
    while True:
        qapp.processEvents()
        y = 0
        while (index := pane.view.indexAt(QPoint(50, y))).isValid() and y < pane.view.viewport().height():
            rect = pane.view.visualRect(index)
            assert rect.top() <= y <= rect.bottom()
            seen.add(index.row())
            y = rect.bottom() + 1
        if bar.value() >= bar.maximum():
            break
        bar.setValue(bar.value() + 300)
    assert seen == set(range(80))


def test_another_width_keeps_the_read_row_in_sight(qapp: QApplication, pane: ChatPane) -> None:
    """Narrower or wider, the row at the top stays at the top."""
    fill(qapp, pane, mixed(100))
    bar = pane.view.verticalScrollBar()
    bar.setValue(bar.maximum() // 3)
    qapp.processEvents()
    first = pane.view.indexAt(QPoint(50, 0))
    for width in (480, 1100, 620):
        pane.resize(width, 600)
        qapp.processEvents()
        assert pane.view.indexAt(QPoint(50, 0)) == first


def test_a_streamed_word_costs_the_same_in_a_long_chat(qapp: QApplication, pane: ChatPane) -> None:
    """At 10,000 rows the median word takes under 8 ms in our own code, and only the last row is laid out."""
    fill(qapp, pane, mixed(10_000))
    append(pane, answer(20_000, "", "streaming"))
    text, times = "", []
    for number in range(120):
        text += f"word{number} " + ("\n\n" if number % 30 == 29 else "")
        patch = Patch(index=10_000, removed=1, rows=(answer(20_000, text, "streaming"),))
        start = time.perf_counter()
        pane.apply([patch])
        times.append(time.perf_counter() - start)
    assert sorted(times)[60] < 0.008
    assert len(pane._delegate._layouts) < 60


def test_layouts_are_not_kept_for_ever(qapp: QApplication, pane: ChatPane) -> None:
    """After a walk through a long chat only the layouts of rows seen last are in memory."""
    fill(qapp, pane, mixed(1_500))
    bar = pane.view.verticalScrollBar()
    bar.setValue(0)
    for _ in range(150):
        bar.setValue(bar.value() + 500)
    assert len(pane._delegate._layouts) <= 160


def test_steps_open_with_the_keyboard(qapp: QApplication, pane: ChatPane) -> None:
    """Up and Down choose a row, Enter shows what a step brought back and hides it again."""
    fill(qapp, pane, [row(1), row(2, kind=RowKind.TOOL, title="Read a", status="ok", detail="a\nb\nc")])
    pane.view.setFocus()
    assert pane.view.currentIndex().row() == 1
    closed = pane.view.visualRect(pane.model.index(1)).height()
    QTest.keyClick(pane.view, Qt.Key.Key_Return)
    assert pane.view.visualRect(pane.model.index(1)).height() > closed + 40
    QTest.keyClick(pane.view, Qt.Key.Key_Return)
    assert pane.view.visualRect(pane.model.index(1)).height() == closed
    QTest.keyClick(pane.view, Qt.Key.Key_Up)
    assert pane.view.currentIndex().row() == 0


def test_a_long_output_is_cut_on_the_screen_only(qapp: QApplication, pane: ChatPane) -> None:
    """A huge output opens quickly, says that it is shortened, and is copied whole."""
    detail = "line\n" * 50_000
    fill(qapp, pane, [row(1, kind=RowKind.TOOL, title="Run x", status="ok", detail=detail)])
    pane.view.setFocus()
    QTest.keyClick(pane.view, Qt.Key.Key_Return)
    layout = pane._delegate.layout_of(pane.model.index(0), pane.view.layout_width())
    assert layout.document is not None
    assert layout.document.toPlainText().endswith(strings.SHORTENED)
    menu = pane.menu_at(QPoint(10, 10))
    assert menu is not None
    _trigger(menu, strings.COPY_DETAIL)
    assert QGuiApplication.clipboard().text() == detail


def test_branching_names_the_record(qapp: QApplication, pane: ChatPane) -> None:
    """*Branch from here* tells seq and key of a message or an answer; a step offers none."""
    fill(qapp, pane, [row(3), answer(7, "yes"), row(9, kind=RowKind.TOOL, title="Read a", status="ok")])
    told: list[tuple[int, str]] = []
    pane.branchRequested.connect(lambda seq, key: told.append((seq, key)))
    assert pane.fork_action.objectName() == "forkAction"
    for place, expected in ((0, [(3, "k3")]), (1, [(3, "k3"), (7, "k7")]), (2, [(3, "k3"), (7, "k7")])):
        pane.view.setCurrentIndex(pane.model.index(place))
        pane.fork_action.trigger()
        assert told == expected
    menu = pane.menu_at(QPoint(10, 10))
    assert menu is not None and pane.fork_action not in menu.actions()
    menu.close()


def test_undoing_is_offered_where_something_can_be_undone(qapp: QApplication, pane: ChatPane) -> None:
    """The menu offers to undo a run's changes only when the owner said that it can."""
    fill(qapp, pane, [row(3), row(4)])
    told: list[int] = []
    pane.undoRequested.connect(told.append)
    pane.set_undoable([RunNumber(4)])
    pane.view.setCurrentIndex(pane.model.index(0))
    menu = pane.menu_at(QPoint(10, 10))
    assert menu is not None and strings.UNDO_CHANGES not in _words(menu)
    menu.close()
    pane.view.setCurrentIndex(pane.model.index(1))
    menu = pane.menu_at(QPoint(10, 10))
    assert menu is not None
    _trigger(menu, strings.UNDO_CHANGES)
    assert told == [4]


def test_words_can_be_selected_and_copied(qapp: QApplication, pane: ChatPane) -> None:
    """A double click and a drag select, copying takes the selection, else the whole source."""
    fill(qapp, pane, [answer(1, "some **bold** words")])
    spot = _spot_in(pane, 0, 10)
    QTest.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    QTest.mouseDClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    pane.view.copy()
    assert QGuiApplication.clipboard().text() == "some"
    pane.view.grab()
    QTest.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=_spot_in(pane, 0, 60))
    QTest.keySequence(pane.view, "Ctrl+C")
    assert QGuiApplication.clipboard().text() == "some **bold** words"


def test_a_link_is_told_and_never_opened(qapp: QApplication, pane: ChatPane) -> None:
    """A click on a link tells its address; a click beside it tells nothing."""
    fill(qapp, pane, [answer(1, "[click here](https://example.org/x) and more words")])
    told: list[str] = []
    pane.linkActivated.connect(told.append)
    QTest.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=_spot_in(pane, 0, 10))
    QTest.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=_spot_in(pane, 0, 200))
    assert told == ["https://example.org/x"]


def test_an_empty_chat_asks_and_offers_examples(qapp: QApplication, pane: ChatPane) -> None:
    """Without rows a question and at most three examples stand there; choosing one tells it as given."""
    pane.set_empty("Rep\u202eorts", ["List & find", "<b>two</b>", "three", "four"])
    pane.set_rows([])
    told: list[str] = []
    pane.exampleChosen.connect(told.append)
    buttons = [b for b in pane.findChildren(QPushButton) if b.objectName().startswith("example")]
    assert [button.accessibleName() for button in buttons] == ["List & find", "<b>two</b>", "three"]
    buttons[0].click()
    assert told == ["List & find"]
    assert pane._empty._question.text() == "What should be done in Rep⟦U+202E⟧orts?"
    append(pane, row(1))
    assert pane.view.isVisible()


def test_another_theme_repaints_every_row(qapp: QApplication, pane: ChatPane) -> None:
    """After a change of theme no layout with old colours is left."""
    fill(qapp, pane, mixed(20))
    light = pane.view.grab().toImage()
    theme.apply_theme(qapp, "dark")
    qapp.processEvents()
    dark = pane.view.grab().toImage()
    theme.apply_theme(qapp, "light")
    assert light.pixelColor(5, 5).lightness() > 200 > 60 > dark.pixelColor(5, 5).lightness()


def test_every_control_has_its_names(qapp: QApplication, pane: ChatPane) -> None:
    """Controls are named for people and programs, on both pages."""
    pane.set_empty("Reports", ["one"])
    assert not nameless(pane)
    assert pane.view.objectName() == "chatView"
    assert pane.view.accessibleName()


@given(st.data())
def test_heights_are_a_plain_list(data: st.DataObject) -> None:
    """After any insertions, removals and measurements tops and total are those of a plain list."""
    heights, plain = RowHeights(), list[int]()
    for _ in range(data.draw(st.integers(1, 12))):
        what = data.draw(st.sampled_from(["insert", "remove", "measure", "look"]))
        place = data.draw(st.integers(0, len(plain)))
        if what == "insert":
            new = data.draw(st.lists(st.integers(1, 50), max_size=4))
            heights.insert(place, new)
            plain[place:place] = new
        elif place < len(plain):
            last = data.draw(st.integers(place, len(plain) - 1))
            if what == "remove":
                heights.remove(place, last)
                del plain[place : last + 1]
            elif what == "measure":
                heights.measure(place, last + 1)
                plain[place] = last + 1
            else:
                assert heights.top(place) == sum(plain[:place])
    assert heights.total == sum(plain)
    assert [heights.top(n) for n in range(len(plain))] == [sum(plain[:n]) for n in range(len(plain))]
    assert all(heights.row_at(heights.top(n)) == n for n in range(len(plain)))


def _spot_in(pane: ChatPane, number: int, x: int) -> QPoint:
    """A place on the first line of a row's text, `x` pixels from its left edge."""
    from desktop.face.delegates.column import column_in

    layout = pane._delegate.layout_of(pane.model.index(number), pane.view.layout_width())
    left = column_in(pane.view.layout_width()).left + layout.document_left + x
    return QPoint(left, pane.view.visualRect(pane.model.index(number)).top() + layout.document_top + 10)


def _words(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions()]


def _trigger(menu: QMenu, words: str) -> None:
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()
