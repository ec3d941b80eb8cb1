"""The diff view shows every line, marks what differs, stays quick, and tells when its end was seen."""

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from desktop.face import theme
from desktop.face.diff import body
from desktop.face.diff_heights import Heights, Metrics, height_px
from desktop.face.diff_rows import ComparedFile, DiffRows, RowSort, compared
from desktop.face.widgets.diff_text import drawn
from desktop.face.widgets.diff_view import DiffView, described
from desktop.harness.api import FileDiff

LONG = "".join(f"line {number}\n" for number in range(60))
METRICS = Metrics(line_px=20, heading_px=32, fold_px=28, side_columns=40, whole_columns=80)


def edit(before: str, after: str, path: str = "notes.txt") -> ComparedFile:
    """One edited file, compared."""
    return compared(FileDiff(path=path, kind="edit", before=before, after=after))


@pytest.fixture
def view(qapp: QApplication) -> Iterator[DiffView]:
    """A view on the screen."""
    theme.apply_theme(qapp, "light")
    made = DiffView()
    made.resize(800, 300)
    made.show()
    yield made
    made.close()
    made.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def lines_of(rows: DiffRows, *, after: bool) -> list[str]:
    """The lines of one side in the order of the rows."""
    numbers = [rows.row(index).after if after else rows.row(index).before for index in range(len(rows))]
    comparison = rows.files[0].comparison
    return [(comparison.after if after else comparison.before)[n] for n in numbers if n is not None]


@pytest.mark.parametrize("side", [True, False])
def test_whole_file_shows_every_line_once(side: bool) -> None:
    """With all folds open each line of both sides stands in exactly one row, in both ways of showing."""
    after = LONG.replace("line 7\n", "other 7\nand more\n").replace("line 50\n", "")
    rows = DiffRows([edit(LONG, after)], side=side, whole=True)
    assert "".join(lines_of(rows, after=True)) == after
    assert "".join(lines_of(rows, after=False)) == LONG


def test_folding_hides_only_what_stays_the_same() -> None:
    """A folded view still has every changed row, with three lines around it."""
    rows = DiffRows([edit(LONG, LONG.replace("line 30", "line thirty"))], side=True)
    shown = [rows.row(index) for index in range(len(rows))]
    assert [row.sort for row in shown].count(RowSort.FOLD) == 2
    assert sum(row.changed for row in shown) == 1
    assert [row.count for row in shown if row.sort is RowSort.FOLD] == [27, 26]


def test_opening_a_fold_shows_its_lines(view: DiffView) -> None:
    """A click on folded lines brings them back."""
    view.show_files([edit(LONG, LONG.replace("line 30", "line thirty"))])
    view.canvas.foldOpened.emit(0, 0)
    before = len(view._rows())
    view.canvas.foldOpened.emit(0, 2)
    assert len(view._rows()) > before
    assert len(view._rows()) == 61


@pytest.mark.parametrize("side", [True, False])
def test_heights_add_up(side: bool) -> None:
    """The start of each row is the sum of the heights before it, long lines included."""
    long = "word " * 60
    rows = DiffRows([edit(LONG, LONG.replace("line 30", long).replace("line 40\n", ""))], side=side)
    heights = Heights(rows, METRICS)
    at = 0
    for index in range(len(rows)):
        assert heights.top_px(index) == at
        at += height_px(rows, rows.row(index), METRICS)
        assert heights.row_at(at - 1) == index
    assert heights.total_px == at


def test_long_lines_are_wrapped_whole() -> None:
    """The pieces of a long line joined are the line, whatever letters it has."""
    text = "a long line of words " * 20 + "漢字" * 50 + "x" * 300
    file = edit("", text + "\n")
    rows = DiffRows([file], side=False)
    look = drawn(file, rows.row(1), after=True, columns=33, is_soft=True, language="")
    assert "".join(look.text[start:stop] for start, stop in look.pieces) == text


def test_hidden_characters_are_spelled_out() -> None:
    """A direction mark and a zero-width space are drawn as boxes, and copied as they are."""
    file = edit("", "pay\u202e now\u200b\n")
    look = drawn(file, DiffRows([file], side=False).row(1), after=True, columns=80, is_soft=True, language="")
    assert "⟦U+202E⟧" in look.text
    assert "⟦U+200B⟧" in look.text
    assert len(look.boxes) == 2


def test_line_ends_are_spelled_out_when_they_change() -> None:
    """A file whose line ends change says so in words and at each line."""
    file = edit("a\r\n", "a\n")
    rows = DiffRows([file], side=True)
    assert rows.row(1).text == "Only the line endings change."
    sides = [
        drawn(file, rows.row(2), after=after, columns=80, is_soft=True, language="").text
        for after in (False, True)
    ]
    assert sides == ["a ⟦CRLF⟧", "a ⟦LF⟧"]


def test_word_marks_reach_the_drawn_line() -> None:
    """The changed word, and only it, is marked on the side where it stands."""
    file = edit("one\tcolour here\n", "one\tcolor here\n")
    look = drawn(file, DiffRows([file], side=True).row(1), after=True, columns=80, is_soft=True, language="")
    assert [look.text[start:stop] for start, stop in look.marks] == ["color"]


