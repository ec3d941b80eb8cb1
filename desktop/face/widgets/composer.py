"""Where a person says what they want: a field that grows to eight lines, and one button.

A text is never lost: it leaves the field only when the owner says that it was
kept (`accepted`), and stays with a sentence beside it when it was not (`failed`).
While something runs a button stops it, and what is sent reaches it at its next
step. Stopping that takes long can be had at once. Enter is left alone while an
input method composes a word.
"""

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.face import icons, strings, theme
from desktop.face.delegates.column import column_in

MOST_LINES = 8
BUTTON_PX = 88
NARROWEST_PX = 280
PATIENCE_MS = 5_000
"""Stopping that takes longer can be had at once."""


class MessageField(QPlainTextEdit):
    """The field itself.

    Signals: sendPressed() for Enter; focusChanged(bool).
    """

    sendPressed = Signal()
    focusChanged = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_composing = False
        self.setObjectName("composer")
        self.setAccessibleName(strings.COMPOSER_NAME)
        self.setAccessibleDescription(strings.COMPOSER_ABOUT)
        self.setPlaceholderText(strings.SAY_WHAT)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(theme.Space.XS)
        self.textChanged.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        """Be as high as the text, from one line to eight."""
        lines = 0
        block = self.document().firstBlock()
        while block.isValid() and lines < MOST_LINES:
            lines += max(1, block.layout().lineCount())
            block = block.next()
        line_px = QFontMetrics(self.font()).lineSpacing()
        height = min(MOST_LINES, max(1, lines)) * line_px + 2 * theme.Space.XS + 2
        full = lines >= MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if full else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        self.setFixedHeight(height)
        if not full:
            self.verticalScrollBar().setValue(0)

    def sizeHint(self) -> QSize:
        """As high as the text."""
        return QSize(super().sizeHint().width(), self.height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends, with Shift it begins a new line; an input method at work keeps its Enter."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        is_held = event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier)
        if is_enter and not is_held:
            if not self._is_composing:
                self.sendPressed.emit()
            event.accept()
            return
        super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Note whether an input method composes a word."""
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may wrap the text otherwise."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Tell when the focus comes and goes."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.focusChanged.emit(event.type() is QEvent.Type.FocusIn)
        return super().event(event)


class Composer(QWidget):
    """The field with its button and the sentence beside it.

    Signals: submitted(text) for what is to be sent, as typed; steered(text) for the same while something
    runs; stopRequested(); killRequested() to stop at once; draftChanged(text) at every change.
    """

    submitted = Signal(str)
    steered = Signal(str)
    stopRequested = Signal()
    killRequested = Signal()
    draftChanged = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_running = False
        self._is_stopping = False
        self._is_sending = False
        self._is_blocked = False
        self._reason = ""
        self.field = MessageField()
        self.send_button = self._button("sendButton", strings.SEND, "primary")
        self.stop_button = self._button("stopButton", strings.STOP, "")
        self._words = QLabel()
        self._frame = QFrame()
        self._build()
        self.setFocusProxy(self.field)
        self.field.sendPressed.connect(self._submit)
        self.field.focusChanged.connect(self._show_focus)
        self.field.textChanged.connect(self._text_changed)
        self.send_button.clicked.connect(self._submit)
        self.stop_button.clicked.connect(self._stop)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._offer_to_kill)
        self._dress()
        self._refresh()

    def _button(self, name: str, words: str, look: str) -> QPushButton:
        button = QPushButton(words)
        button.setObjectName(name)
        button.setAccessibleName(words)
        button.setProperty("look", look)
        button.setAutoDefault(False)
        button.setMinimumWidth(BUTTON_PX)
        return button

    def _build(self) -> None:
        self._words.setObjectName("composerWords")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self._words.hide()
        self._frame.setProperty("look", "composer")
        inside = QHBoxLayout(self._frame)
        inside.setContentsMargins(theme.Space.S, theme.Space.S, theme.Space.S, theme.Space.S)
        inside.setSpacing(theme.Space.S)
        inside.addWidget(self.field, 1)
        inside.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignBottom)
        inside.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignBottom)
        self.stop_button.hide()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(theme.Space.XS)
        whole.addWidget(self._words)
        whole.addWidget(self._frame)
        self.setTabOrder(self.field, self.send_button)
        self.setTabOrder(self.send_button, self.stop_button)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    # --- what it is told ---

    def text(self) -> str:
        """What stands in the field."""
        return self.field.toPlainText()

    def set_text(self, text: str) -> None:
        """Put a draft or an example into the field, the cursor behind it."""
        self.field.setPlainText(text)
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)

    def accepted(self) -> None:
        """The text was kept: empty the field."""
        self._is_sending = False
        self.field.clear()
        self._say("")

    def failed(self, sentence: str) -> None:
        """The text was not kept: leave it where it is and say why."""
        self._is_sending = False
        self._say(sentence, look="danger")

    def set_running(self, is_running: bool, *, stopping: bool = False) -> None:
        """Offer to stop while something runs."""
        had_focus = self.send_button.hasFocus() or self.stop_button.hasFocus()
        changes = (is_running, stopping) != (self._is_running, self._is_stopping)
        self._is_running, self._is_stopping = is_running, stopping
        if not changes:
            return
        self._patience.stop()
        if stopping:
            self._patience.start()
        self._label_stop(strings.STOPPING if stopping else strings.STOP, is_open=not stopping)
        if not is_running and self._words.text() in (strings.STILL_STOPPING, strings.READ_NEXT):
            self._say("")
        self._refresh()
        if had_focus:
            self.field.setFocus()

    def set_enabled_with_reason(self, is_enabled: bool, reason: str = "") -> None:
        """Whether anything can be sent now; the reason stands above the field, which stays writable."""
        self._is_blocked = not is_enabled
        self._reason = "" if is_enabled else reason
        self._say(self._reason)

    # --- inside ---

    def _submit(self) -> None:
        text = self.text()
        if not text.strip() or self._is_sending or self._is_blocked:
            return
        if self._is_stopping:
            self._say(strings.STILL_STOPPING)
            return
        self._is_sending = True
        self._say("")
        (self.steered if self._is_running else self.submitted).emit(text)

    def _stop(self) -> None:
        (self.killRequested if self._is_stopping else self.stopRequested).emit()

    def _offer_to_kill(self) -> None:
        self._label_stop(strings.STOP_NOW, is_open=True)

    def _label_stop(self, text: str, *, is_open: bool) -> None:
        self.stop_button.setText(text)
        self.stop_button.setAccessibleName(text)
        self.stop_button.setToolTip(strings.STOP_NOW_ABOUT if text == strings.STOP_NOW else "")
        self.stop_button.setEnabled(is_open)

    def _text_changed(self) -> None:
        if self._words.property("look") == "danger":
            self._say("")
        self._refresh()
        self.draftChanged.emit(self.text())

    def _refresh(self) -> None:
        has_text = bool(self.text().strip())
        can_send = has_text and not self._is_sending and not self._is_blocked and not self._is_stopping
        self.send_button.setEnabled(can_send)
        self.send_button.setText(strings.SENDING if self._is_sending else strings.SEND)
        self.send_button.setVisible(not self._is_running or (has_text and not self._is_stopping))
        self.stop_button.setVisible(self._is_running)
        reads_next = self._is_running and can_send
        if reads_next and not self._words.text():
            self._show_words(strings.READ_NEXT, look="quiet")
        elif not has_text and self._words.text() == strings.READ_NEXT:
            self._show_words("", look="quiet")

    def _say(self, sentence: str, *, look: str = "quiet") -> None:
        self._show_words(sentence or self._reason, look=look)
        self._refresh()

    def _show_words(self, sentence: str, *, look: str) -> None:
        self._words.setText(sentence)
        self._words.setVisible(bool(sentence))
        self._words.setProperty("look", look)
        _restyle(self._words)

    def _show_focus(self, has_focus: bool) -> None:
        self._frame.setProperty("hasFocus", has_focus)
        inset = theme.Space.S - 1 if has_focus else theme.Space.S
        layout = self._frame.layout()
        if layout is not None:
            layout.setContentsMargins(inset, inset, inset, inset)
        _restyle(self._frame)

    def _dress(self) -> None:
        look = theme.current()
        self.stop_button.setIcon(icons.icon("stop", look.danger))

    def minimumSizeHint(self) -> QSize:
        """Narrow: the margins that follow the reading column must not hold the window wide."""
        return QSize(NARROWEST_PX, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep to the reading column of the chat above."""
        super().resizeEvent(event)
        column = column_in(event.size().width())
        self.setContentsMargins(column.left, 0, event.size().width() - column.left - column.width, 0)

    def changeEvent(self, event: QEvent) -> None:
        """Other colours: draw the picture anew."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_frame"):
            self._dress()


def _restyle(widget: QWidget) -> None:
    """Have the stylesheet look again at a changed property."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
