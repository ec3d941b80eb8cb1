"""What a model may try with names and odd files, through the whole house: nothing outside is touched.

Every refusal stands beside a harmless twin that must pass, so that "refused" does not mean "broken".
"""

import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.api import Decision, Scope, Status, UsageError
from desktop.proof.script import call, calls, text

SECRET = "outside-marker-7391"


def outside(folder: Path) -> Path:
    """A folder beside the opened one with a marked file, and one whose name begins alike."""
    for name in ("OUT", f"{folder.name}-evil"):
        beside = folder.parent / name
        beside.mkdir(exist_ok=True)
        (beside / "f").write_text(SECRET)
    return folder.parent / "OUT"


def prepare(folder: Path) -> None:
    """An ordinary file and every way out that a folder can hold."""
    out = outside(folder)
    (folder / "d").mkdir()
    (folder / "f").write_text("fine\n")
    (folder / "d" / "g").write_text("fine\n")
    (folder / "link").symlink_to(out)
    (folder / "magic").symlink_to("/proc/self/root")
    (folder / "here").symlink_to(f"/proc/{os.getpid()}/cwd")
    (folder / "in").symlink_to("d")
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to(out / "new")


WAYS_OUT = [
    ("../OUT/f", "outside"),
    ("/etc/passwd", "outside"),
    ("../{name}-evil/f", "outside"),
    ("{root}-evil/f", "outside"),
    ("d/../../OUT/f", "outside"),
    ("nowhere/../../OUT/f", "outside"),
    ("{root}/../OUT/f", "outside"),
    ("link/f", "link-outside"),
    ("magic{beside}/OUT/f", "link-outside"),
    ("here/f", "link-outside"),
    ("dangling", "link-outside"),
    ("/proc/self/cwd/../OUT/f", "outside"),
    ("/dev/fd/0", "outside"),
    ("a.txt\x00.png", "bad-name"),
    ("f/", None),
    ("f/.", None),
    ("n" * 300, None),
    ("d/" * 2600 + "f", None),
    ("x/" * 2000 + "f", None),
    ("~/x", None),
    ("file:///etc/passwd", None),
    ("\\\\srv\\s\\x", None),
    ("", None),
    ("loop", None),
]


@pytest.mark.parametrize("tool", ["read_file", "list_files", "file_info", "search_files"])
async def test_reading_stays_inside(attempt: Any, tool: str) -> None:
    """No look-only tool leaves the folder by name, by link or by a magic link; the twins are read."""
    more = {"pattern": "."} if tool == "search_files" else {}
    twins = ["d"] if tool == "list_files" else ["f", ".//f", "d/../f", "in/g"]
    asked = [(tool, {"path": path, **more}) for path in [*(path for path, _ in WAYS_OUT), *twins]]
    house, results = await attempt(*asked, prepare=prepare)
    for (path, code), result in zip(WAYS_OUT, results, strict=False):
        assert SECRET not in result.text and "root:" not in result.text, path
        assert code is None or result.error == code, (path, result)
    assert [result.status for result in results[len(WAYS_OUT) :]] == ["ok"] * len(twins)
    assert SECRET not in repr(house.server.requests[-1])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write_file", {"path": "../OUT/f", "content": "x"}),
        ("write_file", {"path": "../OUT/new", "content": "x"}),
        ("write_file", {"path": "link/f", "content": "x"}),
        ("write_file", {"path": "dangling", "content": "x"}),
        ("write_file", {"path": "link/new/deep", "content": "x"}),
        ("edit_file", {"path": "link/f", "old_text": "outside", "new_text": "x"}),
        ("edit_file", {"path": "hard", "old_text": "outside", "new_text": "x"}),
        ("write_file", {"path": "hard", "content": "x"}),
        ("move_file", {"source": "../OUT/f", "destination": "taken"}),
        ("move_file", {"source": "f", "destination": "../OUT/g"}),
        ("move_file", {"source": "f", "destination": "link/g"}),
        ("move_file", {"source": ".", "destination": "d/x"}),
        ("move_file", {"source": "d", "destination": "d/e"}),
        ("delete_file", {"path": "../OUT/f"}),
        ("delete_file", {"path": "link/f"}),
        ("delete_file", {"path": "."}),
        ("delete_file", {"path": ""}),
        ("delete_file", {"path": "d"}),
        ("write_file", {"path": "d", "content": "x"}),
        ("write_file", {"path": "f/x", "content": "x"}),
        ("write_file", {"path": "n" * 300, "content": "x"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values()))[:30],
)
async def test_writing_stays_inside(attempt: Any, tool: str, arguments: dict[str, Any]) -> None:
    """Nothing outside is written, moved or deleted, allowed or not; the file beside it can be."""

    def with_hard_link(folder: Path) -> None:
        prepare(folder)
        (folder / "hard").hardlink_to(folder.parent / "OUT" / "f")

    house, results = await attempt(
        (tool, arguments),
        ("list_files", {}),
        ("write_file", {"path": "fine.txt", "content": "y"}),
        prepare=with_hard_link,
    )
    out = house.folder.parent / "OUT"
    assert results[0].status == "failed", results[0]
    assert (out / "f").read_text() == SECRET and [one.name for one in out.iterdir()] == ["f"]
    assert (house.folder / "f").read_text() == "fine\n" and (house.folder / "d" / "g").exists()
    assert (house.folder / "fine.txt").read_text() == "y"


