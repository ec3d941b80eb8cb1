"""What the tests of the store write with, and a look at its database from outside."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.adapters.store import SqliteStore
from desktop.harness.core.events import Event, ReplyProgress, UserMessage
from desktop.harness.core.ids import SessionId

A, B, C = SessionId("a"), SessionId("b"), SessionId("c")


@dataclass
class TickingClock:
    """A clock that moves on by one at each look."""

    at_ms: int = 1000

    def now_ms(self) -> int:
        self.at_ms += 1
        return self.at_ms

    def monotonic_s(self) -> float:
        return self.now_ms() / 1000


def new_store(folder: Path) -> SqliteStore:
    """A store that nobody has used yet."""
    return SqliteStore(folder, TickingClock(), KeptFiles(folder / "artifacts"))


def said(*texts: str) -> list[Event]:
    """Words of a person."""
    return [UserMessage(text=text) for text in texts]


def acted(*texts: str) -> list[Event]:
    """Acts of a runner."""
    return [ReplyProgress(turn=1, text=text) for text in texts]


@contextmanager
def plain(folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection that knows nothing of the store; commits at the end."""
    with closing(sqlite3.connect(folder / "paddock.db")) as connection, connection:
        yield connection


def damage(folder: Path, statement: str, *values: object) -> None:
    """Change the log behind its back."""
    with plain(folder) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement, values)
        for _, sql in triggers:
            connection.execute(sql)
