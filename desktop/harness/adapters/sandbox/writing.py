"""Carrying out one change: checked against its digest, atomic, durable, or not done at all.

A file is never written in place: its new content goes to a temporary file beside it,
which then takes the name. A file with a second name is refused, because replacing it
would part the two. Immediately before the name changes hands, the content that
stands there is read again. A path in a change is already resolved; a link on it
means that somebody swapped one in, and the change is stale.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from desktop.harness.adapters.sandbox.descent import ClosedError, Descent
from desktop.harness.adapters.sandbox.parents import Parents
from desktop.harness.adapters.sandbox.place import Identity, Place, identity_of, is_link
from desktop.harness.adapters.sandbox.refusals import (
    exists,
    moved_on,
    not_regular,
    refusal_of,
)
from desktop.harness.adapters.sandbox.temporary import (
    discard,
    put_over,
    remove_strays,
    rename_new,
    write_temporary,
)
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import Digest
from desktop.harness.core.names import outside, parse_name, shown
from desktop.harness.core.toolspec import Change, ChangeKind

_CHUNK_BYTES = 1 << 20


class Writer:
    """Changes beneath one held root."""

    def __init__(self, descent: Descent) -> None:
        self._descent = descent
        self._parents = Parents(descent)
        self._swept: set[Identity] = set()

    def apply(self, change: Change) -> None:
        """Carry out one change. Raises ToolError; then nothing was changed."""
        try:
            match change.kind:
                case ChangeKind.EDIT:
                    self._edit(change)
                case ChangeKind.CREATE:
                    self._create(change)
                case ChangeKind.MOVE:
                    self._move(change)
                case ChangeKind.DELETE:
                    self._delete(change)
        except ClosedError as error:
            raise outside(change.path) from error
        except OSError as error:
            raise refusal_of(error, change.path) from error

    def _edit(self, change: Change) -> None:
        data = _content(change)
        with self._parents.of(change.path) as (place, name), _opened(place, name, change) as target:
            if os.fstat(target).st_nlink > 1:
                raise ToolError(
                    Refusal.HARDLINK,
                    f"{shown(change.path)} has a second name that would be parted from it; ask the person.",
                )
            self._sweep(place)
            temporary, fd = write_temporary(place, data, like=target, mode=None)
            try:
                _demand_same(place, name, target, change)
                put_over(place, temporary, name)
            except BaseException:
                discard(place, temporary, fd)
                raise
            os.close(fd)
            place.sync()

    def _create(self, change: Change) -> None:
        with self._parents.made_for(change.path) as (place, name):
            if change.is_folder:
                place.make_folder(name)
                place.sync()
                return
            self._sweep(place)
            temporary, fd = write_temporary(place, _content(change), like=None, mode=change.mode)
            try:
                rename_new(place, temporary, place, name)
            except FileExistsError:
                discard(place, temporary, fd)
                raise moved_on(change.path) from None
            except BaseException:
                discard(place, temporary, fd)
                raise
            os.close(fd)
            place.sync()

    def _move(self, change: Change) -> None:
        assert change.destination is not None
        with self._parents.of(change.path) as (source_place, source):
            status = source_place.stat(source)
            self._descent.refuse_above_closed(status)
            is_folder = stat.S_ISDIR(status.st_mode)
            if is_link(status) or is_folder != change.is_folder:
                raise moved_on(change.path)
            if not is_folder:
                with _opened(source_place, source, change) as fd:
                    _demand_same(source_place, source, fd, change)
            elif change.destination.startswith(change.path + "/"):
                raise ToolError(Refusal.BAD_NAME, f"{shown(change.path)} can't be moved into itself.")
            with self._parents.made_for(change.destination) as (place, name):
                try:
                    rename_new(source_place, source, place, name, is_folder=is_folder)
                except FileExistsError:
                    raise exists(change.destination) from None
                place.sync()
            source_place.sync()

    def _delete(self, change: Change) -> None:
        with self._parents.of(change.path) as (place, name):
            if change.is_folder:
                self._descent.refuse_above_closed(place.stat(name))
                try:
                    place.remove_folder(name)
                except OSError as error:
                    raise self._why_kept(error, change) from error
            else:
                with _opened(place, name, change) as fd:
                    _demand_same(place, name, fd, change)
                    place.remove(name)
            place.sync()

    def _why_kept(self, error: OSError, change: Change) -> Exception:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return ToolError(
                Refusal.NOT_EMPTY, f"{shown(change.path)} is not empty; delete or move what is in it first."
            )
        return error

    def sweep(self, path: str) -> int:
        """Remove what dead writers left in a folder; how many files. Raises ToolError."""
        try:
            with self._descent.down(parse_name(path).parts) as place:
                return remove_strays(place)
        except ClosedError as error:
            raise outside(path) from error
        except OSError as error:
            raise refusal_of(error, path) from error

    def _sweep(self, place: Place) -> None:
        identity = identity_of(place.stat("."))
        if identity not in self._swept:
            self._swept.add(identity)
            try:
                remove_strays(place)
            except PermissionError:
                return  # a folder that can be written but not listed


def _content(change: Change) -> bytes:
    if change.after_bytes is None:
        raise ToolError(
            Refusal.FAULT, f"The new content of {shown(change.path)} is missing; propose it again."
        )
    return change.after_bytes


@contextmanager
def _opened(place: Place, name: str, change: Change) -> Iterator[int]:
    """The file as it was previewed, open. Raises ToolError(STALE) when it is another."""
    try:
        status = place.stat(name)
    except FileNotFoundError:
        raise moved_on(change.path) from None
    if is_link(status):
        raise moved_on(change.path)
    if not stat.S_ISREG(status.st_mode):
        raise not_regular(change.path)
    fd = place.open(name, os.O_RDONLY)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise not_regular(change.path)
        if _digest(fd) != change.before:
            raise moved_on(change.path)
        yield fd
    finally:
        os.close(fd)


def _digest(fd: int) -> Digest:
    found = hashlib.sha256()
    os.lseek(fd, 0, os.SEEK_SET)
    while chunk := os.read(fd, _CHUNK_BYTES):
        found.update(chunk)
    return Digest(found.hexdigest())


def _demand_same(place: Place, name: str, fd: int, change: Change) -> None:
    """The open file still stands at the name with the previewed content, as late as one can look."""
    if identity_of(place.stat(name)) != identity_of(os.fstat(fd)) or _digest(fd) != change.before:
        raise moved_on(change.path)
