"""The window as a program: one loop, first paint first, the rest after it, and an orderly end.

Loaded before the first paint is only what the empty window draws. Then, in a thread and in this order:
the harness, the parts that compare and colour, and what the first message will need. Nothing runs because
the program started. Closing asks once when something works, and never takes more than a few seconds.
"""

import asyncio
import contextlib
import gc
import json
import os
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from desktop.face import strings_window as words
from desktop.face.widgets.main_window import MainWindow, dress

if TYPE_CHECKING:
    from desktop.face.conductor import Conductor
    from desktop.face.widgets.sidebar import SessionSidebar
    from desktop.harness.api import Door

_PAINT_LIMIT_S = 1.0

OpenDoor = Callable[[], Awaitable["Door"]]


def run_window(folder: str | None) -> int:
    """Show the window, on a folder if one is given, until it is closed; the exit code."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("paddock")
    app.setApplicationDisplayName(words.APP)
    app.setDesktopFileName("paddock")
    places = _first_places()
    dress(str(places.get("theme", "system")), float(places.get("text_size", 1.0)))
    window = MainWindow(places)
    window.show()
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        code: int = loop.run_until_complete(live(window, folder, _open_own_door))
        return code


async def live(window: MainWindow, folder: str | None, open_door: OpenDoor) -> int:
    """Everything after the window was shown, until it is closed; the exit code."""
    closing = asyncio.Event()
    window.closeRequested.connect(closing.set)
    with contextlib.suppress(NotImplementedError, RuntimeError):
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, closing.set)
    await painted(window)
    await asyncio.to_thread(import_module, "desktop.harness.api")
    from desktop.harness.api import PaddockError

    door: Door | None = None
    try:
        with _without_collecting():
            door = await open_door()
            sidebar = await show_list(window, door)
            await asyncio.to_thread(import_module, "desktop.face.conductor")
    except PaddockError as error:
        window.standing.say(str(error))
        await closing.wait()
        if door is not None:
            await door.close()
        window.close_now()
        return 1
    conductor = join(window, sidebar, door)
    begin(conductor, folder)
    warming = asyncio.ensure_future(_warm(door))
    window.closeRequested.disconnect(closing.set)
    window.closeRequested.connect(lambda: _ask_or_close(conductor, closing.set))
    await closing.wait()
    warming.cancel()
    await asyncio.gather(warming, return_exceptions=True)
    await conductor.close()
    return 0


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """Loading makes many objects and no rubbish; looking for rubbish meanwhile takes a sixth of the time.

    What was loaded stays, so it is left out of later searches, which else hold the window up for long.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def show_list(window: MainWindow, door: "Door") -> "SessionSidebar":
    """Show the list of chats: the first that a person looks for, so it waits for nothing else."""
    await asyncio.to_thread(import_module, "desktop.face.widgets.sidebar")
    from desktop.face.widgets.sidebar import SessionSidebar

    sidebar = SessionSidebar()
    sidebar.set_summaries(await door.sessions.summaries())
    window.set_sidebar(sidebar)
    return sidebar


def join(window: MainWindow, sidebar: "SessionSidebar", door: "Door") -> "Conductor":
    """Connect a window and its list with a door."""
    from desktop.face.bridge import Bridge
    from desktop.face.conductor import Conductor

    bridge = Bridge(door, window)
    conductor = Conductor(window, sidebar, bridge)
    conductor.sampleRequested.connect(lambda: bridge.open_folder(_sample_folder()))
    return conductor


def make_window(door: "Door") -> MainWindow:
    """A whole window over a door, not shown yet; for the tour and for tests. `conductor_of` moves it."""
    places = door.services.setting("window") or {}
    dress(str(places.get("theme", "light")), float(places.get("text_size", 1.0)))
    from desktop.face.widgets.sidebar import SessionSidebar

    window = MainWindow(places)
    sidebar = SessionSidebar()
    window.set_sidebar(sidebar)
    join(window, sidebar, door)
    return window


def conductor_of(window: MainWindow) -> "Conductor":
    """What connects a window with its bridge. Raises LookupError when nothing does yet."""
    from desktop.face.conductor import Conductor

    found = window.findChild(Conductor)
    if found is None:
        raise LookupError("the window is not connected")
    return found


def begin(conductor: "Conductor", folder: str | None) -> None:
    """Open the folder, else the newest chat, else the start page."""
    if folder is not None:
        conductor.bridge.open_folder(str(Path(folder).expanduser().absolute()))
    else:
        conductor.bridge.open_newest()
    conductor.bridge.list_sessions()


async def painted(window: MainWindow) -> None:
    """Wait until the window was painted with its composer; at most a second, should nobody look."""
    seen = asyncio.Event()
    window.firstPainted.connect(seen.set)
    if not window.was_painted:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(seen.wait(), _PAINT_LIMIT_S)


async def _open_own_door() -> "Door":
    await asyncio.to_thread(import_module, "desktop.wiring")
    from desktop.wiring import data_folder, open_door, take_key

    key = take_key()
    house = await open_door(data_folder(), watches=True)
    if key and (address := house.services.default_route().base_url):
        await house.services.lend_key(address, key)
    return house


async def _warm(door: "Door") -> None:
    """Load what the first diff and the first message need, away from the window's thread."""
    for name, work, sample in (
        ("desktop.face.syntax", "language_of", "notes.md"),
        ("desktop.face.markdown", "parse", "https://example.com"),
    ):
        module = await asyncio.to_thread(import_module, name)
        await asyncio.to_thread(getattr(module, work), sample)
    await door.services.keychain()
    await door.warm()


def _ask_or_close(conductor: "Conductor", close: Callable[[], None]) -> None:
    if conductor.is_busy():
        conductor.dialogs.ask_close(close)
    else:
        close()


def _first_places() -> dict[str, Any]:
    """Sizes and look of the last time, read before anything else is loaded; empty when they cannot be."""
    given = os.environ.get("PADDOCK_DATA_DIR")
    if given is None:
        import platformdirs

        given = platformdirs.user_data_dir("paddock", appauthor=False, roaming=False)
    try:
        kept = json.loads((Path(given) / "settings.json").read_text("utf-8")).get("window")
    except (OSError, ValueError, AttributeError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _sample_folder() -> str:
    """The sample project in the person's documents, copied there the first time."""
    from desktop import resources

    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    folder = Path(documents or Path.home()) / "Paddock sample"
    if not folder.exists():
        shutil.copytree(resources.sample(), folder)
    return str(folder)
