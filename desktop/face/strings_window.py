"""Every word that the window, the approval panel, the diff view and the dialogs say.

The same rules as in `strings`: short, present tense, no jargon, no blame; words of models, files and
tools never come from here. `&` marks the letter that Alt+… presses.
"""

# --- diff ---
DIFF_NAME = "What would change"
PREVIOUS_CHANGE = "Previous change"
NEXT_CHANGE = "Next change"
WHOLE_FILE = "Whole file"
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
