"""What putting back would do: each file from now to then, and what is left alone and why."""

from collections.abc import Sequence

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face import theme
from desktop.face.diff_rows import ComparedFile
from desktop.face.widgets.diff_view import DiffView
from desktop.face.widgets.small import label, row
from desktop.harness.api import UndoPlan, for_name, show_safe

_BESIDE_PX = 200
"""Height of the words and buttons beside the files."""
_LINES_AROUND = 5
"""Lines that do not change, folds and the name of each file."""


class UndoDialog(QDialog):
    """The plan, *Put back* and *Cancel*. Accepted means yes."""

    def __init__(self, parent: QWidget, plan: UndoPlan, files: Sequence[ComparedFile]) -> None:
        super().__init__(parent)
        self.setObjectName("undoDialog")
        self.setWindowTitle(words.UNDO_TITLE)
        lines = sum(max(file.added, file.removed) + _LINES_AROUND for file in files)
        wanted = _BESIDE_PX + lines * QFontMetrics(theme.code_font()).lineSpacing() * 5 // 4
        self.resize(min(820, parent.width() - 40), min(wanted, 520, parent.height() - 40))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(label(words.UNDO_INTRO if files else words.UNDO_NOTHING, bold=True, wraps=True))
        if files:
            diff = DiffView(self)
            diff.show_files(files)
            layout.addWidget(diff, 1)
        if plan.kept:
            kept = "\n".join(f"{for_name(path)}: {show_safe(why)}" for path, why in plan.kept)
            layout.addWidget(label(words.UNDO_KEPT, look="caption"))
            layout.addWidget(label(kept, name="keptLabel", wraps=True))
        cancel = _button("cancelButton", words.CANCEL if files else words.CLOSE)
        cancel.clicked.connect(self.reject)
        yes = _button("putBackButton", words.UNDO_BUTTON)
        yes.setProperty("look", "primary")
        yes.setVisible(bool(files))
        yes.clicked.connect(self.accept)
        buttons = row(cancel, 8, yes)
        buttons.insertStretch(0, 1)
        layout.addLayout(buttons)


def _button(name: str, text: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAccessibleName(text)
    button.setAutoDefault(False)
    return button
