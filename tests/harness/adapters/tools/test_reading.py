"""What the reading tools tell: exact text, honest counts, nothing forged, nothing unbounded."""

import os
import resource
from typing import Any

import pytest

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import digest_of


async def body(bench: Any, **arguments: Any) -> tuple[str, str]:
    """The head line and the rest of what `read_file` answers."""
    result = await bench.run("read_file", **arguments)
    head, _, rest = result.text.partition("\n---\n")
    return head, rest


async def test_text_is_exact(bench: Any) -> None:
    """Tabs, line ends and letters come as they are, after one head line."""
    data = "a\tb\r\nnaïve 中\n".encode()
    (bench.root / "f").write_bytes(data)
    head, rest = await body(bench, path="f")
    assert rest.encode() == data
    assert head == f"f: lines 1-2 of 2, {len(data)} bytes, mixed line ends"
    assert (await bench.run("read_file", path="f")).receipt == {
        "read": {"path": "f", "digest": digest_of(data)}
    }


async def test_a_part_says_where_to_go_on(bench: Any) -> None:
    """Offset and limit give those lines; the last line tells the next offset; the end has none."""
    (bench.root / "f").write_text("".join(f"line {number}\n" for number in range(1, 11)))
    head, rest = await body(bench, path="f", offset=3, limit=2)
    assert head == "f: lines 3-4 of 10, 71 bytes"
    assert rest == "line 3\nline 4\n---\n(6 more lines; read on with offset 5)"
    _, rest = await body(bench, path="f", offset=10)
    assert rest == "line 10\n"
    with pytest.raises(ToolError, match="10 lines") as caught:
        await bench.run("read_file", path="f", offset=11)
    assert caught.value.code is Refusal.BAD_ARGUMENTS


async def test_an_empty_file_and_a_missing_line_end(bench: Any) -> None:
    """Both are said in the head line."""
    (bench.root / "empty").write_bytes(b"")
    assert await body(bench, path="empty") == ("empty: no lines of 0, 0 bytes", "")
    (bench.root / "f").write_bytes(b"a")
    head, rest = await body(bench, path="f")
    assert (head, rest) == ("f: lines 1-1 of 1, 1 bytes, no line end at the end", "a")


async def test_what_is_shown_fits(bench: Any) -> None:
    """Many lines, many bytes and one endless line are cut, with counts, below the tool's limit."""
    (bench.root / "lines").write_text("x\n" * 5_000)
    (bench.root / "bytes").write_text(("é" * 900 + "\n") * 200)
    (bench.root / "long").write_text("y" * 1_000_000)
    for name, last in (("lines", "(3,000 more lines; read on with offset 2001)"), ("bytes", "offset 26)")):
        result = await bench.run("read_file", path=name)
        assert result.text.endswith(last)
        assert len(result.text.encode()) < 48_000
        assert result.truncated
    head, rest = await body(bench, path="long")
    assert "1 long lines cut" in head
    assert "[… 992,000 more characters]" in rest


async def test_other_encodings_are_named(bench: Any) -> None:
    """UTF-16 and a Western European text are read; a picture and a program are told by their kind."""
    (bench.root / "wide").write_bytes("\ufeffzwölf\n".encode("utf-16-le"))
    head, rest = await body(bench, path="wide")
    assert "utf-16-le, byte-order mark kept" in head
    assert rest == "zwölf\n"
    (bench.root / "west").write_bytes("Grüße aus Köln, schöne Straße\n".encode("cp1252") * 4)
    head, rest = await body(bench, path="west")
    assert "(guessed)" in head
    assert rest.startswith("Grüße aus Köln")
    (bench.root / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(ToolError, match="PNG picture") as caught:
        await bench.run("read_file", path="p.png")
    assert caught.value.code is Refusal.ENCODING


async def test_control_characters_are_shown(bench: Any) -> None:
    """A request can't carry them, so they are boxes, and the head line says so."""
    (bench.root / "f").write_bytes(b"\x1b[31mred\n")
    head, rest = await body(bench, path="f")
    assert rest == "⟦U+001B⟧[31mred\n"
    assert "control characters shown" in head


async def test_secrets_do_not_leave(bench: Any) -> None:
    """A known value is a placeholder in what is read."""
    (bench.root / ".env").write_text("KEY=hunter2hunter2\n")
    _, rest = await body(bench, path=".env")
    assert rest == "KEY=[secret-1]\n"


async def test_a_huge_file_is_read_within_bounds(bench: Any) -> None:
    """Lines of a 2 GB file come from its beginning and from deep inside; memory stays small."""
    path = bench.root / "log"
    with path.open("wb") as file:
        for _ in range(20):
            file.write(b"a line of the log\n" * 60_000)
        file.truncate(2_000_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    head, rest = await body(bench, path="log", limit=2)
    assert head == "log: lines 1-2, 2,000,000,000 bytes"
    assert rest.endswith("(more lines follow; read on with offset 3)")
    _, rest = await body(bench, path="log", offset=1_100_000, limit=1)
    assert rest.startswith("a line of the log\n")
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 100_000


async def test_a_large_file_is_counted(bench: Any) -> None:
    """A 20 MB file is gone through in pieces with its lines counted and its digest taken."""
    data = b"0123456789abcdef0\n" * 1_200_000
    (bench.root / "log").write_bytes(data)
    result = await bench.run("read_file", path="log", offset=1_199_999)
    assert result.text.startswith("log: lines 1,199,999-1,200,000 of 1,200,000, 21,600,000 bytes")
    assert result.receipt["read"]["digest"] == digest_of(data)


async def test_a_kept_output_is_read(bench: Any) -> None:
    """`artifact:ID` gives the kept text; an unknown one is not found."""
    bench.artifacts["abc1"] = b"one\ntwo\n"
    _, rest = await body(bench, path="artifact:abc1", offset=2)
    assert rest == "two\n"
    with pytest.raises(ToolError) as caught:
        await bench.run("read_file", path="artifact:none")
    assert caught.value.code is Refusal.NOT_FOUND


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("none", Refusal.NOT_FOUND),
        ("pipe", Refusal.NOT_REGULAR),
        (".", Refusal.NOT_REGULAR),
        ("/etc/passwd", Refusal.OUTSIDE),
    ],
)
async def test_what_can_not_be_read(bench: Any, path: str, code: Refusal) -> None:
    """Nothing, a pipe, a folder and a path outside are refused by their codes."""
    os.mkfifo(bench.root / "pipe")
    with pytest.raises(ToolError) as caught:
        await bench.run("read_file", path=path)
    assert caught.value.code is code


