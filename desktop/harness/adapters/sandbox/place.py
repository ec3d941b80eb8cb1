"""A folder that is held while something is done to one name in it.

Where the system can work relative to a descriptor, the place is a descriptor and
nobody can put another folder under it. Elsewhere (Windows) it is a real path, and
each file that was opened is compared with what stands at the path afterwards.
Holds single steps only; which folder may be reached is decided in `descent`.
"""

import contextlib
import errno
import os
import stat
from types import TracebackType

HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_FOLDER_FLAGS: int = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | _NOFOLLOW
    | getattr(os, "O_CLOEXEC", 0)
)
_FILE_FLAGS: int = (
    _NOFOLLOW
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
_REPARSE_POINT = 0x400

Identity = tuple[int, int]


def identity_of(status: os.stat_result) -> Identity:
    """Device and inode: the same for every name of one file."""
    return status.st_dev, status.st_ino


def is_link(status: os.stat_result) -> bool:
    """Whether a name leads elsewhere: a symbolic link, or a junction on Windows."""
    attributes: int = getattr(status, "st_file_attributes", 0)
    return stat.S_ISLNK(status.st_mode) or bool(attributes & _REPARSE_POINT)


class Place:
    """One held folder; a context manager that lets it go."""

    __slots__ = ("fd", "path")

    def __init__(self, fd: int | None, path: str) -> None:
        self.fd = fd
        self.path = path

    @classmethod
    def of(cls, path: str, *, descriptors: bool = HAS_DESCRIPTORS) -> "Place":
        """Hold the folder at an absolute path."""
        return cls(os.open(path, _FOLDER_FLAGS) if descriptors else None, path)

    def __enter__(self) -> "Place":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the folder go. Safe to call twice."""
        fd, self.fd = self.fd, None
        if fd is not None:
            os.close(fd)

    def at(self, name: str) -> str:
        """What to hand to a call together with `dir_fd=self.fd`."""
        return name if self.fd is not None else os.path.join(self.path, name)  # noqa: PTH118 (hot and text only)

    def inner(self, name: str) -> "Place":
        """Hold a folder in this one. Raises OSError: ELOOP when the name is a link."""
        if self.fd is None:
            self._demand_folder(name)
            return Place(None, self.at(name))
        try:
            return Place(os.open(name, _FOLDER_FLAGS, dir_fd=self.fd), f"{self.path}/{name}")
        except NotADirectoryError:
            self._demand_folder(name)
            raise

    def _demand_folder(self, name: str) -> None:
        status = self.stat(name)
        if is_link(status):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)

    def stat(self, name: str) -> os.stat_result:
        """What stands at a name; a link is not followed."""
        return os.stat(self.at(name), dir_fd=self.fd, follow_symlinks=False)

    def link_target(self, name: str) -> str:
        """Where a link points, as it is written."""
        return os.readlink(self.at(name), dir_fd=self.fd)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor of a file, never through a link and never waiting."""
        fd = os.open(self.at(name), flags | _FILE_FLAGS, mode, dir_fd=self.fd)
        if self.fd is None and not self._is_really(name, fd):
            os.close(fd)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return fd

    def _is_really(self, name: str, fd: int) -> bool:
        real = os.path.normcase(os.path.realpath(self.path))
        if real != os.path.normcase(self.path):
            return False
        status = self.stat(name)
        return not is_link(status) and identity_of(status) == identity_of(os.fstat(fd))

    def make_folder(self, name: str) -> None:
        """Make a folder in this one."""
        os.mkdir(self.at(name), dir_fd=self.fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self.at(name), dir_fd=self.fd)

    def remove(self, name: str) -> None:
        """Remove one name of a file."""
        os.unlink(self.at(name), dir_fd=self.fd)

    def listed(self) -> list[tuple[str, os.stat_result]]:
        """The names in the folder with what stands at each; links are not followed."""
        if self.fd is None:
            return _scanned(self.path)
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.fd)
        try:
            return _scanned(fd)
        finally:
            os.close(fd)

    def sync(self) -> None:
        """Make names of this folder durable, where the system can.

        Comes after the change, so a failure is no reason to say that nothing changed.
        """
        if self.fd is None:
            return
        with contextlib.suppress(OSError):
            fd = os.open(".", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.fd)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)


def _scanned(folder: int | str) -> list[tuple[str, os.stat_result]]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                found.append((entry.name, entry.stat(follow_symlinks=False)))
    return found
