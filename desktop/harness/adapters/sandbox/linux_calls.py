"""Two Linux calls that Python lacks: opening beneath a folder, and renaming without overwriting.

Thin ctypes over `syscall`, nothing else; on other systems, on old kernels and under
filters that refuse them the functions say so and the callers take the portable way.
Paths must hold no NUL: a C string would end there and name another file.
"""

import ctypes
import errno
import os
import platform
import sys
from functools import cache

_OPENAT2 = 437
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}
_RENAME_NOREPLACE = 1
_NO_MAGICLINKS = 0x02
_NO_SYMLINKS = 0x04
_BENEATH = 0x08


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def _libc() -> ctypes.CDLL | None:
    known = sys.platform == "linux" and platform.machine() in _RENAMEAT2
    return ctypes.CDLL(None, use_errno=True) if known else None


def _call(number: int, *arguments: object) -> int:
    libc = _libc()
    if libc is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def open_beneath(folder: int, path: str, flags: int) -> int:
    """Open `path` beneath the descriptor `folder`; no component may be a link of any kind.

    Raises OSError: ELOOP when a component is a link, EXDEV when the path leaves the folder.
    """
    assert "\0" not in path
    how = _OpenHow(flags | os.O_CLOEXEC, 0, _BENEATH | _NO_MAGICLINKS | _NO_SYMLINKS)
    for _ in range(64):
        try:
            return _call(
                _OPENAT2,
                ctypes.c_int(folder),
                ctypes.c_char_p(os.fsencode(path)),
                ctypes.byref(how),
                ctypes.c_size_t(ctypes.sizeof(how)),
            )
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EINTR):  # a rename elsewhere asks to try again
                raise
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


@cache
def has_open_beneath() -> bool:
    """Whether this kernel, and whatever filters it, lets a program open beneath a folder."""
    try:
        root = os.open("/", os.O_RDONLY)
    except OSError:
        return False
    try:
        os.close(open_beneath(root, ".", os.O_RDONLY))
    except OSError:
        return False
    finally:
        os.close(root)
    return True


def rename_without_overwriting(source_folder: int, source: str, folder: int, name: str) -> None:
    """Rename atomically; raises FileExistsError when the name is taken, ENOSYS when not offered."""
    assert "\0" not in source + name
    _call(
        _RENAMEAT2.get(platform.machine(), -1),
        ctypes.c_int(source_folder),
        ctypes.c_char_p(os.fsencode(source)),
        ctypes.c_int(folder),
        ctypes.c_char_p(os.fsencode(name)),
        ctypes.c_uint(_RENAME_NOREPLACE),
    )
