"""The sentences of the offline helper, in Markdown.

Short, present tense, no blame. Texts and names of the person's are shown so that Markdown can't change them.
"""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from desktop.harness.adapters.providers.offline_terms import QUOTES

SAY = "Say yes to do this: "
"""Begins the line of an offer; a yes to it means what follows."""

_PLAIN = re.compile(r"[\w ,;.'\u2019-]+")
_MAX_SHOWN_CHARS = 80

HELP = """I am the offline helper: a small program with fixed rules, not an AI. I use no network and no key. \
I understand a handful of plain requests:

- **Look**: `what is in this folder?` · `list files in notes` · `list all .md files` · \
`read notes/plan.md` · `read lines 3-10 of plan.md`
- **Find**: `find "roses"` · `find "roses" in all .md files`
- **Replace**: `replace "colour" with "color" in notes/plan.md` · \
`… in all .md files` · `… in all files`
- **Files**: `create list.md with "milk"` · `add "bread" to list.md` · \
`rename list.md to shopping.md` · `delete list.md`
- **Commands**: `run ls -l`

Texts are taken to the letter, capitals count. \
Quotes are needed only where it would be unclear without them. \
Before anything changes you see exactly what, and say yes or no."""

_UNCLEAR = """I did not understand that. I am the offline helper, with fixed rules and no AI behind me. \
These are requests I understand:

- `what is in this folder?`
- `find "roses" in all .md files`
- `replace "colour" with "color" in all .md files`
- `create list.md with "milk"`

Say `help` for the whole list."""

_NEEDS_MODE = (
    "This chat is set to \u201cLook only\u201d. Set it to \u201cCan change files\u201d and ask again."
)


def unclear(question: str = "") -> str:
    """What is said when a request is not understood."""
    return question or _UNCLEAR


def cannot(tool: str, tools: AbstractSet[str]) -> str:
    """Why a request can't be carried out with the tools of this request."""
    if not tools:
        return "I have no tools in this chat, so I can only explain: say `help`."
    if "edit_file" not in tools and "write_file" not in tools:
        return f"That would change something, and I may not. {_NEEDS_MODE}"
    if tool == "run_command":
        return "Commands can't be run in this chat."
    return f"I would need the tool `{tool}` for that, and this chat does not have it."


def shown(text: str) -> str:
    """A text of the person's, as it is, short, safe from Markdown."""
    text = text.replace("\r", "").replace("\n", "\u23ce")
    if len(text) > _MAX_SHOWN_CHARS:
        text = text[: _MAX_SHOWN_CHARS - 1] + "\u2026"
    if _PLAIN.fullmatch(text) and "_" not in text and text == text.strip() and not text[0].isdigit():
        return f"\u201c{text}\u201d"
    return code(text)


def code(text: str) -> str:
    """A name or short text as a code span."""
    text = text.replace("\n", "\u23ce")
    runs = {len(run) for run in re.findall(r"`+", text)}
    ticks = "`" * next(count for count in range(1, len(text) + 2) if count not in runs)
    room = " " if text[:1] in ("`", "") or text[-1:] == "`" else ""
    return f"{ticks}{room}{text}{room}{ticks}"


def block(text: str) -> str:
    """A longer text as a code block."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}\n{text.rstrip(chr(10))}\n{fence}"


def quoted(text: str) -> str | None:
    """A text in the first quotes that do not occur in it, None when all do."""
    for opening, closing in QUOTES.items():
        if opening not in text and not any(mark in text for mark in closing):
            return f"{opening}{text}{closing[0]}"
    return None


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 place", "3 places"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def names(paths: Sequence[str], limit: int = 12) -> str:
    """Paths in a row, the rest counted."""
    head = ", ".join(code(path) for path in paths[:limit])
    more = len(paths) - limit
    return f"{head} and {count(more, 'more', 'more')}" if more > 0 else head


def sentences(parts: Iterable[str]) -> str:
    """Parts that are not empty, as one paragraph."""
    return " ".join(part for part in parts if part)


def offer(request: str) -> str:
    """The line that a yes takes up; empty when it could not be said in one line."""
    return f"\n\n{SAY}`{request}`" if "`" not in request and "\n" not in request else ""
