"""Where events come from: watchdog's observers, and their events as touched paths.

On Linux the pruned inotify observer, elsewhere the one of the platform; polling
where watches are used up. Events of ignored paths end here.
"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.harness.adapters.watcher.batch import EVERYTHING, Batch

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

    from desktop.harness.adapters.watcher.pruned import Terms

POLL_S = 2.0
IsIgnored = Callable[[str, bool], bool]


class Source:
    """One observer on one root, filling a batch. `is_stopped` is asked while watches are set up."""

    def __init__(
        self, root: str, is_ignored: IsIgnored, batch: Batch, is_stopped: Callable[[], bool]
    ) -> None:
        self._root = root
        self._is_ignored = is_ignored
        self._batch = batch
        self._is_stopped = is_stopped
        self._observer: BaseObserver | None = None
        self._terms: Terms | None = None
        self.is_polling = False

    @property
    def is_used_up(self) -> bool:
        """Whether a later watch was refused, so that part of the folder goes unseen."""
        return self._terms is not None and self._terms.is_used_up

    def open(self, *, poll: bool = False) -> None:
        """Begin. Polls when asked to, or when the system has no watches left. Raises OSError."""
        self.is_polling = False
        if not poll:
            try:
                self._begin(self._watching_observer())
                return
            except OSError:
                self.close()
                if self._is_stopped() or not Path(self._root).is_dir():
                    raise
        self.is_polling = True
        self._begin(self._polling_observer())

    def close(self) -> None:
        """End the observer and its threads."""
        observer, self._observer = self._observer, None
        self._terms = None
        if observer is not None:
            observer.stop()
            if observer.is_alive():
                observer.join()

    def _begin(self, observer: "BaseObserver") -> None:
        from watchdog import events

        self._observer = observer
        wanted: list[type[FileSystemEvent]] = [
            events.FileCreatedEvent,
            events.FileModifiedEvent,
            events.FileDeletedEvent,
            events.FileMovedEvent,
            events.DirCreatedEvent,
            events.DirDeletedEvent,
            events.DirMovedEvent,
        ]
        observer.schedule(self._handler(), self._root, recursive=True, event_filter=wanted)
        observer.start()

    def _watching_observer(self) -> "BaseObserver":
        if sys.platform != "linux":
            from watchdog.observers import Observer

            return Observer()
        from desktop.harness.adapters.watcher.pruned import PrunedObserver, Terms

        self._terms = Terms(
            is_ignored=lambda path: self._is_ignored(self._relative(os.fsdecode(path)), True),
            is_stopped=self._is_stopped,
            lost=lambda: self._batch.touch(EVERYTHING),
        )
        return PrunedObserver(self._terms)

    def _polling_observer(self) -> "BaseObserver":
        from watchdog.observers.polling import PollingObserverVFS

        def entries(folder: str | None) -> "Iterator[os.DirEntry[str]]":
            with os.scandir(folder) as found:
                for entry in found:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if not self._is_ignored(self._relative(entry.path), is_folder):
                        yield entry

        return PollingObserverVFS(stat=os.lstat, listdir=entries, polling_interval=POLL_S)

    def _handler(self) -> "FileSystemEventHandler":
        from watchdog.events import FileSystemEventHandler

        source = self

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: "FileSystemEvent") -> None:
                source._note(event)

        return Handler()

    def _note(self, event: "FileSystemEvent") -> None:
        is_created = event.event_type == "created"
        self._touch(event.src_path, event.is_directory, is_new=is_created)
        if event.dest_path:
            self._touch(event.dest_path, event.is_directory, is_new=False)

    def _touch(self, place: bytes | str, is_folder: bool, *, is_new: bool) -> None:
        path = self._relative(os.fsdecode(place))
        if path != EVERYTHING and not self._is_ignored(path, is_folder):
            self._batch.touch(path, is_new=is_new)

    def _relative(self, place: str) -> str:
        return os.path.relpath(place, self._root).replace(os.sep, "/")
