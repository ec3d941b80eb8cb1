"""The window over a fake door: the main job by keyboard alone, names for everything, plain questions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from desktop.app import begin, conductor_of, make_window
from desktop.face.actions import TABLE, shortcut_lines
from desktop.face.conductor import Conductor
from desktop.face.widgets.main_window import MainWindow
from desktop.harness.api import (
    CallId,
    Evidence,
    RowKind,
    Scope,
    Service,
    SessionId,
    SessionView,
    Settlement,
    Status,
    StorageFullError,
)
from tests.face.fake_door import FakeDoor, edit_question

RunQt = Callable[[Awaitable[Any]], Any]
Part = TypeVar("Part", bound=QWidget)


def part(parent: QWidget, kind: type[Part], name: str) -> Part:
    """A part that has to be there."""
    found = parent.findChild(kind, name)
    assert found is not None
    return found


class Live:
    """A window with its parts, and waits that end."""

    def __init__(self, window: MainWindow, door: FakeDoor) -> None:
        self.window = window
        self.door = door
        self.conductor: Conductor = conductor_of(window)
        self.bridge = self.conductor.bridge

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(10):
            while not is_so():
                await asyncio.sleep(0.01)

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key where the focus is."""
        QTest.keyClick(self.focus(), key, modifiers)

    def type(self, text: str) -> None:
        """Type where the focus is."""
        QTest.keyClicks(self.focus(), text)

    def focus(self) -> QWidget:
        """Where the focus is."""
        found = self.window.focusWidget()
        assert found is not None
        return found

    def view(self) -> SessionView:
        """Where the open chat stands."""
        assert self.bridge.chat.view is not None
        return self.bridge.chat.view

    def texts(self) -> list[str]:
        """What the rows of the chat say."""
        return [row.text or row.title for row in self.conductor.chat.model.rows]

    def dialog(self, name: str) -> QDialog:
        """An open dialog."""
        found = self.window.findChild(QDialog, name)
        assert found is not None
        return found


@asynccontextmanager
async def live(folder: Path | None, door: FakeDoor | None = None) -> AsyncIterator[Live]:
    """A shown window, on a folder or on the start page."""
    door = door or FakeDoor()
    window = make_window(door)
    window.show()
    window.activateWindow()
    made = Live(window, door)
    begin(made.conductor, None if folder is None else str(folder))
    if folder is not None:
        await made.until(lambda: made.bridge.chat.view)
        await made.until(lambda: made.conductor.chat.isVisible())
    else:
        await asyncio.sleep(0.1)
    yield made
    await made.conductor.close()
    assert door.is_closed
    assert not window.isVisible()
    window.deleteLater()


def test_the_main_job_by_keyboard_alone(run_qt: RunQt, tmp_path: Path) -> None:
    """Type, send, look at the change, allow once, branch from one's own message: no pointer is needed."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.door.sessions.plans = [[edit_question()]]
            here.type("Use American spelling")
            here.key(Qt.Key.Key_Return)
            await here.until(lambda: here.conductor.panel.isVisible())
            assert here.focus().objectName() == "composer"
            await asyncio.sleep(0.6)
            here.key(Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
            seen = {here.focus().objectName()}
            for _ in range(14):
                here.key(Qt.Key.Key_Tab)
                seen.add(here.focus().objectName())
            assert seen >= {"diffCanvas", "allowOnceButton", "allowAlwaysButton", "denyButton", "denyReason"}
            here.key(Qt.Key.Key_Escape)
            here.window.composer.setFocus()
            here.key(Qt.Key.Key_O, Qt.KeyboardModifier.AltModifier)
            await here.until(lambda: "Done." in here.texts())
            assert [decision.scope for decision in here.door.sessions.decisions] == [Scope.ONCE]
            first = here.bridge.session
            here.conductor.chat.view.setFocus()
            here.key(Qt.Key.Key_Home)
            here.key(Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
            await here.until(lambda: here.bridge.session != first)
            await here.until(lambda: here.window.composer.text() == "Use American spelling")
            assert here.door.sessions.chats[here.view().session].rows == []

    run_qt(play())


def test_tab_goes_as_the_eye_goes(run_qt: RunQt, tmp_path: Path) -> None:
    """From the list over the top line, the chat and the card to the message field and what is below it."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.door.sessions.plans = [[edit_question()]]
            here.bridge.prompt("change")
            always = part(here.window, QAbstractButton, "allowAlwaysButton")
            await here.until(lambda: always.isVisible() and always.isEnabled())  # all of it was seen
            here.conductor.sidebar.search.setFocus()
            order = []
            for _ in range(24):
                order.append(here.focus().objectName())
                here.key(Qt.Key.Key_Tab)
            wanted = [
                *("searchBox", "sessionList", "newSessionButton", "settingsButton", "menuButton"),
                *("modeSelector", "chatView", "diffCanvas", "allowOnceButton", "allowAlwaysButton"),
                *(
                    "allowMenuButton",
                    "denyButton",
                    "denyReason",
                    "composer",
                    "modelSelector",
                    "detailsButton",
                ),
            ]
            assert [name for name in order if name in wanted][: len(wanted)] == wanted

    run_qt(play())


