"""Writing, moving, deleting, and several changes as one."""

import asyncio
import stat
import time
from dataclasses import replace
from typing import Any

import pytest

from desktop.harness.adapters.tools.changes import apply_changes, inverse
from desktop.harness.adapters.tools.staged import Staged
from desktop.harness.adapters.tools.threads import in_thread
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.toolspec import Change, ChangeKind, Preview
from desktop.harness.ports import FileKind


async def test_a_new_file_with_its_folders(bench: Any) -> None:
    """Missing folders are made, and the text is written letter for letter."""
    result = await bench.run("write_file", path="a/b/c.txt", content="one\r\ntwo\n")
    assert result.text == "Created a/b/c.txt."
    assert (bench.root / "a/b/c.txt").read_bytes() == b"one\r\ntwo\n"
    assert result.receipt["changes"][0]["kind"] == "create"


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "a\nB\nc\n", b"a\r\nB\r\nc\r\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbfb\n"),
        (b"a\r\nb\nc\rd\n", "a\nb\nX\nc\rd\n", b"a\nb\nX\nc\rd\n"),
        (b"a\r\nb\nc\n", "a\nb\nX\nc\n", b"a\r\nb\nX\r\nc\n"),
        (b"a\nb\n", "a\r\nb\r\n", b"a\r\nb\r\n"),
        (b"", "x", b"x"),
        ("café, garçon, déjà vu\nx\n".encode("cp1252"), "café, garçon, déjà vu\ny\n", None),
    ],
)
def test_an_old_file_keeps_its_shape(bench: Any, before: bytes, content: str, after: bytes | None) -> None:
    """Mark, encoding and line ends of a file survive a whole write, unless the text brings CRs of its own."""
    (bench.root / "f").write_bytes(before)
    [change] = bench.preview("write_file", path="f", content=content).changes
    assert change.after_bytes == (before.replace(b"x", b"y") if after is None else after)
    assert change.kind is ChangeKind.EDIT


async def test_a_whole_write_keeps_the_mode(bench: Any) -> None:
    """A private file stays private."""
    (bench.root / "f").write_bytes(b"a")
    (bench.root / "f").chmod(0o600)
    assert (await bench.run("write_file", path="f", content="b")).text == "Changed f."
    assert stat.S_IMODE((bench.root / "f").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("d", "x", Refusal.NOT_REGULAR),
        ("f", "same", Refusal.NO_CHANGE),
        ("f/x", "x", Refusal.NOT_A_FOLDER),
        ("binary", "x", Refusal.ENCODING),
        ("caf\u00e9.txt", "x", Refusal.EXISTS),
        ("new", "key=[secret-3]", Refusal.PLACEHOLDER),
        ("../x", "x", Refusal.OUTSIDE),
        (".", "x", Refusal.NOT_REGULAR),
    ],
)
def test_writes_that_are_refused(bench: Any, path: str, content: str, code: Refusal) -> None:
    """A folder, no change, bytes that are no text, a look-alike name and a placeholder are told apart."""
    (bench.root / "d").mkdir()
    (bench.root / "f").write_bytes(b"same")
    (bench.root / "binary").write_bytes(b"\0\1\2")
    (bench.root / "cafe\u0301.txt").write_bytes(b"")
    assert bench.refusal("write_file", path=path, content=content)[0] is code


async def test_moving(bench: Any) -> None:
    """A file and a folder get new names; both names are targets, and nothing is overwritten."""
    (bench.root / "d").mkdir()
    (bench.root / "d/x").write_bytes(b"x")
    (bench.root / "f").write_bytes(b"f")
    preview = bench.preview("move_file", source="f", destination="n/g")
    assert (preview.title, preview.targets) == ("Move f to n/g", ("f", "n/g"))
    result = await bench.run("move_file", source="f", destination="n/g")
    assert result.text == "Moved f to n/g."
    await bench.run("move_file", source="d", destination="n/d")
    assert (bench.root / "n/d/x").read_bytes() == b"x"
    assert bench.refusal("move_file", source="n/g", destination="n/d/x")[0] is Refusal.EXISTS
    assert bench.refusal("move_file", source="n/g", destination="n")[0] is Refusal.EXISTS
    assert bench.refusal("move_file", source="n", destination="n/d/n")[0] is Refusal.BAD_NAME
    assert bench.refusal("move_file", source="none", destination="x")[0] is Refusal.NOT_FOUND
    assert bench.refusal("move_file", source=".", destination="x")[0] is Refusal.ROOT
    assert bench.refusal("move_file", source="n/g", destination="x/")[0] is Refusal.NOT_A_FOLDER


def test_moving_protected_names(bench: Any) -> None:
    """To a protected name, from one, or a folder that holds one: each says why it asks."""
    (bench.root / "repo/.git").mkdir(parents=True)
    (bench.root / "f").write_bytes(b"")
    (bench.root / ".env").write_bytes(b"")
    for source, destination in (("f", ".envrc"), (".env", "g"), ("repo", "moved")):
        assert bench.preview("move_file", source=source, destination=destination).reason
    assert not bench.preview("move_file", source="f", destination="g").reason


async def test_deleting(bench: Any) -> None:
    """A file goes with its bytes kept, an empty folder goes, a full one and the root stay."""
    (bench.root / "d/e").mkdir(parents=True)
    (bench.root / "f").write_bytes(b"precious")
    (bench.root / "f").chmod(0o755)
    result = await bench.run("delete_file", path="f")
    [record] = result.receipt["changes"]
    assert bench.preimages.kept[record["before"]] == b"precious"
    assert record["mode"] == 0o755
    assert bench.refusal("delete_file", path="d")[0] is Refusal.NOT_EMPTY
    assert (await bench.run("delete_file", path="d/e/")).text == "Deleted d/e."
    assert bench.refusal("delete_file", path=".")[0] is Refusal.ROOT
    assert bench.refusal("delete_file", path="d/..")[0] is Refusal.ROOT
    assert bench.refusal("delete_file", path="f")[0] is Refusal.NOT_FOUND


