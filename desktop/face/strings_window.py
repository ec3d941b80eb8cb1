"""Every word that the window, the approval panel, the diff view and the dialogs say.

The same rules as in `strings`: short, present tense, no jargon, no blame; words of models, files and
tools never come from here. `&` marks the letter that Alt+… presses.
"""

# --- diff ---
DIFF_NAME = "What would change"
PREVIOUS_CHANGE = "Previous change"
NEXT_CHANGE = "Next change"
WHOLE_FILE = "Whole file"
ONLY_CHANGES = "Only changes"
SIDE_BY_SIDE = "Side by side"
INLINE = "One column"

FILE_KIND = {"create": "new", "edit": "", "move": "moves", "delete": "goes away"}


def show_as(style: str) -> str:
    """What the button that changes the way of showing does."""
    return f"Show as: {style.lower()}"


def folded(count: int) -> str:
    """What stands in place of lines that do not change."""
    return f"Show {count:,} lines that stay the same"


def counted(count: int, one: str, many: str) -> str:
    """A number with its word."""
    return f"1 {one}" if count == 1 else f"{count:,} {many}"


def line_counts(files: int, added: int, removed: int) -> str:
    """How much a change changes."""
    parts = [counted(files, "file", "files")] if files > 1 else []
    if added:
        parts.append(f"{counted(added, 'line', 'lines')} added")
    if removed:
        parts.append(f"{counted(removed, 'line', 'lines')} removed")
    return " · ".join(parts)


# --- faults ---
def inner_fault(error: BaseException) -> str:
    """A fault of Paddock's own, told without blame and without a traceback."""
    return (
        f"Something went wrong inside Paddock ({type(error).__name__}). Nothing was lost; please try again."
    )


# --- approval ---
APPROVAL_NAME = "What Paddock asks"
INSIDE_FOLDER = "inside this folder"
CAN_BE_UNDONE = "can be undone"
CANNOT_BE_UNDONE = "cannot be undone"
NEW_DIFFERENCE = "Here is the new difference."
ALLOW_ONCE = "Allow &once"
ALWAYS_ALLOW = "Al&ways allow"
ALLOW_MENU = "Other ways to allow"
DENY = "&Don't allow"
DENY_REASON = "Why not? (may stay empty)"
DENY_REASON_SHORT = "Why?"
DENY_REASON_NAME = "Reason for not allowing"
COMMAND_NAME = "The whole command"
ONE_BY_ONE = "Decide one by one"
ALL_TOGETHER = "Decide all together"
PREVIOUS_QUESTION = "Previous question"
NEXT_QUESTION = "Next question"
THIS_CHAT_ONLY = "In this chat only"
ALWAYS_SAVES = "Always allow saves for this project:"
NO_ALWAYS = "Always is not offered:"
ASKS_EACH_TIME = "this asks each time."
SEE_ALL_FIRST = "Always allow needs you to see all of it: scroll to the end."
DECIDING = "Passing on your answer…"


def place_in(index: int, count: int) -> str:
    """Which of the questions is shown."""
    return f"{index + 1} of {count}"


def always_for(what: str) -> str:
    """A wider choice in the menu."""
    return f"Always: {what}"


# --- window ---
APP = "Paddock"
MENU = "Menu"
MENU_TEXT = "☰"
MODE_NAME = "What Paddock may do"
MODES = (("read-only", "Look only"), ("write", "Can change files"))
MODEL_NAME = "Who answers"
CONNECT_MODEL = "Connect a model…"
THIS_COMPUTER = "this computer"
DETAILS = "Details"
STATUS_NAME = "Where this chat stands"
READY = "Ready"
WORKING = "Working…"
STARTING = "Starting…"
NO_FOLDER = "no folder"
OPEN_FIRST = "Open a folder first; your text stays here."
CONTINUE = "Continue"
STOP_HERE = "Stop here"
TRY_AGAIN = "Try again"
CHOOSE_ANOTHER = "Choose another model"
DISMISS_NAME = "Close this line"
CHOOSE_FOLDER = "Choose a folder"

STATUS = {
    "idle": "Ready",
    "running": "Working…",
    "waiting": "Waiting for your answer",
    "paused": "Paused",
    "interrupted": "Interrupted",
    "retrying": "Trying again…",
    "out_of_budget": "Used up its budget",
    "needs_check": "Needs a look",
    "cancelling": "Stopping…",
    "cancelled": "Stopped",
    "failed": "Did not work",
}
INTERRUPTED = "Paddock was closed while working. Nothing was run twice."
PAUSED = "This chat is paused."
FAILED = "The model did not answer."
CAN_GO_ON = "It can go on from here."
CAN_ASK_AGAIN = "Try the same again, or let another model answer."
UNSEEN_END = "Paddock was closed while it did something. Continue looks whether that happened."
SETTLE_NAME = "Did this happen?"
SETTLE_LOOK = "Please look, then say what is so."
SETTLE_YES, SETTLE_NO = "Yes", "No"


SETTLE_OUTPUT = "The last of its output"
SETTLE_DIFFERENCES = "What the file was, is, and would be"
_SHOWS = {
    "before": "is as it was before.",
    "after": "is as it should be after.",
    "other": "is neither as it was before nor as it should be after.",
    "gone": "is gone.",
    "unreadable": "cannot be read.",
}


def file_shows(path: str, shows: str) -> str:
    """What a file shows of an effect without a receipt; `shows` as in `FileEvidence`."""
    return f"{path} {_SHOWS.get(shows, shows)}"


