"""The approval panel shows the whole of what is asked and decides exactly that, never by accident."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from desktop.face import theme
from desktop.face.diff_rows import compared
from desktop.face.open_chat import Asked
from desktop.face.widgets.approval_panel import ApprovalPanel
from desktop.harness.api import Decision, Offer, Question, Scope
from tests.face.fake_door import command_question, edit_question

LONG = "".join(f"line {number}\n" for number in range(200))


class Stage:
    """A window with a panel above a field, and what the panel said."""

    def __init__(self) -> None:
        self.window = QWidget()
        self.window.resize(900, 420)
        self.panel = ApprovalPanel()
        self.field = QLineEdit()
        layout = QVBoxLayout(self.window)
        layout.addWidget(self.panel)
        layout.addWidget(self.field)
        self.decisions: list[list[Decision]] = []
        self.panel.decided.connect(self.decisions.append)
        self.panel.left.connect(self.field.setFocus)
        self.window.show()
        self.window.activateWindow()
        self.field.setFocus()

    def ask(self, *questions: Question, guard: bool = False) -> None:
        """Show questions; without the guard unless a test is about it."""
        self.panel.show_asked(
            [
                Asked(question=question, files=tuple(compared(file) for file in question.files))
                for question in questions
            ]
        )
        for _ in range(4):
            QApplication.processEvents()
        if not guard:
            self.panel._guard_until_s = 0.0

    def button(self, name: str) -> QPushButton | QToolButton:
        """One of the panel's buttons."""
        found = self.panel.findChild(QPushButton, name) or self.panel.findChild(QToolButton, name)
        assert found is not None
        return found

    def said(self, name: str) -> str:
        """What one of the panel's labels says."""
        found = self.panel.findChild(QLabel, name)
        assert found is not None
        return found.text() if found.isVisible() else ""


@pytest.fixture
def stage(qapp: QApplication) -> Iterator[Stage]:
    """A panel on the screen."""
    theme.apply_theme(qapp, "light")
    made = Stage()
    yield made
    made.window.close()
    made.window.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_allow_once_names_the_payload_that_is_shown(stage: Stage) -> None:
    """A click decides the call and the payload on the card, and nothing else."""
    question = edit_question()
    stage.ask(question)
    assert stage.said("approvalTitle") == "Paddock wants to change notes.txt"
    assert stage.said("approvalFacts") == "inside this folder · can be undone"
    assert stage.said("approvalSaves") == "Always allow saves for this project: changes to notes.txt"
    stage.button("allowOnceButton").click()
    assert stage.decisions == [
        [Decision(call_id=question.call_id, payload=question.payload, scope=Scope.ONCE)]
    ]


def test_a_click_counts_once(stage: Stage) -> None:
    """After an answer the buttons are shut until something else is asked."""
    stage.ask(edit_question())
    stage.button("allowOnceButton").click()
    stage.button("allowOnceButton").click()
    stage.button("denyButton").click()
    assert len(stage.decisions) == 1


def test_nothing_is_decided_right_after_the_card_appears(stage: Stage) -> None:
    """For half a second clicks are ignored, and each of them begins the half second anew."""
    stage.ask(edit_question(), guard=True)
    stage.button("allowOnceButton").click()
    QTest.qWait(300)
    stage.button("allowOnceButton").click()
    QTest.qWait(300)
    stage.button("allowOnceButton").click()
    assert stage.decisions == []
    QTest.qWait(550)
    stage.button("allowOnceButton").click()
    assert len(stage.decisions) == 1


def test_a_changed_card_is_guarded_too(stage: Stage) -> None:
    """When the file moved on, the card says so, and a click meant for the old difference allows nothing."""
    stage.ask(edit_question())
    stage.ask(replace(edit_question(after="one hue\n"), again="notes.txt changed since."), guard=True)
    assert stage.said("approvalNote") == "notes.txt changed since. Here is the new difference."
    stage.button("allowOnceButton").click()
    assert stage.decisions == []


def test_held_keys_press_nothing(stage: Stage) -> None:
    """A space bar that is held down presses no button, also when the focus stands on it."""
    stage.ask(edit_question())
    button = stage.button("allowOnceButton")
    button.setFocus()
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        event = QKeyEvent(kind, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True)
        QApplication.sendEvent(button, event)
    assert stage.decisions == []


def test_the_focus_stays_where_it_was(stage: Stage) -> None:
    """The card appears without taking the focus, no button is a default, and Enter in it decides nothing."""
    stage.ask(edit_question())
    assert stage.window.focusWidget() is stage.field
    for button in stage.panel.findChildren(QPushButton):
        assert not button.isDefault()
        assert not button.autoDefault()
    QTest.keyClick(stage.panel.diff.canvas, Qt.Key.Key_Return)
    assert stage.decisions == []


def test_escape_goes_back_and_decides_nothing(stage: Stage) -> None:
    """Escape anywhere in the card returns to the message field."""
    stage.ask(edit_question())
    stage.button("denyButton").setFocus()
    QTest.keyClick(stage.button("denyButton"), Qt.Key.Key_Escape)
    assert stage.window.focusWidget() is stage.field
    assert stage.decisions == []


def test_keys_with_alt_decide(stage: Stage) -> None:
    """Alt+O, Alt+W and Alt+D are the three answers."""
    answers = []
    for key in (Qt.Key.Key_O, Qt.Key.Key_W, Qt.Key.Key_D):
        stage.ask()
        stage.ask(edit_question())
        QTest.keyClick(stage.field, key, Qt.KeyboardModifier.AltModifier)
        answers.append(stage.decisions[-1][0].scope)
    assert answers == [Scope.ONCE, Scope.ALWAYS, None]


