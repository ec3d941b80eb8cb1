"""What reaches into one opened folder: the descriptor that is held, and the tools of each mode.

The most that a session can do is what is handed out here; the read-only mode is handed fewer tools, not a
sterner prompt. Part of the wiring, beside `folders`, which says when a folder is opened and let go.
"""

from collections.abc import Callable
from pathlib import Path

from desktop.harness.adapters.ignore import IgnoreRules
from desktop.harness.adapters.redaction import KnownSecrets, is_env_file, values_of_env_file
from desktop.harness.adapters.sandbox.processes import ShellProcesses
from desktop.harness.adapters.sandbox.root import HeldFolder
from desktop.harness.adapters.tools.delete_file import DeleteFile
from desktop.harness.adapters.tools.edit_file import EditFile
from desktop.harness.adapters.tools.file_info import ShowFileInfo
from desktop.harness.adapters.tools.list_files import ListFiles
from desktop.harness.adapters.tools.move_file import MoveFile
from desktop.harness.adapters.tools.read_file import ReadFile
from desktop.harness.adapters.tools.registry import read_only, write
from desktop.harness.adapters.tools.run_command import RunCommand
from desktop.harness.adapters.tools.search_files import SearchFiles
from desktop.harness.adapters.tools.textfile import StrictText
from desktop.harness.adapters.tools.write_file import WriteFile
from desktop.harness.core.errors import ToolError
from desktop.harness.core.policy import Mode
from desktop.harness.core.toolspec import Change
from desktop.harness.engine.parts import Hands
from desktop.harness.ports import FileKind, PreImages, Spool, Store, Tool, Worker

_MAX_ENV_BYTES = 1_000_000


class LearningFolder(HeldFolder):
    """A held folder that learns the secret values of each `.env` file that is read."""

    def __init__(self, path: str, *, closed: Path, redaction: KnownSecrets) -> None:
        super().__init__(path, closed=closed)
        self._redaction = redaction

    def read(self, path: str, *, limit_bytes: int | None = None, offset: int = 0) -> bytes:
        """As `HeldFolder.read`."""
        data = super().read(path, limit_bytes=limit_bytes, offset=offset)
        if is_env_file(path):
            self._redaction.learn(values_of_env_file(data.decode("utf-8", "replace")))
        return data

    def learn_secrets(self) -> None:
        """Read the `.env` files here and one folder down, so that no tool shows their values."""
        names = self.entries(".")
        for folder in [entry for entry in names if entry.kind is FileKind.FOLDER][:200]:
            try:
                names.extend(self.entries(folder.path))
            except ToolError:
                continue
        for entry in names:
            if is_env_file(entry.path) and entry.kind is FileKind.FILE:
                try:
                    self.read(entry.path, limit_bytes=_MAX_ENV_BYTES)
                except ToolError:
                    continue


def hands_into(
    folder: LearningFolder,
    *,
    store: Store,
    preimages: PreImages,
    spool: Spool,
    redaction: KnownSecrets,
    texts: StrictText,
    worker: Worker,
    allows_commands: bool,
    expect: Callable[[Change], None],
) -> Hands:
    """The registries of both modes over one held folder. `expect` hears of our own changes first."""
    processes = ShellProcesses()
    looking = (
        ListFiles(folder),
        ReadFile(folder, texts=texts, redaction=redaction, artifact=store.artifact),
        SearchFiles(
            worker,
            root=folder.root,
            identity=folder.identity(),
            redaction=redaction,
            ignored=IgnoreRules(folder.root).as_data,
        ),
        ShowFileInfo(folder),
    )
    changing: list[Tool] = [
        EditFile(folder, preimages=preimages, texts=texts, redaction=redaction),
        WriteFile(folder, preimages=preimages, texts=texts),
        MoveFile(folder, preimages=preimages),
        DeleteFile(folder, preimages=preimages),
    ]
    if processes.is_available and allows_commands:
        command = RunCommand(
            processes,
            folder=folder.root,
            redaction=redaction,
            keep_artifact=store.put_artifact,
            spool=spool,
        )
        changing.append(command)
    return Hands(
        workspace=folder,
        registries={Mode.READ_ONLY: read_only(*looking), Mode.WRITE: write(*looking, *changing)},
        expect=expect,
    )
