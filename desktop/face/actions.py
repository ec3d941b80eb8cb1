"""The one table of what can be done from anywhere: names, words, keys, and the menu they stand in.

Menus, shortcuts and the list of shortcuts are all made from it, so none can miss what another has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from desktop.face import strings_window as words


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One line of the table. `keys` are alternatives; `menu` is empty for none."""

    name: str
    text: str
    menu: str
    keys: tuple[str, ...] = ()


TABLE: tuple[Deed, ...] = (
    Deed(name="newChatAction", text=words.NEW_CHAT, menu=words.MENU_CHAT, keys=("Ctrl+N",)),
    Deed(name="openFolderAction", text=words.OPEN_FOLDER, menu=words.MENU_CHAT, keys=("Ctrl+O",)),
    Deed(name="nextChatAction", text=words.NEXT_CHAT, menu=words.MENU_CHAT, keys=("Ctrl+Tab", "Ctrl+PgDown")),
    Deed(
        name="previousChatAction",
        text=words.PREVIOUS_CHAT,
        menu=words.MENU_CHAT,
        keys=("Ctrl+Shift+Tab", "Ctrl+PgUp"),
    ),
    Deed(name="toggleModeAction", text=words.TOGGLE_MODE, menu=words.MENU_CHAT, keys=("Ctrl+Shift+M",)),
    Deed(name="stopAction", text=words.STOP, menu=words.MENU_CHAT, keys=("Ctrl+.",)),
    Deed(name="pauseAction", text=words.PAUSE, menu=words.MENU_CHAT, keys=("Shift+Esc",)),
    Deed(name="rulesAction", text=words.RULES, menu=words.MENU_CHAT),
    Deed(name="settingsAction", text=words.SETTINGS, menu=words.MENU_CHAT, keys=("Ctrl+,",)),
    Deed(name="quitAction", text=words.QUIT, menu=words.MENU_CHAT, keys=("Ctrl+Q",)),
    Deed(name="toggleSidebarAction", text=words.TOGGLE_SIDEBAR, menu=words.MENU_VIEW, keys=("Ctrl+B",)),
    Deed(name="zoomInAction", text=words.ZOOM_IN, menu=words.MENU_VIEW, keys=("Ctrl++", "Ctrl+=")),
    Deed(name="zoomOutAction", text=words.ZOOM_OUT, menu=words.MENU_VIEW, keys=("Ctrl+-",)),
    Deed(name="zoomResetAction", text=words.ZOOM_RESET, menu=words.MENU_VIEW, keys=("Ctrl+0",)),
    Deed(name="focusComposerAction", text=words.FOCUS_COMPOSER, menu=words.MENU_VIEW, keys=("Ctrl+L",)),
    Deed(name="focusApprovalAction", text=words.FOCUS_APPROVAL, menu=words.MENU_VIEW, keys=("Ctrl+J",)),
    Deed(name="shortcutsAction", text=words.SHORTCUTS, menu=words.MENU_HELP, keys=("Ctrl+/", "F1")),
)

ELSEWHERE: tuple[tuple[str, str], ...] = (
    ("Enter", "Send the message, also while Paddock works"),
    ("Shift+Enter", "Begin a new line"),
    ("Ctrl+Shift+B", "Branch from the marked message"),
    ("F7 · Shift+F7", "Next and previous change in a diff"),
    ("Alt+O · Alt+W · Alt+D", "Allow once · Always allow · Don't allow"),
    ("Esc", "Back to the message field"),
    ("F2 · Del", "Rename or delete the marked chat"),
    ("F10", "Open the menu"),
)
"""Keys that belong to one place and so stand in no menu."""


def make_actions(owner: QWidget) -> dict[str, QAction]:
    """All actions by name, live in the window of `owner`."""
    made: dict[str, QAction] = {}
    for deed in TABLE:
        action = QAction(deed.text, owner)
        action.setObjectName(deed.name)
        action.setShortcuts([QKeySequence(keys) for keys in deed.keys])
        owner.addAction(action)
        made[deed.name] = action
    return made


def fill_menu(menu: QMenu, actions: Mapping[str, QAction]) -> None:
    """Put every action of the table into a menu, by sections."""
    section = ""
    for deed in TABLE:
        if section not in ("", deed.menu):
            menu.addSeparator()
        section = deed.menu
        menu.addAction(actions[deed.name])


def shortcut_lines() -> Iterator[tuple[str, str]]:
    """Keys and what they do, for the list of shortcuts."""
    for deed in TABLE:
        if deed.keys:
            yield " · ".join(deed.keys), deed.text.rstrip("…")
    yield from ELSEWHERE
