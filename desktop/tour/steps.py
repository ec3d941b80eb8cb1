"""The steps of the tour, each with what must hold after it."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction

from desktop.harness.api import RowKind, Status
from desktop.tour.player import FOLDER_NAME, Player

REPLACE = "Replace colour with color in all .md files"
FIRST_LINE = "- [ ] Buy string"
SECOND_LINE = "- [ ] Water the roses"


class Tour:
    """The main job from the first chat to a restart. Each step answers with a sentence on what happened."""

    def __init__(self, player: Player) -> None:
        self._player = player

    async def open(self) -> str:
        """Open the folder."""
        await self._player.start()
        await self._player.until(lambda: self._player.chat.isVisible(), "the folder is opened in the window")
        await self._player.picture("open")
        return f"Opened the folder {FOLDER_NAME}. The window asks what should be done."

    async def ask(self) -> str:
        """Ask for a change in all notes and letters."""
        before = self._player.texts()
        await self._player.say(REPLACE)
        await self._player.question()
        self._player.press("nextChangeButton")
        self._player.must(self._player.texts() == before, "no file changes before the answer")
        await self._player.picture("ask")
        count = len(self._player.view().waiting)
        return f"Asked: {REPLACE}. One card shows the change of {count} files; nothing is written yet."

    async def see(self) -> str:
        """Read the difference in one column, to its end."""
        self._player.press("diffStyleButton")
        await self._player.to_end_of_diff()
        await self._player.picture("difference")
        self._player.press("diffStyleButton")
        return "Read the whole difference, side by side and in one column."

    async def allow_once(self) -> str:
        """Allow what the card shows."""
        await self._player.answer("allowOnceButton")
        await self._player.idle()
        texts = self._player.texts()
        left = [name for name, text in texts.items() if name.endswith(".md") and "colour" in text]
        self._player.must(not left, "every Markdown file says color")
        self._player.must("colour" in texts["budget.csv"], "the budget is untouched")
        await self._player.picture("allowed-once")
        return "Pressed Allow once: the files are changed, the budget is not, and the answer says so."

    async def allow_always(self) -> str:
        """Ask for another change and allow this file for good."""
        await self._player.say(f'Add "{FIRST_LINE}" to to-do.md')
        await self._player.question()
        await self._player.to_end_of_diff()
        await self._player.picture("asks-again")
        await self._player.answer("allowAlwaysButton")
        await self._player.idle()
        self._player.must(
            self._player.texts()["to-do.md"].endswith(f"{FIRST_LINE}\n"), "the line is in to-do.md"
        )
        rules = await self._player.door.projects.rules(str(self._player.folder))
        self._player.must(len(rules) == 1, "one rule is saved")
        await self._player.picture("allowed-always")
        return (
            "Asked for a line in to-do.md and pressed Always allow: changes to to-do.md need no answer now."
        )

    async def need_no_answer(self) -> str:
        """Ask for the same kind of change again."""
        await self._player.say(f'Add "{SECOND_LINE}" to to-do.md')
        await self._player.idle()
        self._player.must(
            self._player.texts()["to-do.md"].endswith(f"{SECOND_LINE}\n"), "the second line is in to-do.md"
        )
        await self._player.picture("needs-no-answer")
        return "Asked for another line: it is written at once, because it was always allowed."

    async def undo(self) -> str:
        """Put back what the last message changed, by the menu of its row."""
        self._player.choose_row(RowKind.ASSISTANT, last=True)
        menu = self._player.chat.menu_at(QPoint(0, 0))
        action = menu.findChild(QAction, "undoAction") if menu is not None else None
        self._player.must(action is not None, "the newest answer offers to put its change back")
        if action is not None:
            action.trigger()
        await self._player.until(
            lambda: self._player.button("putBackButton") is not None, "the plan of the undo is shown"
        )
        await self._player.picture("undo-plan")
        self._player.press("putBackButton")
        await self._player.until(
            lambda: SECOND_LINE not in self._player.texts()["to-do.md"], "the last line is gone again"
        )
        self._player.must(FIRST_LINE in self._player.texts()["to-do.md"], "the line before it is still there")
        await self._player.picture("undone")
        return "Put back what the last message changed: its line is gone, the one before it stays."

    async def branch(self) -> str:
        """Branch before the second message; its words come back into the composer."""
        parent = self._player.view().session
        self._player.choose_row(RowKind.USER, index=1)
        self._player.chat.fork_action.trigger()
        await self._player.until(lambda: self._player.session() not in (None, parent), "the branch is open")
        await self._player.until(
            lambda: FIRST_LINE in self._player.field.toPlainText(), "its words are in the composer"
        )
        made = {one.session: one for one in await self._player.door.sessions.summaries()}
        self._player.must(
            made[self._player.view().session].parent == parent, "the branch knows where it came from"
        )
        self._player.must(
            made[self._player.view().session].status is Status.IDLE, "nothing runs in the branch"
        )
        await self._player.picture("branch")
        return "Branched before the second message: a new chat with what was said until then."

    async def restart(self) -> str:
        """Close with a card open, and start again: the same card."""
        self._player.field.clear()
        await self._player.say("Rename budget.csv to accounts.csv")
        await self._player.question()
        asked = await self._player.payload()
        await self._player.leave()
        await self._player.start()
        await self._player.question()
        self._player.must(await self._player.payload() == asked, "it is the same question as before")
        self._player.must((self._player.folder / "budget.csv").is_file(), "nothing was done meanwhile")
        await self._player.picture("same-card-after-restart")
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
