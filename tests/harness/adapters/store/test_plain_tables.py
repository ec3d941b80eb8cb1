"""What stands beside the log: summaries, notes, projects and artifacts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.harness.adapters.store import SqliteStore
from desktop.harness.core.errors import StorageError
from desktop.harness.core.ids import ArtifactId, Seq, digest_of
from tests.harness.adapters.store.logs import A, B


async def test_notes(store: SqliteStore, another: Callable[[], SqliteStore]) -> None:
    """A note is kept, replaced, seen by others and forgotten."""
    assert await store.get_note("draft:a") is None
    await store.put_note("draft:a", "half a sen")
    await store.put_note("draft:a", "half a sentence \ud800\0")
    assert await another().get_note("draft:a") == "half a sentence \ufffd\0"
    await store.put_note("draft:a", None)
    await store.put_note("never", None)
    assert await store.get_note("draft:a") is None
    assert await store.get_note("\ud800") is None


async def test_summaries(store: SqliteStore) -> None:
    """Summaries replace older ones of the same session only."""
    assert await store.summaries() == {}
    await store.keep_summaries({A: (Seq(1), "old"), B: (Seq(2), "other")})
    await store.keep_summaries({A: (Seq(5), "new")})
    assert await store.summaries() == {A: (5, "new"), B: (2, "other")}


async def test_a_project_is_its_path_and_its_inode(
    store: SqliteStore, another: Callable[[], SqliteStore]
) -> None:
    """The same folder is the same project for ever; another path or another inode is another one."""
    project = await store.project_of("/home/x", 1, 2)
    assert await store.project_of("/home/x", 1, 2) == project
    assert await another().project_of("/home/x", 1, 2) == project
    others = [
        await store.project_of(*place)
        for place in [
            ("/home/y", 1, 2),
            ("/home/x", 1, 3),
            ("/home/x", 2, 2),
            ("/home/\udcff", 2**64 - 1, 2**64),
        ]
    ]
    assert len({project, *others}) == 5


async def test_artifacts(store: SqliteStore, folder: Path) -> None:
    """Bytes are kept under their hash; gone or damaged ones are told."""
    artifact = await store.put_artifact(b"long output")
    assert str(artifact) == str(digest_of(b"long output"))
    assert await store.artifact(artifact) == b"long output"
    (folder / "artifacts" / artifact[:2] / artifact).write_bytes(b"rlong outpux")
    with pytest.raises(StorageError):
        await store.artifact(artifact)
    with pytest.raises(StorageError):
        await store.artifact(ArtifactId("../paddock.db"))
