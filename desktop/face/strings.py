"""Every word that the chat, the composer and the list of chats say.

Short, present tense, no jargon and no blame. Words that come from a model, a
file or a tool are never in here and never pass through here unseen: callers make
them safe to show first.
"""

YOU = "You"
PADDOCK = "Paddock"

# --- chat ---
CHAT_NAME = "Chat"
CHAT_ABOUT = (
    "The messages of this chat. Arrow keys move, Enter opens a step, the menu key shows what can be done."
)
JUMP_TO_NEWEST = "Jump to newest"
BRANCH_HERE = "Branch from here"
UNDO_CHANGES = "Undo what this message changed"
COPY_MESSAGE = "Copy message"
COPY_MARKDOWN = "Copy as Markdown"
COPY_SELECTION = "Copy selection"
COPY_CODE = "Copy this code"
COPY_LINK = "Copy link address"
COPY_DETAIL = "Copy what came back"
OPEN_STEP = "Show what came back"
CLOSE_STEP = "Hide what came back"
CUT_OFF = "cut off here"
PICTURE = "picture, not loaded"
SHORTENED = "Only the first part is shown here. Copying takes all of it."
EMPTY_DETAIL = "Nothing came back."
STREAMING = "is writing"
STEP = "Step"
NOTICE = "Notice"

TOOL_STATUS = {
    "running": "running",
    "waiting": "waiting for you",
    "allowed": "allowed, not begun yet",
    "ok": "done",
    "failed": "failed",
    "refused": "not allowed",
    "cancelled": "stopped",
    "unresolved": "needs a look",
    "damaged": "damaged",
}


def empty_chat(folder: str) -> str:
    """What an empty chat asks; `folder` is safe to show, empty when none is open."""
    return f"What should be done in {folder}?" if folder else "What should be done?"


# --- composer ---
COMPOSER_NAME = "Message"
COMPOSER_ABOUT = "Enter sends, Shift and Enter begin a new line."
SAY_WHAT = "Say what you want…"
SEND = "Send"
SENDING = "Sending…"
STOP = "Stop"
STOPPING = "Stopping…"
STOP_NOW = "Stop now"
STOP_NOW_ABOUT = "End at once. What is being done stays half done."
STILL_STOPPING = "Paddock is stopping. Your text stays here until it has."
READ_NEXT = "Paddock reads this with its next step."

# --- list of chats ---
SIDEBAR_NAME = "Chats"
NEW_CHAT = "New chat"
SETTINGS = "Settings"
SEARCH = "Search chats"
SEARCH_ABOUT = "Shows the chats whose title holds these words."
OPEN = "Open"
RENAME = "Rename"
DELETE = "Delete"
BRANCH_CHAT = "Branch"
BRANCH = "branch"
UNDO = "Undo"
DISMISS = "Dismiss"
CHAT_DELETED = "Chat deleted."
NO_CHATS = "Your chats will stand here."
UNTITLED = "New chat"
TITLE_NAME = "Title of the chat"
FOLDER = "folder"

SESSION_STATUS = {
    "idle": "idle",
    "running": "running",
    "waiting": "waiting for you",
    "paused": "paused",
    "interrupted": "interrupted",
    "retrying": "trying again",
    "out_of_budget": "used up its budget",
    "needs_check": "needs a look",
    "cancelling": "stopping",
    "cancelled": "stopped",
    "failed": "failed",
}


def nothing_found(words: str) -> str:
    """What the list says when a search finds nothing; `words` are safe to show."""
    return f"No chat has “{words}” in its title. Try fewer words."


def count_of_chats(count: int) -> str:
    """How many chats a folder has."""
    return "1 chat" if count == 1 else f"{count} chats"
