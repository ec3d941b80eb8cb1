"""Three things to ask, made from the names in a folder. Reads one listing, no file, and never fails."""

from itertools import islice
from pathlib import Path

_MOST_NAMES = 200
_READABLE = (".md", ".txt", ".csv", ".rst", ".html")


def examples_in(folder: str) -> list[str]:
    """Up to three requests that make sense in this folder."""
    try:
        names = sorted(path.name for path in islice(Path(folder).iterdir(), _MOST_NAMES))
    except OSError:
        return []
    texts = [name for name in names if name.endswith(_READABLE) and not name.startswith(".")]
    examples = ["List the files"]
    if texts:
        examples.append(f"Read {texts[0]}")
        ending = Path(texts[0]).suffix
        examples.append(f"Replace “colour” with “color” in all {ending} files")
    return examples