async def test_a_listing(bench: Any) -> None:
    """Kinds and sizes, one line each, sorted, relative to the opened folder."""
    (bench.root / "d/e").mkdir(parents=True)
    (bench.root / "d/g").write_bytes(b"12345")
    (bench.root / ".hidden").write_bytes(b"")
    (bench.root / "link").symlink_to("d")
    os.mkfifo(bench.root / "pipe")
    assert (await bench.run("list_files")).text.split("\n") == [
        ".: 4 names",
        ".hidden (0 bytes)",
        "d/",
        "link (link)",
        "pipe (no ordinary file)",
    ]
    assert (await bench.run("list_files", path="d")).text.split("\n") == [
        "d: 2 names",
        "d/e/",
        "d/g (5 bytes)",
    ]
    assert (await bench.run("list_files", path="", depth=2)).text.split("\n")[0] == ".: 6 names"


async def test_a_name_can_not_forge_a_line(bench: Any) -> None:
    """Line ends, terminal codes and bytes that are no text are boxes within one line."""
    (bench.root / "a\nforged.txt (9 bytes)").write_bytes(b"")
    with open(os.fsencode(bench.root) + b"/z\xff", "wb"):  # noqa: PTH123 (a name of bytes)
        pass
    result = await bench.run("list_files", depth=3)
    assert result.text.split("\n") == [
        ".: 2 names",
        "a⟦U+000A⟧forged.txt (9 bytes) (0 bytes)",
        "z⟦U+DCFF⟧ (0 bytes)",
        "[2 names hold characters that can't be seen; they are shown as ⟦U+…⟧.]",
    ]
    result.text.encode()


async def test_a_long_listing_is_cut_with_a_count(bench: Any) -> None:
    """A thousand names are shown, the shallow ones first, and the rest is counted."""
    (bench.root / "deep").mkdir()
    for number in range(1_200):
        (bench.root / "deep" / f"{number}").touch()
    (bench.root / "top").touch()
    result = await bench.run("list_files", depth=5)
    lines = result.text.split("\n")
    assert lines[0] == ".: 1202 names"
    assert "top (0 bytes)" in lines
    assert lines[-1].startswith("[202 further names")
    assert result.truncated


async def test_facts_of_a_file(bench: Any) -> None:
    """Kind, size, time, rights, the final name of a link, and why a change would ask."""
    path = bench.root / ".envrc"
    path.write_bytes(b"abc")
    path.chmod(0o640)
    os.utime(path, (0, 86_400))
    (bench.root / "link").symlink_to(".envrc")
    text = (await bench.run("file_info", path="link")).text
    assert text.startswith(
        "link: file, 3 bytes, changed 1970-01-02 00:00:00 UTC, mode 0640, stands at .envrc, each"
    )
    assert (await bench.run("file_info", path=".")).text.startswith(".: folder, changed")
    with pytest.raises(ToolError) as caught:
        await bench.run("file_info", path="none")
    assert caught.value.code is Refusal.NOT_FOUND
