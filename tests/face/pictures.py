"""Takes a picture of every state of the window, to be looked at by a person. Not a test.

    QT_QPA_PLATFORM=offscreen python -m tests.face.pictures OUT [light dark contrast] [1200x800 720x480]

Each state is made with the fake door, in each of the looks and sizes; QT_SCALE_FACTOR=2 gives the same at
200 %. A state is a coroutine over a `Scene`; its name is the name of the picture.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QTabWidget
from qasync import QEventLoop

from desktop.app import begin, conductor_of, make_window
from desktop.face.conductor import Conductor
from desktop.face.widgets.main_window import MainWindow
from desktop.harness.api import (
    CallId,
    Evidence,
    FileDiff,
    FileEvidence,
    Mode,
    Offer,
    PayloadHash,
    Question,
    Row,
    RowKind,
    Rule,
    RunNumber,
    SavedRule,
    Service,
    SessionId,
    Status,
)
from tests.face.fake_door import FakeDoor, command_question, edit_question

_REST_S = 0.15
_ANSWER = """I read all **14 notes**. Three of them use British spelling:

1. `letters/invitation.md` says *colour* twice
2. `notes/meeting-may.md` says *favourite*

| file | word | places |
|------|------|-------:|
| invitation.md | colour | 2 |
| meeting-may.md | favourite | 1 |

> The budget was left alone, because its first column is a name.

```python
def spelled(text: str) -> str:
    # one word at a time
    return text.replace("colour", "color")
```

