"""Runs the tour: a temporary place, a loop, one line a step, and the exit code."""

import asyncio
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from desktop.harness.api import PaddockError
from desktop.tour.player import Player, TourError
from desktop.tour.steps import Tour

PICTURES = "paddock-tour"


async def play(out: Path) -> int:
    """Play all steps; the exit code."""
    with tempfile.TemporaryDirectory(prefix="paddock-tour-") as place:
        player = Player(Path(os.path.realpath(place)), out)  # noqa: ASYNC240  # nothing else runs yet
        try:
            for number, step in enumerate(Tour(player).steps(), 1):
                print(f"{number}. {await step()}", flush=True)
        except (TourError, PaddockError) as error:
            print(f"The tour stops: {error}", file=sys.stderr)
            with suppress(TourError):
                await player.picture("stopped-here")
            return 1
        finally:
            await player.leave()
    print(f"The pictures are in {out}.")
    return 0


def main(out: str | None = None) -> int:
    """Play the tour with pictures in `out` (default: `paddock-tour` here); the exit code."""
    folder = Path(out or PICTURES).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    if not _has_screen():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        print("There is no display, so the window is drawn on an invisible screen.")
    application = QApplication.instance() or QApplication(["paddock"])
    loop = QEventLoop(application)
    asyncio.set_event_loop(loop)
    with loop:
        return int(loop.run_until_complete(play(folder)))


def _has_screen() -> bool:
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
