"""The opened folders: each held once, with the tools of each mode that reach into it.

Part of the wiring, beside `wiring` because it has a life of its own: folders are opened, watched and
let go. Sessions on one folder share one held descriptor. What reaches into a folder is in `reach`, loaded
with the first folder: the window shows its list of chats before that.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from desktop.harness.adapters.redaction import KnownSecrets
from desktop.harness.adapters.tools.textfile import StrictText
from desktop.harness.core.errors import ToolError
from desktop.harness.core.toolspec import Change, ChangeKind
from desktop.harness.engine.parts import Hands
from desktop.harness.ports import PreImages, Spool, Store, Watcher, Worker

Refresh = Callable[[str, frozenset[str] | None], Coroutine[Any, Any, None]]
"""Gets a folder's real path and what changed in it; None: the folder itself is gone."""


class Folders:
    """Opens folders, and watches them if asked to."""

    def __init__(
        self,
        data_dir: Path,
        store: Store,
        preimages: PreImages,
        spool: Spool,
        redaction: KnownSecrets,
        texts: StrictText,
        worker: Worker,
    ) -> None:
        self._data_dir = data_dir
        self._store = store
        self._preimages = preimages
        self._spool = spool
        self._redaction = redaction
        self._texts = texts
        self._worker = worker
        self._open: dict[str, Hands] = {}
        self._watchers: dict[str, Watcher] = {}
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._refresh: Refresh | None = None
        self._refreshing: set[asyncio.Task[None]] = set()

    def hands(self, path: str) -> Hands:
        """The opened folder. Blocking. Raises UsageError, ToolError."""
        from desktop.reach import LearningFolder, hands_into  # late: see above

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
            with contextlib.suppress(ToolError):
                folder.clean_strays(".")
            hands = hands_into(
                folder,
                store=self._store,
                preimages=self._preimages,
                spool=self._spool,
                redaction=self._redaction,
                texts=self._texts,
                worker=self._worker,
                allows_commands=not caution(folder.root),
                expect=partial(self._expect, folder.root),
            )
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
        from desktop.harness.adapters.ignore import IgnoreRules
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