See [the style guide](https://example.org/guide) for the rest.
"""
_BEFORE = "\n".join(f"Line {number} of the plan, which stays as it is." for number in range(1, 40))
_AFTER = _BEFORE.replace("Line 20 of the plan, which stays as it is.", "Line 20 of the plan, in one color.")


class Scene:
    """One window over a fake door, on a small folder."""

    def __init__(self, folder: Path, look: str, size: tuple[int, int]) -> None:
        self.folder = folder
        self.door = FakeDoor()
        self.door.services.settings["window"] = {"theme": look, "size": size}
        self.window: MainWindow = make_window(self.door)
        self.conductor: Conductor = conductor_of(self.window)
        self.window.resize(*size)
        self.window.show()

    @property
    def session(self) -> SessionId:
        """The open chat."""
        found = self.conductor.bridge.session
        assert found is not None
        return found

    async def open(self) -> None:
        """Open the folder."""
        begin(self.conductor, str(self.folder))
        await self.rest()
        await self.rest()

    async def rest(self) -> None:
        """Let everything be painted."""
        await asyncio.sleep(_REST_S)

    def put(self, kind: RowKind, text: str = "", **fields: object) -> Row:
        """Add a row."""
        return self.door.sessions.put(self.session, kind, text=text, **fields)

    def change(self, **fields: object) -> None:
        """Change where the chat stands."""
        self.door.sessions.change(self.session, **fields)

    async def ask(self, *questions: Question) -> None:
        """Ask for something that leads to these questions."""
        self.door.sessions.plans = [list(questions)]
        self.conductor.bridge.prompt("Use American spelling in the notes")
        await self.rest()
        await self.rest()

    def talk(self, times: int) -> None:
        """Some exchanges of a long chat."""
        for number in range(1, times + 1):
            run = RunNumber(number)
            self.put(RowKind.USER, f"Question {number}: which notes use British spelling?", run=run)
            self.put(RowKind.TOOL, title="Search for colour", status="ok", detail="3 places", run=run)
            self.put(RowKind.ASSISTANT, _ANSWER if number == times else "None of the letters does.", run=run)
        self.change(title="Spelling in the notes", runs=(RunNumber(times),))

    def grab(self) -> QPixmap:
        """The window with what stands before it."""
        picture = self.window.grab()
        painter = QPainter(picture)
        for part in (*self.window.findChildren(QDialog), *self.window.findChildren(QMenu)):
            if part.isVisible():
                place = self.window.rect().center() - part.rect().center()
                if isinstance(part, QMenu):
                    place = self.window.mapFromGlobal(part.mapToGlobal(QPoint(0, 0)))
                painter.drawPixmap(place, part.grab())
                painter.drawRect(part.rect().translated(place))
        painter.end()
        return picture

    async def close(self) -> None:
        """Take the window away."""
        await self.conductor.close()
        self.window.deleteLater()


State = Callable[[Scene], Awaitable[None]]


async def start_page(scene: Scene) -> None:
    """The first start, with folders opened before."""
    scene.door.projects.remember("/home/ana/Reports")
    scene.door.projects.remember("/home/ana/Garden")
    begin(scene.conductor, None)


async def empty_chat(scene: Scene) -> None:
    """Nothing was said yet."""
    await scene.open()


async def long_chat(scene: Scene) -> None:
    """A long history, the newest answer in sight, one step opened, many chats in the list."""
    for number in range(6):
        made = await scene.door.sessions.start(str(scene.folder))
        scene.door.sessions.change(made, title=f"Chat {number + 1} with a title that is rather long")
        status = (Status.IDLE, Status.RUNNING, Status.WAITING, Status.FAILED, Status.IDLE, Status.PAUSED)[
            number
        ]
        scene.door.sessions.change(made, status=status)
    await scene.open()
    scene.talk(12)


async def streaming(scene: Scene) -> None:
    """An answer comes in, and something was typed meanwhile."""
    await scene.open()
    scene.put(RowKind.USER, "Summarise the notes", run=RunNumber(1))
    scene.put(RowKind.TOOL, title="Read notes.txt", status="running", run=RunNumber(1))
    scene.put(RowKind.ASSISTANT, "I have read the first six notes and", status="streaming", run=RunNumber(1))
    scene.change(status=Status.RUNNING, step="Reading notes.txt…", title="Summarise the notes")
    scene.window.composer.set_text("and leave the budget alone")


async def stopping(scene: Scene) -> None:
    """Stopping takes long."""
    await streaming(scene)
    scene.window.composer._patience.setInterval(1)
    scene.change(status=Status.CANCELLING)


async def asks_one_file(scene: Scene) -> None:
    """One file."""
    await scene.open()
    await scene.ask(edit_question("letters/invitation.md", _BEFORE, _AFTER))


async def asks_five_files(scene: Scene) -> None:
    """Five files on one card, one of them new, one going away."""
    await scene.open()
    questions = [edit_question(f"notes/part-{number}.md", _BEFORE, _AFTER, number) for number in range(1, 4)]
    made = FileDiff(path="notes/new.md", kind="create", before=None, after="# New\n\nwords\n")
    gone = FileDiff(path="old.md", kind="delete", before="# Old\n", after=None)
    for number, file in enumerate((made, gone), 4):
        questions.append(
            Question(
                call_id=CallId(f"t1c{number}"),
                payload=PayloadHash(f"{number:08}"),
                tool="write_file",
                title=f"Write {file.path}",
                files=(file,),
                folder="Reports",
            )
        )
    await scene.ask(*questions)


async def asks_command(scene: Scene) -> None:
    """A chained command, which is never allowed for good."""
    await scene.open()
    await scene.ask(command_question("wc -l notes/*.md && sort -o list.txt list.txt", plain=False))


async def asks_protected(scene: Scene) -> None:
    """A name that asks each time."""
    await scene.open()
    file = FileDiff(
        path=".git/hooks/pre-commit",
        kind="edit",
        before="#!/bin/sh\nexit 0\n",
        after="#!/bin/sh\nmake test\n",
        reason="Files in .git decide what git runs.",
    )
    offer = Offer(always=None, session=None, why_not="this file decides what other programs run.")
    await scene.ask(
        Question(
            call_id=CallId("t1c1"),
            payload=PayloadHash("aa"),
            tool="edit_file",
            title="Change .git/hooks/pre-commit",
            files=(file,),
            folder="Reports",
            offer=offer,
        )
    )


async def asks_anew(scene: Scene) -> None:
    """The file moved on."""
    await asks_one_file(scene)
    again = edit_question("letters/invitation.md", _BEFORE + "\nmore", _AFTER + "\nmore")
    scene.door.sessions.ask_again(
        scene.session,
        Question(
            call_id=again.call_id,
            payload=PayloadHash("bb"),
            tool=again.tool,
            title=again.title,
            files=again.files,
            folder="Reports",
            offer=again.offer,
            again="letters/invitation.md changed since.",
        ),
    )


async def needs_check(scene: Scene) -> None:
    """An effect without a receipt."""
    await scene.open()
    lost = CallId("t1c1")
    scene.put(RowKind.USER, "Make the report", run=RunNumber(1))
    detail = "Paddock stopped while this was being done. It is not known whether it happened."
    title, run = "Run make report", RunNumber(1)
    scene.put(RowKind.TOOL, title=title, status="unresolved", detail=detail, call_id=lost, run=run)
    tail = "reading letters/\nwriting report.html\n120 pages of 400\n"
    scene.door.sessions.evidence_of[lost] = Evidence(call_id=lost, is_command=True, tail=tail)
    scene.change(status=Status.NEEDS_CHECK, needs_check=(lost,), title="Make the report")


async def needs_check_file(scene: Scene) -> None:
    """A file that shows neither end of a change without a receipt."""
    await scene.open()
    lost = CallId("t1c1")
    scene.put(RowKind.USER, "Use American spelling", run=RunNumber(1))
    detail = "Paddock stopped while this was being done. It is not known whether it happened."
    title, run = "Change letters/invitation.md", RunNumber(1)
    scene.put(RowKind.TOOL, title=title, status="unresolved", detail=detail, call_id=lost, run=run)
    path = "letters/invitation.md"
    before, after = "Dear all,\n\nthe colour is grey.\n", "Dear all,\n\nthe color is gray.\n"
    now = "Dear all,\n\nthe colour is grey.\n\nSee you soon.\n"
    steps = ((before, now, "From before to now."), (now, after, "From now to how it would be after."))
    scene.door.sessions.evidence_of[lost] = Evidence(
        call_id=lost,
        files=(FileEvidence(path=path, shows="other", size_bytes=48),),
        differences=tuple(
            FileDiff(path=path, kind="edit", before=one, after=two, notes=(note,)) for one, two, note in steps
        ),
    )
    scene.change(status=Status.NEEDS_CHECK, needs_check=(lost,), title="American spelling")


async def interrupted(scene: Scene) -> None:
    """Paddock was closed while working."""
    await scene.open()
    scene.put(RowKind.USER, "Summarise the notes", run=RunNumber(1))
    scene.put(RowKind.ASSISTANT, "I have read the first", status="cut", run=RunNumber(1))
    scene.put(RowKind.NOTICE, "Paddock was closed while working. Nothing was run twice.")
    scene.change(status=Status.INTERRUPTED)


async def failed(scene: Scene) -> None:
    """The model is unreachable."""
    await scene.open()
    problem = "Nothing answers at http://127.0.0.1:11434. Is the service running?"
    scene.put(RowKind.USER, "Summarise the notes", run=RunNumber(1))
    scene.put(RowKind.NOTICE, problem, status="failed")
    scene.change(status=Status.FAILED, problem=problem)


async def undo_dialog(scene: Scene) -> None:
    """What putting back would do."""
    await scene.open()
    scene.talk(1)
    scene.conductor.bridge.plan_undo(1)


async def branch(scene: Scene) -> None:
    """A branch in the list."""
    await scene.open()
    scene.talk(2)
    scene.conductor.bridge.branch(scene.session, 3, "Use another spelling")


async def read_only(scene: Scene) -> None:
    """Look only, details shown."""
    await scene.open()
    scene.talk(1)
    scene.change(mode=Mode.READ_ONLY)
    scene.window.bottom.details.setChecked(True)


async def row_menu(scene: Scene) -> None:
    """What can be done with a message."""
    await scene.open()
    scene.talk(1)
    await scene.rest()
    chat = scene.conductor.chat
    chat.view.setCurrentIndex(chat.model.index(0))
    menu = chat.menu_at(QPoint(20, 40))
    assert menu is not None
    menu.popup(chat.view.viewport().mapToGlobal(QPoint(160, 60)))


async def main_menu(scene: Scene) -> None:
    """Everything that can be done from anywhere."""
    await scene.open()
    scene.window.top.menu.popup(scene.window.mapToGlobal(QPoint(250, 40)))


async def settings_models(scene: Scene) -> None:
    """Services and keys."""
    await scene.open()
    service = Service(name="Ollama", base_url="http://127.0.0.1:11434/v1", model="qwen3")
    await scene.door.services.save(service, default=True)
    scene.conductor.dialogs.open_settings()


async def settings_look(scene: Scene) -> None:
    """Colours and size."""
    await settings_models(scene)
    dialog = scene.window.findChild(QDialog, "settingsDialog")
    assert dialog is not None
    pages = dialog.findChild(QTabWidget)
    assert pages is not None
    pages.setCurrentIndex(1)


async def settings_rules(scene: Scene) -> None:
    """What is allowed for good."""
    await scene.open()
    rules = scene.door.projects._rules.setdefault(str(scene.folder), [])
    for number, rule in enumerate(
        (
            Rule(tools=("edit_file", "write_file"), pattern="notes/*"),
            Rule(tools=("run_command",), pattern="wc -l notes.txt"),
        )
    ):
        rules.append(SavedRule(rule_id=f"r{number}", rule=rule, at_ms=0))
    scene.conductor.dialogs.open_rules()


async def shortcuts(scene: Scene) -> None:
    """The list of keys."""
    await scene.open()
    scene.conductor.dialogs.open_shortcuts()


async def caution(scene: Scene) -> None:
    """A folder to think of."""
    sentence = "This is your whole home folder. A folder with just what the work needs is safer."
    scene.door.projects.cautions[str(scene.folder)] = sentence
    await scene.open()


async def close_question(scene: Scene) -> None:
    """Closing while something works."""
    await streaming(scene)
    scene.conductor.dialogs.ask_close(lambda: None)


STATES: tuple[State, ...] = (
    start_page,
    empty_chat,
    long_chat,
    streaming,
    stopping,
    asks_one_file,
    asks_five_files,
    asks_command,
    asks_protected,
    asks_anew,
    needs_check,
    needs_check_file,
    interrupted,
    failed,
    undo_dialog,
    branch,
    read_only,
    row_menu,
    main_menu,
    settings_models,
    settings_look,
    settings_rules,
    shortcuts,
    caution,
    close_question,
)


async def take_all(out: Path, looks: list[str], sizes: list[tuple[int, int]]) -> int:
    """Every state in every look and size; how many pictures were taken."""
    folder = out / "Reports"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notes.txt").write_text("one colour\n")
    count = 0
    for look in looks:
        for size in sizes:
            for state in STATES:
                scene = Scene(folder, look, size)
                await state(scene)
                await scene.rest()
                await scene.rest()
                name = f"{state.__name__}-{look}-{size[0]}x{size[1]}.png"
                assert scene.grab().save(str(out / name))
                await scene.close()
                count += 1
    return count


def main(words: list[str]) -> None:
    """Read the command line and take the pictures."""
    out, *rest = words
    looks = [word for word in rest if not word[0].isdigit()] or ["light", "dark", "contrast"]
    sizes = [(int(w), int(h)) for w, _, h in (word.partition("x") for word in rest if word[0].isdigit())]
    app = QApplication(["paddock"])
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        count = loop.run_until_complete(take_all(Path(out), looks, sizes or [(1200, 800), (720, 480)]))
    print(f"{count} pictures in {out}")


if __name__ == "__main__":
    main(sys.argv[1:])
