"""The card of an effect that nobody saw the end of: did this happen?

Paddock never repeats what may have been done, and never takes it for done: a person who can look
answers. No answer is a default, and for half a second after the card appears it takes none.
"""

import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face.diff_rows import ComparedFile
from desktop.face.widgets.command_view import CommandView
from desktop.face.widgets.diff_view import DiffView
from desktop.face.widgets.small import label, row
from desktop.harness.api import Evidence, Row, Settlement, for_name, show_safe

GUARD_S = 0.5
"""For so long after the card appears or changes it takes no answer."""
_MOST_LINES = 6
_MOST_DIFF_PX = 320
_LEAST_DIFF_PX = 72
_ELSE_PX = 410
"""What all else in the window takes: its heading, a row of the chat, the rest of the card, the composer."""


class SettleCard(QFrame):
    """One effect without a receipt, and three answers.

    Signals:
        settled(str, str): the call and what became of it, a value of `Settlement`.
        left(): the person wants to go back to the composer; nothing is answered.
        looked(str): the card is about another call now, of which something may be seen.
    """

    settled = Signal(str, str)
    left = Signal()
    looked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settleCard")
        self.setAccessibleName(words.SETTLE_NAME)
        self.setProperty("look", "card")
        self._call_id = ""
        self._guard_until_s = 0.0
        self._title = label("", name="settleTitle", bold=True, wraps=True)
        self._about = label("", name="settleAbout", look="quiet", wraps=True)
        self._seen = label("", name="settleEvidence", wraps=True)
        self._output: CommandView | None = None
        self._differences: DiffView | None = None
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
        for part in (self._title, self._about, self._seen):
            layout.addWidget(part)
        self._evidence = QVBoxLayout()
        self._evidence.setContentsMargins(0, 4, 0, 4)
        layout.addLayout(self._evidence)
        layout.addWidget(self._problem)
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
        for part in (self._seen, self._output, self._differences):
            if part is not None:
                part.hide()
        self._set_open(is_open=True)
        self.show()
        self.looked.emit(self._call_id)

    def show_evidence(self, evidence: Evidence, files: Sequence[ComparedFile]) -> None:
        """Show what can be seen of the call that is asked about; the answers stay as they are."""
        if evidence.call_id != self._call_id or self.isHidden():
            return
        self._guard_until_s = time.monotonic() + GUARD_S
        if evidence.is_command:
            said = words.how_far(
                evidence.exit_code, has_ended=evidence.has_ended, has_output=bool(evidence.tail.strip())
            )
        else:
            said = "\n".join(words.file_shows(for_name(one.path), one.shows) for one in evidence.files)
        self._seen.setText(said)
        self._seen.setVisible(bool(said))
        if evidence.tail.strip():
            self._show_output(evidence.tail)
        if files:
            self._show_differences(files)

    def _show_output(self, tail: str) -> None:
        if self._output is None:
            self._output = CommandView(self)
            self._output.setObjectName("settleOutput")
            self._output.setAccessibleName(words.SETTLE_OUTPUT)
            self._output.set_filling(is_filling=False)
            self._evidence.addWidget(self._output)
        self._output.show_command("\n".join(tail.splitlines()[-_MOST_LINES:]))
        self._output.show()

    def _show_differences(self, files: Sequence[ComparedFile]) -> None:
        if self._differences is None:
            self._differences = DiffView(self, is_card=True)
            self._differences.tools.hide()
            self._differences.setObjectName("settleDiff")
            self._differences.setAccessibleName(words.SETTLE_DIFFERENCES)
            self._evidence.addWidget(self._differences)
        self._differences.show_files(files)
        self._fit_differences()
        self._differences.show()

    def _fit_differences(self) -> None:
        """As high as the differences are, within what the window has left: the answers stay in sight."""
        if self._differences is not None:
            most_px = max(_LEAST_DIFF_PX, min(_MOST_DIFF_PX, self.window().height() - _ELSE_PX))
            self._differences.setFixedHeight(min(self._differences.canvas.content_px, most_px))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the window."""
        super().resizeEvent(event)
        self._fit_differences()

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
