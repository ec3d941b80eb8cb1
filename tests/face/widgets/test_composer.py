"""The composer never loses a text, sends what was typed, and leaves input methods alone."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.face import strings
from desktop.face.widgets.composer import Composer
from tests.face.widgets.stage import nameless, show, take_away


@pytest.fixture
def composer(qapp: QApplication) -> Iterator[Composer]:
    """A composer on the screen with the cursor in it."""
    made = Composer()
    show(qapp, made, 700, 120)
    made.field.setFocus()
    yield made
    take_away(qapp, made)


def sent_by(composer: Composer) -> list[str]:
    """What the composer tells to send, from now on."""
    told: list[str] = []
    composer.submitted.connect(told.append)
    return told


def test_enter_sends_and_keeps_the_text_until_it_is_safe(composer: Composer) -> None:
    """The text leaves the field when the owner says it was kept, not before, and is told as typed."""
    told = sent_by(composer)
    composer.set_text("  two\nlines ")
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert told == ["  two\nlines "]
    assert composer.text() == "  two\nlines "
    composer.accepted()
    assert composer.text() == ""


def test_a_failed_send_keeps_the_text_and_says_why(composer: Composer) -> None:
    """After a failure text and sentence stand there, and sending works again."""
    told = sent_by(composer)
    composer.set_text("hello")
    composer.send_button.click()
    composer.failed("The disk is full.")
    assert composer.text() == "hello"
    assert composer._words.text() == "The disk is full."
    assert composer._words.isVisible()
    QTest.keyClick(composer.field, Qt.Key.Key_Enter)
    assert told == ["hello", "hello"]


def test_enter_twice_sends_once(composer: Composer) -> None:
    """Nothing is sent again while the first sending is not answered."""
    told = sent_by(composer)
    composer.set_text("hello")
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert told == ["hello"]


def test_shift_enter_begins_a_line(composer: Composer) -> None:
    """Shift and Enter write a line end and send nothing."""
    told = sent_by(composer)
    QTest.keyClicks(composer.field, "a")
    QTest.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.field, "b")
    assert composer.text() in ("a\nb", "a\u2028b")
    assert told == []


@pytest.mark.parametrize("text", ["", " \n "])
def test_nothing_is_not_sent(composer: Composer, text: str) -> None:
    """An empty or blank text cannot be sent, and the button shows it."""
    told = sent_by(composer)
    composer.set_text(text)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert told == []
    assert not composer.send_button.isEnabled()


def test_enter_belongs_to_the_input_method_while_it_composes(composer: Composer, qapp: QApplication) -> None:
    """Enter during composition sends nothing; after it, it sends."""
    told = sent_by(composer)
    composer.set_text("x")
    qapp.sendEvent(composer.field, QInputMethodEvent("にほ", []))
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert told == []
    done = QInputMethodEvent("", [])
    done.setCommitString("日本")
    qapp.sendEvent(composer.field, done)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert told == ["x日本"]


def test_stop_takes_the_place_of_send(composer: Composer) -> None:
    """While something runs one button is seen: it stops once, says so, and gives way again."""
    stops: list[None] = []
    composer.stopRequested.connect(lambda: stops.append(None))
    composer.set_running(True)
    assert composer.stop_button.isVisible() and not composer.send_button.isVisible()
    composer.stop_button.click()
    composer.set_running(True, stopping=True)
    composer.stop_button.click()
    assert composer.stop_button.text() == composer.stop_button.accessibleName() == strings.STOPPING
    assert len(stops) == 1
    composer.set_running(False)
    assert composer.send_button.isVisible() and not composer.stop_button.isVisible()


def test_what_is_sent_while_something_runs_reaches_it(composer: Composer) -> None:
    """Enter while something runs steers, says beforehand when it is read, and keeps the text until safe."""
    told, steered = sent_by(composer), list[str]()
    composer.steered.connect(steered.append)
    composer.set_running(True)
    QTest.keyClicks(composer.field, "next")
    assert composer._words.text() == strings.READ_NEXT
    assert composer.send_button.isVisible() and composer.stop_button.isVisible()
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert (told, steered, composer.text()) == ([], ["next"], "next")
    composer.accepted()
    assert composer.text() == ""
    assert not composer._words.isVisible() and not composer.send_button.isVisible()


def test_nothing_reaches_what_is_being_stopped(composer: Composer) -> None:
    """Enter while something is being stopped sends nothing, keeps the text and says so."""
    told = sent_by(composer)
    composer.steered.connect(told.append)
    composer.set_running(True, stopping=True)
    QTest.keyClicks(composer.field, "next")
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert (told, composer.text()) == ([], "next")
    assert composer._words.text() == strings.STILL_STOPPING
    composer.set_running(False)
    assert not composer._words.isVisible()


def test_stopping_that_takes_long_can_be_had_at_once(composer: Composer) -> None:
    """After some seconds of stopping the button offers to end at once, and that is what it asks for."""
    stops, kills = list[str](), list[str]()
    composer.stopRequested.connect(lambda: stops.append("stop"))
    composer.killRequested.connect(lambda: kills.append("kill"))
    composer._patience.setInterval(20)
    composer.set_running(True)
    composer.set_running(True, stopping=True)
    assert not composer.stop_button.isEnabled()
    QTest.qWait(60)
    assert composer.stop_button.text() == composer.stop_button.accessibleName() == strings.STOP_NOW
    composer.set_running(True, stopping=True)
    assert composer.stop_button.isEnabled()
    composer.stop_button.click()
    assert (stops, kills) == ([], ["kill"])
    composer.set_running(False)
    composer.set_running(True)
    assert composer.stop_button.text() == strings.STOP


def test_a_reason_stands_where_nothing_can_be_sent(composer: Composer) -> None:
    """Without a way to send, the reason is shown, one can still write, and nothing is sent."""
    told = sent_by(composer)
    composer.set_enabled_with_reason(False, "Answer the question above first.")
    QTest.keyClicks(composer.field, "hi")
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert told == []
    assert composer.text() == "hi"
    assert composer._words.text() == "Answer the question above first."
    composer.set_enabled_with_reason(True)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert told == ["hi"]


def test_the_field_grows_to_eight_lines(composer: Composer) -> None:
    """One line is low, each further one adds as much, after eight it scrolls; nothing is scrolled before."""
    heights = []
    for lines in range(1, 12):
        composer.set_text("\n".join("x" * lines))
        heights.append(composer.field.height())
    steps = {b - a for a, b in pairwise(heights[:8])}
    assert len(steps) == 1 and steps.pop() > 10
    assert heights[7:] == [heights[7]] * 4
    composer.set_text("a\nb\nc")
    assert composer.field.verticalScrollBar().value() == 0


def test_every_change_is_told_for_the_draft(composer: Composer) -> None:
    """The owner hears each state of the text, also that it was emptied."""
    told: list[str] = []
    composer.draftChanged.connect(told.append)
    QTest.keyClicks(composer.field, "ab")
    composer.accepted()
    assert told == ["a", "ab", ""]


def test_pasted_markup_is_text(composer: Composer, qapp: QApplication) -> None:
    """What is pasted keeps its signs and gets no looks."""
    composer.field.insertPlainText("<b>x</b>")
    assert composer.text() == "<b>x</b>"


def test_a_narrow_window_is_not_held_wide(composer: Composer, qapp: QApplication) -> None:
    """After a wide window the composer still fits a narrow one."""
    composer.resize(1600, 120)
    qapp.processEvents()
    assert composer.minimumSizeHint().width() <= 300


def test_every_control_has_its_names_and_the_keyboard_reaches_all(
    composer: Composer, qapp: QApplication
) -> None:
    """Controls are named for people and programs; Tab goes from the field to the button."""
    assert not nameless(composer)
    assert composer.field.objectName() == "composer"
    composer.set_text("x")
    composer.field.setFocus()
    QTest.keyClick(composer.field, Qt.Key.Key_Tab)
    assert qapp.focusWidget() is composer.send_button
