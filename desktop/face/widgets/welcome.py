"""The start page: what to do first, folders opened before, and what works without a model."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face import theme
from desktop.face.widgets.small import label
from desktop.harness.api import Project, for_name

_WIDEST_PX = 440
_MOST_RECENT = 6


class Welcome(QScrollArea):
    """The page of a window without a chat.

    Signals:
        openRequested(): choose a folder.
        sampleRequested(): try the sample project.
        connectRequested(): set up a model.
        folderChosen(str): one of the folders opened before.
    """

    openRequested = Signal()
    sampleRequested = Signal()
    connectRequested = Signal()
    folderChosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._recent_title = label(words.RECENT, look="caption")
        self._recent_title.hide()
        self._no_model = label(words.NO_MODEL, name="noModelLine", look="quiet", wraps=True)
        column = QWidget()
        column.setMaximumWidth(_WIDEST_PX)
        inside = QVBoxLayout(column)
        inside.setSpacing(8)
        inside.addWidget(label(words.WELCOME, size=theme.Size.TITLE, bold=True, wraps=True))
        inside.addWidget(label(words.WELCOME_MORE, look="quiet", wraps=True))
        inside.addSpacing(8)
        self.open_button = self._button("openFolderButton", words.OPEN_FOLDER_BUTTON, "primary")
        sample = self._button("sampleButton", words.TRY_SAMPLE)
        connect = self._button("connectButton", words.CONNECT)
        self.open_button.clicked.connect(self.openRequested)
        sample.clicked.connect(self.sampleRequested)
        connect.clicked.connect(self.connectRequested)
        for button in (self.open_button, sample, connect):
            inside.addWidget(button)
        inside.addWidget(self._no_model)
        inside.addSpacing(16)
        inside.addWidget(self._recent_title)
        inside.addLayout(self._recent)
        page = QWidget()
        page.setObjectName("welcomeInside")
        whole = QVBoxLayout(page)
        whole.setContentsMargins(24, 24, 24, 24)
        whole.addStretch(2)
        centre = QHBoxLayout()
        centre.addStretch(1)
        centre.addWidget(column, 100)
        centre.addStretch(1)
        whole.addLayout(centre)
        whole.addStretch(3)
        self.setWidget(page)
        self.viewport().setAutoFillBackground(False)

    def set_folders(self, folders: Sequence[Project]) -> None:
        """Offer folders opened before."""
        while (item := self._recent.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self._recent_title.setVisible(bool(folders))
        for number, folder in enumerate(folders[:_MOST_RECENT]):
            name = for_name(folder.name)
            button = self._button(f"recent{number + 1}", name.replace("&", "&&"), "row")
            button.setAccessibleName(name)
            button.setAccessibleDescription(for_name(folder.path))
            button.setEnabled(folder.exists)
            if not folder.exists:
                button.setText(f"{button.text()}  ({words.GONE})")
            button.clicked.connect(lambda _=False, path=folder.path: self.folderChosen.emit(path))
            self._recent.addWidget(button)

    def set_has_model(self, has_model: bool) -> None:
        """Whether the line about the offline helper is needed."""
        self._no_model.setVisible(not has_model)

    def _button(self, name: str, text: str, look: str = "") -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setProperty("look", look)
        button.setAutoDefault(False)
        return button
