"""The questions and pages that stand before the window: settings, rules, shortcuts, links, putting back.

All of them open beside the loop and answer by a signal. None is modal by `exec`, which would stop other
tasks for good. At most one of each is open.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog

from desktop.face import strings_window as words
from desktop.face.bridge import Bridge
from desktop.face.diff_rows import ComparedFile
from desktop.face.widgets.main_window import MainWindow
from desktop.face.widgets.question_dialog import QuestionDialog
from desktop.face.widgets.settings_dialog import SettingsDialog
from desktop.face.widgets.shortcuts_dialog import ShortcutsDialog
from desktop.face.widgets.undo_dialog import UndoDialog
from desktop.harness.api import UndoPlan, show_safe

_OPENABLE = ("http", "https", "mailto")


class Dialogs(QObject):
    """Opens them, and connects each with the bridge."""

    def __init__(self, window: MainWindow, bridge: Bridge) -> None:
        super().__init__(window)
        self._window = window
        self._bridge = bridge
        self._open: dict[str, QDialog] = {}

    def open_settings(self) -> None:
        """Models, look and rules."""
        self._show("settings", lambda: SettingsDialog(self._window, self._bridge.settings, self._workspace()))

    def open_rules(self) -> None:
        """What is allowed for good in this folder."""
        self.open_settings()
        dialog = self._open["settings"]
        if isinstance(dialog, SettingsDialog):
            dialog.show_rules()

    def open_shortcuts(self) -> None:
        """The list of keys."""
        self._show("shortcuts", lambda: ShortcutsDialog(self._window))

    def ask_undo(self, plan: UndoPlan, files: Sequence[ComparedFile]) -> None:
        """Show what putting back would do, and do it after a yes."""

        def make() -> UndoDialog:
            dialog = UndoDialog(self._window, plan, files)
            dialog.accepted.connect(lambda: self._bridge.undo(plan.run))
            return dialog

        self._show("undo", make)

    def ask_link(self, address: str) -> None:
        """Show the whole address before anything is opened."""
        url = QUrl(address, QUrl.ParsingMode.StrictMode)
        can_open = url.isValid() and url.scheme() in _OPENABLE
        copy = (words.COPY_LINK_BUTTON, lambda: QGuiApplication.clipboard().setText(address))
        go = (words.OPEN_LINK_BUTTON, lambda: QDesktopServices.openUrl(url))
        self._show(
            "link",
            lambda: QuestionDialog(
                self._window,
                name="linkQuestion",
                question=words.OPEN_LINK if can_open else words.NO_LINK,
                about=show_safe(address),
                safe=words.CANCEL,
                answers=(go, copy) if can_open else (copy,),
            ),
        )

    def ask_caution(self, sentence: str, go: Callable[[], None], choose: Callable[[], None]) -> None:
        """Ask before a folder is opened that is better not opened."""
        self._show(
            "caution",
            lambda: QuestionDialog(
                self._window,
                name="cautionQuestion",
                question=words.CAUTION_QUESTION,
                about=sentence,
                safe=words.CANCEL,
                answers=((words.OPEN_ANYWAY, go), (words.CHOOSE_ANOTHER_FOLDER, choose)),
            ),
        )

    def ask_close(self, stop: Callable[[], None]) -> None:
        """Ask once whether to keep working or to stop and close."""
        self._show(
            "close",
            lambda: QuestionDialog(
                self._window,
                name="closeQuestion",
                question=words.CLOSE_QUESTION,
                about=words.CLOSE_MORE,
                safe=words.KEEP_WORKING,
                answers=((words.STOP_AND_CLOSE, stop),),
            ),
        )

    def _workspace(self) -> str:
        view = self._bridge.chat.view
        return view.workspace if view is not None else ""

    def _show(self, name: str, make: Callable[[], QDialog]) -> None:
        if name in self._open:
            self._open[name].raise_()
            return
        dialog = make()
        self._open[name] = dialog
        dialog.finished.connect(lambda: self._closed(name, dialog))
        dialog.open()

    def _closed(self, name: str, dialog: QDialog) -> None:
        self._open.pop(name, None)
        dialog.deleteLater()
