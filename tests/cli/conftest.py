"""The command as a process of its own, on a data folder and a project of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

LIMIT_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a call ended. `items` are the objects it printed."""

    code: int
    out: str
    err: str

    @property
    def items(self) -> list[dict[str, Any]]:
        """Standard output as objects."""
        return [json.loads(line) for line in self.out.splitlines()]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The records of one kind."""
        return [item for item in self.items if item["kind"] == kind]

    @property
    def session(self) -> str:
        """The session of the first object."""
        return str(self.items[0]["session"])

    @property
    def answer(self) -> str:
        """The last words of the model."""
        return str(self.of("assistant_message")[-1]["data"].get("text", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Calls `paddock` the way a script does."""

    data: Path
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, *words: str, **options: Any) -> "subprocess.Popen[str]":
        """Begin a call and leave it running."""
        return subprocess.Popen(
            [sys.executable, "-m", "desktop", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PADDOCK_DATA_DIR": str(self.data), **self.environment},
            **options,
        )

    def __call__(self, *words: str) -> Done:
        """Make a call with `--json` and wait for its end."""
        return self.plain(*words, "--json")

    def plain(self, *words: str) -> Done:
        """Make a call as a person does."""
        process = self.start(*words)
        out, err = process.communicate(timeout=LIMIT_S)
        assert "Traceback" not in err, err
        return Done(code=process.returncode, out=out, err=err)

    def run(self, prompt: str, *words: str) -> Done:
        """`paddock run` on the folder."""
        return self("run", prompt, "--workspace", str(self.folder), *words)


@pytest.fixture
def paddock(tmp_path: Path) -> Command:
    """The command on a folder with three small files."""
    folder = tmp_path / "project"
    (folder / "notes").mkdir(parents=True)
    (folder / "a.md").write_text("one colour, two colours\n", "utf-8")
    (folder / "notes" / "b.md").write_text("no colour here\nColour there\n", "utf-8")
    (folder / "budget.csv").write_text("paint,colour\n", "utf-8")
    return Command(data=tmp_path / "data", folder=folder)
