"""Reading beneath one held folder: what is inside works, what is outside gives nothing away."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.harness.adapters.sandbox.descent import Way, best_way
from desktop.harness.adapters.sandbox.root import HeldFolder
from desktop.harness.core.errors import Refusal, ToolError, UsageError
from desktop.harness.ports import FileKind

SECRET = b"SECRET"
Swapping = Callable[[Path, Path], AbstractContextManager[None]]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder `ws` beside a folder `OUT` and a twin by prefix, with a few files."""
    for name in ("ws/d/e", "OUT", "ws-evil"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ws/f").write_bytes(b"inside")
    (tmp_path / "ws/d/g").write_bytes(b"deeper")
    for name in ("OUT/f", "ws-evil/f"):
        (tmp_path / name).write_bytes(SECRET)
    return tmp_path


@pytest.fixture
def folder(base: Path, way: Way) -> Iterator[HeldFolder]:
    """The held folder."""
    held = HeldFolder(str(base / "ws"), way=way)
    yield held
    held.close()


def refusal(folder: HeldFolder, path: str) -> Refusal:
    """The code with which reading is refused; the text is a sentence without the resolved path."""
    with pytest.raises(ToolError) as caught:
        folder.read(path)
    assert str(caught.value).endswith((".", ")."))
    assert "OUT" in path or "OUT" not in str(caught.value)
    return caught.value.code


@pytest.mark.parametrize("path", ["f", "./f", ".//f", "f/.", "d/../f", "d/e/../../f"])
def test_the_same_file_by_other_words(folder: HeldFolder, path: str) -> None:
    """Dots and slashes that stay inside lead to the file."""
    assert folder.read(path) == b"inside"
    assert folder.resolve(path) == "f"


def test_absolute_paths_inside_are_the_same_file(base: Path, way: Way) -> None:
    """By its real path, or by the link through which the folder was opened."""
    (base / "alias").symlink_to(base / "ws")
    folder = HeldFolder(str(base / "alias"), way=way)
    assert folder.root == str(base / "ws")
    assert folder.resolve(str(base / "ws/d/g")) == "d/g"
    assert folder.read(str(base / "alias/d/../f")) == b"inside"
    assert folder.resolve(str(base / "alias")) == "."
    folder.close()


@pytest.mark.parametrize(
    "path",
    [
        "../OUT/f",
        "/etc/passwd",
        "../ws-evil/f",
        "d/../../OUT/f",
        "missing/../../OUT/f",
        "/proc/self/cwd/../OUT/f",
        "/dev/fd/3",
        "/etc/no-such-file",
        "..",
    ],
)
def test_outside_is_refused_alike(folder: HeldFolder, base: Path, path: str) -> None:
    """Climbing out, absolute paths and a twin by prefix are outside, whether or not anything is there."""
    assert refusal(folder, path) is Refusal.OUTSIDE
    assert refusal(folder, f"{base}/ws-evil/f") is Refusal.OUTSIDE
    assert folder.info("f") is not None


@pytest.mark.parametrize(
    "target", ["/etc", "../OUT", "/proc/self/root", "d/../../OUT", "/no/such/folder", "../ws-evil", "chain"]
)
def test_a_link_that_leads_out_is_refused(folder: HeldFolder, base: Path, target: str) -> None:
    """Whatever its words, with or without more components, existing or not, for a link to a link too."""
    (base / "ws/chain").symlink_to("../OUT")
    (base / "ws/link").symlink_to(target)
    for path in ("link", "link/f", "link/passwd", "link/no/such"):
        assert refusal(folder, path) is Refusal.LINK_OUTSIDE
        with pytest.raises(ToolError, match="link"):
            folder.resolve(path)
    assert folder.read("d/g") == b"deeper"


def test_links_inside_are_followed(folder: HeldFolder, base: Path) -> None:
    """A link to a file, to a folder, by absolute words, upwards and in a chain shows its final name."""
    (base / "ws/one").symlink_to("d/g")
    (base / "ws/two").symlink_to(base / "ws/d")
    (base / "ws/d/e/up").symlink_to("../../one")
    (base / "ws/gone").symlink_to("d/new.txt")
    assert folder.resolve("one") == "d/g"
    assert folder.read("two/g") == b"deeper"
    assert folder.resolve("two/e/up") == "d/g"
    assert folder.resolve("gone") == "d/new.txt"
    assert folder.info("gone") is None
    info = folder.info("two")
    assert info is not None
    assert (info.path, info.kind) == ("d", FileKind.FOLDER)


def test_links_in_a_circle_end(folder: HeldFolder, base: Path) -> None:
    """Two links to each other are refused, not followed for ever."""
    (base / "ws/a").symlink_to("b")
    (base / "ws/b").symlink_to("a")
    assert refusal(folder, "a") is Refusal.NOT_REGULAR


def test_a_trailing_slash_means_a_folder(folder: HeldFolder) -> None:
    """`f/` is no file, `d/` is the folder."""
    assert refusal(folder, "f/") is Refusal.NOT_A_FOLDER
    assert refusal(folder, "f/x") is Refusal.NOT_A_FOLDER
    assert folder.resolve("d/") == "d"
    assert refusal(folder, "d") is Refusal.NOT_REGULAR


@pytest.mark.parametrize("path", ["a.txt\0.png", "f\0", "x" * 300, "d/" * 2000 + "f", r"\\srv\s\x"])
def test_bad_names_are_refused(folder: HeldFolder, path: str) -> None:
    """What the grammar refuses is never opened under a shortened name."""
    assert refusal(folder, path) is Refusal.BAD_NAME


def test_pipes_sockets_and_devices_are_never_opened(folder: HeldFolder, base: Path) -> None:
    """Each is refused by its kind within a second, also through a link, and a file beside it is read."""
    os.mkfifo(base / "ws/pipe")
    (base / "ws/to-pipe").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(base / "ws/sock"))
        names = ["pipe", "to-pipe", "sock"]
        if os.geteuid() == 0:
            os.mknod(base / "ws/null", 0o20666, os.makedev(1, 3))
            names.append("null")
        start = time.monotonic()
        assert [refusal(folder, name) for name in names] == [Refusal.NOT_REGULAR] * len(names)
        assert time.monotonic() - start < 10
    assert folder.read("f") == b"inside"


