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
