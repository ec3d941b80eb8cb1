"""The small parts that every page is made of: labels of plain text, and rows."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop.face import theme
from desktop.face.delegates.column import column_in


class PlainLabel(QLabel):
    """A label that never reads its text as markup; its text can be chosen with the mouse."""

    def __init__(self, text: str, size: theme.Size, *, is_bold: bool) -> None:
        super().__init__(text)
        self._size = size
        self._is_bold = is_bold
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._dress()

    def _dress(self) -> None:
        wanted = theme.font(self._size, bold=self._is_bold)
        if self.font() != wanted:
            self.setFont(wanted)

    def changeEvent(self, event: QEvent) -> None:
        """The size of text changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._dress()


class ElidingLabel(PlainLabel):
    """A label of one line that gives way: what does not fit ends in an ellipsis, and is still read aloud."""

    def __init__(self, text: str, *, is_bold: bool = False) -> None:
        super().__init__(text, theme.Size.TEXT, is_bold=is_bold)
        self._whole = text
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(40)

    def set_whole(self, text: str) -> None:
        """Show this text, as much of it as fits."""
        self._whole = text
        self.setAccessibleName(text)
        self._fit()

    def _fit(self) -> None:
        elided = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        if elided != self.text():
            self.setText(elided)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit again."""
        super().resizeEvent(event)
        self._fit()


class InColumn(QWidget):
    """Holds parts one below the other within the reading column of the chat."""

    def __init__(self, *parts: QWidget) -> None:
        super().__init__()
        self._inside = QVBoxLayout(self)
        self._inside.setSpacing(4)
        for part in parts:
            self._inside.addWidget(part)
        self._inside.setContentsMargins(0, 0, 0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep to the column."""
        super().resizeEvent(event)
        width = event.size().width()
        column = column_in(width)
        self._inside.setContentsMargins(column.left, 0, max(0, width - column.left - column.width), 0)


def label(
    text: str,
    *,
    name: str = "",
    look: str = "",
    size: theme.Size = theme.Size.TEXT,
    bold: bool = False,
    wraps: bool = False,
) -> PlainLabel:
    """A label of plain text; `look` chooses its colour from the stylesheet."""
    made = PlainLabel(text, theme.Size.CAPTION if look == "caption" else size, is_bold=bold)
    made.setWordWrap(wraps)
    if name:
        made.setObjectName(name)
    if look:
        made.setProperty("look", look)
    return made


def form_label(text: str) -> PlainLabel:
    """The words before a field of a form, level with the middle of the field."""
    made = label(text)
    made.setMinimumHeight(theme.TARGET_HEIGHT)
    return made


def row(*parts: QWidget | int) -> QHBoxLayout:
    """Widgets side by side; a 1 gives the widget before it all the room, another number is a distance."""
    made = QHBoxLayout()
    made.setSpacing(0)
    for part in parts:
        if isinstance(part, QWidget):
            made.addWidget(part)
        elif part == 1:
            made.setStretch(made.count() - 1, 1)
        else:
            made.addSpacing(part)
    return made
