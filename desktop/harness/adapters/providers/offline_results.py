"""What came back from the tools, as far as the offline helper needs it.

A result reaches a model as text alone. How each tool words its success is known here and nowhere else;
whatever does not read so is taken as a problem and passed on in the tool's own words.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from desktop.harness.adapters.providers.offline_conversation import Call

_REFUSED = re.compile(
    r"The person did not allow this; nothing was changed\.(?: They said: (?P<reason>.*))?\Z"
    r"|A rule of this project does not allow this",
    re.DOTALL,
)
_NOT_RUN = re.compile(r"Not (?:run|done)\b")
_SUCCESS = {
    "search_files": re.compile(r"No match in |[\d,]+ match(?:es)? in "),
    "edit_file": re.compile(r"(?:Changed|Edited|Replaced)\b"),
    "write_file": re.compile(r"(?:Wrote|Written|Created|Changed|Overwrote|Replaced)\b"),
    "move_file": re.compile(r"(?:Moved|Renamed)\b"),
    "delete_file": re.compile(r"Deleted\b"),
    "file_info": re.compile(r".*\b(?:file|folder|link)\b.*\bbytes?\b|.*(?:kind|size)\b", re.DOTALL),
}
_MATCH = re.compile(r"(?P<path>.+?):(?P<line>\d+): ?(?P<text>.*)")
_CUT = re.compile(r"The first [\d,]+ are shown|not every file was searched|^\[Cut here", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One result with the path its call named. `problem` is empty when it went well."""

    tool: str
    path: str
    text: str
    is_refused: bool = False
    reason: str = ""
    problem: str = ""

    @classmethod
    def of(cls, call: Call) -> Self:
        """Read the result of a call; a missing one counts as not done."""
        arguments = call.arguments
        path = str(arguments.get("path") or arguments.get("source") or "")
        text = "Not done." if call.result is None else call.result
        refusal = _REFUSED.match(text)
        problem = "" if refusal else _problem(call.tool, text)
        return cls(
            tool=call.tool,
            path=path,
            text=text,
            is_refused=refusal is not None,
            reason=(refusal["reason"] or "").strip() if refusal else "",
            problem=problem,
        )

    @property
    def is_ok(self) -> bool:
        """Whether the call did what it was asked."""
        return not self.is_refused and not self.problem


def _problem(tool: str, text: str) -> str:
    if _NOT_RUN.match(text):
        return text
    success = _SUCCESS.get(tool)
    return "" if success is None or success.match(text) else text


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
    problems: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, results: Iterable[Result]) -> Self:
        """Put the results of searches together; a line that is found twice counts once."""
        matches: dict[tuple[str, int], Match] = {}
        problems: list[str] = []
        is_cut = False
        for result in results:
            if not result.is_ok:
                problems.append(result.problem or result.text)
                continue
            lines = [match for line in result.text.split("\n") if (match := _MATCH.fullmatch(line))]
            for match in lines:
                one = Match(path=match["path"], line=int(match["line"]), text=match["text"])
                matches.setdefault((one.path, one.line), one)
            rest = "\n".join(line for line in result.text.split("\n") if not _MATCH.fullmatch(line))
            is_cut = is_cut or _CUT.search(rest) is not None
        return cls(matches=tuple(matches.values()), is_cut=is_cut, problems=tuple(problems))

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in the order they were found."""
        return tuple(dict.fromkeys(match.path for match in self.matches))


_MISSING = re.compile(
    r".*\b(?:does not exist|no such|there is no|not found|nothing at)\b", re.IGNORECASE | re.DOTALL
)


def is_missing(result: Result) -> bool:
    """Whether the tool says that nothing is at the path."""
    return not result.is_refused and _MISSING.match(result.text.split("\n", 1)[0]) is not None


def text_of(result: Result) -> str | None:
    """The whole text of a file that was read, None when the result holds only a part of it."""
    return result.text


def files_of(result: Result) -> list[str]:
    """The files of a listing, as paths from the folder."""
    return [line for line in result.text.split("\n") if line and not line.endswith("/")]