async def test_links_inside_are_followed_and_stay(attempt: Any) -> None:
    """An edit by a link's name changes the file it leads to; the link is a link as before."""

    def linked(folder: Path) -> None:
        (folder / "real.txt").write_text("one\n")
        (folder / "link.txt").symlink_to("real.txt")

    house, [result] = await attempt(
        ("edit_file", {"path": "link.txt", "old_text": "one", "new_text": "two"}), prepare=linked
    )
    assert result.status == "ok" and (house.folder / "link.txt").is_symlink()
    assert (house.folder / "real.txt").read_text() == "two\n"


async def test_a_link_that_is_turned_between_the_yes_and_the_write(bench: Any) -> None:
    """A link that leads elsewhere by the time of the yes is not written through."""
    edit = {"path": "link.txt", "old_text": "one", "new_text": "two"}
    house = await bench([call("edit_file", edit), text("Done.")])
    out = outside(house.folder)
    (house.folder / "real.txt").write_text("one\n")
    (house.folder / "link.txt").symlink_to("real.txt")
    session = await house.start()
    await house.say(session, "go")
    [question] = await house.questions(session)
    (house.folder / "link.txt").unlink()
    (house.folder / "link.txt").symlink_to(out / "f")
    decision = Decision(call_id=question.call_id, payload=question.payload, scope=Scope.ONCE)
    await house.door.sessions.decide(session, decision)
    await house.door.sessions.settled(session)
    assert (out / "f").read_text() == SECRET and (house.folder / "real.txt").read_text() == "one\n"


async def test_what_is_no_file_is_told_at_once(attempt: Any) -> None:
    """Pipes, sockets and devices are refused by their kind at once, whatever the tool; search passes by."""

    def odd(folder: Path) -> None:
        os.mkfifo(folder / "pipe")
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(folder / "sock"))
        if os.geteuid() == 0:
            os.mknod(folder / "null", 0o20666, os.makedev(1, 3))
        (folder / "loop").symlink_to(".")
        (folder / "f").write_text("needle\n")

    names = ["pipe", "sock", *(["null"] if os.geteuid() == 0 else [])]
    asked: list[Any] = [("read_file", {"path": name}) for name in names]
    asked += [("edit_file", {"path": name, "old_text": "a", "new_text": "b"}) for name in names]
    asked += [("write_file", {"path": name, "content": "b"}) for name in names]
    started = time.monotonic()
    _, results = await attempt(*asked, ("search_files", {"pattern": "needle"}), prepare=odd)
    assert time.monotonic() - started < 5
    assert {result.error for result in results[:-1]} == {"not-regular"}
    assert results[-1].status == "ok" and "f" in results[-1].text


