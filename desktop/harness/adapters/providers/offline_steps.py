"""What a plan of the offline helper is: a generator that asks for calls and is sent their results.

Plans hold no state beside their own lines, so one can be replayed from the start over results that are on
record.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from desktop.harness.adapters.providers.offline_results import Result

MAX_CALLS = 200
"""As many calls go into one reply at most; the rest follows in the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A reply with calls: (tool, arguments) each, and a sentence for the person."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...]


Plan = Generator[Act, list[Result], str]
"""Yields what to do next, is sent the results in call order, returns the answer."""

Part = Generator[Act, list[Result], list[Result]]
"""A piece of a plan that ends with results."""


def one(tool: str, text: str = "", **arguments: Any) -> Act:
    """A reply with a single call."""
    return Act(text=text, calls=((tool, arguments),))


def many(tool: str, arguments: list[dict[str, Any]], text: str = "") -> Part:
    """Calls to one tool, as few replies as the limit allows; all results in order."""
    results: list[Result] = []
    for start in range(0, len(arguments), MAX_CALLS):
        part = arguments[start : start + MAX_CALLS]
        results += yield Act(text=text, calls=tuple((tool, each) for each in part))
        text = ""
    return results
