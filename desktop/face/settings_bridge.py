"""The bridge's part for services, keys, rules and settings. A key goes through here once and is not kept."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.face.tasks import Tasks
from desktop.harness.api import Door, PaddockError, Route, Service


class SettingsBridge(QObject):
    """What the settings dialog and the selectors need.

    Signals:
        servicesListed(list[Service], Route): the services set up, and where new chats go.
        keychainFound(str): `ready`, `none`, `locked` or `slow`.
        modelsListed(str, list[str]): what the service at an address offers.
        modelsFailed(str, str): the address, and why it offers nothing.
        keySaved(str, bool): the address; whether the key outlives this session.
        rulesListed(str, list[SavedRule]): the folder and what *Always allow* saved for it.
        serviceSaved(): the service is kept.
        saveFailed(str): a setting or service was not kept, and why.
    """

    servicesListed = Signal(list, object)
    keychainFound = Signal(str)
    modelsListed = Signal(str, list)
    modelsFailed = Signal(str, str)
    keySaved = Signal(str, bool)
    rulesListed = Signal(str, list)
    serviceSaved = Signal()
    saveFailed = Signal(str)

    def __init__(self, door: Door, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = door
        self._tasks = tasks

    def setting(self, name: str, default: Any = None) -> Any:
        """One setting, the default when it was never set."""
        found = self._door.services.setting(name)
        return default if found is None else found

    def problem(self) -> str:
        """What is wrong with the settings file, empty when nothing is."""
        return self._door.services.problem()

    def keep(self, name: str, value: Any) -> None:
        """Keep one setting."""
        self._try(lambda: self._door.services.set_setting(name, value))

    def services(self) -> list[Service]:
        """The services set up, the offline helper last."""
        return self._door.services.services()

    def default_route(self) -> Route:
        """Where new chats go."""
        return self._door.services.default_route()

    def list_services(self) -> None:
        """Tell the services again."""
        self.servicesListed.emit(self.services(), self.default_route())

    def save_service(self, service: Service, *, is_default: bool) -> None:
        """Add or change a service."""

        def then() -> None:
            self.list_services()
            self.serviceSaved.emit()

        self._try(lambda: self._door.services.save(service, default=is_default), then)

    def remove_service(self, base_url: str) -> None:
        """Forget a service and its key."""
        self._try(lambda: self._door.services.remove(base_url), self.list_services)

    def put_key(self, base_url: str, key: str) -> None:
        """Keep a key for the origin of an address."""

        async def work() -> None:
            self.keySaved.emit(base_url, await self._door.services.put_key(base_url, key))

        self._try(work, self.list_services)

    def remove_key(self, base_url: str) -> None:
        """Forget a key."""
        self._try(lambda: self._door.services.remove_key(base_url), self.list_services)

    def look_for_keychain(self) -> None:
        """Ask how the keychain is; it may take a while."""

        async def work() -> None:
            self.keychainFound.emit(await self._door.services.keychain())

        self._tasks.spawn(work(), instead_of="keychain")

    def list_models(self, base_url: str) -> None:
        """Ask a service what it offers."""

        async def work() -> None:
            try:
                self.modelsListed.emit(base_url, await self._door.services.models(base_url))
            except PaddockError as error:
                self.modelsFailed.emit(base_url, str(error))

        self._tasks.spawn(work(), instead_of=f"models {base_url}")

    def list_rules(self, workspace: str) -> None:
        """Read what *Always allow* saved for a folder."""

        async def work() -> None:
            self.rulesListed.emit(workspace, await self._door.projects.rules(workspace))

        self._tasks.spawn(work(), instead_of="rules")

    def revoke(self, workspace: str, rule_id: str) -> None:
        """Take a rule back."""
        self._try(lambda: self._door.projects.revoke(workspace, rule_id), lambda: self.list_rules(workspace))

    def _try(self, verb: Callable[[], Any], then: Callable[[], None] = lambda: None) -> None:
        async def work() -> None:
            try:
                await verb()
            except PaddockError as error:
                self.saveFailed.emit(str(error))
            else:
                then()

        self._tasks.spawn(work())
