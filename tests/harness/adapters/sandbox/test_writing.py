"""Carrying out changes: as previewed or not at all, never half, never outside."""

import errno
import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.adapters.sandbox import descent, temporary
from desktop.harness.adapters.sandbox.descent import Way, best_way
from desktop.harness.adapters.sandbox.root import HeldFolder
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import digest_of
from desktop.harness.core.toolspec import Change, ChangeKind

Swapping = Callable[[Path, Path], AbstractContextManager[None]]


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A folder with a file, and a file in a folder."""
    root = tmp_path / "ws"
    (root / "d").mkdir(parents=True)
    (root / "f").write_bytes(b"old")
    (root / "d/g").write_bytes(b"old")
    return root


@pytest.fixture
def folder(ws: Path, way: Way) -> Iterator[HeldFolder]:
    """The held folder."""
    held = HeldFolder(str(ws), way=way)
    yield held
    held.close()


def edit(path: str, before: bytes = b"old", after: bytes = b"new") -> Change:
    """A change of a file's content."""
    return Change(
        kind=ChangeKind.EDIT, path=path, before=digest_of(before), after=digest_of(after), after_bytes=after
    )


def create(path: str, after: bytes = b"new", mode: int | None = None) -> Change:
    """A new file."""
    return Change(kind=ChangeKind.CREATE, path=path, after=digest_of(after), after_bytes=after, mode=mode)


def move(path: str, destination: str, *, is_folder: bool = False) -> Change:
    """A new name for a file that holds `old`, or for a folder."""
    digest = None if is_folder else digest_of(b"old")
    return Change(
        kind=ChangeKind.MOVE,
        path=path,
        destination=destination,
        before=digest,
        after=digest,
        is_folder=is_folder,
    )


def delete(path: str, *, is_folder: bool = False) -> Change:
    """The removal of a file that holds `old`, or of an empty folder."""
    return Change(
        kind=ChangeKind.DELETE,
        path=path,
        before=None if is_folder else digest_of(b"old"),
        is_folder=is_folder,
    )


def tree(root: Path) -> dict[str, bytes | None]:
    """Everything below a folder; of a folder or link there is no content."""
    return {
        str(path.relative_to(root)): None if path.is_dir() or path.is_symlink() else path.read_bytes()
        for path in root.rglob("*")
    }


def refusal(folder: HeldFolder, change: Change) -> Refusal:
    """The code of a refused change, after which nothing is different."""
    before = tree(Path(folder.root))
    with pytest.raises(ToolError) as caught:
        folder.apply(change)
    assert str(caught.value).endswith(".")
    assert tree(Path(folder.root)) == before
    return caught.value.code


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o640, 0o444])
def test_an_edit_keeps_the_mode(folder: HeldFolder, ws: Path, mode: int) -> None:
    """The permission bits are the same after an edit, and nothing is left beside the file."""
    (ws / "f").chmod(mode)
    folder.apply(edit("f"))
    assert (ws / "f").read_bytes() == b"new"
    assert stat.S_IMODE((ws / "f").stat().st_mode) == mode
    assert sorted(tree(ws)) == ["d", "d/g", "f"]


def test_rights_are_never_wider_on_the_way(ws: Path, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a 0600 file is written, its temporary file can't be read by others either."""
    folder = HeldFolder(str(ws), way=way)
    (ws / "f").chmod(0o600)
    seen: list[int] = []
    real = os.fsync

    def look(fd: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(fd).st_mode) & 0o077)
        real(fd)

    monkeypatch.setattr(os, "fsync", look)
    folder.apply(edit("f"))
    folder.close()
    assert seen[0] == 0


def test_extended_attributes_are_kept(folder: HeldFolder, ws: Path) -> None:
    """A mark that another program put on the file is there after an edit."""
    try:
        os.setxattr(ws / "f", "user.mark", b"7")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    folder.apply(edit("f"))
    assert os.getxattr(ws / "f", "user.mark") == b"7"


