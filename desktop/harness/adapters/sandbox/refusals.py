"""What the system said, as a refusal: one sentence that shows the path as it was asked.

Never the resolved path: where a link leads is nothing a refusal should tell.
"""

import errno

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import shown

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


def refusal_of(error: OSError, path: str) -> ToolError:
    """The refusal for a failed call on `path`."""
    name = shown(path)
    if error.errno in (errno.ENOENT, errno.ESTALE):
        return not_found(path)
    if error.errno in _FULL:
        return ToolError(Refusal.DISK_FULL, f"The disk is full, so {name} was left as it was.")
    if error.errno in _FORBIDDEN or isinstance(error, PermissionError):
        return ToolError(Refusal.NO_PERMISSION, f"The system does not permit this on {name}; ask the person.")
    if error.errno == errno.ENOTDIR:
        return not_a_folder(path)
    if error.errno == errno.EISDIR:
        return ToolError(Refusal.NOT_REGULAR, f"{name} is a folder; list_files shows what is in it.")
    if error.errno == errno.ELOOP:
        return moved_on(path)
    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
        return exists(path)
    if error.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ):
        return ToolError(
            Refusal.BAD_NAME, f"The file system does not take the name {name}; use another path."
        )
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return not_regular(path)
    return ToolError(Refusal.FAULT, f"The system failed on {name}: {error.strerror or 'unknown fault'}.")


def not_found(path: str, hint: str = "") -> ToolError:
    """Nothing stands at the path."""
    hint = hint or "list_files shows what is there."
    return ToolError(Refusal.NOT_FOUND, f"There is nothing at {shown(path)}; {hint}")


def not_a_folder(path: str) -> ToolError:
    """A folder is meant where something else stands."""
    return ToolError(
        Refusal.NOT_A_FOLDER, f"{shown(path)} needs a folder where a file is; name the file alone."
    )


def not_regular(path: str) -> ToolError:
    """Something stands there that is no file: a folder, pipe, socket or device."""
    return ToolError(
        Refusal.NOT_REGULAR, f"{shown(path)} is no ordinary file, so it is not opened; choose a file."
    )


def link_outside(path: str) -> ToolError:
    """A link on the way leads out of the folder."""
    return ToolError(
        Refusal.LINK_OUTSIDE,
        f"{shown(path)} leads out of the folder through a link; use a file in the folder.",
    )


def link_circle(path: str) -> ToolError:
    """Links lead to each other."""
    return ToolError(
        Refusal.NOT_REGULAR, f"{shown(path)} is a link that leads round in a circle; use the file's own name."
    )


def moved_on(path: str) -> ToolError:
    """What stands at the path is no longer what was looked at."""
    return ToolError(
        Refusal.STALE, f"{shown(path)} was changed by someone else in the meantime; read it again."
    )


def exists(path: str) -> ToolError:
    """The new name is taken."""
    return ToolError(
        Refusal.EXISTS, f"{shown(path)} is there already and is not overwritten; use another name."
    )


def root_refused(path: str) -> ToolError:
    """The opened folder itself is never changed."""
    return ToolError(Refusal.ROOT, f"{shown(path)} is the opened folder itself, which no tool changes.")
