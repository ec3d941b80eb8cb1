"""Bytes kept as files under their digest."""

import errno
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.core.errors import StorageError, StorageFullError
from desktop.harness.core.ids import Digest, digest_of


def _only_file(folder: Path) -> Path:
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path


@given(data=st.binary(max_size=2000))
def test_kept_bytes_come_back(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever is kept comes back byte for byte under its digest."""
    kept = KeptFiles(tmp_path_factory.mktemp("kept") / "preimages")
    digest = kept.keep(data)
    assert digest == digest_of(data)
    assert kept.get(digest) == data


def test_place_and_rights(tmp_path: Path) -> None:
    """A file lies in a folder named after its first two digits, and only its owner may look."""
    digest = KeptFiles(tmp_path / "preimages").keep(b"text")
    path = tmp_path / "preimages" / digest[:2] / digest
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_deflated_only_when_smaller(tmp_path: Path) -> None:
    """Text takes less room than it has; noise takes one byte more."""
    text, noise = b"the same line\n" * 1000, os.urandom(1000)
    KeptFiles(tmp_path / "text").keep(text)
    KeptFiles(tmp_path / "noise").keep(noise)
    assert _only_file(tmp_path / "text").stat().st_size < len(text) / 10
    assert _only_file(tmp_path / "noise").stat().st_size == len(noise) + 1


@pytest.mark.parametrize("torn", [b"", b"r", b"z", b"z\x00\x01", b"rtex", b"rtexT", b"?text"])
def test_a_torn_file_is_found_and_mended(tmp_path: Path, torn: bytes) -> None:
    """Bytes that are not what was kept are never given; keeping the same bytes again mends the file."""
    kept = KeptFiles(tmp_path)
    digest = kept.keep(b"text")
    _only_file(tmp_path).write_bytes(torn)
    with pytest.raises(StorageError, match="damaged"):
        kept.get(digest)
    assert kept.keep(b"text") == digest
    assert kept.get(digest) == b"text"


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "0" * 63, "0" * 64, "G" * 64, "0" * 64 + "\n"])
def test_unknown_names(tmp_path: Path, name: str) -> None:
    """A name that is no digest, or of nothing that was kept, is refused in a sentence."""
    with pytest.raises(StorageError):
        KeptFiles(tmp_path).get(Digest(name))


def test_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full nothing half-written stays, and the next try works."""
    kept = KeptFiles(tmp_path)

    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        with pytest.raises(StorageFullError):
            kept.keep(b"text")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept.get(kept.keep(b"text")) == b"text"
