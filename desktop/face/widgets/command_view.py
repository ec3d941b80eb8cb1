"""A command in full: fixed pitch, wrapped, hidden characters as boxes, scrolled when it is long."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.face import strings_window as words
from desktop.face import theme
from desktop.harness.api import show_safe

_MOST_LINES = 8
_MARGIN_PX = 16
_NO_LIMIT = (1 << 24) - 1


class CommandView(QPlainTextEdit):
    """The text of one or more commands; it can be chosen and copied, not changed.

    Signals:
        endReached(): the last line was visible.
    """

    endReached = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("commandView")
        self.setAccessibleName(words.COMMAND_NAME)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setFont(theme.code_font())
        self.document().setDocumentMargin(_MARGIN_PX)
        self._is_filling = True

    def set_filling(self, *, is_filling: bool) -> None:
        """Take all the room there is, or only as much as the text needs."""
        self._is_filling = is_filling
        self._fit()

    def show_command(self, text: str) -> None:
        """Show a command whole; one beyond 8 lines is scrolled."""
        self.setPlainText(show_safe(text))
        self.verticalScrollBar().setValue(0)
        self._fit()

    @property
    def content_px(self) -> int:
        """The height that shows it all, or 8 lines of it."""
        lines = min(_MOST_LINES, max(1, round(self.document().size().height())))
        return lines * self.fontMetrics().lineSpacing() + 2 * _MARGIN_PX + 2

    def _fit(self) -> None:
        self.setMinimumHeight(min(self.content_px, 3 * self.fontMetrics().lineSpacing() + 2 * _MARGIN_PX))
        self.setMaximumHeight(_NO_LIMIT if self._is_filling else self.content_px)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and notice when the end is in sight."""
        super().paintEvent(event)
        bar = self.verticalScrollBar()
        if bar.value() >= bar.maximum() and self.toPlainText():
            self.endReached.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrapping anew changes the height."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Fonts changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.setFont(theme.code_font())
            self._fit()
