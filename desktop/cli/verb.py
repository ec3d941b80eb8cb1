"""What a verb is: its name, its words, and what it does."""

from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from desktop.cli.output import Output
from desktop.harness.api import Door

Act = Callable[[Door, Namespace, Output], Awaitable[int]]
"""Carries a verb out and gives the exit code. Raises PaddockError."""


def _nothing(parser: ArgumentParser) -> None:
    """A verb without words of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One verb. `summary` is one line of the help; `declare` adds its words to the parser."""

    name: str
    summary: str
    act: Act
    declare: Callable[[ArgumentParser], None] = _nothing


def takes_session(parser: ArgumentParser) -> None:
    """The verb's first word is a session."""
    parser.add_argument("session", metavar="SESSION", help="the id of a chat, see `paddock sessions`")
