"""The tour: the whole main job, played in the real window on a copy of the sample project.

Nothing is pretended: the same window, door, tools and log as always, with the offline helper, no key and no
network. Keys are sent to the composer and buttons are pressed by their names. Each step says what happened,
leaves a picture, and checks its facts against the files and the log; the first fact that does not hold ends
the tour with code 1.

It works in a temporary folder with a data folder of its own, and leaves nothing behind but the pictures.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QPlainTextEdit, QWidget
from qasync import QEventLoop

from desktop import resources
from desktop.app import begin, conductor_of, make_window
from desktop.face.conductor import Conductor
from desktop.face.widgets.chat_pane import ChatPane
from desktop.face.widgets.main_window import MainWindow
from desktop.harness.api import Door, PaddockError, PayloadHash, RowKind, SessionId, SessionView, Status
from desktop.wiring import open_door

FOLDER_NAME = "Garden club"
PICTURES = "paddock-tour"
REPLACE = "Replace colour with color in all .md files"
FIRST_LINE = "- [ ] Buy string"
SECOND_LINE = "- [ ] Water the roses"

_LIMIT_S = 30.0
_LOOK_S = 0.02
_REST_S = 0.4
"""For so long the window may come to rest before a picture is taken."""
_READING_S = 0.7
"""The approval panel takes no answer in its first half second, so that nobody allows the unseen."""


Part = TypeVar("Part", bound=QObject)


class TourError(Exception):
    """A fact of the tour does not hold; the text says which."""


class Tour:
    """One window being played. Each public method is a step and answers with what happened."""

    def __init__(self, place: Path, out: Path) -> None:
        self._folder = place / FOLDER_NAME
        self._data = place / "data"
        self._out = out
        self._number = 0
        self._door: Door
        self._window: MainWindow
        self._conductor: Conductor
        shutil.copytree(resources.sample(), self._folder)

    # --- the steps ---

    async def open(self) -> str:
        """Open the folder."""
        await self._start()
        await self._until(lambda: self._chat.isVisible(), "the folder is opened in the window")
        await self.picture("open")
        return f"Opened the folder {FOLDER_NAME}. The window asks what should be done."

    async def ask(self) -> str:
        """Ask for a change in all notes and letters."""
        before = self._texts()
        await self._say(REPLACE)
        await self._question()
        self._press("nextChangeButton")
        self._must(self._texts() == before, "no file changes before the answer")
        await self.picture("ask")
        count = len(self._view().waiting)
        return f"Asked: {REPLACE}. One card shows the change of {count} files; nothing is written yet."

    async def see(self) -> str:
        """Read the difference in one column, to its end."""
        self._press("diffStyleButton")
        await self._to_end_of_diff()
        await self.picture("difference")
        self._press("diffStyleButton")
        return "Read the whole difference, side by side and in one column."

    async def allow_once(self) -> str:
        """Allow what the card shows."""
        await self._answer("allowOnceButton")
        await self._idle()
        texts = self._texts()
        left = [name for name, text in texts.items() if name.endswith(".md") and "colour" in text]
        self._must(not left, "every Markdown file says color")
        self._must("colour" in texts["budget.csv"], "the budget is untouched")
        await self.picture("allowed-once")
        return "Pressed Allow once: the files are changed, the budget is not, and the answer says so."

    async def allow_always(self) -> str:
        """Ask for another change and allow this file for good."""
        await self._say(f'Add "{FIRST_LINE}" to to-do.md')
        await self._question()
        await self._to_end_of_diff()
        await self.picture("asks-again")
        await self._answer("allowAlwaysButton")
        await self._idle()
        self._must(self._texts()["to-do.md"].endswith(f"{FIRST_LINE}\n"), "the line is in to-do.md")
        rules = await self._door.projects.rules(str(self._folder))
        self._must(len(rules) == 1, "one rule is saved")
        await self.picture("allowed-always")
        return (
            "Asked for a line in to-do.md and pressed Always allow: changes to to-do.md need no answer now."
        )

    async def need_no_answer(self) -> str:
        """Ask for the same kind of change again."""
        await self._say(f'Add "{SECOND_LINE}" to to-do.md')
        await self._idle()
        self._must(self._texts()["to-do.md"].endswith(f"{SECOND_LINE}\n"), "the second line is in to-do.md")
        await self.picture("needs-no-answer")
        return "Asked for another line: it is written at once, because it was always allowed."

    async def undo(self) -> str:
        """Put back what the last message changed, by the menu of its row."""
        self._choose_row(RowKind.ASSISTANT, last=True)
        menu = self._chat.menu_at(QPoint(0, 0))
        action = menu.findChild(QAction, "undoAction") if menu is not None else None
        self._must(action is not None, "the newest answer offers to put its change back")
        if action is not None:
            action.trigger()
        await self._until(lambda: self._button("putBackButton") is not None, "the plan of the undo is shown")
        await self.picture("undo-plan")
        self._press("putBackButton")
        await self._until(lambda: SECOND_LINE not in self._texts()["to-do.md"], "the last line is gone again")
        self._must(FIRST_LINE in self._texts()["to-do.md"], "the line before it is still there")
        await self.picture("undone")
        return "Put back what the last message changed: its line is gone, the one before it stays."

    async def branch(self) -> str:
        """Branch before the second message; its words come back into the composer."""
        parent = self._view().session
        self._choose_row(RowKind.USER, index=1)
        self._chat.fork_action.trigger()
        await self._until(lambda: self._session() not in (None, parent), "the branch is open")
        await self._until(lambda: FIRST_LINE in self._field.toPlainText(), "its words are in the composer")
        made = {one.session: one for one in await self._door.sessions.summaries()}
        self._must(made[self._view().session].parent == parent, "the branch knows where it came from")
        self._must(made[self._view().session].status is Status.IDLE, "nothing runs in the branch")
        await self.picture("branch")
        return "Branched before the second message: a new chat with what was said until then."

    async def restart(self) -> str:
        """Close with a card open, and start again: the same card."""
        self._field.clear()
        await self._say("Rename budget.csv to accounts.csv")
        await self._question()
        asked = await self._payload()
        await self._leave()
        await self._start()
        await self._question()
        self._must(await self._payload() == asked, "it is the same question as before")
        self._must((self._folder / "budget.csv").is_file(), "nothing was done meanwhile")
        await self.picture("same-card-after-restart")
        return "Closed Paddock with a card open and started it again: the same card waits."

    def steps(self) -> tuple[Callable[[], Awaitable[str]], ...]:
        """All steps, in order."""
        return (
            self.open,
            self.ask,
            self.see,
            self.allow_once,
            self.allow_always,
            self.need_no_answer,
            self.undo,
            self.branch,
            self.restart,
        )

    async def close(self) -> None:
        """Let the window and the harness go."""
        if hasattr(self, "_conductor"):
            await self._leave()

    # --- what a person does ---

    async def _start(self) -> None:
        self._door = await open_door(self._data)
        self._window = make_window(self._door)
        self._conductor = conductor_of(self._window)
        self._window.resize(1200, 800)
        self._window.show()
        begin(self._conductor, str(self._folder))
        await self._until(lambda: self._conductor.bridge.chat.view is not None, "a chat is open")

    async def _leave(self) -> None:
        await self._conductor.close()
        self._window.deleteLater()

    async def _say(self, text: str) -> None:
        """Type a sentence and press Enter."""
        field = self._field
        field.setFocus()
        for char in text:
            _press_key(field, 0, char)
        self._must(self._field.toPlainText() == text, "the typed words stand in the composer")
        await asyncio.sleep(_LOOK_S)
        _press_key(field, Qt.Key.Key_Return)
        seen = self._view().last_seq
        await self._until(lambda: self._view().last_seq > seen, "the words are on record")

    async def _question(self) -> None:
        """Wait until the card asks and may be answered."""
        panel = self._conductor.panel
        await self._until(
            lambda: self._view().status is Status.WAITING and panel.isVisible(), "the card asks"
        )
        await asyncio.sleep(_READING_S)

    async def _answer(self, name: str) -> None:
        await asyncio.sleep(_READING_S)
        await self._until(
            lambda: (one := self._button(name)) is not None and one.isEnabled(), f"{name} is open"
        )
        self._press(name)
        await self._until(lambda: self._view().status is not Status.WAITING, "the answer is taken")

    async def _idle(self) -> None:
        await self._until(lambda: self._view().status is Status.IDLE, "the work is done")
        self._must(not self._conductor.panel.isVisible(), "no question is open")

    async def _to_end_of_diff(self) -> None:
        bar = self._conductor.panel.diff.canvas.verticalScrollBar()
        await asyncio.sleep(_REST_S)
        bar.setValue(bar.maximum())
        await asyncio.sleep(_REST_S)

    def _choose_row(self, kind: RowKind, *, index: int = 0, last: bool = False) -> None:
        """Make one row of a kind the current one."""
        model = self._chat.model
        places = [place for place, row in enumerate(model.rows) if row.kind is kind]
        self._must(len(places) > index, f"there is a row of the kind {kind}")
        self._chat.view.setCurrentIndex(model.index(places[-1 if last else index], 0))

    def _press(self, name: str) -> None:
        button = self._button(name)
        self._must(button is not None, f"there is a button {name}")
        if button is not None:
            button.click()

    # --- what is looked at ---

    @property
    def _chat(self) -> ChatPane:
        return self._part(ChatPane, "chatPane")

    @property
    def _field(self) -> QPlainTextEdit:
        return self._part(QPlainTextEdit, "composer")

    def _part(self, kind: type[Part], name: str) -> Part:
        """A part of the window by its fixed name."""
        found = self._window.findChild(kind, name)
        if not isinstance(found, kind):
            raise TourError(f"The window has no part {name}.")
        return found

    def _view(self) -> SessionView:
        view: SessionView | None = self._conductor.bridge.chat.view
        if view is None:
            raise TourError("No chat is open.")
        return view

    def _session(self) -> SessionId | None:
        view: SessionView | None = self._conductor.bridge.chat.view
        return None if view is None else view.session

    def _button(self, name: str) -> QAbstractButton | None:
        found = self._window.findChildren(QAbstractButton, name)
        return next((button for button in found if button.isVisible()), None)

    async def _payload(self) -> PayloadHash | None:
        questions = await self._door.sessions.questions(self._view().session)
        return questions[0].payload if questions else None

    def _texts(self) -> dict[str, str]:
        """Every file of the project."""
        return {
            path.relative_to(self._folder).as_posix(): path.read_text("utf-8")
            for path in sorted(self._folder.rglob("*"))
            if path.is_file()
        }

    def _must(self, is_so: bool, fact: str) -> None:
        if not is_so:
            raise TourError(f"This does not hold: {fact}.")

    async def _until(self, is_so: Callable[[], bool], fact: str) -> None:
        try:
            async with asyncio.timeout(_LIMIT_S):
                while not is_so():  # noqa: ASYNC110  # a tour looks at the window as a person does
                    await asyncio.sleep(_LOOK_S)
        except TimeoutError:
            raise TourError(f"This did not come about within {_LIMIT_S:g} s: {fact}.") from None

    async def picture(self, name: str) -> None:
        """Keep what the window shows."""
        await asyncio.sleep(_REST_S)
        self._number += 1
        path = self._out / f"{self._number:02}-{name}.png"
        if not _grabbed(self._window).save(str(path)):
            raise TourError(f"The picture {path} could not be written.")


def _grabbed(window: QWidget) -> QPixmap:
    """The window with the dialogs that stand before it."""
    picture = window.grab()
    painter = QPainter(picture)
    for dialog in window.findChildren(QDialog):
        if dialog.isVisible():
            place = window.rect().center() - dialog.rect().center()
            painter.drawPixmap(place, dialog.grab())
            painter.drawRect(dialog.rect().translated(place))
    painter.end()
    return picture


def _press_key(widget: QWidget, key: int, text: str = "") -> None:
    """One key down and up, as the keyboard sends it."""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))


async def play(out: Path) -> int:
    """Play all steps; the exit code."""
    with tempfile.TemporaryDirectory(prefix="paddock-tour-") as place:
        tour = Tour(Path(os.path.realpath(place)), out)  # noqa: ASYNC240  # nothing else runs yet
        try:
            for number, step in enumerate(tour.steps(), 1):
                print(f"{number}. {await step()}", flush=True)
        except (TourError, PaddockError) as error:
            print(f"The tour stops: {error}", file=sys.stderr)
            with suppress(TourError):
                await tour.picture("stopped-here")
            return 1
        finally:
            await tour.close()
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