def test_end_is_reached_only_by_seeing_it(view: DiffView, qapp: QApplication) -> None:
    """A long diff reports its end after scrolling there, a short one at once; a shut file never."""
    seen: list[bool] = []
    view.endReached.connect(lambda: seen.append(True))
    view.show_files([edit("", LONG)])
    qapp.processEvents()
    assert not seen
    view.canvas.fileToggled.emit(0)
    qapp.processEvents()
    assert not seen
    view.canvas.fileToggled.emit(0)
    view.canvas.verticalScrollBar().setValue(view.canvas.verticalScrollBar().maximum())
    qapp.processEvents()
    assert seen


def test_text_is_chosen_and_copied_as_in_the_file(view: DiffView, qapp: QApplication) -> None:
    """Ctrl+A and Ctrl+C copy the after side exactly, tabs and hidden characters included."""
    view.show_files([edit("a\n", "a\nb\tc\u200b\n")])
    for key, text in ((Qt.Key.Key_A, "a"), (Qt.Key.Key_C, "c")):
        QApplication.sendEvent(
            view.canvas, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.ControlModifier, text)
        )
    assert QGuiApplication.clipboard().text() == "a\nb\tc\u200b"


def test_mouse_chooses_part_of_a_side(view: DiffView, qapp: QApplication) -> None:
    """Dragging over the left side chooses text of the left side only."""
    view.show_files([edit("old words here\n", "new words here\n")])
    qapp.processEvents()
    place = next(place for _, row, place in view.canvas._visible() if row.sort is RowSort.LINE)
    for kind, x in ((QEvent.Type.MouseButtonPress, 2), (QEvent.Type.MouseMove, 396)):
        point = QPointF(x, place.center().y())
        button = Qt.MouseButton.LeftButton
        QApplication.sendEvent(
            view.canvas.viewport(),
            QMouseEvent(kind, point, QPointF(QPoint(0, 0)), button, button, Qt.KeyboardModifier.NoModifier),
        )
    assert view.canvas.selected_text() == "old words here"


def test_next_and_previous_change(view: DiffView, qapp: QApplication) -> None:
    """F7 goes to the change below, Shift+F7 back to the one above."""
    after = LONG.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n").replace("line 55\n", "x\n")
    view.show_files([edit(LONG, after)])
    view._all.setChecked(True)
    qapp.processEvents()
    bar = view.canvas.verticalScrollBar()
    view.go_to_change(1)
    first = bar.value()
    view.go_to_change(1)
    assert bar.value() > first > 0
    view.go_to_change(-1)
    assert bar.value() == first


def test_style_is_remembered_through_a_signal(view: DiffView) -> None:
    """The button flips the way of showing and says so once."""
    chosen: list[bool] = []
    view.styleChosen.connect(chosen.append)
    view.show_files([edit("a\n", "b\n")])
    view._style.click()
    assert chosen == [False]
    assert not view.is_side_by_side()


def test_described_names_files_and_changes() -> None:
    """Who cannot see the colours gets the file and its lines in words."""
    text = described([edit("one colour\n", "one color\n")])
    assert text.splitlines() == ["notes.txt: 1 line added · 1 line removed", "− one colour", "+ one color"]


def test_a_diff_of_50000_lines_opens_and_scrolls(view: DiffView, qapp: QApplication) -> None:
    """A long file opens and scrolls without building all of its rows, which would take a minute."""
    before = "".join(f"this is line {number} of a long file\n" for number in range(50_000))
    after = "".join(
        line if index % 10 else f"changed {body(line)} and longer than it was before, so that it wraps\n"
        for index, line in enumerate(before.splitlines(keepends=True))
    )
    file = edit(before, after, "big.txt")
    started = time.perf_counter()
    view.show_files([file])
    qapp.processEvents()
    for step in range(60):
        view.canvas.verticalScrollBar().setValue(step * 19)
        view.canvas.viewport().repaint()
    assert time.perf_counter() - started < 15


def test_one_line_of_a_megabyte(view: DiffView, qapp: QApplication) -> None:
    """A file without line breaks is wrapped and can be scrolled to its end."""
    view.show_files([edit("ab " * 300_000, "ab " * 300_000 + "end")])
    qapp.processEvents()
    bar = view.canvas.verticalScrollBar()
    assert bar.maximum() > 100_000
    bar.setValue(bar.maximum())
    started = time.perf_counter()
    view.canvas.viewport().repaint()
    assert time.perf_counter() - started < 5


def test_a_file_that_is_no_text_says_so(view: DiffView) -> None:
    """A picture that is deleted has a heading and a sentence, and no lines."""
    rows = DiffRows([compared(FileDiff(path="x.png", kind="delete", binary=True))], side=True)
    assert [rows.row(index).sort for index in range(len(rows))] == [RowSort.HEADING, RowSort.NOTE]