def test_a_branch_on_an_answer_ends_after_it(run_qt: RunQt, tmp_path: Path) -> None:
    """Branching on an answer keeps it and leaves the composer empty."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.bridge.prompt("hello")
            await here.until(lambda: len(here.texts()) == 2)
            row = here.conductor.chat.model.rows[1]
            first = here.bridge.session
            here.conductor.chat.branchRequested.emit(row.seq, row.key)
            await here.until(lambda: here.bridge.session != first)
            await here.until(lambda: here.texts() == ["hello", "You said: hello"])
            assert here.window.composer.text() == ""

    run_qt(play())


def test_everything_has_a_name(run_qt: RunQt, tmp_path: Path) -> None:
    """Each control has an accessible name, and the fixed ones have their object names."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.door.sessions.plans = [[edit_question(), edit_question("b.txt", number=2)]]
            here.bridge.prompt("change")
            await here.until(lambda: here.conductor.panel.isVisible())
            here.conductor.dialogs.open_settings()
            here.conductor.dialogs.open_shortcuts()
            await asyncio.sleep(0.1)
            nameless = [
                part
                for part in here.window.findChildren(QWidget)
                if isinstance(part, QAbstractButton | QComboBox | QLineEdit | QAbstractScrollArea)
                and part.focusPolicy() is not Qt.FocusPolicy.NoFocus
                and not part.objectName().startswith("qt_")
                and not (part.accessibleName() or (isinstance(part, QAbstractButton) and part.text()))
                and not isinstance(part.parentWidget(), QComboBox)
                and not (part.parentWidget() and "ComboBoxPrivate" in type(part.parentWidget()).__name__)
                and part.window() is part.window().window()
                and part.window() in (here.window, *here.window.findChildren(QDialog))
            ]
            assert nameless == []
            for name in (
                *("chatView", "composer", "sendButton", "stopButton", "sessionList", "newSessionButton"),
                *("approvalPanel", "diffView", "allowOnceButton", "allowAlwaysButton", "allowMenuButton"),
                *("denyButton", "modeSelector", "modelSelector", "statusLabel", "detailsButton", "searchBox"),
            ):
                assert here.window.findChild(QWidget, name) is not None, name
            for name in ("forkAction", "openFolderAction", "settingsAction"):
                assert here.window.findChild(QAction, name) is not None, name

    run_qt(play())


def test_actions_come_from_one_table(run_qt: RunQt) -> None:
    """Each line of the table is in the menu and in the list of shortcuts, and no key is used twice."""

    async def play() -> None:
        async with live(None) as here:
            in_menu = [
                action.objectName() for action in here.window.top.menu.actions() if action.objectName()
            ]
            assert in_menu == [deed.name for deed in TABLE]
            keys = [key for deed in TABLE for key in deed.keys]
            assert len(keys) == len(set(keys))
            listed = dict(shortcut_lines())
            assert listed["Ctrl+O"] == "Open folder"

    run_qt(play())


def test_the_start_page(run_qt: RunQt, tmp_path: Path) -> None:
    """Without a chat the window says what to do; a folder that is dropped is opened, a text stays."""

    async def play() -> None:
        async with live(None) as here:
            shown = [part.text() for part in here.conductor.welcome.findChildren(QLabel) if part.isVisible()]
            assert "Open a folder to begin." in shown
            assert "No model yet: the offline helper can list, find and replace." in shown
            here.window.composer.set_text("hello")
            here.window.composer.send_button.click()
            assert here.window.composer.text() == "hello"
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
            for kind in (QDragEnterEvent, QDropEvent):
                event = kind(
                    QPoint(5, 5),
                    Qt.DropAction.CopyAction,
                    data,
                    Qt.MouseButton.LeftButton,
                    Qt.KeyboardModifier.NoModifier,
                )
                QApplication.sendEvent(here.window, event)
            await here.until(lambda: here.conductor.chat.isVisible())
            assert tmp_path.name in here.window.windowTitle()

    run_qt(play())