async def test_names_cannot_forge_lines(attempt: Any) -> None:
    """A name with a line end, an escape or broken bytes is one line in every tool, and can be worked with."""
    names = [
        b"a\nfake.txt",
        b"b\x1b[2J.txt",
        b"c\xff\xfe.txt",
        "d\u202egnp.txt".encode(),
        b"e [secret-1].txt",
    ]

    def odd(folder: Path) -> None:
        for name in names:
            Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("needle\n")

    _, [listed, found, read] = await attempt(
        ("list_files", {}),
        ("search_files", {"pattern": "needle"}),
        ("read_file", {"path": "a\nfake.txt"}),
        prepare=odd,
    )
    for result in (listed, found):
        assert "\x1b" not in result.text and "\u202e" not in result.text
        assert not [line for line in result.text.splitlines() if line.startswith("fake")]
    assert found.text.count("needle") >= len(names) and read.error in ("", "bad-name")


@pytest.mark.parametrize(
    ("data", "old", "new", "wanted"),
    [
        (b"a\r\nb\r\nc", "b", "B", b"a\r\nB\r\nc"),
        (b"\xef\xbb\xbfa\nb\n", "a\nb", "A\nB", b"\xef\xbb\xbfA\nB\n"),
        ("\ufeffa\nb\n".encode("utf-16-le"), "b", "B", "\ufeffa\nB\n".encode("utf-16-le")),
        (b"caf\xe9\nb\n", "b", "B", b"caf\xe9\nB\n"),
        (b"a\nb", "b", "b\nc", b"a\nb\nc"),
        (b"a\rb\nc\r\nd", "d", "D", b"a\rb\nc\r\nD"),
        (b"a\x0cb\xe2\x80\xa8c\n", "c", "C", b"a\x0cb\xe2\x80\xa8C\n"),
    ],
)
async def test_an_edit_and_its_undo_keep_every_other_byte(
    bench: Any, data: bytes, old: str, new: str, wanted: bytes
) -> None:
    """Line ends, marks, encodings and a missing last line end survive; undo gives all bytes back."""
    edit = {"path": "f.txt", "old_text": old, "new_text": new}
    house = await bench([call("edit_file", edit), text("Done.")])
    file = house.folder / "f.txt"
    file.write_bytes(data)
    file.chmod(0o751)
    session = await house.start()
    await house.say(session, "go", rules=["edit_file"])
    assert file.read_bytes() == wanted and file.stat().st_mode & 0o777 == 0o751
    await house.door.sessions.undo(session)
    assert file.read_bytes() == data and file.stat().st_mode & 0o777 == 0o751


async def test_six_edits_of_one_file_in_one_reply(attempt: Any) -> None:
    """All land in the order of the calls, under two spellings of the name."""
    spelled = ["a.txt", "./a.txt", "d/../a.txt"] * 2
    asked = [
        ("edit_file", {"path": path, "old_text": f"line{number}\n", "new_text": f"LINE{number}\n"})
        for number, path in enumerate(spelled)
    ]

    def lines(folder: Path) -> None:
        (folder / "d").mkdir()
        (folder / "a.txt").write_text("".join(f"line{number}\n" for number in range(6)))

    house, results = await attempt(*asked, prepare=lines)
    assert [result.status for result in results] == ["ok"] * 6
    assert (house.folder / "a.txt").read_text() == "".join(f"LINE{number}\n" for number in range(6))


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/x",
        ".GIT/config",
        ".G\u0131t/config",
        ".git\u200c/config",
        "sub/.git/hooks/x",
        ".git",
        ".envrc",
        ".vscode/tasks.json",
        "conftest.py",
        "sub/sitecustomize.py",
        ".npmrc",
        "AGENTS.md",
        "x/.husky/pre-commit",
    ],
)
async def test_protected_names_ask_although_allowed(bench: Any, path: str) -> None:
    """A file that other programs obey asks each time: no rule covers it, only once is offered, and works."""
    house = await bench([call("write_file", {"path": path, "content": "x"}), text("Done.")])
    session = await house.start()
    view = await house.say(session, "go", rules=["write_file"])
    results = await house.results(session)
    if results and results[0].error == "bad-name":
        return
    assert view.status is Status.WAITING
    [question] = await house.questions(session)
    assert question.offer.always is None and question.offer.session is None
    await house.answer(session, Scope.ONCE)
    assert (house.folder / path).read_text() == "x"


