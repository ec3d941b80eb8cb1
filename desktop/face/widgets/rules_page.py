"""What was allowed for good in one folder: each rule in words, and a way to take it back."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face.approval_words import rule_in_words
from desktop.face.widgets.small import label, row
from desktop.harness.api import SavedRule, for_name


class RulesPage(QScrollArea):
    """The saved rules of a folder.

    Signals:
        revoked(str): the person takes a rule back; its id.
    """

    revoked = Signal(str)

    def __init__(self, workspace: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rulesPage")
        self.setAccessibleName(words.PAGE_RULES)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        page = QWidget()
        self._layout = QVBoxLayout(page)
        self._layout.setContentsMargins(0, 8, 8, 8)
        self._layout.setSpacing(8)
        if workspace:
            self._layout.addWidget(label(for_name(PurePath(workspace).name), bold=True))
        self._words = label(words.NO_RULES if workspace else words.NO_FOLDER_OPEN, look="quiet", wraps=True)
        self._layout.addWidget(self._words)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(4)
        self._layout.addLayout(self._lines)
        self._layout.addStretch(1)
        self.setWidget(page)

    def show_rules(self, rules: Sequence[SavedRule]) -> None:
        """Show these rules."""
        while (item := self._lines.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self._words.setText(words.RULES_INTRO if rules else words.NO_RULES)
        for rule in rules:
            self._lines.addWidget(self._line(rule))

    def _line(self, saved: SavedRule) -> QWidget:
        text = rule_in_words(saved.rule)
        button = QPushButton(words.REVOKE)
        button.setObjectName(f"revoke_{saved.rule_id}")
        button.setAccessibleName(f"{words.REVOKE}: {text}")
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.revoked.emit(saved.rule_id))
        when = datetime.fromtimestamp(saved.at_ms / 1_000).strftime("%Y-%m-%d") if saved.at_ms else ""
        line = QWidget()
        inside = row(
            label(text[:1].upper() + text[1:], wraps=True), 1, label(when, look="caption"), 12, button
        )
        inside.setContentsMargins(0, 0, 0, 0)
        line.setLayout(inside)
        return line