def test_always_waits_until_all_was_seen(stage: Stage) -> None:
    """A long change can be allowed once at once, for good only after its end was in sight."""
    stage.ask(edit_question(after=LONG))
    assert not stage.button("allowAlwaysButton").isEnabled()
    assert "scroll to the end" in stage.said("approvalSaves")
    assert stage.button("allowOnceButton").isEnabled()
    bar = stage.panel.diff.canvas.verticalScrollBar()
    bar.setValue(bar.maximum())
    QApplication.processEvents()
    assert stage.button("allowAlwaysButton").isEnabled()
    stage.button("allowAlwaysButton").click()
    assert stage.decisions[0][0].scope is Scope.ALWAYS


def test_always_says_why_it_is_not_offered(stage: Stage) -> None:
    """A protected file cannot be allowed for good, and the card says why."""
    offer = Offer(always=None, session=None, why_not="This file usually holds secrets.")
    stage.ask(replace(edit_question(".env"), offer=offer))
    assert not stage.button("allowAlwaysButton").isEnabled()
    assert not stage.button("allowMenuButton").isEnabled()
    assert stage.said("approvalSaves") == "Always is not offered: This file usually holds secrets."


def test_the_menu_has_narrower_and_wider_choices(stage: Stage) -> None:
    """In this chat, files beside it, any file: each decides with its scope and pattern."""
    stage.ask(edit_question("letters/a.md"))
    actions = stage.panel._menu.actions()
    assert [action.text() for action in actions] == [
        "In this chat only",
        "Always: files in the same folder",
        "Always: any file of this project",
    ]
    actions[1].trigger()
    assert (stage.decisions[0][0].scope, stage.decisions[0][0].pattern) == (Scope.ALWAYS, "letters/*")
    stage.ask()
    stage.ask(edit_question())
    stage.panel._menu.actions()[0].trigger()
    assert stage.decisions[1][0].scope is Scope.SESSION


def test_a_reason_goes_with_the_no(stage: Stage) -> None:
    """What is typed beside Don't allow reaches the decision."""
    stage.ask(edit_question())
    reason = stage.panel.findChild(QLineEdit, "denyReason")
    assert reason is not None
    reason.setText(" keep the British spelling ")
    stage.button("denyButton").click()
    decision = stage.decisions[0][0]
    assert (decision.scope, decision.reason) == (None, "keep the British spelling")


def test_many_files_are_one_card(stage: Stage) -> None:
    """Three edits stand on one card, and one click answers all of them."""
    stage.ask(*(edit_question(f"{name}.txt", number=number) for number, name in enumerate("abc", 1)))
    assert stage.said("approvalTitle") == "Paddock wants to change 3 files"
    for _ in range(4):
        bar = stage.panel.diff.canvas.verticalScrollBar()
        bar.setValue(bar.maximum())
        QApplication.processEvents()
    stage.button("allowOnceButton").click()
    assert [decision.call_id for decision in stage.decisions[0]] == ["t1c1", "t1c2", "t1c3"]


def test_files_can_be_decided_one_by_one(stage: Stage) -> None:
    """One by one shows which of how many, and a click answers only the one that is shown."""
    stage.ask(*(edit_question(f"{name}.txt", number=number) for number, name in enumerate("abc", 1)))
    stage.button("oneByOneButton").click()
    stage.button("nextQuestionButton").click()
    assert stage.said("approvalCount") == "2 of 3"
    assert stage.said("approvalTitle") == "Paddock wants to change b.txt"
    stage.panel._guard_until_s = 0.0
    stage.button("denyButton").click()
    assert [decision.call_id for decision in stage.decisions[0]] == ["t1c2"]


def test_a_command_is_shown_whole(stage: Stage) -> None:
    """Every character of a command is on the card, hidden ones as boxes, with what protects from it."""
    command = "for f in *.txt; do\n  rm \u202e-rf \"$f\" && echo '<b>done</b>'\ndone" + " x" * 3_000
    stage.ask(command_question(command, plain=False))
    shown = stage.panel._command.toPlainText()
    assert shown == command.replace("\u202e", "⟦U+202E⟧")
    assert "No protection for commands yet" in stage.said("approvalFacts")
    assert "cannot be undone" in stage.said("approvalFacts")
    assert not stage.button("allowAlwaysButton").isEnabled()


def test_names_cannot_deceive(stage: Stage) -> None:
    """Ampersands, markup and direction marks in a name are shown as they are."""
    stage.ask(edit_question("a&b<b>\u202etxt.exe"))
    title = stage.panel.findChild(QLabel, "approvalTitle")
    assert title is not None
    assert title.text() == "Paddock wants to change a&b<b>⟦U+202E⟧txt.exe"
    assert title.textFormat() is Qt.TextFormat.PlainText


def test_a_failed_answer_can_be_given_again(stage: Stage) -> None:
    """When the answer did not arrive, the card says so and its buttons open again."""
    stage.ask(edit_question())
    stage.button("allowOnceButton").click()
    stage.panel.show_problem("The disk is full.")
    assert stage.said("approvalNote") == "The disk is full."
    stage.button("allowOnceButton").click()
    assert len(stage.decisions) == 2


def test_the_panel_goes_when_nothing_is_asked(stage: Stage) -> None:
    """An answered card disappears and hands the focus back if it had it."""
    stage.ask(edit_question())
    stage.button("allowOnceButton").setFocus()
    stage.ask()
    assert not stage.panel.isVisible()
    assert stage.window.focusWidget() is stage.field
