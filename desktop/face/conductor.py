"""What happens in the window when something comes up from the bridge, and the other way round.

Only connections and the small decisions of a face: what a branch begins with, which sentence stands
where, what the title says. Nothing here knows what may be done; that is said by the harness.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QFileDialog

from desktop.face import strings_window as words
from desktop.face.bridge import Bridge
from desktop.face.dialogs import Dialogs
from desktop.face.standing import Standing
from desktop.face.view_words import BUSY, heading_of, route_choices
from desktop.face.widgets.approval_panel import ApprovalPanel
from desktop.face.widgets.chat_pane import ChatPane
from desktop.face.widgets.details import DetailsPane
from desktop.face.widgets.main_window import MainWindow
from desktop.face.widgets.settle_card import SettleCard
from desktop.face.widgets.sidebar import SessionSidebar
from desktop.face.widgets.welcome import Welcome
from desktop.harness.api import Project, RowKind, SessionId, SessionSummary, SessionView, Status

_REFRESH_MS = 1_500
"""How often the list is read while another chat works."""
_CLOSE_LIMIT_S = 5.0
"""The harness promises to be closed within 3 s; beyond this the window goes anyway."""


class Conductor(QObject):
    """Connects one window with one bridge.

    Signals:
        sampleRequested(): the person wants to try the sample project.
    """

    sampleRequested = Signal()

    def __init__(self, window: MainWindow, sidebar: SessionSidebar, bridge: Bridge) -> None:
        super().__init__(window)
        self._window = window
        self.bridge = bridge
        self._sessions: list[SessionSummary] = []
        self._held = window.take_held()
        self._examples_for = ""
        self._greeting = bridge.settings.problem()
        self.sidebar = sidebar
        self.chat = ChatPane()
        self.welcome = Welcome()
        self.details = DetailsPane()
        self.panel = ApprovalPanel()
        window.furnish((self.chat, self.welcome), self.details)
        window.set_panel(self.panel)
        self.panel.dress()
        self.card = SettleCard()
        window.set_card(self.card)
        self.standing = Standing(window.standing, self.card, bridge.run, self)
        window.setTabOrder(sidebar.settings_button, window.top.menu_button)
        window.setTabOrder(window.top.menu_button, window.top.mode)
        self.panel.diff.set_side_by_side(bool(bridge.settings.setting("diff_side_by_side", True)))
        self.dialogs = Dialogs(window, bridge)
        self._connect_chat()
        self._connect_lists()
        self._connect_actions()
        self._refresh = QTimer(self)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(bridge.list_sessions)
        bridge.nothingFound.connect(self._nothing_found)
        bridge.examplesFound.connect(self._show_examples)
        bridge.cautioned.connect(self._ask_caution)
        self._show_routes()

    # --- the whole ---

    def is_busy(self) -> bool:
        """Whether something works in any chat."""
        view = self.bridge.chat.view
        if view is not None and view.status in BUSY:
            return True
        return any(each.status in BUSY for each in self._sessions if each.session != self.bridge.session)

    async def close(self) -> None:
        """Let the harness go, then the window."""
        self._refresh.stop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.bridge.close(), _CLOSE_LIMIT_S)
        self._window.close_now()

    # --- connections ---

    def _connect_chat(self) -> None:
        window, bridge = self._window, self.bridge
        window.composer.submitted.connect(self._submit)
        window.composer.steered.connect(bridge.run.steer)
        window.composer.stopRequested.connect(bridge.run.cancel)
        window.composer.killRequested.connect(bridge.run.kill)
        window.composer.draftChanged.connect(bridge.chat.change_draft)
        bridge.sent.connect(window.composer.accepted)
        bridge.sendFailed.connect(window.composer.failed)
        bridge.run.steered.connect(window.composer.accepted)
        bridge.run.steerFailed.connect(window.composer.failed)
        bridge.chat.opened.connect(self._opened)
        bridge.chat.rowsChanged.connect(self.chat.apply)
        bridge.chat.viewChanged.connect(self._show_view)
        bridge.chat.asked.connect(self.panel.show_asked)
        bridge.decideFailed.connect(self.panel.show_problem)
        bridge.failed.connect(self._say)
        bridge.settings.saveFailed.connect(self._say)
        self.panel.decided.connect(bridge.decide)
        self.panel.left.connect(window.composer.setFocus)
        self.card.left.connect(window.composer.setFocus)
        self.standing.modelWanted.connect(self.dialogs.open_settings)
        self.panel.appeared.connect(self._asks)
        self.panel.styleChosen.connect(lambda side: bridge.settings.keep("diff_side_by_side", side))
        self.chat.exampleChosen.connect(window.take_text)
        self.chat.branchRequested.connect(self._branch)
        self.chat.undoRequested.connect(bridge.plan_undo)
        self.chat.linkActivated.connect(self.dialogs.ask_link)
        bridge.undoPlanned.connect(self.dialogs.ask_undo)

    def _connect_lists(self) -> None:
        window, bridge = self._window, self.bridge
        bridge.sessionsListed.connect(self._show_sessions)
        bridge.foldersListed.connect(self._show_folders)
        sidebar = self.sidebar
        sidebar.opened.connect(bridge.open)
        sidebar.newRequested.connect(self._new_chat)
        sidebar.renamed.connect(bridge.rename)
        sidebar.deleted.connect(bridge.delete)
        sidebar.restoreRequested.connect(bridge.restore)
        sidebar.branchRequested.connect(lambda session: bridge.branch(session, None, ""))
        sidebar.settingsRequested.connect(self.dialogs.open_settings)
        bridge.deleted.connect(self._deleted)
        self.welcome.openRequested.connect(self._choose_folder)
        self.welcome.connectRequested.connect(self.dialogs.open_settings)
        self.welcome.folderChosen.connect(bridge.open_folder)
        self.welcome.sampleRequested.connect(self.sampleRequested)
        window.folderDropped.connect(bridge.open_folder)
        window.placesChanged.connect(lambda places: bridge.settings.keep("window", places))

    def _connect_actions(self) -> None:
        window, bridge = self._window, self.bridge
        on = window.actions_by_name
        on["newChatAction"].triggered.connect(self._new_chat)
        on["openFolderAction"].triggered.connect(self._choose_folder)
        on["settingsAction"].triggered.connect(self.dialogs.open_settings)
        on["rulesAction"].triggered.connect(self.dialogs.open_rules)
        on["shortcutsAction"].triggered.connect(self.dialogs.open_shortcuts)
        on["nextChatAction"].triggered.connect(lambda: self._go(1))
        on["previousChatAction"].triggered.connect(lambda: self._go(-1))
        on["stopAction"].triggered.connect(bridge.run.cancel)
        on["pauseAction"].triggered.connect(bridge.run.pause)
        window.top.modeChosen.connect(bridge.set_mode)
        window.bottom.routeChosen.connect(bridge.set_route)
        window.bottom.connectRequested.connect(self.dialogs.open_settings)
        bridge.settings.servicesListed.connect(self._show_routes)

    # --- what comes up ---

    def _asks(self) -> None:
        """Make room for the card, and call the person if they look elsewhere; never take the focus."""
        self._window.place_panel()
        QApplication.alert(self._window)

    def _opened(self, session: str, draft: str) -> None:
        window = self._window
        self.chat.set_rows(())
        self._greet()
        self.standing.clear()
        window.show_page(self.chat)
        window.composer.set_text(self._held or draft)
        self.sidebar.select(SessionId(session))
        window.composer.setFocus()
        if self._held:
            held, self._held = self._held, ""
            self.bridge.prompt(held)

    def _greet(self) -> None:
        """Say what was found wrong at the start, once; else nothing."""
        said, self._greeting = self._greeting, ""
        self._window.notice.say(said)

    def _show_view(self, view: SessionView) -> None:
        window = self._window
        window.show_heading(heading_of(view))
        self.details.show_view(view)
        self.chat.set_undoable(view.runs)
        window.composer.set_running(view.status in BUSY, stopping=view.status is Status.CANCELLING)
        window.actions_by_name["stopAction"].setEnabled(view.status in (*BUSY, Status.WAITING))
        window.actions_by_name["pauseAction"].setEnabled(view.status in (Status.RUNNING, Status.RETRYING))
        if self.chat.model.rowCount() == 0 and self._examples_for != view.session:
            self._examples_for = view.session
            self._show_examples(view.workspace, ())
            self.bridge.find_examples(view.workspace)
        self.standing.show(view, self.chat.model.rows)
        self._show_routes()
        self._note_status(view)

    def _show_examples(self, folder: str, examples: Sequence[str]) -> None:
        self.chat.set_empty(PurePath(folder).name, examples)

    def _note_status(self, view: SessionView) -> None:
        known = next((each for each in self._sessions if each.session == view.session), None)
        if known is None or (known.status, known.title) != (view.status, view.title):
            self.bridge.list_sessions()

    def _show_sessions(self, sessions: list[SessionSummary]) -> None:
        self._sessions = sessions
        if any(each.status in BUSY for each in sessions):
            self._refresh.start()
        else:
            self._refresh.stop()
        self.sidebar.set_summaries(sessions)
        if self.bridge.session is not None:
            self.sidebar.select(self.bridge.session)

    def _show_folders(self, folders: Sequence[Project]) -> None:
        self.welcome.set_folders(folders)

    def _show_routes(self, *_: object) -> None:
        settings, view = self.bridge.settings, self.bridge.chat.view
        services = settings.services()
        choices = route_choices(services, view.route if view else settings.default_route())
        self._window.bottom.set_routes(*choices)
        self.welcome.set_has_model(any(service.base_url for service in services))

    def _say(self, sentence: str) -> None:
        self._show_start_page()
        self._window.notice.say(sentence)

    def _show_start_page(self) -> None:
        """Never leave the window empty when no chat could be opened."""
        if self.bridge.session is None:
            self._window.show_heading(None)
            self._window.show_page(self.welcome)

    def _ask_caution(self, folder: str, sentence: str) -> None:
        self._show_start_page()
        self.dialogs.ask_caution(sentence, lambda: self.bridge.begin(folder), self._choose_folder)

    # --- what goes down ---

    def _submit(self, text: str) -> None:
        if self.bridge.session is None:
            self._window.composer.failed(words.OPEN_FIRST)
        else:
            self.bridge.prompt(text)

    def _branch(self, seq: int, key: str) -> None:
        """Before a person's message, with its text in the composer; after anything else."""
        session = self.bridge.session
        row = next((row for row in self.chat.model.rows if row.key == key), None)
        if session is None or row is None:
            return
        if row.kind is RowKind.USER:
            self.bridge.branch(session, seq - 1, row.text)
        else:
            self.bridge.branch(session, seq, "")

    def _new_chat(self) -> None:
        view = self.bridge.chat.view
        if view is None:
            self._choose_folder()
        elif self.chat.model.rowCount() == 0:
            self._window.composer.setFocus()
        else:
            self.bridge.begin(view.workspace)

    def _deleted(self, session: str) -> None:
        if session == self.bridge.session:
            self.close_chat()

    def _nothing_found(self) -> None:
        held, self._held = self._held, ""
        self.close_chat()
        self._greet()
        if held:
            self._window.composer.set_text(held)
            self._window.composer.failed(words.OPEN_FIRST)

    def close_chat(self) -> None:
        """Show the start page."""
        self.bridge.chat.leave()
        self.standing.clear()
        self._window.composer.set_text("")
        self._window.composer.set_running(False)
        self.details.show_view(None)
        self._show_start_page()

    def _go(self, step: int) -> None:
        order = [each.session for each in self._sessions]
        if self.bridge.session in order and len(order) > 1:
            self.bridge.open(order[(order.index(self.bridge.session) + step) % len(order)])

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self._window, words.CHOOSE_FOLDER)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.bridge.open_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
