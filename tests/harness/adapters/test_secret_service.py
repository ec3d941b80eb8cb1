"""Keys in a real Secret Service: gnome-keyring on a session bus of its own.

The daemon refuses to work for root in some set-ups, so bus, daemon and client run as an
unprivileged user when the tests are run by root. Nothing here is skipped: a machine
without gnome-keyring fails these tests.
"""

import os
import pwd
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
USER = pwd.getpwnam("nobody").pw_uid if os.getuid() == 0 else os.getuid()
AS_USER: dict[str, Any] = {"user": USER, "group": USER, "extra_groups": []} if os.getuid() == 0 else {}

CLIENT = """
import os, sys
import keyring, secretstorage, jeepney.io.blocking, keyring.backends.SecretService, keyring.backends.chainer
import concurrent.futures.thread, encodings.idna, cryptography.hazmat.primitives.ciphers.modes
from keyring.backend import _load_plugins
from desktop.harness.adapters.secrets import Keychain
_load_plugins()
user = int(sys.argv[1])
if os.getuid() != user:
    os.setgroups([]); os.setgid(user); os.setuid(user)
secrets = Keychain(limit_s=10)
"""


@dataclass
class Session:
    """A session bus and the home folder of its user."""

    home: Path
    environment: dict[str, str]
    daemons: list[subprocess.Popen[bytes]]

    def unlock(self, password: str) -> None:
        """Start the keyring daemon and unlock (or make) its login collection."""
        daemon = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.environment,
            cwd="/",
            **AS_USER,
        )
        self.daemons.append(daemon)
        assert daemon.stdin is not None
        daemon.stdin.write(password.encode())
        daemon.stdin.close()
        deadline = time.monotonic() + 20
        while not self._has_secret_service():
            assert time.monotonic() < deadline and daemon.poll() is None, "gnome-keyring did not start"
            time.sleep(0.05)

    def _has_secret_service(self) -> bool:
        question = ["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]
        done = subprocess.run(
            ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", *question],
            env=self.environment,
            capture_output=True,
            check=False,
            cwd="/",
            **AS_USER,
        )
        return b"boolean true" in done.stdout

    def client(self, steps: str) -> list[str]:
        """What a fresh process prints that takes these steps with `secrets`."""
        done = subprocess.run(
            [sys.executable, "-c", CLIENT + textwrap.dedent(steps), str(USER)],
            env=self.environment | {"PYTHONPATH": str(ROOT)},
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def files(self) -> list[Path]:
        """All files beneath the home folder."""
        return [path for path in self.home.rglob("*") if path.is_file()]


@contextmanager
def session_bus() -> Iterator[Session]:
    """A bus that ends with the block, and with it everything that was started on it."""
    home = Path("/tmp") / f"paddock-keyring-{os.getpid()}"
    home.mkdir(mode=0o700)
    if AS_USER:
        os.chown(home, USER, USER)
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "XDG_RUNTIME_DIR": str(home),
        "LANG": "C.UTF-8",
    }
    bus = subprocess.Popen(
        ["dbus-run-session", "--", "sh", "-c", 'echo "$DBUS_SESSION_BUS_ADDRESS"; cat'],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        cwd="/",
        text=True,
        **AS_USER,
    )
    assert bus.stdin is not None and bus.stdout is not None
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        address = bus.stdout.readline().strip()
        yield Session(home, environment | {"DBUS_SESSION_BUS_ADDRESS": address}, daemons)
    finally:
        for daemon in daemons:
            daemon.terminate()
            daemon.wait(20)
        bus.stdin.close()
        bus.wait(20)
        bus.stdout.close()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def session() -> Iterator[Session]:
    """A user's session without an unlocked keyring."""
    with session_bus() as session:
        yield session


def test_a_key_lives_in_the_secret_service(session: Session) -> None:
    """A key is found by the next process, is removed for good, and stands in no file in plain words."""
    session.unlock("a good password")
    put = """
        print(secrets.put("https://api.example.com", "canary-key-4711"))
        print(secrets.put("https://other.example:8443", "another-key"))
        print(secrets.state())
    """
    assert session.client(put) == ["True", "True", "ready"]
    assert all(b"canary-key-4711" not in path.read_bytes() for path in session.files())
    get = """
        print(secrets.get("https://api.example.com"))
        secrets.remove("https://api.example.com")
        print(secrets.state())
    """
    assert session.client(get) == ["canary-key-4711", "ready"]
    left = 'print(secrets.get("https://api.example.com"), secrets.get("https://other.example:8443"))'
    assert session.client(left) == ["None another-key"]


def test_a_keyring_that_stays_locked(session: Session) -> None:
    """With nobody there to unlock it, a key is for this session only and no file holds it."""
    steps = """
        print(secrets.put("https://api.example.com", "canary-key-4711"))
        print(secrets.get("https://api.example.com"))
        print(secrets.state())
    """
    assert session.client(steps) == ["False", "canary-key-4711", "locked"]
    assert all(b"canary-key-4711" not in path.read_bytes() for path in session.files())


def test_no_session_bus() -> None:
    """Without a bus there is no keychain, and that is said at once."""
    home = Path("/tmp")
    steps = """
        import time
        started = time.monotonic()
        print(secrets.state(), secrets.put("https://a.example", "k"), time.monotonic() - started < 5)
    """
    assert Session(home, {"HOME": str(home), "PATH": os.environ["PATH"]}, []).client(steps) == [
        "none False True"
    ]
