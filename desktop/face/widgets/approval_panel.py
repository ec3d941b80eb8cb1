"""The approval panel: everything that waits for a person's answer, on one card in a fixed place.

It shows the whole of what is asked and hands on what the person decided; what may be offered was
judged by the harness. No button is a default, the focus is never taken, and for half a second after
the card appears or changes it takes no answer, so that nobody allows what they have not seen.
Each answer names the payloads that were on the card at the moment of the click.
"""

import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop.face import approval_words
from desktop.face import strings_window as words
from desktop.face.open_chat import Asked
from desktop.face.widgets.command_view import CommandView
from desktop.face.widgets.diff_view import DiffView
from desktop.face.widgets.panel_splitter import Panel
from desktop.face.widgets.small import label, row
from desktop.harness.api import Decision, Question, Rule, Scope

_NARROW_PX = 720
GUARD_S = 0.5
"""For so long after the card appears or changes it takes no answer."""


class ApprovalPanel(Panel):
    """All open questions of a chat on one card.

    Signals:
        decided(list[Decision]): the person's answers.
        left(): the person wants to go back to the composer; nothing is decided.
        appeared(): the panel has something to ask where it had nothing.
        styleChosen(bool): side by side was chosen for the diff.
    """

    decided = Signal(list)
    left = Signal()
    appeared = Signal()
    styleChosen = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("approvalPanel")
        self.setAccessibleName(words.APPROVAL_NAME)
        self._asked: tuple[Asked, ...] = ()
        self._single: int | None = None
        self._guard_until_s = 0.0
        self._ends: set[QObject] = set()
        self._make_parts()
        self._lay_out()
        self.hide()

    @property
    def diff(self) -> DiffView:
        """The diff of the card."""
        return self._diff

    def dress(self) -> None:
        """Have each part dressed by the stylesheet in a moment of its own, before the first card needs it."""
        for part in self.findChildren(QWidget):
            QTimer.singleShot(0, part, part.ensurePolished)

    # --- what it shows ---

    def show_asked(self, asked: Sequence[Asked]) -> None:
        """Show these questions, or nothing."""
        focused: QWidget | None = self.window().focusWidget()
        had_focus = focused is not None and self.isAncestorOf(focused)
        was_empty = not self._asked
        self._asked = tuple(asked)
        self._single = None if self._single is None else min(self._single, len(asked) - 1)
        if len(asked) < 2:
            self._single = None
        self.setVisible(bool(asked))
        if not asked:
            if had_focus:
                self.left.emit()
            return
        self._fill()
        if was_empty:
            self._reason.clear()
            self.appeared.emit()

    def show_problem(self, sentence: str) -> None:
        """Say that the answer did not arrive; it can be given again."""
        self._note.setText(sentence)
        self._note.show()
        self._set_open(is_open=True)

    def sizeHint(self) -> QSize:
        """As high as everything it shows."""
        height = self._with_body(self._diff.canvas.content_px, self._command.content_px)
        return QSize(super().sizeHint().width(), height)

    def readable_px(self) -> int:
        """High enough to read some lines of a change."""
        return self._with_body(self._diff.canvas.least_px, self._command.minimumHeight())

    def _with_body(self, diff_px: int, command_px: int) -> int:
        layout = self.layout()
        height = layout.totalHeightForWidth(self.width()) if layout is not None else 0
        for part, wanted_px in ((self._diff, diff_px), (self._command, command_px)):
            if not part.isHidden():
                height += wanted_px - max(
                    part.minimumHeight(), min(part.sizeHint().height(), part.maximumHeight())
                )
        return height

    def _shown(self) -> tuple[Asked, ...]:
        return self._asked if self._single is None else (self._asked[self._single],)

    def _questions(self) -> list[Question]:
        return [asked.question for asked in self._shown()]

    def _fill(self) -> None:
        questions = self._questions()
        count = len(self._asked)
        self._guard()
        self._title.setText(approval_words.title_of(questions))
        again = approval_words.again_of(questions)
        self._note.setText(again)
        self._note.setVisible(bool(again))
        self._count.setText(words.place_in(self._single or 0, count))
        self._count.setVisible(self._single is not None)
        for button in (self._before, self._after):
            button.setVisible(self._single is not None)
        self._split.setVisible(count > 1)
        self._split.setText(words.ONE_BY_ONE if self._single is None else words.ALL_TOGETHER)
        self._fill_body(questions)
        self._facts.setText(approval_words.facts_of(questions))
        self._fill_menu(questions)
        self._set_open(is_open=True)

    def _fill_body(self, questions: list[Question]) -> None:
        commands = [question.command for question in questions if question.command is not None]
        files = [file for asked in self._shown() for file in asked.files]
        self._ends = {part for part, used in ((self._command, commands), (self._diff, files)) if used}
        self._command.setVisible(bool(commands))
        self._diff.setVisible(bool(files))
        self._diff.tools.setVisible(bool(files))
        self._command.set_filling(is_filling=not files)
        self._command.show_command("\n\n".join(commands))
        self._diff.show_files(files)
        QTimer.singleShot(0, self._diff, self._diff.show_first_change)

    def _fill_menu(self, questions: list[Question]) -> None:
        self._menu.clear()
        offers = [question.offer for question in questions]
        if all(offer.session is not None for offer in offers):
            self._add_choice(words.THIS_CHAT_ONLY, Scope.SESSION, None)
        if all(offer.always is not None for offer in offers):
            for text, rules in approval_words.wider_of(offers):
                self._add_choice(words.always_for(text), Scope.ALWAYS, rules)

    def _add_choice(self, text: str, scope: Scope, rules: list[Rule] | None) -> None:
        action = QAction(text.replace("&", "&&"), self._menu)
        action.triggered.connect(lambda: self._allow(scope, rules))
        self._menu.addAction(action)

    def _set_open(self, *, is_open: bool) -> None:
        """Let the buttons be pressed, as far as they are offered."""
        questions = self._questions()
        offered = all(question.offer.always is not None for question in questions)
        has_seen = not self._ends
        self._once.setEnabled(is_open)
        self._deny.setEnabled(is_open)
        self._always.setEnabled(is_open and offered and has_seen)
        self._more.setEnabled(is_open and has_seen and bool(self._menu.actions()))
        is_unseen = offered and not has_seen
        self._saves.setText(words.SEE_ALL_FIRST if is_unseen else approval_words.always_of(questions))
        self._always.setAccessibleDescription(self._saves.text())

    def _end_seen(self) -> None:
        if self.sender() in self._ends:
            self._ends.discard(self.sender())
            if self._asked and self._once.isEnabled():
                self._set_open(is_open=True)

    # --- what the person does ---

    def _guard(self) -> None:
        self._guard_until_s = time.monotonic() + GUARD_S

    def _allow(self, scope: Scope, rules: list[Rule] | None = None) -> None:
        patterns = [None] * len(self._shown()) if rules is None else [rule.pattern for rule in rules]
        self._decide(
            [
                Decision(call_id=q.call_id, payload=q.payload, scope=scope, pattern=pattern)
                for q, pattern in zip(self._questions(), patterns, strict=True)
            ]
        )

    def _refuse(self) -> None:
        reason = self._reason.text().strip()
        self._decide(
            [
                Decision(call_id=question.call_id, payload=question.payload, scope=None, reason=reason)
                for question in self._questions()
            ]
        )

    def _decide(self, decisions: list[Decision]) -> None:
        if time.monotonic() < self._guard_until_s:
            self._guard()
            return
        self._set_open(is_open=False)
        self._saves.setText(words.DECIDING)
        self.decided.emit(decisions)

    def _flip_single(self) -> None:
        self._single = 0 if self._single is None else None
        self._fill()

    def _step(self, step: int) -> None:
        if self._single is not None:
            self._single = (self._single + step) % len(self._asked)
            self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow card keeps its sentence readable and drops tools that have keys."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        self._diff.set_compact(is_compact=is_narrow)
        self._reason.setPlaceholderText(words.DENY_REASON_SHORT if is_narrow else words.DENY_REASON)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A key that is held down presses no button."""
        kinds = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
        return event.type() in kinds and isinstance(event, QKeyEvent) and event.isAutoRepeat()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes back to the composer and decides nothing."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    # --- making ---

    def _make_parts(self) -> None:
        self._title = label("", name="approvalTitle", bold=True, wraps=True)
        self._note = label("", name="approvalNote", look="warning", wraps=True)
        self._count = label("", name="approvalCount", look="caption")
        self._before = self._tool("previousQuestionButton", "‹", words.PREVIOUS_QUESTION)
        self._after = self._tool("nextQuestionButton", "›", words.NEXT_QUESTION)
        self._split = self._tool("oneByOneButton", words.ONE_BY_ONE, words.ONE_BY_ONE)
        self._command = CommandView(self)
        self._diff = DiffView(self, is_card=True)
        self._facts = label("", name="approvalFacts", look="caption", wraps=True)
        self._saves = label("", name="approvalSaves", look="caption", wraps=True)
        self._once = self._button("allowOnceButton", words.ALLOW_ONCE, "Alt+O")
        self._always = self._button("allowAlwaysButton", words.ALWAYS_ALLOW, "Alt+W")
        self._more = self._tool("allowMenuButton", "▾", words.ALLOW_MENU)
        self._more.setProperty("look", "menu")
        self._more.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self._menu = QMenu(self)
        self._more.setMenu(self._menu)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._deny = self._button("denyButton", words.DENY, "Alt+D")
        self._deny.setProperty("look", "quiet")
        self._reason = QLineEdit()
        self._reason.setObjectName("denyReason")
        self._reason.setPlaceholderText(words.DENY_REASON)
        self._reason.setAccessibleName(words.DENY_REASON_NAME)
        self._reason.setMaxLength(500)
        self._before.clicked.connect(lambda: self._step(-1))
        self._after.clicked.connect(lambda: self._step(1))
        self._split.clicked.connect(self._flip_single)
        self._once.clicked.connect(lambda: self._allow(Scope.ONCE))
        self._always.clicked.connect(lambda: self._allow(Scope.ALWAYS))
        self._deny.clicked.connect(self._refuse)
        self._command.endReached.connect(self._end_seen)
        self._diff.endReached.connect(self._end_seen)
        self._diff.styleChosen.connect(self.styleChosen)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 8)
        layout.setSpacing(4)
        head = row(self._title, 1, self._count, self._before, self._after, self._split, self._diff.tools)
        head.setContentsMargins(16, 0, 8, 0)
        layout.addLayout(head)
        self._note.setContentsMargins(16, 0, 16, 0)
        layout.addWidget(self._note)
        layout.addWidget(self._command, 1)
        layout.addWidget(self._diff, 4)
        words_part = QVBoxLayout()
        words_part.setContentsMargins(16, 4, 16, 0)
        words_part.setSpacing(0)
        words_part.addWidget(self._facts)
        words_part.addWidget(self._saves)
        layout.addLayout(words_part)
        buttons = row(self._once, 8, self._always, 2, self._more, 16, self._deny, 4, self._reason)
        buttons.setContentsMargins(16, 4, 16, 0)
        buttons.setStretchFactor(self._reason, 1)
        layout.addLayout(buttons)

    def _button(self, name: str, text: str, keys: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.setAccessibleName(text.replace("&", ""))
        button.setShortcut(QKeySequence())  # the mark in the text stays; the key below does not repeat
        button.setAutoDefault(False)
        button.setToolTip(f"{button.accessibleName()} ({keys})")
        button.installEventFilter(self)
        shortcut = QShortcut(QKeySequence(keys), self)
        shortcut.setAutoRepeat(False)
        shortcut.activated.connect(button.click)
        return button

    def _tool(self, name: str, text: str, about: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setText(text)
        button.setProperty("look", "quiet")
        button.setAccessibleName(about)
        button.setToolTip(about)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.installEventFilter(self)
        return button
