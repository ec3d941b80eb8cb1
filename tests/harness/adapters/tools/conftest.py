"""A folder with the real tools on it, and fakes of what is not theirs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.adapters.sandbox.root import HeldFolder
from desktop.harness.adapters.tools.delete_file import DeleteFile
from desktop.harness.adapters.tools.edit_file import EditFile
from desktop.harness.adapters.tools.file_info import ShowFileInfo
from desktop.harness.adapters.tools.list_files import ListFiles
from desktop.harness.adapters.tools.move_file import MoveFile
from desktop.harness.adapters.tools.read_file import ReadFile
from desktop.harness.adapters.tools.registry import ToolSet, write
from desktop.harness.adapters.tools.textfile import StrictText
from desktop.harness.adapters.tools.write_file import WriteFile
from desktop.harness.core.errors import Refusal, StorageError, ToolError
from desktop.harness.core.ids import ArtifactId, CallId, Digest, digest_of
from desktop.harness.core.schema import arguments_of
from desktop.harness.core.toolspec import Preview, ToolCall, ToolResult
from desktop.harness.ports import FileView


class KeptBytes:
    """Pre-images in memory; `is_full` makes keeping fail."""

    def __init__(self) -> None:
        self.kept: dict[Digest, bytes] = {}
        self.is_full = False

    def keep(self, data: bytes) -> Digest:
        """Keep bytes."""
        if self.is_full:
            raise StorageError("The disk is full.")
        self.kept[digest_of(data)] = data
        return digest_of(data)

    def get(self, digest: Digest) -> bytes:
        """Kept bytes."""
        return self.kept[digest]


class OneSecret:
    """Hides the word `hunter2hunter2`."""

    def redact(self, text: str) -> str:
        """The text without the word."""
        return text.replace("hunter2hunter2", "[secret-1]")

    def learn(self, values: Any) -> None:
        """Nothing to learn."""


@dataclass
class Bench:
    """The tools on one folder: `preview` and `run` take a tool's name and arguments."""

    root: Path
    folder: HeldFolder
    tools: ToolSet
    preimages: KeptBytes
    artifacts: dict[str, bytes] = field(default_factory=dict)

    def call(self, tool: str, **arguments: Any) -> ToolCall:
        """A checked call."""
        raw = json.dumps(arguments)
        found = self.tools.get(tool)
        assert found is not None
        return ToolCall(call_id=CallId("t1c1"), tool=tool, raw=raw, arguments=arguments_of(found.spec, raw))

    def preview(self, tool: str, view: FileView | None = None, **arguments: Any) -> Preview:
        """What the call would do."""
        found = self.tools.get(tool)
        assert found is not None
        return found.preview(self.call(tool, **arguments), view or self.folder)

    async def run(self, tool: str, **arguments: Any) -> ToolResult:
        """Preview and run."""
        found = self.tools.get(tool)
        assert found is not None
        call = self.call(tool, **arguments)
        return await found.run(call, found.preview(call, self.folder))

    def refusal(self, tool: str, view: FileView | None = None, **arguments: Any) -> tuple[Refusal, str]:
        """The code and text of a preview that is refused."""
        with pytest.raises(ToolError) as caught:
            self.preview(tool, view, **arguments)
        return caught.value.code, str(caught.value)

    def edit(self, data: bytes, old: str, new: str, **more: Any) -> bytes:
        """What an edit would make of a file's bytes."""
        (self.root / "file.txt").write_bytes(data)
        [change] = self.preview("edit_file", path="file.txt", old_text=old, new_text=new, **more).changes
        assert change.after_bytes is not None
        assert change.after == digest_of(change.after_bytes)
        return change.after_bytes


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """An empty folder with all file tools on it."""
    root = tmp_path / "ws"
    root.mkdir()
    folder, kept, artifacts = HeldFolder(str(root)), KeptBytes(), dict[str, bytes]()
    texts, redaction = StrictText(), OneSecret()

    async def artifact(name: ArtifactId) -> bytes:
        if name not in artifacts:
            raise StorageError("gone")
        return artifacts[name]

    tools = write(
        ListFiles(folder),
        ReadFile(folder, texts=texts, redaction=redaction, artifact=artifact),
        ShowFileInfo(folder),
        EditFile(folder, preimages=kept, texts=texts, redaction=redaction),
        WriteFile(folder, preimages=kept, texts=texts),
        MoveFile(folder, preimages=kept),
        DeleteFile(folder, preimages=kept),
    )
    yield Bench(root=root, folder=folder, tools=tools, preimages=kept, artifacts=artifacts)
    folder.close()
