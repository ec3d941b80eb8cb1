"""Named values in one JSON file of the data folder (ports.Settings); nothing secret.

The file is read again when another process has changed it, and written as a
whole: values that this version does not know survive. A file that cannot be
read is set aside under another name, never overwritten, and `problem` says so.
"""

import contextlib
import json
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from desktop.harness.core.errors import StorageError, StorageFullError

_DISK_FULL = frozenset({28, 122})


class SettingsFile:
    """The settings file. May be used from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._values: dict[str, Any] = {}
        self._stamp: tuple[int, int, int] | None = None
        self._problem = ""

    @property
    def problem(self) -> str:
        """A sentence about a file that could not be read, empty when it could."""
        return self._problem

    def get(self, name: str) -> Any:
        """A value, None when it was never set."""
        with self._lock:
            self._refresh()
            return self._values.get(name)

    def put(self, name: str, value: Any) -> None:
        """Keep a value (None forgets it). Durable when it returns. Raises StorageError."""
        with self._lock:
            self._refresh()
            values = dict(self._values)
            values.pop(name, None)
            if value is not None:
                values[name] = value
            text = json.dumps(values, indent=2, ensure_ascii=False, sort_keys=True)
            try:
                self._write(text.encode("utf-8", "backslashreplace") + b"\n")
            except OSError as error:
                raise _storage_error(error) from error
            self._values = values
            self._stamp = self._stamp_of_file()

    def _refresh(self) -> None:
        stamp = self._stamp_of_file()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        if stamp is None:
            self._values = {}
            return
        try:
            values = json.loads(self._path.read_bytes())
            if not isinstance(values, dict):
                raise ValueError("not an object")
        except (ValueError, RecursionError):
            self._set_aside()
        except OSError as error:
            self._problem = f"The settings can't be read: {error.strerror}."
        else:
            self._values = values

    def _set_aside(self) -> None:
        """Keep a damaged file under a name that is free, and go on with what was known."""
        number = 1
        while (aside := self._path.with_name(f"{self._path.name}.damaged-{number}")).exists():
            number += 1
        with contextlib.suppress(OSError):
            self._path.rename(aside)
        self._stamp = self._stamp_of_file()
        self._problem = f"The settings file was damaged; it was set aside as {aside.name}."

    def _write(self, data: bytes) -> None:
        folder = self._path.parent
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd, temporary = tempfile.mkstemp(dir=folder, prefix=".settings-")  # made with mode 0600
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self._path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync_folder(folder)

    def _stamp_of_file(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every system can open a folder
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _storage_error(error: OSError) -> StorageError:
    if error.errno in _DISK_FULL:
        return StorageFullError("The disk is full, so the settings were not saved.")
    return StorageError(f"The settings could not be saved: {error.strerror}.")
