"""What a person rarely needs to know of a chat: identifiers, paths, addresses. Everything can be copied."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face.widgets.small import PlainLabel, label
from desktop.harness.api import SessionView, for_name


class DetailsPane(QFrame):
    """The pane at the right, hidden until it is asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("detailsPane")
        self.setAccessibleName(words.DETAILS)
        self.setMinimumWidth(180)
        self._values: dict[str, PlainLabel] = {}
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setVerticalSpacing(4)
        for name in (
            words.DETAIL_CHAT,
            words.DETAIL_FOLDER,
            words.DETAIL_MODEL,
            words.DETAIL_SERVICE,
            words.DETAIL_RECORDS,
            words.DETAIL_UNDO,
        ):
            value = label("", wraps=True)
            value.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            value.setAccessibleName(name)
            self._values[name] = value
            form.addRow(label(name, look="caption"), value)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(label(words.DETAILS, bold=True))
        layout.addLayout(form)
        layout.addStretch(1)
        self.hide()

    def show_view(self, view: SessionView | None) -> None:
        """Show what is known of a chat."""
        runs = ", ".join(str(run) for run in view.runs) if view is not None else ""
        found = (
            {}
            if view is None
            else {
                words.DETAIL_CHAT: view.session,
                words.DETAIL_FOLDER: for_name(view.workspace),
                words.DETAIL_MODEL: for_name(view.route.model),
                words.DETAIL_SERVICE: for_name(view.route.base_url) or words.DETAIL_OFFLINE,
                words.DETAIL_RECORDS: str(view.last_seq),
                words.DETAIL_UNDO: f"message {runs}" if runs else words.NONE,
            }
        )
        for name, value in self._values.items():
            value.setText(found.get(name, ""))
