"""The opened folders: each held once, with the tools of each mode that reach into it.

Part of the wiring, beside `wiring` because it has a life of its own: folders are opened, watched and
let go. Sessions on one folder share one held descriptor.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from threading import Lock
from typing import Any

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
from desktop.harness.core.toolspec import Change, ChangeKind
from desktop.harness.engine.parts import Hands
from desktop.harness.ports import FileKind, PreImages, Store, Tool, Watcher, Worker

Refresh = Callable[[str, frozenset[str] | None], Coroutine[Any, Any, None]]
"""Gets a folder's real path and what changed in it; None: the folder itself is gone."""

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


class Folders:
    """Opens folders, and watches them if asked to."""

    def __init__(
        self,
        data_dir: Path,
        store: Store,
        preimages: PreImages,
        redaction: KnownSecrets,
        texts: StrictText,
        worker: Worker,
        processes: ShellProcesses,
    ) -> None:
        self._data_dir = data_dir
        self._store = store
        self._preimages = preimages
        self._redaction = redaction
        self._texts = texts
        self._worker = worker
        self._processes = processes
        self._open: dict[str, Hands] = {}
        self._watchers: dict[str, Watcher] = {}
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._refresh: Refresh | None = None
        self._refreshing: set[asyncio.Task[None]] = set()

    def hands(self, path: str) -> Hands:
        """The opened folder. Blocking. Raises UsageError, ToolError."""
        with self._lock:
            if (hands := self._still_open(path)) is not None:
                return hands
            with contextlib.suppress(OSError):  # the store says in words what is wrong with it
                self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = LearningFolder(path, closed=self._data_dir, redaction=self._redaction)
            known = self._open.get(folder.root)
            if known is not None and known.workspace.identity() == folder.identity():
                folder.close()
                self._open[path] = known
                return known
            self._forget(folder.root)
            folder.learn_secrets()
            hands = self._hands(folder)
            self._open[path] = self._open[folder.root] = hands
            self._start_watching(folder.root)
            return hands

    def _still_open(self, path: str) -> Hands | None:
        """The folder that was opened under this name, if the name still leads to it."""
        if (hands := self._open.get(path)) is None:
            return None
        try:
            status = Path(path).stat()
            hands.workspace.check_root()
            if (status.st_dev, status.st_ino) == hands.workspace.identity():
                return hands
        except OSError:
            pass
        except ToolError:
            self._forget(hands.workspace.root)
        self._open.pop(path, None)
        return None

    def _hands(self, folder: LearningFolder) -> Hands:
        redaction, preimages, texts = self._redaction, self._preimages, self._texts
        looking = (
            ListFiles(folder),
            ReadFile(folder, texts=texts, redaction=redaction, artifact=self._store.artifact),
            SearchFiles(
                self._worker,
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
        tools: list[Tool] = [*looking, *changing]
        if self._processes.is_available and not caution(folder.root):
            tools.append(
                RunCommand(
                    self._processes,
                    folder=folder.root,
                    redaction=redaction,
                    keep_artifact=self._store.put_artifact,
                )
            )
        return Hands(
            workspace=folder,
            registries={Mode.READ_ONLY: read_only(*looking), Mode.WRITE: write(*tools)},
            expect=lambda change: self._expect(folder.root, change),
        )

    def _forget(self, root: str) -> None:
        """What stood at this path is there no more."""
        for name in [name for name, hands in self._open.items() if hands.workspace.root == root]:
            del self._open[name]
        if (watcher := self._watchers.pop(root, None)) is not None:
            watcher.stop()

    # --- watching ---

    def watch(self, loop: asyncio.AbstractEventLoop, refresh: Refresh) -> None:
        """From now on watch each folder that is opened; `refresh` is run on the loop with what changed."""
        self._loop = loop
        self._refresh = refresh

    def _start_watching(self, root: str) -> None:
        if self._loop is None:
            return
        from desktop.harness.adapters.watcher import FolderWatcher

        watcher = FolderWatcher(rules_for=lambda root: IgnoreRules(root).covers)
        self._watchers[root] = watcher
        watcher.start(root, lambda paths: self._tell(root, paths), lambda: self._tell(root, None))

    def _tell(self, root: str, paths: frozenset[str] | None) -> None:
        """From the watcher's thread to the loop."""
        assert self._loop is not None
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._begin_refresh, root, paths)

    def _begin_refresh(self, root: str, paths: frozenset[str] | None) -> None:
        assert self._refresh is not None
        task = asyncio.ensure_future(self._refresh(root, paths))
        self._refreshing.add(task)
        task.add_done_callback(self._refreshed)

    def _refreshed(self, task: "asyncio.Task[None]") -> None:
        self._refreshing.discard(task)
        if not task.cancelled():
            task.exception()  # the watcher is a hint: what cannot be refreshed is checked at the write

    def _expect(self, root: str, change: Change) -> None:
        """Our own change is no change from outside."""
        if (watcher := self._watchers.get(root)) is None:
            return
        if change.kind is ChangeKind.MOVE and change.destination is not None:
            watcher.expect(change.path, None)
            watcher.expect(change.destination, change.before)
        else:
            watcher.expect(change.path, change.after)

    async def close(self) -> None:
        """Stop watching and let the folders go."""
        for task in self._refreshing:
            task.cancel()
        watchers, self._watchers = list(self._watchers.values()), {}
        for watcher in watchers:
            await asyncio.to_thread(watcher.stop)
        for hands in {id(hands): hands for hands in self._open.values()}.values():
            hands.workspace.close()
        self._open.clear()


def caution(path: str) -> str:
    """What to think of before a folder is opened. In one that holds nearly everything commands stay off."""
    root = Path(path).resolve()
    if root == Path.home().resolve():
        what = "This is your whole home folder"
    elif root.parent == root or root.is_mount():
        what = "This is a whole drive"
    else:
        return ""
    return f"{what}. A folder with just what the work needs is safer; commands stay off here."
