"""The settings: models, look, and what was allowed. Each change is kept at once, so there is only *Close*."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QFormLayout, QPushButton, QTabWidget, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face.settings_bridge import SettingsBridge
from desktop.face.widgets.rules_page import RulesPage
from desktop.face.widgets.selector import Selector
from desktop.face.widgets.services_page import ServicesPage
from desktop.face.widgets.small import form_label, row
from desktop.harness.api import SavedRule

if TYPE_CHECKING:
    from desktop.face.widgets.main_window import MainWindow


class SettingsDialog(QDialog):
    """Three pages over the settings part of the bridge."""

    def __init__(self, window: "MainWindow", settings: SettingsBridge, workspace: str) -> None:
        super().__init__(window)
        self.setObjectName("settingsDialog")
        self.setWindowTitle(words.SETTINGS_TITLE)
        self.resize(min(640, window.width() - 40), min(500, window.height() - 40))
        self._window = window
        self._settings = settings
        self._workspace = workspace
        self._rules = RulesPage(workspace)
        self._rules.revoked.connect(lambda rule_id: settings.revoke(workspace, rule_id))
        settings.rulesListed.connect(self._take_rules)
        self._pages = QTabWidget()
        self._pages.setObjectName("settingsPages")
        self._pages.setAccessibleName(words.SETTINGS_TITLE)
        self._pages.setDocumentMode(True)
        self._pages.addTab(ServicesPage(settings), words.PAGE_SERVICES)
        self._pages.addTab(self._look_page(), words.PAGE_LOOK)
        self._pages.addTab(self._rules, words.PAGE_RULES)
        close = QPushButton(words.CLOSE)
        close.setObjectName("closeButton")
        close.setAccessibleName(words.CLOSE)
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self._pages, 1)
        buttons = row(close)
        buttons.insertStretch(0, 1)
        layout.addLayout(buttons)
        if workspace:
            settings.list_rules(workspace)

    def show_rules(self) -> None:
        """Turn to the page of what was allowed."""
        self._pages.setCurrentWidget(self._rules)

    def _take_rules(self, workspace: str, rules: list[SavedRule]) -> None:
        if workspace == self._workspace:
            self._rules.show_rules(rules)

    def _look_page(self) -> QWidget:
        places = self._window.places
        colours = self._choice("themeSelector", words.THEME_NAME, words.THEMES, places["theme"])
        colours.activated.connect(lambda: self._window.apply_look(theme=colours.currentData()))
        size = self._choice("textSizeSelector", words.TEXT_SIZE, words.TEXT_SIZES, places["text_size"])
        size.activated.connect(lambda: self._window.apply_look(text_size=size.currentData()))
        page = QWidget()
        form = QFormLayout(page)
        form.setContentsMargins(0, 16, 0, 0)
        form.setVerticalSpacing(12)
        form.setHorizontalSpacing(24)
        form.addRow(form_label(words.THEME_NAME), colours)
        form.addRow(form_label(words.TEXT_SIZE), size)
        return page

    def _choice(
        self, name: str, about: str, offers: tuple[tuple[object, str], ...], current: object
    ) -> Selector:
        box = Selector(name, about)
        for value, text in offers:
            box.addItem(text, value)
        box.setCurrentIndex(max(0, box.findData(current)))
        return box
