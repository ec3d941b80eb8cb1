"""API keys, one per origin, in the keychain of the operating system (ports.Secrets).

There is never a plain file: without a usable keychain a key lives in memory until
the program ends, and `put` says so. Only the keychains of operating systems and
desktops are used; what the `keyring` package can be set up to use besides (plain
text, nothing at all) counts as none.

A locked keychain may show a question and block for as long as it is open, so each
call has a limit and runs in a thread of its own. An answer that comes late is
still taken. The keychain is not touched before the first key is needed, because
people dislike a password question at the start.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from desktop.harness.core.errors import StorageError

SERVICE = "Paddock"
"""The name under which a keychain lists our entries."""
LIMIT_S = 5.0
READY, NONE, LOCKED, SLOW = "ready", "none", "locked", "slow"

_TRUSTED = frozenset(
    f"keyring.backends.{name}" for name in ("SecretService", "kwallet", "libsecret", "macOS", "Windows")
)
_LOCKED_ERRORS = frozenset({"KeyringLocked", "InitError", "LockedException", "PromptDismissedException"})
_ABSENT_ERRORS = frozenset({"PasswordDeleteError", "ItemNotFoundException"})

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Backend(Protocol):
    """What is used of a keychain; the shape of a `keyring` backend."""

    def get_password(self, service: str, username: str) -> str | None:
        """The kept value."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a value."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Forget a value."""
        ...


class Keychain:
    """Keys in memory and in the keychain. Blocking for up to twice `limit_s`; from any thread."""

    def __init__(
        self, *, open_keychain: Callable[[], Backend | None] | None = None, limit_s: float = LIMIT_S
    ) -> None:
        self._open_keychain = open_keychain or system_keychain
        self._limit_s = limit_s
        self._keychain: Backend | None = None
        self._memory: dict[str, str] = {}
        self._forgotten: set[str] = set()
        self._turn = threading.Lock()
        self._state = READY

    def get(self, origin: str) -> str | None:
        """The key of an origin, from memory, else from the keychain."""
        if origin in self._memory or origin in self._forgotten:
            return self._memory.get(origin)

        def take(key: str | None) -> None:
            if key and origin not in self._forgotten:
                self._memory.setdefault(origin, key)

        self._ask(lambda keychain: keychain.get_password(SERVICE, origin), take)
        return self._memory.get(origin)

    def put(self, origin: str, key: str) -> bool:
        """Keep a key; False when only for this session, because the keychain can't."""
        self.hold(origin, key)
        return self._ask(lambda keychain: keychain.set_password(SERVICE, origin, key), lambda _: None)

    def hold(self, origin: str, key: str) -> None:
        """Keep a key in memory only."""
        self._forgotten.discard(origin)
        self._memory[origin] = key

    def remove(self, origin: str) -> None:
        """Forget a key everywhere. Raises StorageError when the keychain may still have it."""
        self._memory.pop(origin, None)
        self._forgotten.add(origin)
        is_answered = self._ask(lambda keychain: keychain.delete_password(SERVICE, origin), lambda _: None)
        if not is_answered and self._state in {LOCKED, SLOW}:
            raise StorageError("The keychain did not answer, so the key may still be kept in it.")

    def state(self) -> str:
        """`ready`, `none`, `locked` or `slow`, as far as that can be told without asking a person."""
        if self._state in {READY, NONE}:
            self._ask(lambda _: None, lambda _: None)
        return self._state

    def _ask(self, question: Callable[[Backend], T], take: Callable[[T], None]) -> bool:
        """Put a question to the keychain; False without an answer in time. `take` gets it then or late."""
        patience_s = 0.0 if self._state == SLOW else self._limit_s
        if not self._turn.acquire(timeout=patience_s):
            self._state = SLOW
            return False
        answered: Future[bool] = Future()

        def work() -> None:
            try:
                answered.set_result(self._put_question(question, take))
            finally:
                self._turn.release()

        threading.Thread(target=work, name="paddock-keychain", daemon=True).start()
        try:
            return answered.result(timeout=self._limit_s)
        except TimeoutError:
            self._state = SLOW
            return False

    def _put_question(self, question: Callable[[Backend], T], take: Callable[[T], None]) -> bool:
        try:
            if self._keychain is None:
                self._keychain = self._open_keychain()
            if self._keychain is None:
                self._state = NONE
                return False
            take(question(self._keychain))
        except Exception as error:  # noqa: BLE001 - backends raise errors of many libraries
            return self._failed(error)
        self._state = READY
        return True

    def _failed(self, error: Exception) -> bool:
        names = {kind.__name__ for kind in type(error).__mro__}
        if names & _ABSENT_ERRORS:
            self._state = READY
            return True
        self._state = LOCKED if names & _LOCKED_ERRORS else NONE
        _log.info("the keychain can't be used: %s", type(error).__name__)
        return False


def system_keychain() -> Backend | None:
    """The keychain of this computer, None when there is none that keeps keys safely. Slow at first."""
    import keyring

    found = keyring.get_keyring()
    for backend in getattr(found, "backends", None) or [found]:
        if type(backend).__module__ in _TRUSTED:
            keychain: Backend = backend
            return keychain
    return None
