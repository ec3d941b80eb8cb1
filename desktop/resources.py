"""Where the files that come with Paddock lie: prompts, the sample project, facts about models, pictures.

The one module that knows the places: `resources/` beside the package in a checkout, `desktop/_resources` in
an installed wheel and in a frozen program. It reads nothing of the person's and keeps nothing.

Windows in `models.json` are what makers name; a server that is set to less says so itself and wins.
"""

import json
from functools import cache
from pathlib import Path


@cache
def folder() -> Path:
    """The folder that holds all resources.

    Raises FileNotFoundError when the program was installed without them.
    """
    for place in _places():
        if (place / "prompts").is_dir():
            return place
    raise FileNotFoundError("The files that come with Paddock are missing; install it again.")


def _places() -> list[Path]:
    """A frozen program sets `__file__` to a path in the folder it unpacked, so it needs no place of its
    own."""
    here = Path(__file__).resolve().parent
    return [here / "_resources", here.parent / "resources"]


def path(name: str) -> Path:
    """The path of one resource, by its name below the folder (`sample`, `pictures/window.png`)."""
    return folder() / name


def text(name: str) -> str:
    """The text of one resource."""
    return path(name).read_text("utf-8")


@cache
def instructions() -> str:
    """What every model is told first; never holds a time, an id or a listing."""
    return text("prompts/instructions.md").strip()


def sample() -> Path:
    """The sample project. Copy it before anything works on it."""
    return path("sample")


@cache
def window_tokens(model: str) -> int | None:
    """The known context window of a model in tokens, None when the table does not name it.

    A folder in front (`maker/name`) and a tag behind (`name:tag`) are ignored.
    """
    name = model.rsplit("/", 1)[-1].split(":", 1)[0].lower()
    for entry in json.loads(text("models.json"))["models"]:
        if entry["name"] == name:
            return int(entry["window_tokens"])
    return None
