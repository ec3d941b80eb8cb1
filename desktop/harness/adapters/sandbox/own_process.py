"""Keeping Paddock's own process closed to the commands it runs.

A child of the same user can read its parent's start environment and memory
through /proc unless the parent is non-dumpable. A child that runs as root can
read them anyway, so the key is also wiped from where the kernel looks for it.

Neither is a wall for a hostile root; both are cheap and fail silently where the
platform has nothing like it.
"""

import contextlib
import ctypes
import os
import sys

KEY_VARIABLE = "PADDOCK_API_KEY"
_SET_DUMPABLE = 4


def take_key_from_environment(name: str = KEY_VARIABLE) -> str | None:
    """The key that the environment brought, taken out of it; None when there is none.

    Call early, before other threads read the environment: the bytes that the
    process started with are overwritten in place.
    """
    places = _places_of(name)
    key = os.environ.pop(name, None)
    for address, length in places:
        ctypes.memset(address, 0, length)
    return key or None


def make_undumpable() -> bool:
    """Keep other processes of this user out of our memory and environment; False where that can't be."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_SET_DUMPABLE, 0, 0, 0, 0) == 0)


def _places_of(name: str) -> list[tuple[int, int]]:
    """Address and length of the value of each variable of this name in the C environment."""
    if sys.platform != "linux":
        return []
    found = []
    with contextlib.suppress(ValueError):
        environ = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
        prefix = os.fsencode(name) + b"="
        index = 0
        while address := environ[index]:
            entry = ctypes.string_at(address)
            if entry.startswith(prefix):
                found.append((address + len(prefix), len(entry) - len(prefix)))
            index += 1
    return found
