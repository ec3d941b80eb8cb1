"""Model services: address, model and key. A key is typed here, handed on once, and never shown again."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.face import strings_window as words
from desktop.face.settings_bridge import SettingsBridge
from desktop.face.widgets.selector import Selector
from desktop.face.widgets.small import form_label, label, row
from desktop.face.widgets.tick_box import TickBox
from desktop.harness.api import Route, Service, for_name, show_safe

_ROWS_OF_A_SERVICE = 7
"""Rows of the form that the offline helper has no use for: all but the last."""


class ServicesPage(QWidget):
    """The services at the left, the chosen one at the right."""

    def __init__(self, settings: SettingsBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("servicesPage")
        self._settings = settings
        self._services: list[Service] = []
        self._keychain = "ready"
        self._list = QListWidget()
        self._list.setObjectName("serviceList")
        self._list.setAccessibleName(words.PAGE_SERVICES)
        self._list.setFixedWidth(168)
        self._name = self._field("serviceName", words.SERVICE_NAME)
        self._address = self._field("serviceAddress", words.SERVICE_ADDRESS, words.ADDRESS_EXAMPLE)
        self._model = Selector("serviceModel", words.SERVICE_MODEL)
        self._model.setEditable(True)
        self._model.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._model.setInsertPolicy(Selector.InsertPolicy.NoInsert)
        self._key = self._field("serviceKey", words.SERVICE_KEY)
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self._key_words = label("", name="keyWords", look="caption", wraps=True)
        self._key_words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._words = label("", name="serviceWords", wraps=True)
        self._is_default = TickBox("serviceDefault", words.USE_FOR_NEW)
        self._show_models = self._button("listModelsButton", words.LIST_MODELS, self._ask_models)
        self._save = self._button("saveServiceButton", words.SAVE_SERVICE, self._save_service)
        self._save.setProperty("look", "primary")
        self._add = self._button("addServiceButton", words.ADD_SERVICE, self._add_service)
        self._remove = self._button("removeServiceButton", words.REMOVE_SERVICE, self._remove_service)
        self._remove_key = self._button("removeKeyButton", words.KEY_REMOVE, self._forget_key)
        for button in (self._add, self._remove, self._remove_key, self._show_models):
            button.setProperty("look", "link")
        self._lay_out()
        self._list.currentRowChanged.connect(self._show_service)
        settings.servicesListed.connect(self._take_services)
        settings.modelsListed.connect(self._take_models)
        settings.modelsFailed.connect(self._models_failed)
        settings.keychainFound.connect(self._take_keychain)
        settings.keySaved.connect(self._key_saved)
        settings.serviceSaved.connect(self._saved)
        settings.saveFailed.connect(self._words.setText)
        self._take_services(settings.services(), settings.default_route())
        settings.look_for_keychain()

    # --- what comes up ---

    def _take_services(self, services: Sequence[Service], default: Route) -> None:
        before = self._address.text() if self._services else default.base_url
        is_first = not self._services
        self._services = list(services)
        self._default = default
        self._list.blockSignals(True)
        self._list.clear()
        for service in services:
            self._list.addItem(QListWidgetItem(for_name(service.name or service.base_url)))
        self._list.blockSignals(False)
        addresses = [service.base_url for service in services]
        if is_first and len(services) == 1:
            self._list.setCurrentRow(-1)
            self._show_service(-1)
            return
        self._list.setCurrentRow(addresses.index(before) if before in addresses else 0)
        self._show_service(self._list.currentRow())

    def _show_service(self, number: int) -> None:
        service = self._services[number] if 0 <= number < len(self._services) else None
        is_offline = service is not None and not service.base_url
        self._name.setText(service.name if service else words.NEW_SERVICE)
        self._address.setText(service.base_url if service else "")
        self._model.clear()
        self._model.setEditText(service.model if service else "")
        self._key.clear()
        self._is_default.setChecked(
            service is not None
            and (service.model, service.base_url) == (self._default.model, self._default.base_url)
        )
        for number in range(_ROWS_OF_A_SERVICE):
            self._form.setRowVisible(number, not is_offline)
        self._address.setEnabled(not is_offline)
        self._remove.setVisible(service is not None and not is_offline)
        self._remove_key.setVisible(service is not None and service.has_key)
        self._words.setText(words.OFFLINE_NOTE if is_offline else "")
        self._show_key_words(service)

    def _show_key_words(self, service: Service | None) -> None:
        if service is not None and not service.base_url:
            text = ""
        else:
            text = words.KEY_KEPT if service is not None and service.has_key else words.KEY_NONE
            if self._keychain != "ready":
                text = f"{text} {words.KEY_SESSION}"
        self._key_words.setText(text)

    def _take_models(self, base_url: str, models: Sequence[str]) -> None:
        if base_url != self._address.text().strip():
            return
        kept = self._model.currentText()
        self._model.clear()
        self._model.addItems([for_name(model) for model in models])
        self._model.setEditText(kept or (models[0] if models else ""))
        self._show_models.setText(words.LIST_MODELS)
        self._words.setText(words.models_found(len(models)))

    def _models_failed(self, base_url: str, reason: str) -> None:
        if base_url == self._address.text().strip():
            self._show_models.setText(words.LIST_MODELS)
            self._words.setText(show_safe(reason))

    def _take_keychain(self, state: str) -> None:
        self._keychain = state
        self._show_key_words(self._chosen())

    def _saved(self) -> None:
        self._words.setText(words.SAVED)

    def _key_saved(self, base_url: str, is_kept: bool) -> None:
        self._words.setText(words.KEY_SAVED if is_kept else words.KEY_SESSION)

    # --- what goes down ---

    def _chosen(self) -> Service | None:
        number = self._list.currentRow()
        return self._services[number] if 0 <= number < len(self._services) else None

    def _typed(self) -> Service | None:
        address = self._address.text().strip()
        if self._address.isEnabled() and not address.startswith(("http://", "https://")):
            self._words.setText(words.NEEDS_ADDRESS)
            return None
        name = self._name.text().strip() or address
        return Service(name=name, base_url=address, model=self._model.currentText().strip())

    def _ask_models(self) -> None:
        service = self._typed()
        if service is not None:
            self._words.setText(words.LISTING)
            self._settings.list_models(service.base_url)

    def _save_service(self) -> None:
        service = self._typed()
        if service is None:
            return
        key = self._key.text()
        self._key.clear()
        self._settings.save_service(service, is_default=self._is_default.isChecked())
        if key:
            self._settings.put_key(service.base_url, key)

    def _add_service(self) -> None:
        self._list.setCurrentRow(-1)
        self._show_service(-1)
        self._address.setFocus()

    def _remove_service(self) -> None:
        service = self._chosen()
        if service is None or service.base_url:
            self._settings.remove_service(self._address.text().strip())

    def _forget_key(self) -> None:
        self._settings.remove_key(self._address.text().strip())

    # --- making ---

    def _lay_out(self) -> None:
        form = self._form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setVerticalSpacing(8)
        for text, field in (
            (words.SERVICE_NAME, self._name),
            (words.SERVICE_ADDRESS, self._address),
            (words.SERVICE_MODEL, self._model),
        ):
            form.addRow(form_label(text), field)
        form.addRow("", row(self._show_models))
        form.addRow(form_label(words.SERVICE_KEY), self._key)
        form.addRow("", self._key_words)
        form.addRow("", row(self._remove_key))
        form.addRow("", self._is_default)
        right = QVBoxLayout()
        right.addLayout(form)
        right.addWidget(self._words)
        right.addStretch(1)
        buttons = row(self._remove)
        buttons.addStretch(1)
        buttons.addWidget(self._save)
        right.addLayout(buttons)
        left = QVBoxLayout()
        left.addWidget(self._list, 1)
        left.addWidget(self._add)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addLayout(left)
        both.addLayout(right, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 8, 0, 0)
        whole.addWidget(label(words.SERVICES_INTRO, look="quiet", wraps=True))
        whole.addLayout(both, 1)

    def _field(self, name: str, about: str, example: str = "") -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(name)
        field.setAccessibleName(about)
        field.setPlaceholderText(example)
        return field

    def _button(self, name: str, text: str, do: object) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        button.clicked.connect(do)
        return button
