"""Keys are kept safely or for this session only, and nothing blocks."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.harness.adapters.secrets import SERVICE, Backend, Keychain, system_keychain
from desktop.harness.core.errors import StorageError

ORIGIN = "https://api.example.com"


class MemoryKeychain:
    """A keychain in memory; `before` may fail or block like a real one."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.before = before

    def get_password(self, service: str, username: str) -> str | None:
        self.before()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.before()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.before()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError


class PasswordDeleteError(Exception):
    """As `keyring` says that there is no such entry."""


class KeyringLocked(Exception):  # noqa: N818 - the name that `keyring` gives it
    """As `keyring` says that a person did not unlock."""


def secrets_with(keychain: Backend | None, limit_s: float = 2) -> Keychain:
    """Secrets on a given keychain."""
    return Keychain(open_keychain=lambda: keychain, limit_s=limit_s)


def test_a_key_is_kept_by_origin() -> None:
    """A key goes to the entry of its origin alone, can be replaced, and removed twice."""
    keychain = MemoryKeychain()
    secrets = secrets_with(keychain)
    assert secrets.put(ORIGIN, "one") and secrets.put(ORIGIN, "two") and secrets.state() == "ready"
    assert keychain.kept == {(SERVICE, ORIGIN): "two"}
    assert secrets_with(keychain).get(ORIGIN) == "two"
    assert secrets_with(keychain).get("https://api.example.com:8443") is None
    secrets.remove(ORIGIN)
    secrets.remove(ORIGIN)
    assert keychain.kept == {} and secrets.get(ORIGIN) is None


def test_without_a_keychain_a_key_is_for_this_session() -> None:
    """No keychain: the key works now, is nowhere else, and the state says so."""
    secrets = secrets_with(None)
    assert secrets.put(ORIGIN, "key") is False
    assert secrets.get(ORIGIN) == "key" and secrets.state() == "none"
    assert secrets_with(None).get(ORIGIN) is None
    secrets.remove(ORIGIN)
    assert secrets.get(ORIGIN) is None


def test_a_locked_keychain() -> None:
    """Locked: a key is for this session, and a removal that could not reach the keychain is said."""

    def refuse() -> None:
        raise KeyringLocked

    secrets = secrets_with(MemoryKeychain(refuse))
    assert secrets.get(ORIGIN) is None and secrets.state() == "locked"
    assert secrets.put(ORIGIN, "key") is False and secrets.get(ORIGIN) == "key"
    with pytest.raises(StorageError):
        secrets.remove(ORIGIN)
    assert secrets.get(ORIGIN) is None


def test_a_slow_keychain_holds_nobody_up() -> None:
    """A keychain that blocks costs one limit, then nothing; its late answer is still taken."""
    release = threading.Event()
    keychain = MemoryKeychain(lambda: release.wait(20) and None)
    keychain.kept[SERVICE, ORIGIN] = "late"
    secrets = secrets_with(keychain, limit_s=0.2)
    started = time.monotonic()
    assert secrets.get(ORIGIN) is None and secrets.state() == "slow"
    assert secrets.put("https://other.example", "key") is False
    assert secrets.get("https://other.example") == "key"
    assert time.monotonic() - started < 10
    release.set()
    for _ in range(200):
        if secrets.get(ORIGIN) is not None:
            break
        time.sleep(0.01)
    assert secrets.get(ORIGIN) == "late" and secrets.state() == "ready"


def test_a_late_answer_does_not_bring_back_a_removed_key() -> None:
    """A key removed while the keychain was blocked stays removed in this session."""
    release = threading.Event()
    keychain = MemoryKeychain(lambda: release.wait(20) and None)
    keychain.kept[SERVICE, ORIGIN] = "late"
    secrets = secrets_with(keychain, limit_s=0.1)
    assert secrets.get(ORIGIN) is None
    with pytest.raises(StorageError):
        secrets.remove(ORIGIN)
    release.set()
    time.sleep(0.1)
    assert secrets.get(ORIGIN) is None


def test_held_keys_reach_no_keychain() -> None:
    """A key for one process is found by its origin and kept nowhere."""
    keychain = MemoryKeychain()
    secrets = secrets_with(keychain)
    secrets.hold(ORIGIN, "of the environment")
    assert secrets.get(ORIGIN) == "of the environment" and keychain.kept == {}


@pytest.mark.parametrize("backend", ["keyring.backends.null.Keyring", "keyring.backends.fail.Keyring"])
def test_unsafe_backends_count_as_none(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A keyring that is set up to keep nothing, or to fail, is no keychain."""
    import keyring.core

    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
    monkeypatch.setattr(keyring.core, "_keyring_backend", None)
    assert system_keychain() is None


def test_a_plain_text_backend_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend of another package, such as one that writes plain files, is not used."""
    import keyring.core

    (tmp_path / "plainfile.py").write_text(
        "import keyring.backend\n"
        "class Keyring(keyring.backend.KeyringBackend):\n"
        "    priority = 9\n"
        "    def get_password(self, *words): raise AssertionError\n"
        "    set_password = delete_password = get_password\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "plainfile.Keyring")
    monkeypatch.setattr(keyring.core, "_keyring_backend", None)
    secrets = Keychain()
    assert secrets.put(ORIGIN, "key") is False and secrets.state() == "none"
