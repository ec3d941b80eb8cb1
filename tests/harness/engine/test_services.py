"""Services, keys and settings behind the door."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from desktop.harness.core.errors import UsageError
from desktop.harness.core.views import Service
from desktop.harness.engine.services import Services
from desktop.harness.ports import ModelRequest, Reply, Route


class FakeSettings:
    problem = ""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        return self.values.get(name)

    def put(self, name: str, value: Any) -> None:
        self.values[name] = value


class FakeSecrets:
    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.works = True

    def get(self, origin: str) -> str | None:
        return self.keys.get(origin)

    def put(self, origin: str, key: str) -> bool:
        self.keys[origin] = key
        return self.works

    def hold(self, origin: str, key: str) -> None:
        self.keys[origin] = key

    def remove(self, origin: str) -> None:
        self.keys.pop(origin, None)

    def state(self) -> str:
        return "ready" if self.works else "none"


class FakeModel:
    def stream(self, request: ModelRequest) -> AsyncIterator[Reply]:
        raise NotImplementedError

    async def models(self, base_url: str) -> list[str]:
        await asyncio.sleep(0)
        return [f"model of {base_url}"]

    async def close(self) -> None:
        return None


class FakeRedaction:
    def __init__(self) -> None:
        self.learned: dict[str, str] = {}

    def redact(self, text: str) -> str:
        return text

    def learn(self, values: Any) -> None:
        self.learned |= values


def origin_of(base_url: str) -> str:
    """The first three parts between slashes, for addresses that look like one."""
    if not base_url.startswith(("http://", "https://")):
        raise UsageError(f"“{base_url}” is no address.")
    return "/".join(base_url.split("/")[:3])


class Bench:
    def __init__(self) -> None:
        self.settings = FakeSettings()
        self.secrets = FakeSecrets()
        self.redaction = FakeRedaction()
        self.services = Services(
            self.settings,
            self.secrets,
            FakeModel().models,
            self.redaction,
            origin_of=origin_of,
            is_plain=lambda url: url.startswith("http://") and "127.0.0.1" not in url,
        )


@pytest.fixture
def bench() -> Bench:
    """Services on fakes."""
    return Bench()


def service(base_url: str, name: str = "S", model: str = "m") -> Service:
    """A service as a client hands it in."""
    return Service(name=name, base_url=base_url, model=model)


def test_without_a_service_the_offline_helper_answers(bench: Bench) -> None:
    """Nothing set up: new sessions go to the helper, which is the only one listed."""
    assert bench.services.default_route() == Route(model="offline helper", base_url="")
    assert [one.base_url for one in bench.services.services()] == [""]


async def test_services_are_added_changed_and_removed(bench: Bench) -> None:
    """An address names one service, whatever slashes end it; the helper stays last."""
    await bench.services.save(service("https://a.example/v1/"))
    await bench.services.save(service("http://127.0.0.1:8000/v1", name=" "), default=True)
    await bench.services.save(service(" https://a.example/v1", name="A", model=" big "))
    assert [(one.name, one.base_url, one.model) for one in bench.services.services()[:-1]] == [
        ("A", "https://a.example/v1", "big"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1", "m"),
    ]
    assert bench.services.default_route().base_url == "http://127.0.0.1:8000/v1"
    await bench.services.remove("http://127.0.0.1:8000/v1/")
    assert bench.services.default_route() == Route(model="big", base_url="https://a.example/v1")


async def test_the_helper_can_be_the_default_beside_services(bench: Bench) -> None:
    """A person may keep a service and still have new sessions go to the helper."""
    await bench.services.save(service("https://a.example"), default=True)
    await bench.services.save(service(""), default=True)
    assert bench.services.default_route().is_offline


async def test_bad_services_are_refused(bench: Bench) -> None:
    """No address, no model: a sentence, and nothing is kept."""
    for bad in (service("ftp://x"), service("https://a.example", model=" ")):
        with pytest.raises(UsageError):
            await bench.services.save(bad)
    assert len(bench.services.services()) == 1


async def test_plain_http_needs_a_yes(bench: Bench) -> None:
    """An address that others could listen to is refused until it was allowed, for that origin alone."""
    with pytest.raises(UsageError, match="not encrypted"):
        await bench.services.save(service("http://far.example/v1"))
    await bench.services.set_setting("allow_plain_http", ["http://far.example"])
    await bench.services.save(service("http://far.example/v1"))
    assert bench.services.allows_plain("http://far.example")
    with pytest.raises(UsageError):
        await bench.services.models("http://farther.example/v1")
    assert await bench.services.models("http://far.example/v1/") == ["model of http://far.example/v1"]


async def test_keys_belong_to_origins(bench: Bench) -> None:
    """A key is kept by origin, hidden from now on, shown as a mark, and goes with the last service there."""
    await bench.services.save(service("https://a.example/v1"))
    await bench.services.save(service("https://a.example/v2"))
    assert await bench.services.put_key("https://a.example/v1", " key-123 \n")
    assert bench.secrets.keys == {"https://a.example": "key-123"}
    assert "key-123" in bench.redaction.learned.values() and "key-123" not in str(bench.settings.values)
    assert [one.has_key for one in bench.services.services()] == [True, True, False]
    assert await bench.services.has_key("https://a.example/v2")
    assert not await bench.services.has_key("https://b.example")
    await bench.services.remove("https://a.example/v1")
    assert bench.secrets.keys
    await bench.services.remove("https://a.example/v2")
    assert not bench.secrets.keys and bench.settings.values["origins_with_key"] == []


async def test_a_key_for_this_session_is_not_marked_for_the_next(bench: Bench) -> None:
    """When the keychain can't keep a key, the settings do not claim that it has one."""
    bench.secrets.works = False
    assert await bench.services.put_key("https://a.example", "key-123") is False
    assert bench.settings.values["origins_with_key"] == [] and await bench.services.keychain() == "none"
    assert bench.services.may_have_key("https://a.example")


async def test_the_keychain_is_asked_only_when_it_may_have_a_key(bench: Bench) -> None:
    """Before a key was given nobody asks the keychain; a key held by this process counts."""
    assert not bench.services.may_have_key("https://a.example")
    await bench.services.lend_key("https://a.example/v1", "lent-key-1")
    assert bench.services.may_have_key("https://a.example")
    await bench.services.remove_key("https://a.example")
    assert not bench.services.may_have_key("https://a.example")


@pytest.mark.parametrize("key", ["", "  ", "two words", "line\nbreak", "schlüssel"])
async def test_what_is_no_key_is_refused(bench: Bench, key: str) -> None:
    """A key that could not be sent in a header is refused before it is kept."""
    with pytest.raises(UsageError):
        await bench.services.put_key("https://a.example", key)
    assert not bench.secrets.keys


@pytest.mark.parametrize(
    "kept", ["x", [1], [{"name": "a"}], [{"name": "a", "base_url": "nonsense", "model": "m"}]]
)
def test_a_settings_file_edited_by_hand_breaks_nothing(bench: Bench, kept: Any) -> None:
    """Entries of another shape are passed over."""
    bench.settings.values["services"] = kept
    assert len(bench.services.services()) == 1
    assert bench.services.default_route().is_offline