def test_a_changed_file_is_stale(folder: HeldFolder, ws: Path) -> None:
    """Content decides: same size and same time do not make another text the previewed one."""
    times = (ws / "f").stat()
    (ws / "f").write_bytes(b"odd")
    os.utime(ws / "f", ns=(times.st_atime_ns, times.st_mtime_ns))
    for change in (edit("f"), delete("f"), move("f", "x"), edit("none"), delete("none")):
        assert refusal(folder, change) is Refusal.STALE
    folder.apply(edit("f", before=b"odd"))
    folder.apply(edit("f", before=b"new", after=b"newer"))
    assert (ws / "f").read_bytes() == b"newer"


def test_a_change_while_writing_is_stale(
    folder: HeldFolder, ws: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who saves between the first look and the replacement does not lose their text."""
    real = os.fsync

    def save_meanwhile(fd: int) -> None:
        (ws / "f").write_bytes(b"theirs")
        real(fd)

    monkeypatch.setattr(os, "fsync", save_meanwhile)
    with pytest.raises(ToolError) as caught:
        folder.apply(edit("f"))
    assert caught.value.code is Refusal.STALE
    assert (ws / "f").read_bytes() == b"theirs"
    assert sorted(tree(ws)) == ["d", "d/g", "f"]


def test_a_second_name_is_not_parted(folder: HeldFolder, ws: Path, tmp_path: Path) -> None:
    """A file with a hard link elsewhere is refused for edits and untouched at both names."""
    os.link(ws / "f", tmp_path / "outside")
    assert refusal(folder, edit("f")) is Refusal.HARDLINK
    assert (tmp_path / "outside").read_bytes() == b"old"
    folder.apply(edit("d/g"))


def test_creating_makes_folders_and_never_overwrites(folder: HeldFolder, ws: Path) -> None:
    """Missing folders are made; a name that is taken by now is stale, for a link and a folder too."""
    folder.apply(create("n/e/w.txt", mode=0o640))
    assert (ws / "n/e/w.txt").read_bytes() == b"new"
    assert stat.S_IMODE((ws / "n/e/w.txt").stat().st_mode) == 0o640
    (ws / "link").symlink_to("nowhere")
    for path in ("f", "d", "link"):
        assert refusal(folder, create(path)) is Refusal.STALE
    assert refusal(folder, create("f/x")) is Refusal.NOT_A_FOLDER
    folder.apply(Change(kind=ChangeKind.CREATE, path="empty", is_folder=True))
    assert (ws / "empty").is_dir()


def test_moving_never_overwrites(folder: HeldFolder, ws: Path) -> None:
    """Files and folders move, into new folders too; what stands at the new name stays."""
    folder.apply(move("f", "x/y/f2"))
    folder.apply(move("d", "x/d", is_folder=True))
    assert tree(ws) == {"x": None, "x/y": None, "x/y/f2": b"old", "x/d": None, "x/d/g": b"old"}
    (ws / "e").mkdir()
    assert refusal(folder, move("x/y/f2", "x/d/g")) is Refusal.EXISTS
    assert refusal(folder, move("x/d", "e", is_folder=True)) is Refusal.EXISTS
    assert refusal(folder, move("x/y/f2", "e")) is Refusal.EXISTS
    assert refusal(folder, move("x", "x/d/x", is_folder=True)) is Refusal.BAD_NAME
    assert refusal(folder, move("x/y/f2", "x/new/er", is_folder=True)) is Refusal.STALE


def test_deleting_a_file_or_an_empty_folder(folder: HeldFolder, ws: Path) -> None:
    """A folder with something in it is refused; emptied, it goes."""
    assert refusal(folder, delete("d", is_folder=True)) is Refusal.NOT_EMPTY
    folder.apply(delete("d/g"))
    folder.apply(delete("d", is_folder=True))
    assert tree(ws) == {"f": b"old"}


@pytest.mark.parametrize("path", [".", "", "d/.."])
def test_the_root_itself_is_never_changed(folder: HeldFolder, path: str) -> None:
    """Deleting, moving or replacing the opened folder is refused."""
    assert refusal(folder, delete(path, is_folder=True)) is Refusal.ROOT
    assert refusal(folder, move(path, "x", is_folder=True)) is Refusal.ROOT
    assert refusal(folder, create(path)) is Refusal.ROOT
    assert refusal(folder, move("f", path)) is Refusal.ROOT


def test_a_change_never_goes_through_a_link(folder: HeldFolder, ws: Path, tmp_path: Path) -> None:
    """A link that appeared on a resolved path makes the change stale; the outside is untouched."""
    out = tmp_path / "OUT"
    out.mkdir()
    (out / "g").write_bytes(b"old")
    (ws / "d/g").unlink()
    (ws / "d").rmdir()
    (ws / "d").symlink_to(out)
    (ws / "l").symlink_to("f")
    for change in (
        edit("d/g"),
        create("d/x"),
        create("d/n/x"),
        delete("d/g"),
        move("f", "d/x"),
        edit("l"),
        delete("l"),
    ):
        assert refusal(folder, change) is Refusal.STALE
    assert tree(out) == {"g": b"old"}
    assert refusal(folder, create("../OUT/x")) is Refusal.OUTSIDE


def test_pipes_are_not_changed(folder: HeldFolder, ws: Path) -> None:
    """A pipe that took the file's place is refused without waiting for it."""
    (ws / "f").unlink()
    os.mkfifo(ws / "f")
    with pytest.raises(ToolError) as caught:
        folder.apply(edit("f"))
    assert caught.value.code is Refusal.NOT_REGULAR


def test_the_closed_folder_can_not_be_changed(ws: Path, way: Way) -> None:
    """Nothing is written, moved or deleted in it, and no folder that holds it is moved."""
    (ws / "a/data").mkdir(parents=True)
    (ws / "a/data/log").write_bytes(b"old")
    (ws / "a/none").mkdir()
    folder = HeldFolder(str(ws), way=way, closed=ws / "a/data")
    changes = [
        edit("a/data/log"),
        delete("a/data/log"),
        delete("a/data", is_folder=True),
        create("a/data/x"),
        create("a/data/n/x"),
        move("a/data/log", "x"),
        move("f", "a/data/f"),
        move("a/data", "b", is_folder=True),
        move("a", "b", is_folder=True),
    ]
    assert [refusal(folder, change) for change in changes] == [Refusal.OUTSIDE] * len(changes)
    folder.apply(move("a/none", "a/some", is_folder=True))
    folder.close()


@pytest.mark.parametrize(("failures", "passes"), [(3, True), (20, False)])
def test_a_file_held_open_elsewhere_is_waited_for(
    folder: HeldFolder, ws: Path, monkeypatch: pytest.MonkeyPatch, failures: int, passes: bool
) -> None:
    """A few refusals of the replacement pass after a short wait; many fail openly and leave no trace."""
    left = [failures]
    real = os.replace

    def stubborn(*arguments: Any, **more: Any) -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise PermissionError(errno.EACCES, "in use")
        real(*arguments, **more)

    monkeypatch.setattr(os, "replace", stubborn)
    start = time.monotonic()
    if passes:
        folder.apply(edit("f"))
        assert (ws / "f").read_bytes() == b"new"
    else:
        assert refusal(folder, edit("f")) is Refusal.NO_PERMISSION
    assert time.monotonic() - start < 20


def test_a_full_disk_leaves_the_old_content(folder: HeldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Running out of space in the middle of a write changes nothing and leaves nothing behind."""
    written = [0]
    real = os.write

    def fills_up(fd: int, data: bytes) -> int:
        written[0] += 1
        if written[0] > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(fd, data[:4])

    monkeypatch.setattr(os, "write", fills_up)
    for change in (edit("f", after=b"longer text"), create("new/x", after=b"longer text")):
        written[0] = 0
        assert refusal(folder, change) is Refusal.DISK_FULL


def _in_child(act: Callable[[], None], *, user: int | None = None) -> int:
    """Run in a forked child, as another user if one is given; the way it ended."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if user is not None and os.geteuid() == 0:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            act()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_what_the_system_forbids_is_said(way: Way) -> None:
    """In a folder without write permission every change is refused and leaves it as it was."""
    base = Path(tempfile.mkdtemp())
    try:
        (base / "ro").mkdir()
        (base / "ro/f").write_bytes(b"old")
        (base / "ro/hidden").write_bytes(b"old")
        (base / "ro/hidden").chmod(0)
        for path in (base, base / "ro", base / "ro/f", base / "ro/hidden"):
            os.chown(path, 65534 if os.geteuid() == 0 else -1, -1)
        (base / "ro").chmod(0o555)

        def act() -> None:
            folder = HeldFolder(str(base / "ro"), way=way)
            for change in (edit("f"), create("x"), create("n/x"), delete("f"), move("f", "x")):
                assert refusal_only(folder, change) is Refusal.NO_PERMISSION
            with pytest.raises(ToolError) as caught:
                folder.read("hidden")
            assert caught.value.code is Refusal.NO_PERMISSION
            assert folder.read("f") == b"old"

        assert _in_child(act, user=65534) == 0
    finally:
        (base / "ro").chmod(0o755)
        shutil.rmtree(base)


def refusal_only(folder: HeldFolder, change: Change) -> Refusal:
    """The code of a refused change."""
    with pytest.raises(ToolError) as caught:
        folder.apply(change)
    return caught.value.code


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_killed_while_writing(ws: Path, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    """A process killed in the middle leaves the old content; what it left beside it is removed later."""
    folder = HeldFolder(str(ws))

    def die(*arguments: object, **more: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def act() -> None:
        monkeypatch.setattr(os, point, die)
        folder.apply(edit("d/g", after=b"x" * 1_000_000))

    assert os.WTERMSIG(_in_child(act)) == signal.SIGKILL
    assert (ws / "d/g").read_bytes() == b"old"
    assert len(list((ws / "d").iterdir())) == 2
    assert folder.clean_strays("d") == 1
    assert [path.name for path in (ws / "d").iterdir()] == ["g"]
    folder.close()


def test_a_temporary_file_in_use_is_no_stray(
    folder: HeldFolder, ws: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cleaning while another writer is at work leaves its file alone, and files of other names too."""
    (ws / ".paddock-notes~").write_bytes(b"theirs")
    cleaned: list[int] = []
    real = os.fsync

    def clean_meanwhile(fd: int) -> None:
        cleaned.append(folder.clean_strays("."))
        real(fd)

    monkeypatch.setattr(os, "fsync", clean_meanwhile)
    folder.apply(edit("f"))
    assert not any(cleaned)
    assert (ws / "f").read_bytes() == b"new"
    assert (ws / ".paddock-notes~").exists()


@pytest.mark.parametrize("racing", [best_way(), Way.WALK])
def test_a_swapped_link_never_lets_a_write_out(
    ws: Path, tmp_path: Path, racing: Way, swapping: Swapping
) -> None:
    """2,000 writes while a folder and a link to the outside change places leave the outside alone."""
    out = tmp_path / "OUT"
    out.mkdir()
    (out / "g").write_bytes(b"old")
    (ws / "out").symlink_to(out)
    folder = HeldFolder(str(ws), way=racing)
    done = refused = 0
    with swapping(ws / "d", ws / "out"):
        while done + refused < 2_000 or not (done and refused):
            name = f"d/{done + refused}"
            try:
                folder.apply(create(name))
                folder.apply(edit(name, before=b"new", after=b"newer"))
                done += 1
            except ToolError:
                refused += 1
    folder.close()
    assert tree(out) == {"g": b"old"}


@pytest.mark.parametrize("refused", ["rename_without_overwriting", "os.link"])
def test_without_the_better_calls(ws: Path, monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    """On systems without an exclusive rename, or without hard links, new names are still not overwritten."""

    def not_offered(*arguments: object, **more: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(temporary, "rename_without_overwriting", not_offered)
    if refused == "os.link":
        monkeypatch.setattr(os, "link", not_offered)
    folder = HeldFolder(str(ws))
    folder.apply(create("n/x"))
    folder.apply(move("f", "n/f"))
    folder.apply(move("d", "n/d", is_folder=True))
    assert refusal(folder, create("n/f")) is Refusal.STALE
    assert refusal(folder, move("n/d/g", "n/f")) is Refusal.EXISTS
    assert refusal(folder, move("n/d", "n/x", is_folder=True)) is Refusal.EXISTS
    assert sorted(tree(ws)) == ["n", "n/d", "n/d/g", "n/f", "n/x"]
    folder.close()


def test_without_openat2_the_way_is_walked(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel or a filter refuses the call, the portable way is taken by itself."""
    monkeypatch.setattr(descent, "has_open_beneath", lambda: False)
    assert best_way() is Way.WALK
    folder = HeldFolder(str(ws))
    folder.apply(edit("d/g"))
    assert folder.read("d/g") == b"new"
    folder.close()
