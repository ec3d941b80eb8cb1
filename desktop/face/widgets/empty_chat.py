"""The page of a chat in which nothing was said yet: one question and a few examples to choose from."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop.face import strings, theme
from desktop.harness.api import for_name

WIDEST_PX = 440


class EmptyChat(QWidget):
    """A question and examples.

    Signals: exampleChosen(text) when an example is clicked; the text is as the owner gave it.
    """

    exampleChosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyChat")
        self._question = QLabel(strings.empty_chat(""))
        self._question.setTextFormat(Qt.TextFormat.PlainText)
        self._question.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._question.setWordWrap(True)
        self._question.setFont(theme.font(theme.Size.TITLE, bold=True))
        self._examples = QVBoxLayout()
        self._examples.setSpacing(theme.Space.S)
        column = QWidget()
        column.setMaximumWidth(WIDEST_PX)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inside = QVBoxLayout(column)
        inside.setSpacing(theme.Space.L)
        inside.addWidget(self._question)
        inside.addLayout(self._examples)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(theme.Space.XL, theme.Space.XL, theme.Space.XL, theme.Space.XL)
        whole.addStretch(2)
        centre = QVBoxLayout()
        centre.addWidget(column)
        whole.addLayout(centre)
        centre.setAlignment(column, Qt.AlignmentFlag.AlignHCenter)
        whole.addStretch(3)

    def set_words(self, folder: str, examples: Sequence[str]) -> None:
        """Ask about this folder and offer up to three examples."""
        self._question.setText(strings.empty_chat(for_name(folder)))
        while (item := self._examples.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                button.deleteLater()
        for number, example in enumerate(examples[:3]):
            self._examples.addWidget(self._button(number, example))

    def _button(self, number: int, example: str) -> QPushButton:
        button = QPushButton(for_name(example).replace("&", "&&"))
        button.setObjectName(f"example{number + 1}")
        button.setAccessibleName(for_name(example))
        button.setMinimumWidth(min(WIDEST_PX - 2 * theme.Space.M, 360))
        button.clicked.connect(lambda: self.exampleChosen.emit(example))
        return button
