"""A view of the files as they will be after changes that are not written yet.

Later calls of one reply are previewed on the results of earlier ones. A path is
looked up through the changes from the newest back to the oldest; what none of them
touches is asked of the view beneath. Nothing is copied and nothing is written.
Links are resolved by the view beneath, since no change makes one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import shown
from desktop.harness.core.toolspec import Change, ChangeKind
from desktop.harness.ports import Entry, FileInfo, FileKind, FileView


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a path is: new content, a folder that a change makes, or (`beneath`) a path of the view below."""

    data: bytes | None = None
    mode: int | None = None
    is_folder: bool = False
    beneath: str | None = None


class Staged:
    """Changes laid over a view (see `ports.FileView`)."""

    def __init__(self, view: FileView, changes: Sequence[Change]) -> None:
        self._view = view
        self._changes = tuple(changes)

    def resolve(self, path: str) -> str:
        """The final relative path, links inside followed."""
        return self._view.resolve(path)

    def info(self, path: str) -> FileInfo | None:
        """What will stand there; None when nothing does."""
        path = self.resolve(path)
        found = self._lookup(path)
        if found.beneath is not None and (info := self._view.info(found.beneath)):
            return replace(info, path=path)
        if found.is_folder:
            return FileInfo(path=path, kind=FileKind.FOLDER)
        if found.data is None:
            return None
        return FileInfo(
            path=path, kind=FileKind.FILE, size_bytes=len(found.data), mode=self._mode(path, found.mode)
        )

    def _mode(self, path: str, mode: int | None) -> int:
        if mode is not None:
            return mode
        old = self._view.info(path)
        return old.mode if old is not None and old.kind is FileKind.FILE else 0o644

    def read(self, path: str, *, limit_bytes: int | None = None, offset: int = 0) -> bytes:
        """Bytes of a file as it will be."""
        found = self._lookup(self.resolve(path))
        if found.beneath is not None:
            return self._view.read(found.beneath, limit_bytes=limit_bytes, offset=offset)
        if found.is_folder:
            raise ToolError(Refusal.NOT_REGULAR, f"{shown(path)} is a folder.")
        if found.data is None:
            raise ToolError(Refusal.NOT_FOUND, f"There is nothing at {shown(path)} after the changes before.")
        return found.data[offset : None if limit_bytes is None else offset + limit_bytes]

    def entries(self, path: str) -> list[Entry]:
        """The names that will be in a folder, sorted."""
        folder = self.resolve(path)
        prefix = "" if folder == "." else f"{folder}/"
        found = self._lookup(folder)
        known: dict[str, Entry] = {}
        if found.beneath is not None and self._view.info(found.beneath) is not None:
            for entry in self._view.entries(found.beneath):
                known[prefix + entry.path.rpartition("/")[2]] = entry
        listed = []
        for name in sorted({*known, *self._touched(prefix)}):
            at = self._lookup(name)
            if at.beneath is not None and name in known:
                listed.append(replace(known[name], path=name))
            elif info := self.info(name):
                listed.append(Entry(path=name, kind=info.kind, size_bytes=info.size_bytes))
        return listed

    def _touched(self, prefix: str) -> set[str]:
        """The names directly in a folder that some change names or makes a way to."""
        paths = [name for change in self._changes for name in (change.path, change.destination) if name]
        return {prefix + path[len(prefix) :].split("/")[0] for path in paths if path.startswith(prefix)}

    def _lookup(self, path: str) -> _Found:
        is_made = False
        for change in reversed(self._changes):
            if change.kind is ChangeKind.MOVE:
                assert change.destination is not None
                if _is_at(path, change.destination):
                    path = change.path + path[len(change.destination) :]
                    continue
                if _is_at(path, change.path):
                    return _Found(is_folder=is_made)
                is_made = is_made or change.destination.startswith(f"{path}/")
            elif change.path == path:
                return _content(change, is_made=is_made)
            elif change.kind is ChangeKind.CREATE and change.path.startswith(f"{path}/"):
                is_made = True
        return _Found(beneath=path, is_folder=is_made)


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _content(change: Change, *, is_made: bool) -> _Found:
    if change.kind is ChangeKind.DELETE or change.is_folder:
        return _Found(is_folder=is_made or change.kind is not ChangeKind.DELETE)
    return _Found(data=change.after_bytes, mode=change.mode)
