"""Temporary files beside their target: written whole, synced, then put in place or taken away.

The name says whose they are, and the writer holds a lock on the file as long as it
lives. So a left-over of a process that died can be told from one in use and removed;
nothing else is ever removed. Rights are never wider than the target's: a file begins
as 0600 and gets its owner, attributes and mode before it appears under its name.
"""

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import time

from desktop.harness.adapters.sandbox.linux_calls import rename_without_overwriting
from desktop.harness.adapters.sandbox.place import Place

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

_NAME = re.compile(r"\.paddock-[0-9a-f]{16}~\Z")
_REPLACE_TRIES = 10
_FIRST_WAIT_S = 0.005
_NOT_OFFERED = frozenset((errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP))


def is_temporary(name: str) -> bool:
    """Whether a name is of the kind this module makes."""
    return _NAME.match(name) is not None


def write_temporary(place: Place, data: bytes, *, like: int | None, mode: int | None) -> tuple[str, int]:
    """Write a new file in `place`; its name, and the descriptor that keeps its lock.

    `like` is an open file whose owner, attributes and mode are taken over; else `mode`,
    else what the process gives new files. Raises OSError; then no file is left.
    """
    name = f".paddock-{secrets.token_hex(8)}~"
    is_default = like is None and mode is None
    fd = place.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666 if is_default else 0o600)
    try:
        _lock(fd)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view[: 1 << 22]) :]
        if like is not None:
            _take_over(fd, like)
        elif mode is not None and hasattr(os, "fchmod"):
            os.fchmod(fd, mode)
        os.fsync(fd)
    except BaseException:
        discard(place, name, fd)
        raise
    return name, fd


def discard(place: Place, name: str, fd: int) -> None:
    """Take a temporary file away."""
    os.close(fd)
    with contextlib.suppress(OSError):
        place.remove(name)


def put_over(place: Place, temporary: str, name: str) -> None:
    """Replace `name` atomically. Waits up to half a second while another program keeps the file open.

    Raises OSError.
    """
    wait_s = _FIRST_WAIT_S
    for left in reversed(range(_REPLACE_TRIES)):
        try:
            os.replace(place.at(temporary), place.at(name), src_dir_fd=place.fd, dst_dir_fd=place.fd)
        except PermissionError:
            if not left:
                raise
            time.sleep(wait_s)
            wait_s = min(wait_s * 2, 0.1)
        else:
            return


def rename_new(source_place: Place, source: str, place: Place, name: str, *, is_folder: bool = False) -> None:
    """Rename to a name that is free. Raises FileExistsError when it is taken, and other OSErrors."""
    if source_place.fd is None or place.fd is None:
        _rename_new_by_steps(source_place, source, place, name, is_folder=is_folder)
        return
    try:
        rename_without_overwriting(source_place.fd, source, place.fd, name)
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            raise
        _rename_new_by_steps(source_place, source, place, name, is_folder=is_folder)


def _rename_new_by_steps(
    source_place: Place, source: str, place: Place, name: str, *, is_folder: bool
) -> None:
    """A file gets a second name, then loses its first; what can't have two is renamed after a look."""
    old, new, folders = source_place.at(source), place.at(name), (source_place.fd, place.fd)
    if not is_folder and sys.platform != "win32":
        try:
            os.link(old, new, src_dir_fd=folders[0], dst_dir_fd=folders[1], follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NOT_OFFERED:
                raise
        else:
            source_place.remove(source)
            return
    with contextlib.suppress(FileNotFoundError):
        place.stat(name)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
    os.rename(old, new, src_dir_fd=folders[0], dst_dir_fd=folders[1])


def remove_strays(place: Place) -> int:
    """Remove left-overs of writers that died in this folder; how many there were."""
    removed = 0
    for name, status in place.listed():
        if not (is_temporary(name) and stat.S_ISREG(status.st_mode)):
            continue
        with contextlib.suppress(OSError):
            fd = place.open(name, os.O_RDWR)
            try:
                _lock(fd)
                place.remove(name)
                removed += 1
            finally:
                os.close(fd)
    return removed


def _lock(fd: int) -> None:
    """Lock without waiting. Where there is no flock (Windows) an open file can't be removed anyway."""
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _take_over(fd: int, like: int) -> None:
    status = os.fstat(like)
    mode = stat.S_IMODE(status.st_mode)
    _copy_attributes(fd, like)
    if hasattr(os, "fchown") and not _same_owner(fd, status):
        try:
            os.fchown(fd, status.st_uid, status.st_gid)
        except PermissionError:
            if os.fstat(fd).st_gid != status.st_gid:
                mode &= ~stat.S_IRWXG  # the rights were another group's
    if hasattr(os, "fchmod"):
        os.fchmod(fd, mode)


def _same_owner(fd: int, status: os.stat_result) -> bool:
    mine = os.fstat(fd)
    return (mine.st_uid, mine.st_gid) == (status.st_uid, status.st_gid)


def _copy_attributes(fd: int, like: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for attribute in os.listxattr(like):
            with contextlib.suppress(OSError):
                os.setxattr(fd, attribute, os.getxattr(like, attribute))