def how_far(exit_code: int | None, *, has_ended: bool, has_output: bool) -> str:
    """How far a command came that has no receipt."""
    if has_ended:
        end = "from outside" if exit_code is None else f"with exit code {exit_code}"
        return f"It ended {end}. {SETTLE_OUTPUT}:" if has_output else f"It ended {end} and printed nothing."
    if has_output:
        return f"It had not ended when Paddock stopped. {SETTLE_OUTPUT}:"
    return "How it ended is not known, and nothing that it printed was kept."


def did_it_happen(title: str) -> str:
    """What the card of an effect without a receipt asks."""
    return f"Did this happen? {title}"


def folder_line(name: str) -> str:
    """Which folder is open."""
    return f"folder: {name}"


def model_line(model: str, where: str) -> str:
    """One choice of the model selector."""
    return f"{model} ({where})" if where else model


def elapsed(step: str, seconds: int) -> str:
    """What happens now, and for how long."""
    if seconds < 2:
        return step
    return f"{step} · {seconds} s" if seconds < 60 else f"{step} · {seconds // 60} min {seconds % 60} s"


# --- menu ---
MENU_CHAT, MENU_VIEW, MENU_HELP = "Chat", "View", "Help"
NEW_CHAT = "New chat"
OPEN_FOLDER = "Open folder…"
SETTINGS = "Settings…"
QUIT = "Close Paddock"
TOGGLE_SIDEBAR = "Show or hide the chats"
ZOOM_IN, ZOOM_OUT, ZOOM_RESET = "Larger text", "Smaller text", "Usual text size"
NEXT_CHAT, PREVIOUS_CHAT = "Next chat", "Previous chat"
FOCUS_COMPOSER, FOCUS_APPROVAL = "Go to the message field", "Go to what Paddock asks"
TOGGLE_MODE = "Look only, or change files"
RULES = "What I allowed…"
SHORTCUTS = "Keyboard shortcuts"
STOP, PAUSE = "Stop", "Pause"

# --- welcome ---
WELCOME = "Open a folder to begin."
WELCOME_MORE = "Paddock works in one folder, and asks before it changes anything there."
OPEN_FOLDER_BUTTON = "Open folder"
TRY_SAMPLE = "Try the sample project"
CONNECT = "Connect a model"
NO_MODEL = "No model yet: the offline helper can list, find and replace."
RECENT = "Opened before"
GONE = "not there any more"

# --- questions in between ---
OPEN_LINK = "Open this address in your browser?"
NO_LINK = "Paddock does not open addresses of this kind."
OPEN_LINK_BUTTON, COPY_LINK_BUTTON = "Open it", "Copy it"
CANCEL = "Cancel"
CAUTION_QUESTION = "Open this folder?"
OPEN_ANYWAY, CHOOSE_ANOTHER_FOLDER = "Open anyway", "Choose another"
CLOSE_QUESTION = "Paddock is still working."
CLOSE_MORE = "If you close now, the work stops where it is. You can continue it next time."
KEEP_WORKING, STOP_AND_CLOSE = "Keep working", "Stop and close"
UNDO_TITLE = "Undo what this message changed"
UNDO_INTRO = "These files go back to how they were before:"
UNDO_NOTHING = "There is nothing to put back."
UNDO_KEPT = "Left alone:"
UNDO_BUTTON = "Put back"
CLOSE = "Close"

# --- settings ---
SETTINGS_TITLE = "Settings"
PAGE_SERVICES, PAGE_LOOK, PAGE_RULES = "Models", "Look", "What I allowed"
SERVICES_INTRO = "Any service with an OpenAI-compatible address works, on this computer or elsewhere."
SERVICE_NAME, SERVICE_ADDRESS, SERVICE_MODEL, SERVICE_KEY = "Name", "Address", "Model", "Key"
ADDRESS_EXAMPLE = "http://127.0.0.1:11434/v1"
ADD_SERVICE, REMOVE_SERVICE, SAVE_SERVICE = "Add a service", "Remove", "Save"
LIST_MODELS = "Show its models"
LISTING = "Asking…"
USE_FOR_NEW = "Use it for new chats"
KEY_KEPT = "A key is kept. Type another to replace it."
KEY_NONE = "No key is kept. Many services on this computer need none."
KEY_SAVED = "The key is in your keychain."
KEY_SESSION = "The key is kept for this session only."
KEY_REMOVE = "Remove key"
SAVED = "Saved."
NEEDS_ADDRESS = "The address has to begin with http:// or https://."
NEW_SERVICE = "New service"
OFFLINE_NOTE = "The offline helper is part of Paddock. It needs no key and no network, and is no AI."
THEME_NAME = "Colours"
THEMES = (("system", "As the system"), ("light", "Light"), ("dark", "Dark"), ("contrast", "High contrast"))
TEXT_SIZE = "Text size"
TEXT_SIZES = ((0.85, "Small"), (1.0, "Usual"), (1.25, "Large"), (1.5, "Very large"))
RULES_INTRO = "Paddock does these without asking, in this folder."
NO_RULES = "Nothing is allowed for good here. Paddock asks each time."
NO_FOLDER_OPEN = "Open a folder to see what you allowed there."
REVOKE = "Take back"


def models_found(count: int) -> str:
    """What the service answered."""
    return f"It offers {counted(count, 'model', 'models')}." if count else "It answers, but offers no model."


# --- details ---
DETAIL_CHAT, DETAIL_FOLDER, DETAIL_MODEL = "Chat", "Folder", "Model"
DETAIL_SERVICE, DETAIL_RECORDS, DETAIL_UNDO = "Service", "Records in the log", "Can be undone"
DETAIL_OFFLINE = "offline helper, inside Paddock"
NONE = "none"
