"""What came back from the tools, as far as the offline helper needs it.

A result reaches a model as text alone. How each tool words its success is known here and nowhere else;
whatever does not read so is taken as a problem and passed on in the tool's own words.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from desktop.harness.adapters.providers.offline_conversation import Call

_REFUSED = re.compile(
    r"The person did not allow this; nothing was changed\.(?: They said: (?P<reason>.*))?\Z"
    r"|A rule of this project does not allow this",
    re.DOTALL,
)
_SUCCESS = {
    "list_files": re.compile(r".+: (?:more than )?[\d,]+ names$", re.MULTILINE),
    "read_file": re.compile(r".+: (?:no )?lines\b.*\n---\n"),
    "search_files": re.compile(r"No match in |[\d,]+ match(?:es)? in "),
    "file_info": re.compile(r".+: (?:file|folder|no ordinary file), "),
    "edit_file": re.compile(r"Changed .*\.\Z", re.DOTALL),
    "write_file": re.compile(r"(?:Created|Changed) .*\.\Z", re.DOTALL),
    "move_file": re.compile(r"Moved .*\.\Z", re.DOTALL),
    "delete_file": re.compile(r"Deleted .*\.\Z", re.DOTALL),
    "run_command": re.compile(r"exit code -?\d+|Stopped after its time limit|Ended from outside"),
}
_STALE = re.compile(r".* changed since it was read\. Read it again before overwriting it\.\Z", re.DOTALL)
_MISSING = re.compile(r"(?:search_files: there|There) is nothing at ")
_MATCH = re.compile(r"(?P<path>.+?):(?P<line>\d+): ?(?P<text>.*)")
_CUT = re.compile(
    r"The first [\d,]+ are shown|not every file was searched|further names are not shown|^\[Cut here",
    re.MULTILINE,
)
_LISTED = re.compile(r"(?P<name>.+?)(?P<folder>/)?(?: \((?P<note>[^()]+)\))?")
_LEFT_OUT = re.compile(r"---\n\((?P<more>[\d,]+ more lines|more lines follow); read on with offset \d+\)\Z")
_INEXACT = re.compile(r"long lines cut|control characters shown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One result with the path its call named. `problem` is empty when it went well or was refused."""

    tool: str
    path: str
    text: str
    is_refused: bool = False
    reason: str = ""
    problem: str = ""

    @classmethod
    def of(cls, call: Call) -> Self:
        """Read the result of a call; a missing one counts as not done."""
        path = str(call.arguments.get("path") or call.arguments.get("source") or "")
        text = "Not done." if call.result is None else call.result
        refusal = _REFUSED.match(text)
        if refusal:
            return cls(
                tool=call.tool,
                path=path,
                text=text,
                is_refused=True,
                reason=(refusal["reason"] or "").strip(),
            )
        return cls(tool=call.tool, path=path, text=text, problem=_problem(call.tool, text))

    @property
    def is_ok(self) -> bool:
        """Whether the call did what it was asked."""
        return not self.is_refused and not self.problem


def _problem(tool: str, text: str) -> str:
    success = _SUCCESS.get(tool)
    is_ok = success is None or (success.match(text) is not None and not _STALE.match(text))
    return "" if is_ok else text


def is_missing(result: Result) -> bool:
    """Whether the tool says that nothing is at the path."""
    return _MISSING.match(result.problem) is not None


# --- searches --------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One line that a search found."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that some searches found. `is_cut` says that there is more than the results show."""

    matches: tuple[Match, ...] = ()
    is_cut: bool = False
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, results: Iterable[Result]) -> Self:
        """Put the results of searches together."""
        matches: list[Match] = []
        problems: list[str] = []
        is_cut = False
        for result in results:
            if not result.is_ok:
                problems.append(result.problem or result.text)
                continue
            for line in result.text.split("\n"):
                if match := _MATCH.fullmatch(line):
                    matches.append(Match(path=match["path"], line=int(match["line"]), text=match["text"]))
                else:
                    is_cut = is_cut or _CUT.search(line) is not None
        return cls(matches=tuple(matches), is_cut=is_cut, problems=tuple(problems))


# --- reading ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What was read of a file. `is_whole` says that it reaches the end and is exact to the letter."""

    text: str
    is_whole: bool
    more: str = ""

    @classmethod
    def of(cls, result: Result) -> Self:
        """Take the answer of `read_file` apart."""
        head, _, body = result.text.partition("\n---\n")
        left_out = _LEFT_OUT.search(body)
        text = body[: left_out.start()] if left_out else body
        is_whole = left_out is None and not _INEXACT.search(head)
        return cls(text=text, is_whole=is_whole, more=left_out["more"] if left_out else "")


# --- listings --------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One name of a listing; `note` is what stands in brackets behind it."""

    path: str
    is_folder: bool
    note: str


def listed(result: Result) -> list[Listed]:
    """The names of a listing."""
    found = []
    for line in result.text.split("\n")[1:]:
        match = _LISTED.fullmatch(line)
        if match and not line.startswith("["):
            found.append(
                Listed(path=match["name"], is_folder=bool(match["folder"]), note=match["note"] or "")
            )
    return found


def files_of(result: Result) -> list[str]:
    """The files of a listing, as paths from the folder."""
    return [one.path for one in listed(result) if not one.is_folder and one.note.endswith("bytes")]


def listing_is_cut(result: Result) -> bool:
    """Whether there are more names than the listing shows."""
    return not result.is_ok or _CUT.search(result.text) is not None
