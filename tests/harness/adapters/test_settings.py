"""The settings file survives crashes, other versions and other processes."""

import errno
import json
import os
from pathlib import Path

import pytest

from desktop.harness.adapters.settings import SettingsFile
from desktop.harness.core.errors import StorageError, StorageFullError


def test_values_come_back(tmp_path: Path) -> None:
    """A value kept by one object is read by the next; None forgets it; the file is for its owner alone."""
    path = tmp_path / "data" / "settings.json"
    SettingsFile(path).put("theme", "dark")
    SettingsFile(path).put("sizes", [1, 2])
    assert SettingsFile(path).get("theme") == "dark"
    assert path.stat().st_mode & 0o777 == 0o600
    SettingsFile(path).put("theme", None)
    assert json.loads(path.read_text()) == {"sizes": [1, 2]}
    assert SettingsFile(path).get("theme") is None and [entry.name for entry in path.parent.iterdir()] == [
        path.name
    ]


def test_values_of_other_versions_survive(tmp_path: Path) -> None:
    """What this version does not know stays in the file."""
    path = tmp_path / "settings.json"
    path.write_text('{"from the future": {"a": [1]}, "theme": "light"}')
    SettingsFile(path).put("theme", "dark")
    assert json.loads(path.read_text()) == {"from the future": {"a": [1]}, "theme": "dark"}


def test_two_processes_do_not_undo_each_other(tmp_path: Path) -> None:
    """A change by another process is seen, and kept when we write."""
    one, two = SettingsFile(tmp_path / "s.json"), SettingsFile(tmp_path / "s.json")
    one.put("a", 1)
    two.put("b", 2)
    one.put("c", 3)
    assert [two.get(name) for name in "abc"] == [1, 2, 3]


@pytest.mark.parametrize("damage", [b"", b'{"theme": ', b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_is_kept_and_said(tmp_path: Path, damage: bytes) -> None:
    """A file that can't be read is set aside whole, a sentence says where, and settings work again."""
    path = tmp_path / "settings.json"
    path.write_bytes(damage)
    settings = SettingsFile(path)
    assert settings.get("theme") is None
    settings.put("theme", "dark")
    assert "settings.json.damaged-1" in settings.problem
    assert (tmp_path / "settings.json.damaged-1").read_bytes() == damage
    assert SettingsFile(path).get("theme") == "dark"


def test_a_failed_write_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a full disk the old file stays as it was, nothing half-written is left, and the error is plain."""
    path = tmp_path / "settings.json"
    settings = SettingsFile(path)
    settings.put("theme", "dark")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFullError) as caught:
        settings.put("theme", "light")
    assert "full" in str(caught.value) and settings.get("theme") == "dark"
    assert [entry.name for entry in tmp_path.iterdir()] == ["settings.json"]
    monkeypatch.undo()
    with pytest.raises(StorageError):
        SettingsFile(Path("/proc/settings.json")).put("a", 1)