def test_a_failed_send_keeps_the_text(run_qt: RunQt, tmp_path: Path) -> None:
    """When a message is not taken, it stays in the box, with the reason beside it."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.door.sessions.fails_with = StorageFullError("The disk is full.")
            here.window.composer.set_text("hello")
            here.window.composer.send_button.click()
            await here.until(
                lambda: any(part.text() == "The disk is full." for part in here.window.findChildren(QLabel))
            )
            assert here.window.composer.text() == "hello"

    run_qt(play())


def test_a_waiting_card_is_there_again(run_qt: RunQt, tmp_path: Path) -> None:
    """A second window over the same data shows the same card, and answering it there goes on."""

    async def play() -> None:
        door = FakeDoor()
        async with live(tmp_path, door) as here:
            door.sessions.plans = [[edit_question()]]
            here.bridge.prompt("change")
            await here.until(lambda: here.conductor.panel.isVisible())
        assert door.sessions.decisions == []
        door.is_closed = False
        async with live(None, door) as here:
            await here.until(lambda: here.conductor.panel.isVisible())
            assert part(here.window, QLabel, "approvalTitle").text() == "Paddock wants to change notes.txt"
            here.conductor.panel._guard_until_s = 0.0
            here.conductor.panel._once.click()
            await here.until(lambda: "Done." in here.texts())

    run_qt(play())


def test_links_are_shown_before_they_are_opened(
    run_qt: RunQt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link opens a question with its whole address; only a yes opens it, and only a web address can be."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))

    async def play() -> None:
        async with live(tmp_path) as here:
            address = "https://example.com/" + "long/" * 60 + "?q=1"
            here.conductor.chat.linkActivated.emit(address)
            box = here.dialog("linkQuestion")
            about = part(box, QLabel, "aboutLabel")
            assert about.text().replace("\u200b", "") == address
            assert opened == []
            next(b for b in box.findChildren(QAbstractButton) if b.text() == "Open it").click()
            await asyncio.sleep(0.05)
            assert opened == [address]
            here.conductor.chat.linkActivated.emit("file:///etc/passwd")
            texts = [b.text() for b in here.dialog("linkQuestion").findChildren(QAbstractButton)]
            assert texts == ["Copy it", "Cancel"]

    run_qt(play())


def test_undo_shows_its_plan(run_qt: RunQt, tmp_path: Path) -> None:
    """Putting back shows the files and what is left alone, and happens after a yes."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.conductor.chat.undoRequested.emit(1)
            await here.until(lambda: here.window.findChild(QDialog, "undoDialog"))
            dialog = here.dialog("undoDialog")
            assert part(dialog, QLabel, "keptLabel").text() == "list.txt: it was changed since"
            part(dialog, QAbstractButton, "putBackButton").click()
            await here.until(lambda: "Put back as before: notes.txt." in here.texts())

    run_qt(play())


def test_mode_and_model_can_be_chosen(run_qt: RunQt, tmp_path: Path) -> None:
    """The selectors change the chat, and show what is in force."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.window.actions_by_name["toggleModeAction"].trigger()
            await here.until(lambda: here.window.top.mode.currentText() == "Look only")
            service = Service(name="Local", base_url="http://127.0.0.1:1/v1", model="qwen3")
            here.bridge.settings.save_service(service, is_default=False)
            await here.until(lambda: here.window.bottom.model.count() == 3)
            here.window.bottom.model.setCurrentIndex(0)
            here.window.bottom.model.activated.emit(0)
            await here.until(lambda: here.view().route.model == "qwen3")
            assert here.window.bottom.model.currentText() == "qwen3 (this computer)"

    run_qt(play())


def test_an_interrupted_chat_offers_the_next_step(run_qt: RunQt, tmp_path: Path) -> None:
    """What stopped says so in the pane, with Continue and Stop here."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.door.sessions.change(here.bridge.session, status=Status.INTERRUPTED)
            await here.until(lambda: here.window.standing.isVisible())
            assert "Nothing was run twice" in here.window.standing.text
            part(here.window.standing, QAbstractButton, "continueButton").click()
            await here.until(lambda: here.view().status is Status.IDLE)
            assert not here.window.standing.isVisible()

    run_qt(play())


