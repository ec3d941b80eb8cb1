"""watchdog's inotify observer, taught to leave ignored folders alone.

As it comes, it spends one watch on every folder beneath the root, and a project may
have ten thousands of them that nobody looks at. It also passes over folders that it
could not watch; here that is told, so that somebody can poll instead. This reaches
into the library's inner classes, which is why its version is held below the next
major one and a test counts real watches.
"""

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from watchdog.observers.inotify import InotifyEmitter, InotifyObserver, InotifyWatchGroup
from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, Mask, WatchDescriptor
from watchdog.observers.inotify_move_event_grouper import GroupedInotifyEvent, PathedInotifyEvent

_USED_UP = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENOMEM})


@dataclass
class Terms:
    """What an observer keeps to.

    `is_ignored` gets absolute paths of folders; `lost` is called when events were lost.
    `is_used_up` becomes true when a watch was refused because there are too many.
    """

    is_ignored: Callable[[bytes], bool]
    is_stopped: Callable[[], bool]
    lost: Callable[[], None]
    is_used_up: bool = False


class StoppedError(OSError):
    """The watcher was stopped while it still set up watches."""


@dataclass
class _PrunedGroup(InotifyWatchGroup):
    terms: Terms = field(default_factory=lambda: Terms(lambda _: False, lambda: False, lambda: None))

    def forget(self, path: bytes) -> None:
        """Drop the watches of a folder that was moved out of the root."""
        with self._lock:
            inside = path + b"/"
            wds = [
                wd
                for known, wd in self._active_callbacks_by_path.items()
                if known == path or known.startswith(inside)
            ]
            self._remove_callbacks(wds)

    def on_queue_overflow(self) -> None:
        super().on_queue_overflow()
        self.terms.lost()

    def _add_all_callbacks(self, path: bytes) -> None:
        for folder in self._folders(path):
            self._add_callback(folder)
            if self.terms.is_used_up and not self._is_active:
                raise OSError(errno.ENOSPC, "no watches are left")

    def _folders(self, path: bytes) -> Iterator[bytes]:
        """The folder and those beneath it that are not ignored, each before what is in it."""
        if path != self.path and self.terms.is_ignored(path):
            return
        waiting = [path]
        while waiting:
            if self.terms.is_stopped():
                raise StoppedError("stopped")
            folder = waiting.pop()
            yield folder
            waiting += [inner for inner in _inner_folders(folder) if not self.terms.is_ignored(inner)]

    def _add_callback(self, path: bytes) -> None:
        try:
            wd = self._watched(path)
        except OSError as error:
            self.terms.is_used_up |= error.errno in _USED_UP
            if path == self.path:
                raise
            return  # it is gone again, or not ours to read
        self._active_callbacks_by_path[path] = wd
        self._active_callbacks_by_watch[wd] = path

    def _watched(self, path: bytes) -> WatchDescriptor:
        """The watch of a folder, made or already there.

        A folder made inside a new one is met twice: when the new one is walked, and by the event of its
        own. The library's own way in (`add_callback`) takes the second time for a mistake and warns.
        """
        with self._inotify_fd._lock:
            watch = self._inotify_fd._get_or_create_watch(path, self.event_mask)
            watch.callbacks[self._id] = self._callback
        return watch.wd

    def _recursive_simulate(self, src_path: bytes) -> list[InotifyEvent]:
        """Events for what was already in a new folder when it got its watch."""
        events: list[InotifyEvent] = []
        for folder in self._folders(src_path):
            wd = self._active_callbacks_by_path.get(folder)
            if wd is not None:
                events += _made(folder, wd)
        return events


class _PrunedEmitter(InotifyEmitter):
    def __init__(self, *arguments: Any, terms: Terms, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._terms = terms

    def on_thread_start(self) -> None:
        self._inotify = _PrunedGroup(
            self._inotify_fd,
            os.fsencode(self.watch.path),
            is_recursive=True,
            event_mask=self.get_event_mask_from_filter(),
            terms=self._terms,
        )

    def build_and_queue_event(self, event: GroupedInotifyEvent, *, full_events: bool = False) -> None:
        super().build_and_queue_event(event, full_events=full_events)
        if not isinstance(event, PathedInotifyEvent):
            return
        group = self._inotify
        if event.ev.is_moved_from and event.ev.is_directory and isinstance(group, _PrunedGroup):
            group.forget(event.path)


class PrunedObserver(InotifyObserver):
    """An inotify observer that keeps to `Terms`. Starting it raises OSError when watches are used up."""

    def __init__(self, terms: Terms) -> None:
        super().__init__()
        self._emitter_class = _PrunedEmitter
        self._emitter_kwargs["terms"] = terms


def _inner_folders(folder: bytes) -> list[bytes]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _made(folder: bytes, wd: WatchDescriptor) -> Iterator[InotifyEvent]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                kind = InotifyConstants.IN_CREATE | (InotifyConstants.IN_ISDIR if is_folder else 0)
                yield InotifyEvent(wd, Mask(kind), 0, entry.name)
    except OSError:
        return