async def test_a_chat_that_writes_in_its_own_records(bench: Any, tmp_path: Path) -> None:
    """With the data folder inside the opened one, no tool sees, reads or changes a thing in it."""
    data = tmp_path / "data"
    reply = calls(
        [
            ("read_file", {"path": "data/paddock.db"}, "a"),
            ("list_files", {"path": "data"}, "b"),
            ("write_file", {"path": "data/settings.json", "content": "{}"}, "c"),
            ("search_files", {"pattern": "marker-of-mine"}, "d"),
            ("delete_file", {"path": "data"}, "e"),
            ("move_file", {"source": "data", "destination": "d2"}, "f"),
            ("list_files", {}, "g"),
            ("write_file", {"path": "ok.txt", "content": "fine"}, "h"),
        ]
    )
    house = await bench([reply, text("Done.")])
    session = await house.door.sessions.start(str(tmp_path), route=house.route)
    await house.say(session, "marker-of-mine", rules=["write_file", "delete_file", "move_file"])
    results = await house.results(session)
    assert [result.status for result in results] == ["failed"] * 3 + ["ok"] + ["failed"] * 2 + ["ok"] * 2, (
        results
    )
    assert "data/" not in results[3].text and "data" not in results[6].text
    assert (tmp_path / "ok.txt").exists() and not (data / "settings.json").exists()


@pytest.mark.parametrize(
    "path", ["", "  ", "nowhere", "file.txt", "loop", "dangling", "file.txt/", "n" * 300]
)
async def test_what_is_no_folder_is_not_opened(bench: Any, path: str) -> None:
    """No name, nothing, a file and links that lead nowhere are told in a sentence, and no chat begins."""
    house = await bench()
    (house.folder / "file.txt").write_text("x")
    (house.folder / "loop").symlink_to("loop")
    (house.folder / "dangling").symlink_to("nothing")
    wanted = f"{house.folder}/{path}" if path.strip() else path
    with pytest.raises(UsageError) as caught:
        await house.door.sessions.start(wanted, route=house.route)
    assert len(str(caught.value).splitlines()) == 1
    assert await house.door.sessions.summaries() == []
    await house.start()


async def test_a_name_of_the_folder_that_leads_elsewhere_now(bench: Any) -> None:
    """A link that was opened once and leads to another folder now opens that other one."""
    house = await bench()
    one, two, link = house.folder / "one", house.folder / "two", house.folder / "link"
    for folder in (one, two):
        folder.mkdir()
    for folder in (one, two):
        link.unlink(missing_ok=True)
        link.symlink_to(folder)
        session = await house.door.sessions.start(str(link), route=house.route)
        assert (await house.door.sessions.view(session)).workspace == str(folder)


async def test_a_root_that_is_another_one_now(bench: Any) -> None:
    """The folder is taken away, comes back as a link: each call says so; put back, work goes on."""
    house = await bench([text("One."), text("Two."), text("Three.")])
    session = await house.start()
    await house.say(session, "hi")
    moved = house.folder.parent / "moved"
    house.folder.rename(moved)
    house.folder.symlink_to(outside(house.folder))
    with pytest.raises(UsageError):
        await house.say(session, "still there?")
    house.folder.unlink()
    moved.rename(house.folder)
    assert (await house.say(session, "and now?")).status is Status.IDLE
