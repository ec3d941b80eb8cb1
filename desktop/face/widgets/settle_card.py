"""The card of an effect that nobody saw the end of: did this happen?

Paddock never repeats what may have been done, and never takes it for done: a person who can look
answers. No answer is a default, and for half a second after the card appears it takes none.
"""

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face.widgets.small import label, row
from desktop.harness.api import Row, Settlement, for_name, show_safe

GUARD_S = 0.5
"""For so long after the card appears or changes it takes no answer."""


class SettleCard(QFrame):
    """One effect without a receipt, and three answers.

    Signals:
        settled(str, str): the call and what became of it, a value of `Settlement`.
        left(): the person wants to go back to the composer; nothing is answered.
    """

    settled = Signal(str, str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settleCard")
        self.setAccessibleName(words.SETTLE_NAME)
        self.setProperty("look", "card")
        self._call_id = ""
        self._guard_until_s = 0.0
        self._title = label("", name="settleTitle", bold=True, wraps=True)
        self._about = label("", name="settleAbout", look="quiet", wraps=True)
        self._problem = label("", name="settleProblem", look="danger", wraps=True)
        self._buttons = [
            self._button("settleYesButton", words.SETTLE_YES, Settlement.HAPPENED),
            self._button("settleNoButton", words.SETTLE_NO, Settlement.DID_NOT_HAPPEN),
            self._button("settleRetryButton", words.TRY_AGAIN, Settlement.RETRY),
        ]
        yes, no, again = self._buttons
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(4)
        for part in (self._title, self._about, self._problem):
            layout.addWidget(part)
        answers = row(yes, 8, no, 8, again)
        answers.setContentsMargins(0, 8, 0, 0)
        answers.addStretch(1)
        layout.addLayout(answers)
        self.setFocusProxy(yes)
        self.hide()

    def show_effect(self, effect: Row | None) -> None:
        """Ask about the call of this row; None when there is nothing to ask."""
        if effect is None or effect.call_id is None:
            self._call_id = ""
            self._leave()
            return
        if effect.call_id == self._call_id and self.isVisible():
            return
        self._call_id = effect.call_id
        self._guard_until_s = time.monotonic() + GUARD_S
        self._title.setText(words.did_it_happen(for_name(effect.title)))
        self._about.setText(f"{show_safe(effect.detail)} {words.SETTLE_LOOK}".strip())
        self._problem.hide()
        self._set_open(is_open=True)
        self.show()

    def show_problem(self, sentence: str) -> None:
        """Say that the answer did not arrive; it can be given again."""
        self._problem.setText(sentence)
        self._problem.show()
        self._set_open(is_open=True)

    def _leave(self) -> None:
        focused: QWidget | None = self.window().focusWidget()
        had_focus = self.isVisible() and focused is not None and self.isAncestorOf(focused)
        self.hide()
        if had_focus:
            self.left.emit()

    def _answer(self, outcome: Settlement) -> None:
        if time.monotonic() < self._guard_until_s:
            self._guard_until_s = time.monotonic() + GUARD_S
            return
        self._set_open(is_open=False)
        self.settled.emit(self._call_id, str(outcome))

    def _set_open(self, *, is_open: bool) -> None:
        for button in self._buttons:
            button.setEnabled(is_open)

    def _button(self, name: str, text: str, outcome: Settlement) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setMinimumWidth(72)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self._answer(outcome))
        return button

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes back to the composer and answers nothing."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
