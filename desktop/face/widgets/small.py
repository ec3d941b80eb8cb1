"""The small parts that every page is made of: labels of plain text, and rows."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from desktop.face import theme


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
