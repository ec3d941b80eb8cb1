"""How far running commands came, in one small file each, until their result is on record (ports.Spool).

What is kept is evidence for a person after a crash and nothing else: a file is replaced as a whole and
not synced, since a process that is killed loses nothing by that, and a disk that is full or broken only
costs the evidence. Secrets are taken out by whoever keeps something here.
"""

import contextlib
import json
import os
import re
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path

from desktop.harness.core.ids import CallId, SessionId
from desktop.harness.ports import Spooled

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class SpoolFolder:
    """A folder for each session (0700) with a file for each command (0600)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, session: SessionId, call: CallId, output: Spooled) -> None:
        """Keep how far a command came, instead of what was kept of it before."""
        if (path := self._path(session, call)) is None:
            return
        beside = path.with_suffix(".part")
        with contextlib.suppress(OSError):
            for folder in (self._folder, path.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            text = json.dumps(asdict(output))
            with open(beside, "w", encoding="utf-8", opener=_private) as file:
                file.write(text)
            beside.replace(path)

    def get(self, session: SessionId, call: CallId) -> Spooled | None:
        """What was kept of a command, None when nothing was or it cannot be read."""
        if (path := self._path(session, call)) is None:
            return None
        try:
            kept = json.loads(path.read_text("utf-8"))
            code = kept["exit_code"]
            return Spooled(
                tail=str(kept["tail"]),
                exit_code=code if isinstance(code, int) else None,
                has_ended=bool(kept["has_ended"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def clear(self, session: SessionId, *, but: Collection[CallId] = ()) -> None:
        """Forget the commands of a session, except these."""
        if not _NAME.fullmatch(session):
            return
        folder = self._folder / session
        with contextlib.suppress(OSError):
            for path in list(folder.iterdir()):
                if path.stem not in but or path.suffix != ".json":
                    path.unlink(missing_ok=True)
            folder.rmdir()  # stays while something is kept in it

    def _path(self, session: SessionId, call: CallId) -> Path | None:
        if not (_NAME.fullmatch(session) and _NAME.fullmatch(call)):
            return None
        return self._folder / session / f"{call}.json"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