def test_reading_stops_at_its_limit(folder: HeldFolder, base: Path) -> None:
    """A part is read at an offset, and a file that is too large as a whole is refused."""
    (base / "ws/big").write_bytes(b"")
    os.truncate(base / "ws/big", 3_000_000_000)
    assert folder.read("f", limit_bytes=3, offset=2) == b"sid"
    assert len(folder.read("big", limit_bytes=5_000_000, offset=2_000_000_000)) == 5_000_000
    assert folder.read("f", limit_bytes=10, offset=99) == b""


def test_a_name_that_only_looks_the_same_is_named(folder: HeldFolder, base: Path) -> None:
    """A file whose name is composed differently is not taken instead, but the refusal tells of it."""
    (base / "ws/cafe\u0301.txt").write_bytes(b"x")
    with pytest.raises(ToolError, match="spelled differently") as caught:
        folder.read("caf\u00e9.txt")
    assert caught.value.code is Refusal.NOT_FOUND
    assert folder.info("caf\u00e9.txt") is None
    with pytest.raises(ToolError, match="spelled differently"):
        folder.read("D/g")


def test_a_replaced_root_stops_everything(folder: HeldFolder, base: Path) -> None:
    """Deleted, renamed, or replaced by a link or another folder: every call says so; put back, it works."""
    calls: list[Callable[[], object]] = [
        folder.check_root,
        lambda: folder.read("f"),
        lambda: folder.entries("."),
        lambda: folder.resolve("f"),
        lambda: folder.info("f"),
    ]

    def all_refuse() -> None:
        for call in calls:
            with pytest.raises(ToolError) as caught:
                call()
            assert caught.value.code is Refusal.ROOT_CHANGED

    (base / "ws").rename(base / "kept")
    all_refuse()
    (base / "ws").symlink_to("OUT")
    all_refuse()
    (base / "ws").unlink()
    (base / "ws").mkdir()
    all_refuse()
    (base / "ws").rmdir()
    (base / "kept").rename(base / "ws")
    assert folder.read("f") == b"inside"


