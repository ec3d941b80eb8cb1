"""The tour plays the main job to its end, in a process of its own as a person starts it."""

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

STEPS = 9


def test_tour_holds_and_leaves_a_picture_of_every_step(tmp_path: Path) -> None:
    """Each step says one line, no two pictures are alike, nothing else is left, and the code is 0."""
    out, home = tmp_path / "pictures", tmp_path / "home"
    home.mkdir()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    environment |= {"HOME": str(home), "PADDOCK_DATA_DIR": str(home / "data"), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-m", "desktop", "tour", "--out", str(out)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert sum(line[:1].isdigit() for line in done.stdout.splitlines()) == STEPS
    pictures = [QImage(str(path)) for path in sorted(out.iterdir())]
    assert len(pictures) >= STEPS and all(picture.width() == 1200 for picture in pictures)
    assert len({bytes(picture.constBits()) for picture in pictures}) == len(pictures)
    assert not (home / "data").exists()
