"""The shapes of a plain request: a handful of things that the offline helper can be asked for."""

from dataclasses import dataclass, field

from desktop.harness.adapters.providers.offline_terms import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What can you do?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A sentence that only wants a sentence back."""

    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """Not understood, or understood in two ways; `question` asks back, empty for the general one."""

    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agree:
    """Yes to what was offered last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """What is in a folder?"""

    path: str = "."
    deep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Which files are of a kind, or have a text in their name?"""

    text: str = ""
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Show a file, from line `first` (from 1) to `last`, if given."""

    path: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Where does this text stand?"""

    text: str
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """One text for another, to the letter, wherever it stands in a place."""

    old: str
    new: str
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """A new file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """A line at the end of a file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Another name or another folder for a file."""

    source: str
    destination: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """A file less."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A command."""

    command: str


Request = (
    Help
    | Talk
    | Unclear
    | Agree
    | List
    | Names
    | Read
    | Search
    | Replace
    | Create
    | Append
    | Move
    | Delete
    | Run
)
