"""The task that most figures share: read many distinct files, one a turn, then say one sentence."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE_LINES = 20


def make_files(folder: Path, count: int) -> int:
    """Write `count` small text files into a new folder; their bytes in all."""
    folder.mkdir(parents=True)
    size = 0
    for number in range(count):
        lines = [f"file {number}, line {line}: some ordinary words" for line in range(FILE_LINES)]
        size += (folder / name(number)).write_bytes(("\n".join(lines) + "\n").encode())
    return size


def name(number: int) -> str:
    """The name of one file."""
    return f"file{number:04}.txt"


def replies(turns: int, *, label: str = "call") -> list[Mapping[str, Any]]:
    """`turns` replies that ask for one file each, then the answer."""
    asked = [
        {"calls": [{"name": "read_file", "arguments": {"path": name(number)}, "id": f"{label}_{number}"}]}
        for number in range(turns)
    ]
    return [*asked, {"text": "All files are read."}]