def test_a_link_is_never_moved_or_deleted_for_its_end(bench: Any) -> None:
    """Who names a link is told what it leads to; through a linked folder a file is named well."""
    (bench.root / "d").mkdir()
    (bench.root / "d/f").write_bytes(b"x")
    (bench.root / "link").symlink_to("d/f")
    (bench.root / "way").symlink_to("d")
    code, text = bench.refusal("delete_file", path="link")
    assert code is Refusal.NOT_REGULAR
    assert "d/f" in text
    assert bench.refusal("move_file", source="way", destination="x")[0] is Refusal.NOT_REGULAR
    assert bench.preview("delete_file", path="way/f").targets == ("d/f",)
    assert bench.preview("delete_file", path=str(bench.root / "d/f")).targets == ("d/f",)


def test_a_chain_is_previewed_on_its_own_results(bench: Any) -> None:
    """Create, edit, move and delete in one reply: each sees what the ones before will have done."""
    (bench.root / "d").mkdir()
    (bench.root / "d/old").write_bytes(b"old")
    (bench.root / "run").write_bytes(b"a")
    (bench.root / "run").chmod(0o755)
    changes: list[Change] = []

    def preview(tool: str, **arguments: Any) -> Preview:
        found: Preview = bench.preview(tool, Staged(bench.folder, changes), **arguments)
        changes.extend(found.changes)
        return found

    def refusal(tool: str, **arguments: Any) -> Refusal:
        code: Refusal = bench.refusal(tool, Staged(bench.folder, changes), **arguments)[0]
        return code

    preview("write_file", path="d/n/new", content="one")
    preview("edit_file", path="./d/n/new", old_text="one", new_text="two")
    assert refusal("edit_file", path="d/n/new", old_text="one", new_text="x") is Refusal.NO_MATCH
    preview("move_file", source="d", destination="e")
    assert refusal("edit_file", path="d/old", old_text="old", new_text="x") is Refusal.NOT_FOUND
    assert refusal("delete_file", path="e") is Refusal.NOT_EMPTY
    preview("edit_file", path="e/n/new", old_text="two", new_text="three")
    preview("edit_file", path="run", old_text="a", new_text="b")
    preview("delete_file", path="run")
    assert refusal("edit_file", path="run", old_text="b", new_text="c") is Refusal.NOT_FOUND
    preview("write_file", path="d/again", content="x")
    view = Staged(bench.folder, changes)
    assert [entry.path for entry in view.entries(".")] == ["d", "e"]
    assert [entry.path for entry in view.entries("e")] == ["e/n", "e/old"]
    assert view.read("e/n/new", offset=1, limit_bytes=2) == b"hr"
    info = view.info("e")
    assert info is not None
    assert info.kind is FileKind.FOLDER
    apply_changes(bench.folder, bench.preimages, changes)
    assert (bench.root / "e/n/new").read_bytes() == b"three"
    assert (bench.root / "d/again").read_bytes() == b"x"
    assert not (bench.root / "run").exists()
    for change in reversed(changes):
        bench.folder.apply(inverse(change))
        if change.path == "d/again":
            (bench.root / "d").rmdir()  # folders on the way to a new file stay
    assert (bench.root / "d/old").read_bytes() == b"old"
    assert stat.S_IMODE((bench.root / "run").stat().st_mode) == 0o755


def _edits(bench: Any) -> list[Change]:
    for name in "abc":
        (bench.root / name).write_bytes(b"old")
    found = [bench.preview("edit_file", path=name, old_text="old", new_text="new") for name in "abc"]
    return [preview.changes[0] for preview in found]


def test_one_stale_part_stops_all(bench: Any) -> None:
    """If the third of three files was changed meanwhile, none is written."""
    changes = _edits(bench)
    (bench.root / "c").write_bytes(b"theirs")
    with pytest.raises(ToolError) as caught:
        apply_changes(bench.folder, bench.preimages, changes)
    assert caught.value.code is Refusal.STALE
    assert [(bench.root / name).read_bytes() for name in "abc"] == [b"old", b"old", b"theirs"]


def test_a_part_that_fails_late_takes_the_others_back(bench: Any) -> None:
    """If the third file can't be written, the first two are put back, and the answer says so."""
    changes = _edits(bench)
    (bench.root.parent / "second-name").hardlink_to(bench.root / "c")
    with pytest.raises(ToolError, match="all other files are as they were") as caught:
        apply_changes(bench.folder, bench.preimages, changes)
    assert caught.value.code is Refusal.HARDLINK
    assert [(bench.root / name).read_bytes() for name in "abc"] == [b"old", b"old", b"old"]


def test_a_change_without_its_content_is_a_fault(bench: Any) -> None:
    """A change read back from a record can't be carried out as it is."""
    [change, *_] = _edits(bench)
    with pytest.raises(ToolError) as caught:
        bench.folder.apply(replace(change, after_bytes=None))
    assert caught.value.code is Refusal.FAULT


async def test_cancelling_waits_for_the_thread() -> None:
    """Cancelled work is over, not abandoned, when the cancellation leaves."""
    ended: list[bool] = []

    def work() -> None:
        time.sleep(0.2)
        ended.append(True)

    task = asyncio.ensure_future(in_thread(work))
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]
