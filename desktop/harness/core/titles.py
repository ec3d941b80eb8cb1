"""A call in a few words: "Read notes.txt", "Change notes.txt". Made from its name and arguments alone."""

from collections.abc import Callable, Mapping
from typing import Any

from desktop.harness.core.schema import read_object
from desktop.harness.core.visible import for_name

_MAX_CHARS = 160


def _text(arguments: Mapping[str, Any], name: str, missing: str = "…") -> str:
    value = arguments.get(name)
    text = for_name(value) if isinstance(value, str) and value else missing
    return text if len(text) <= _MAX_CHARS else text[: _MAX_CHARS - 1] + "…"


_TITLES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "list_files": lambda arguments: f"List {_text(arguments, 'path', 'the folder')}",
    "read_file": lambda arguments: f"Read {_text(arguments, 'path')}",
    "search_files": lambda arguments: f"Search for {_text(arguments, 'pattern')}",
    "file_info": lambda arguments: f"Look at {_text(arguments, 'path')}",
    "edit_file": lambda arguments: f"Change {_text(arguments, 'path')}",
    "write_file": lambda arguments: f"Write {_text(arguments, 'path')}",
    "move_file": lambda arguments: f"Move {_text(arguments, 'source')} to {_text(arguments, 'destination')}",
    "delete_file": lambda arguments: f"Delete {_text(arguments, 'path')}",
    "run_command": lambda arguments: f"Run {_text(arguments, 'command')}",
}


def title_of(tool: str, raw_arguments: str) -> str:
    """The title of a call; an unknown tool or unreadable arguments give the tool's name."""
    make = _TITLES.get(tool)
    if make is None:
        return f"Use {for_name(tool)[:_MAX_CHARS] or 'a tool without a name'}"
    try:
        return make(read_object(raw_arguments))
    except ValueError:
        return make({})


def session_title(prompt: str) -> str:
    """A session's title from the first words of its first prompt."""
    words = for_name(" ".join(prompt.split()))
    return words if len(words) <= 60 else words[:59].rsplit(" ", 1)[0] + "…"
