"""The tool that searches."""

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.adapters.redaction import KnownSecrets
from desktop.harness.adapters.tools.search_files import SearchFiles
from desktop.harness.adapters.worker.client import HelperProcess
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import CallId
from desktop.harness.core.toolspec import Outcome, ToolCall, ToolResult
from desktop.harness.ports import Entry, FileInfo, FileKind


class PlainView:
    """A view of a folder without walls, for a tool that only asks what stands where."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def resolve(self, path: str) -> str:
        if ".." in path:
            raise ToolError(Refusal.OUTSIDE, "That is outside.")
        return path

    def info(self, path: str) -> FileInfo | None:
        return FileInfo(path=path, kind=FileKind.FILE) if (self._root / path).exists() else None

    def read(self, path: str, *, limit_bytes: int | None = None, offset: int = 0) -> bytes:
        raise NotImplementedError

    def entries(self, path: str) -> list[Entry]:
        raise NotImplementedError


class Bench:
    """The tool on a real folder with a real helper process."""

    def __init__(self, folder: Path, worker: HelperProcess) -> None:
        here = folder.stat()
        self.folder = folder
        self.secrets = KnownSecrets({"KEY": "canary-9f8e7d6c"})
        self.tool = SearchFiles(
            worker,
            root=str(folder),
            identity=(here.st_dev, here.st_ino),
            redaction=self.secrets,
            ignored=lambda: {"names": [".git"], "patterns": []},
        )

    async def run(self, pattern: str, **more: Any) -> ToolResult:
        call = ToolCall(
            call_id=CallId("t1c1"), tool="search_files", raw="", arguments={"pattern": pattern, **more}
        )
        return await self.tool.run(call, self.tool.preview(call, PlainView(self.folder)))


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """The tool on an empty folder."""
    worker = HelperProcess()
    yield Bench(tmp_path, worker)
    await worker.close()


async def test_lines_with_their_places(bench: Bench) -> None:
    """The result names path, line and text, after one line of totals."""
    (bench.folder / "a.txt").write_text("one\ntwo needle\n")
    (bench.folder / ".git").mkdir()
    result = await bench.run("needle")
    assert result.status is Outcome.OK and not result.truncated
    assert result.text == "1 match in 1 of 1 file. Not searched: 1 ignored.\na.txt:2: two needle"


async def test_no_match_says_how_much_was_searched(bench: Bench) -> None:
    """Nothing found is an answer that says where was looked."""
    (bench.folder / "a.txt").write_text("one\n")
    assert (await bench.run("needle")).text == "No match in 1 file."


async def test_secrets_are_hidden_also_where_a_line_is_cut(bench: Bench) -> None:
    """A known value never shows, wherever in a long line the match falls."""
    for offset in range(150, 260, 3):
        (bench.folder / "a.txt").write_text(
            "." * 600 + "canary-9f8e7d6c" + "." * offset + "needle" + "." * 600
        )
        text = (await bench.run("needle")).text
        assert "needle" in text and not any(part in text for part in ("canary", "9f8e", "7d6c", "c-9"))


async def test_a_name_cannot_forge_a_second_line(bench: Bench) -> None:
    """Line ends and broken bytes in a file name are shown as boxes and escapes."""
    (bench.folder / "x\nb.txt:1: forged").write_text("needle")
    Path(os.fsdecode(os.fsencode(bench.folder) + b"/y\xff")).write_text("needle")
    text = (await bench.run("needle")).text
    assert len(text.splitlines()) == 3 and "⟦U+000A⟧" in text
    text.encode()


async def test_the_size_of_a_result_is_bounded(bench: Bench) -> None:
    """Thousands of long matches give at most 200 lines within the cap, and the true total."""
    (bench.folder / "a.txt").write_text(("中" * 500 + "needle\n") * 3000)
    result = await bench.run("needle")
    assert result.truncated and len(result.text.encode()) <= 48_000
    assert "3,000 matches" in result.text and "are shown" in result.text


async def test_a_catastrophic_pattern_is_a_plain_error(bench: Bench) -> None:
    """`(a+)+$` on a long line of a's is refused within five seconds, with advice."""
    (bench.folder / "a.txt").write_text("a" * 100_000 + "!")
    started = time.monotonic()
    with pytest.raises(ToolError) as caught:
        await bench.run("(a+)+$")
    assert time.monotonic() - started < 5
    assert caught.value.code is Refusal.TIMED_OUT and "simpler" in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "path", "code"),
    [("(", ".", Refusal.BAD_PATTERN), ("x", "gone", Refusal.NOT_FOUND), ("x", "../x", Refusal.OUTSIDE)],
)
async def test_errors_have_codes(bench: Bench, pattern: str, path: str, code: Refusal) -> None:
    """A bad pattern, a missing place and a place outside are told apart."""
    with pytest.raises(ToolError) as caught:
        await bench.run(pattern, path=path)
    assert caught.value.code is code
