"""The list of keys, made from the one table of actions."""

from PySide6.QtWidgets import QDialog, QFormLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face.actions import shortcut_lines
from desktop.face.widgets.small import label, row


class ShortcutsDialog(QDialog):
    """Keys and what they do."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutsDialog")
        self.setWindowTitle(words.SHORTCUTS)
        self.resize(min(600, parent.width() - 40), min(640, parent.height() - 40))
        page = QWidget()
        form = QFormLayout(page)
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(8)
        for keys, text in shortcut_lines():
            form.addRow(label(keys, look="quiet"), label(text, wraps=True))
        area = QScrollArea()
        area.setAccessibleName(words.SHORTCUTS)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        close = QPushButton(words.CLOSE)
        close.setObjectName("closeButton")
        close.setAccessibleName(words.CLOSE)
        close.clicked.connect(self.accept)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        buttons = row(close)
        buttons.insertStretch(0, 1)
        layout.addLayout(buttons)
