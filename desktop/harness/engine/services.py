"""Model services, their keys and the settings (the door's ServiceAPI).

A service is a name, an address and a model, kept in the settings. Its key is kept
by origin in the keychain and is never handed out here; the settings only hold
which origins have one, so that showing the list asks no keychain.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from desktop.harness.core.errors import UsageError
from desktop.harness.core.views import Service
from desktop.harness.ports import Redaction, Route, Secrets, Settings

OFFLINE = Service(name="Offline helper", base_url="", model="offline helper")
"""What answers when no service is set up."""
_FIELDS = ("name", "base_url", "model")
_SERVICES = "services"
_DEFAULT = "default_service"
_KEYS = "origins_with_key"
_PLAIN_ALLOWED = "allow_plain_http"


class Services:
    """Implements `ServiceAPI`.

    `models` asks a service what it offers. `origin_of` gives the scheme, host and port of an address and
    raises UsageError for what is none; `is_plain` says whether what is sent there can be read on the way.
    """

    def __init__(
        self,
        settings: Settings,
        secrets: Secrets,
        models: Callable[[str], Awaitable[list[str]]],
        redaction: Redaction,
        *,
        origin_of: Callable[[str], str],
        is_plain: Callable[[str], bool],
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._models = models
        self._redaction = redaction
        self._origin_of = origin_of
        self._is_plain = is_plain
        self._kept = _Kept(settings, origin_of)
        self._lent: set[str] = set()

    def default_route(self) -> Route:
        """Where new sessions go: the default service, else the first, else the offline helper."""
        services = self.services()
        wanted = self._settings.get(_DEFAULT)
        chosen = next((service for service in services if service.base_url == wanted), services[0])
        return Route(model=chosen.model, base_url=chosen.base_url)

    def services(self) -> list[Service]:
        """The services set up, in the order they were added, the offline helper last."""
        with_key = self._kept.origins_with_key()
        known = [
            Service(**entry, has_key=self._origin_of(entry["base_url"]) in with_key)
            for entry in self._kept.entries()
        ]
        return [*known, OFFLINE]

    async def save(self, service: Service, *, default: bool = False) -> None:
        """Add or change a service.

        Raises UsageError for a bad address, an empty model, or plain http that was not allowed.
        """
        base_url = ""
        if service.base_url.strip():
            base_url = self._address(service.base_url)
            model = service.model.strip()
            if not model:
                raise UsageError("Give the name of a model.")
            entry = {"name": service.name.strip() or base_url, "base_url": base_url, "model": model}
            await asyncio.to_thread(self._kept.keep, entry)
        if default:
            await self.set_setting(_DEFAULT, base_url)

    async def remove(self, base_url: str) -> None:
        """Forget a service, and its key when no other service has the same origin."""
        base_url = tidy(base_url)
        origin = self._origin_of(base_url)
        await asyncio.to_thread(self._kept.drop, base_url)
        if self._settings.get(_DEFAULT) == base_url:
            await self.set_setting(_DEFAULT, None)
        if all(self._origin_of(entry["base_url"]) != origin for entry in self._kept.entries()):
            await self.remove_key(base_url)

    def may_have_key(self, origin: str) -> bool:
        """Whether it is worth asking the keychain: a key was put there, or lent to this process."""
        return origin in self._lent or origin in self._kept.origins_with_key()

    def allows_plain(self, origin: str) -> bool:
        """Whether the person said yes to an address that is not encrypted."""
        return origin in _strings(self._settings.get(_PLAIN_ALLOWED))

    async def lend_key(self, base_url: str, key: str) -> None:
        """Use a key for the origin of an address while this process lives; it is kept nowhere."""
        origin = self._origin_of(base_url)
        self._redaction.learn({origin: key})
        self._secrets.hold(origin, key)
        self._lent.add(origin)

    async def put_key(self, base_url: str, key: str) -> bool:
        """Keep a key for the origin of an address; False when only for this session."""
        origin = self._origin_of(base_url)
        key = key.strip()
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise UsageError("This is no key: a key is one word of plain letters, digits and signs.")
        self._redaction.learn({origin: key})
        is_kept = await asyncio.to_thread(self._secrets.put, origin, key)
        self._lent.add(origin)
        await asyncio.to_thread(self._kept.note_key, origin, has_key=is_kept)
        return is_kept

    async def remove_key(self, base_url: str) -> None:
        """Forget a key. Raises StorageError when the keychain may still have it."""
        origin = self._origin_of(base_url)
        self._lent.discard(origin)
        await asyncio.to_thread(self._kept.note_key, origin, has_key=False)
        await asyncio.to_thread(self._secrets.remove, origin)

    async def has_key(self, base_url: str) -> bool:
        """Whether there is a key for the origin; asks the keychain."""
        return await asyncio.to_thread(self._secrets.get, self._origin_of(base_url)) is not None

    async def keychain(self) -> str:
        """`ready`, `none`, `locked` or `slow`."""
        return await asyncio.to_thread(self._secrets.state)

    async def models(self, base_url: str) -> list[str]:
        """What the service offers. Raises ModelError, UsageError."""
        return await self._models(self._address(base_url))

    def problem(self) -> str:
        """What is wrong with the settings file, in a sentence; empty when nothing is."""
        return self._settings.problem

    def setting(self, name: str) -> Any:
        """One setting, None when never set."""
        return self._settings.get(name)

    async def set_setting(self, name: str, value: Any) -> None:
        """Keep one setting. Raises StorageError."""
        await asyncio.to_thread(self._settings.put, name, value)

    def _address(self, base_url: str) -> str:
        """The address in the one spelling it is kept in. Raises UsageError."""
        base_url = tidy(base_url)
        origin = self._origin_of(base_url)
        if self._is_plain(base_url) and not self.allows_plain(origin):
            raise UsageError(
                f"{origin} is not encrypted: everybody on the way could read the key and the files. "
                "Use https, or allow it for this address."
            )
        return base_url


class _Kept:
    """What the settings hold of services. Entries of another shape are passed over: people edit files."""

    def __init__(self, settings: Settings, origin_of: Callable[[str], str]) -> None:
        self._settings = settings
        self._origin_of = origin_of

    def entries(self) -> list[dict[str, str]]:
        """Name, address and model of each service."""
        kept = self._settings.get(_SERVICES)
        return [
            {field: entry[field] for field in _FIELDS}
            for entry in (kept if isinstance(kept, list) else [])
            if self._is_entry(entry)
        ]

    def keep(self, entry: dict[str, str]) -> None:
        """Add a service, or change the one at its address."""
        entries = self.entries()
        addresses = [old["base_url"] for old in entries]
        if entry["base_url"] in addresses:
            entries[addresses.index(entry["base_url"])] = entry
        else:
            entries.append(entry)
        self._settings.put(_SERVICES, entries)

    def drop(self, base_url: str) -> None:
        """Take a service out."""
        self._settings.put(_SERVICES, [entry for entry in self.entries() if entry["base_url"] != base_url])

    def origins_with_key(self) -> set[str]:
        """The origins whose key was put into the keychain."""
        return set(_strings(self._settings.get(_KEYS)))

    def note_key(self, origin: str, *, has_key: bool) -> None:
        """Remember whether the keychain has a key for an origin."""
        noted = self.origins_with_key() - {origin} | ({origin} if has_key else set())
        self._settings.put(_KEYS, sorted(noted))

    def _is_entry(self, entry: Any) -> bool:
        if not isinstance(entry, Mapping) or not all(isinstance(entry.get(field), str) for field in _FIELDS):
            return False
        try:
            self._origin_of(entry["base_url"])
        except UsageError:
            return False
        return True


def tidy(base_url: str) -> str:
    """An address without blanks around it and slashes at its end."""
    return base_url.strip().rstrip("/")


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
