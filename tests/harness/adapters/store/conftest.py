"""A store on a real folder."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from desktop.harness.adapters.store import SqliteStore
from tests.harness.adapters.store.logs import new_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the data folder will be."""
    return tmp_path / "data"


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteStore]:
    """An open store."""
    opened = new_store(folder)
    yield opened
    await opened.close()


@pytest.fixture
async def another(folder: Path) -> AsyncIterator[Callable[[], SqliteStore]]:
    """Makes further stores on the same folder, as other processes would."""
    made: list[SqliteStore] = []

    def make() -> SqliteStore:
        made.append(new_store(folder))
        return made[-1]

    yield make
    for opened in made:
        await opened.close()
