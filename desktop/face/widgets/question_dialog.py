"""A short question before something that leaves the window or cannot be taken back.

Opened beside the loop; the safe answer is the default and what Escape gives. Texts are plain, whole and can
be copied.
"""

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.face.widgets.small import label

_WIDEST_PX = 520
_LONG_WORD = 40


class QuestionDialog(QDialog):
    """One question, what it is about, and the answers; `safe` closes it and does nothing."""

    def __init__(
        self,
        parent: QWidget,
        *,
        name: str,
        question: str,
        about: str,
        safe: str,
        answers: tuple[tuple[str, Callable[[], object]], ...],
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(question)
        self.setMinimumWidth(min(_WIDEST_PX, parent.width() - 40))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(24, 24, 24, 16)
        self._layout.setSpacing(8)
        self._layout.addWidget(label(question, bold=True, wraps=True))
        self._layout.addWidget(label(_breakable(about), name="aboutLabel", wraps=True))
        self._layout.addSpacing(8)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for text, do in answers:
            buttons.addWidget(self._button(text, do))
        keep = self._button(safe, lambda: None)
        keep.setDefault(True)
        buttons.addWidget(keep)
        self._layout.addLayout(buttons)
        keep.setFocus()

    def _button(self, text: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(f"{text.split()[0].lower()}Button")
        button.setAccessibleName(text)
        button.clicked.connect(do)
        button.clicked.connect(self.close)
        return button


def _breakable(text: str) -> str:
    """A long address may wrap after its slashes and signs; nothing of it is left out."""
    return " ".join(word if len(word) <= _LONG_WORD else _with_breaks(word) for word in text.split(" "))


def _with_breaks(word: str) -> str:
    return "".join(f"{char}\u200b" if char in "/?&=-_." else char for char in word)