def test_deleting_can_be_undone(run_qt: RunQt, tmp_path: Path) -> None:
    """A deleted chat leaves the list and the screen, and comes back from the bar."""

    async def play() -> None:
        async with live(tmp_path) as here:
            await here.until(lambda: here.conductor.sidebar.model.count() == 1)
            session = here.view().session
            here.conductor.sidebar.select(session)
            here.conductor.sidebar._delete()
            await here.until(lambda: here.conductor.welcome.isVisible())
            await here.until(lambda: here.conductor.sidebar.model.count() == 0)
            here.conductor.sidebar.undo_button.click()
            await here.until(lambda: here.conductor.sidebar.model.count() == 1)
            assert not here.door.sessions.chats[session].is_binned

    run_qt(play())


def test_a_key_is_never_shown_again(run_qt: RunQt, tmp_path: Path) -> None:
    """A typed key goes to the keychain once; no field holds it afterwards, and a locked keychain is named."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.door.services.keychain_is = "locked"
            here.conductor.dialogs.open_settings()
            dialog = here.dialog("settingsDialog")
            await asyncio.sleep(0.05)
            part(dialog, QAbstractButton, "addServiceButton").click()
            part(dialog, QLineEdit, "serviceAddress").setText("http://127.0.0.1:1/v1")
            part(dialog, QLineEdit, "serviceKey").setText("sk-very-secret")
            assert part(dialog, QLineEdit, "serviceKey").echoMode() is QLineEdit.EchoMode.Password
            part(dialog, QAbstractButton, "saveServiceButton").click()
            await here.until(lambda: here.door.services.keys)
            await asyncio.sleep(0.05)
            assert here.door.services.keys == {"http://127.0.0.1:1/v1": "sk-very-secret"}
            fields = [field.text() for field in dialog.findChildren(QLineEdit)]
            labels = [part.text() for part in dialog.findChildren(QLabel)]
            assert not any("secret" in text for text in (*fields, *labels))
            assert any("this session only" in text for text in labels)
            part(dialog, QLineEdit, "serviceAddress").setText("http://nobody/v1")
            part(dialog, QAbstractButton, "listModelsButton").click()
            await here.until(
                lambda: part(dialog, QLabel, "serviceWords").text() == "Nothing answers at this address."
            )

    run_qt(play())


def test_a_rule_can_be_taken_back(run_qt: RunQt, tmp_path: Path) -> None:
    """The page lists what is allowed for good in words, each with a way back."""

    async def play() -> None:
        async with live(tmp_path) as here:
            here.door.projects.save(str(tmp_path), edit_question().offer.always)
            here.conductor.dialogs.open_rules()
            dialog = here.dialog("settingsDialog")
            await here.until(lambda: dialog.findChild(QAbstractButton, "revoke_r1"))
            assert "Changes to notes.txt" in [part.text() for part in dialog.findChildren(QLabel)]
            part(dialog, QAbstractButton, "revoke_r1").click()
            await here.until(
                lambda: (
                    "Nothing is allowed for good here. Paddock asks each time."
                    in [part.text() for part in dialog.findChildren(QLabel)]
                )
            )

    run_qt(play())


def test_look_and_places_are_remembered(run_qt: RunQt, tmp_path: Path) -> None:
    """Colours, text size and a hidden sidebar are there again in the next window."""

    async def play() -> None:
        door = FakeDoor()
        async with live(tmp_path, door) as here:
            usual = QApplication.font().pointSizeF()
            here.window.apply_look(theme="dark")
            here.window.zoom(2)
            assert QApplication.font().pointSizeF() > usual
            here.window.toggle_sidebar()
            await asyncio.sleep(0.05)
        door.is_closed = False
        async with live(tmp_path, door) as here:
            assert here.window.places["theme"] == "dark"
            assert here.conductor.sidebar.isHidden()
            here.window.zoom(0)
            here.window.apply_look(theme="light")
            assert QApplication.font().pointSizeF() == pytest.approx(usual)

    run_qt(play())


def test_streaming_costs_no_more_in_a_long_chat(run_qt: RunQt, tmp_path: Path) -> None:
    """One streamed word in a chat of two thousand rows costs our handlers hardly more than in one of ten."""
    from desktop.face.stopwatch import stopwatch

    async def cost_ms(here: Live, session: SessionId) -> float:
        stopwatch.is_on, stopwatch.longest_ms = True, {}
        took: list[float] = []
        for number in range(20):
            here.door.sessions.stream(session, "word " * number)
            await asyncio.sleep(0.05)
            took.append(stopwatch.longest_ms.pop("rows", 0.0))
        stopwatch.is_on = False
        return sorted(took)[10]

    async def play() -> None:
        async with live(tmp_path) as here:
            session = here.bridge.session
            for number in range(10):
                here.door.sessions.put(session, RowKind.ASSISTANT, text=f"row {number}")
            await here.until(lambda: len(here.texts()) == 10)
            short = await cost_ms(here, session)
            for number in range(10, 2_000):
                here.door.sessions.put(session, RowKind.ASSISTANT, text=f"row {number}")
            await here.until(lambda: len(here.texts()) >= 2_000)
            assert await cost_ms(here, session) < 4 * short + 8

    run_qt(play())


def test_an_effect_without_a_receipt_is_asked_about(run_qt: RunQt, tmp_path: Path) -> None:
    """First Continue may look; where that proves nothing a card asks, guarded at first."""

    async def play() -> None:
        async with live(tmp_path) as here:
            sessions, session = here.door.sessions, here.view().session
            lost = CallId("t1c1")
            fields = {"kind": RowKind.TOOL, "title": "Run make", "call_id": lost}
            sessions.put(session, **fields, status="running")
            sessions.evidence_of[lost] = Evidence(call_id=lost, is_command=True, tail="compiling\nlinking\n")
            sessions.change(session, status=Status.NEEDS_CHECK, needs_check=(lost,))
            await here.until(lambda: here.window.standing.isVisible())
            assert not here.conductor.card.isVisible()
            assert part(here.window.standing, QAbstractButton, "continueButton").text() == "Continue"
            sessions.put(session, **fields, status="unresolved", detail="It is not known.")
            await here.until(
                lambda: here.conductor.card.findChild(QPlainTextEdit, "settleOutput") is not None
            )
            assert here.conductor.card.isVisible() and not here.window.standing.isVisible()
            assert part(here.conductor.card, QLabel, "settleTitle").text() == "Did this happen? Run make"
            output = part(here.conductor.card, QPlainTextEdit, "settleOutput")
            assert output.toPlainText() == "compiling\nlinking"
            assert "had not ended" in part(here.conductor.card, QLabel, "settleEvidence").text()
            no = part(here.conductor.card, QAbstractButton, "settleNoButton")
            no.click()
            await asyncio.sleep(0.6)
            assert sessions.settled_calls == []
            here.key(Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
            assert here.focus().objectName() == "settleYesButton"
            here.key(Qt.Key.Key_Tab)
            here.key(Qt.Key.Key_Space)
            await here.until(lambda: not here.conductor.card.isVisible())
            assert sessions.settled_calls == [(lost, Settlement.DID_NOT_HAPPEN)]
            await here.until(lambda: here.focus().objectName() == "composer")

    run_qt(play())


def test_what_runs_is_steered_paused_and_taken_up_again(run_qt: RunQt, tmp_path: Path) -> None:
    """Enter reaches what runs, Shift and Escape pause it, and the quiet line goes on with it."""

    async def play() -> None:
        async with live(tmp_path) as here:
            session = here.view().session
            here.door.sessions.change(session, status=Status.RUNNING)
            await here.until(lambda: here.view().status is Status.RUNNING)
            here.type("use port 9000")
            here.key(Qt.Key.Key_Return)
            await here.until(lambda: "use port 9000" in here.texts())
            assert here.window.composer.text() == ""
            here.key(Qt.Key.Key_Escape, Qt.KeyboardModifier.ShiftModifier)
            await here.until(lambda: here.view().status is Status.PAUSED)
            await here.until(lambda: here.window.standing.isVisible())
            assert here.window.standing.findChild(QAbstractButton, "dismissButton") is None
            part(here.window.standing, QAbstractButton, "continueButton").click()
            await here.until(lambda: not here.window.standing.isVisible())

    run_qt(play())


def test_a_folder_to_think_of_is_asked_about(run_qt: RunQt, tmp_path: Path) -> None:
    """A home folder opens only after a yes; cancelling leaves the start page, another answer chooses."""

    async def play() -> None:
        door = FakeDoor()
        door.projects.cautions[str(tmp_path)] = "This is your whole home folder."
        async with live(None, door) as here:
            here.bridge.open_folder(str(tmp_path))
            await here.until(lambda: here.window.findChild(QDialog, "cautionQuestion"))
            asked = here.dialog("cautionQuestion")
            assert part(asked, QLabel, "aboutLabel").text() == "This is your whole home folder."
            assert here.conductor.welcome.isVisible()
            part(asked, QAbstractButton, "cancelButton").click()
            await asyncio.sleep(0.05)
            assert door.sessions.chats == {}
            here.bridge.open_folder(str(tmp_path))
            await here.until(lambda: here.window.findChild(QDialog, "cautionQuestion"))
            part(here.dialog("cautionQuestion"), QAbstractButton, "openButton").click()
            await here.until(lambda: here.bridge.chat.view)

    run_qt(play())