def test_entries_are_sorted_and_links_are_links(folder: HeldFolder, base: Path) -> None:
    """Each entry says what it is itself; arbitrary bytes survive, our temporary files do not show."""
    (base / "ws/link").symlink_to("/etc")
    (base / "ws/.paddock-0123456789abcdef~").write_bytes(b"x")
    Path(os.fsdecode(os.fsencode(base / "ws/") + b"/z\xff")).write_bytes(b"")
    found = {entry.path: entry.kind for entry in folder.entries("")}
    assert found == {
        "d": FileKind.FOLDER,
        "f": FileKind.FILE,
        "link": FileKind.LINK,
        "z\udcff": FileKind.FILE,
    }
    assert [entry.path for entry in folder.entries("d")] == ["d/e", "d/g"]
    with pytest.raises(ToolError) as caught:
        folder.entries("f")
    assert caught.value.code is Refusal.NOT_A_FOLDER


def test_the_closed_folder_is_outside(base: Path, way: Way) -> None:
    """Records that lie in the opened folder can't be seen: by name, through a link, renamed, or listed."""
    (base / "ws/d/data/deep").mkdir(parents=True)
    (base / "ws/d/data/deep/log").write_bytes(SECRET)
    (base / "ws/link").symlink_to("d/data/deep")
    folder = HeldFolder(str(base / "ws"), way=way, closed=base / "ws/d/data")
    for path in ("d/data", "d/data/deep/log", "d/data/none", "link/log", str(base / "ws/d/data/deep/log")):
        assert refusal(folder, path) is Refusal.OUTSIDE
    assert [entry.path for entry in folder.entries("d")] == ["d/e", "d/g"]
    (base / "ws/d/data").rename(base / "ws/moved")
    assert refusal(folder, "moved/deep/log") is Refusal.OUTSIDE
    assert folder.read("d/g") == b"deeper"
    folder.close()


@pytest.mark.parametrize("path", ["ws/f", "ws/none", "data", "data/sub"])
def test_what_is_no_folder_to_open(base: Path, path: str) -> None:
    """A file, nothing, and Paddock's own folder or one within it are refused in a sentence."""
    (base / "data/sub").mkdir(parents=True)
    with pytest.raises(UsageError):
        HeldFolder(str(base / path), closed=base / "data")


@pytest.mark.parametrize("racing", [best_way(), Way.WALK])
def test_a_swapped_link_never_leaks(base: Path, racing: Way, swapping: Swapping) -> None:
    """20,000 reads while a folder and a link to the outside change places give no byte of it."""
    (base / "ws/d/f").write_bytes(b"inside")
    (base / "ws/out").symlink_to("../OUT")
    folder = HeldFolder(str(base / "ws"), way=racing)
    read = refused = 0
    with swapping(base / "ws/d", base / "ws/out"):
        while read + refused < 20_000 or not (read and refused):
            try:
                assert folder.read("d/f") == b"inside"
                read += 1
            except ToolError:
                refused += 1
    folder.close()


@pytest.fixture(scope="module")
def maze(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with links to everywhere, beside a folder that nothing in it may reach."""
    base = tmp_path_factory.mktemp("maze")
    (base / "ws/d/e").mkdir(parents=True)
    (base / "OUT").mkdir()
    (base / "OUT/f").write_bytes(SECRET)
    for name in ("f", "d/f", "d/e/f"):
        (base / "ws" / name).write_bytes(b"inside")
    links = {
        "up": "..",
        "in": "d/e",
        "out": "../OUT",
        "d/up": "..",
        "d/out": "../../OUT",
        "d/e/root": str(base / "ws"),
    }
    links |= {"d/e/abs": str(base / "OUT"), "in2": "in/root/d", "loop": "loop/x", "far": "d/up/up/OUT/f"}
    for name, end in links.items():
        (base / "ws" / name).symlink_to(end)
    return base


WORDS = ["..", ".", "", "d", "e", "f", "up", "in", "out", "root", "abs", "in2", "loop", "far", "OUT", "ws"]


@given(
    st.lists(st.sampled_from(WORDS), max_size=9),
    st.sampled_from(["", "/", "ROOT/", "./"]),
    st.sampled_from(Way),
)
@settings(max_examples=600)
def test_no_path_reaches_the_outside(maze: Path, by: Way, words: list[str], start: str) -> None:
    """Whatever words are put together, what is read is inside and its final name has no step up."""
    folder = HeldFolder(str(maze / "ws"), way=by)
    path = start.replace("ROOT", str(maze / "ws")) + "/".join(words)
    try:
        final = folder.resolve(path)
        assert (maze / "ws" / final).resolve().is_relative_to(maze / "ws")
        assert ".." not in final.split("/")
        assert folder.read(path) == b"inside"
    except ToolError:
        return
    finally:
        folder.close()
