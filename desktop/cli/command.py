"""The parser of all verbs, and the way from words to an exit code.

Wrong words end with one sentence and code 2, a fault with one sentence and its code; nobody is shown a
traceback. The window and the tour are listed in the help and carried out elsewhere, because nothing here
may load Qt.
"""

import argparse
import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from desktop.cli import checking, controlling, deciding, looking, prompting
from desktop.cli.exits import Exit, of_error
from desktop.cli.output import Output, ready_streams
from desktop.cli.verb import Act, Verb
from desktop.harness.api import Door, PaddockError, SessionId

VERBS: tuple[Verb, ...] = (
    *prompting.VERBS,
    *deciding.VERBS,
    *controlling.VERBS,
    *looking.VERBS,
    *checking.VERBS,
)
"""Every verb that runs without a window, in the order of the help."""

_USAGE = "paddock [FOLDER] | paddock VERB ..."
_ABOUT = """Paddock works on the files of one folder: it proposes, you see the exact change, you decide.
Without a verb it opens the window."""


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence."""

    def error(self, message: str) -> NoReturn:
        """Print the sentence and end with the code for wrong use."""
        Output(is_json=False).complain(f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help")
        raise SystemExit(Exit.WRONG_USE)


def parser() -> Parser:
    """The parser of the whole command."""
    top = Parser(prog="paddock", usage=_USAGE, description=_ABOUT)
    verbs = top.add_subparsers(
        dest="verb", metavar="VERB", required=True, parser_class=Parser, prog="paddock"
    )
    for verb in VERBS:
        one = verbs.add_parser(verb.name, help=verb.summary, description=f"{verb.summary.capitalize()}.")
        verb.declare(one)
        one.add_argument("--json", action="store_true", dest="is_json", help="print objects, one a line")
        one.set_defaults(act=verb.act)
    tour = verbs.add_parser("tour", help="play the whole main job on a sample project, with pictures")
    tour.add_argument("--out", metavar="DIR", help="where the pictures go")
    return top


def is_verb(word: str) -> bool:
    """Whether a first word asks for a verb (or for help) rather than for the window on a folder."""
    return word.startswith("-") or word == "tour" or any(word == verb.name for verb in VERBS)


def main(words: Sequence[str]) -> int:
    """Carry out the verb that the words name; the exit code."""
    ready_streams()
    options = parser().parse_args(list(words))
    out = Output(is_json=options.is_json)
    try:
        return asyncio.run(_act(options, out))
    except KeyboardInterrupt:
        return Exit.CANCELLED
    except Exception as error:  # noqa: BLE001  # the last stop: a person gets a sentence, not a traceback
        out.complain(f"Paddock made a mistake ({type(error).__name__}: {error}). What was recorded is safe.")
        return Exit.FAULT


async def _act(options: argparse.Namespace, out: Output) -> int:
    """Open the door, carry the verb out, close the door."""
    from desktop.wiring import (
        data_folder,
        open_door,
        take_key,
    )  # late: `--help` and wrong words need no store

    key = take_key()
    terminated = _end_on_terminate()
    act: Act = options.act
    try:
        door = await open_door(data_folder())
        try:
            if key and (address := await _address_of_key(door, options)):
                await door.services.lend_key(address, key)
            return await act(door, options, out)
        finally:
            await door.close()
    except PaddockError as error:
        out.complain(str(error))
        return of_error(error)
    except asyncio.CancelledError:
        return Exit.TERMINATED if terminated else Exit.CANCELLED


async def _address_of_key(door: Door, options: argparse.Namespace) -> str:
    """The service that a key from the environment is for: the call's, else the session's, else the default.

    Empty for the offline helper, which needs none.
    """
    if base_url := _given(options, "base_url"):
        return base_url
    if session := _given(options, "session"):
        return (await door.sessions.view(SessionId(session))).route.base_url
    return door.services.default_route().base_url


def _given(options: argparse.Namespace, name: str) -> str | None:
    value: str | None = getattr(options, name, None)
    return value


def _end_on_terminate() -> list[bool]:
    """Let a terminate signal, or a terminal that is closed, end the verb in good order.

    The list is filled when one came. Who asked for the second to be ignored (`nohup`) gets that.
    """
    came: list[bool] = []
    task = asyncio.current_task()

    def end() -> None:
        came.append(True)
        if task is not None:
            task.cancel()

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with suppress(NotImplementedError, RuntimeError):  # a platform without: the program just ends
                asyncio.get_running_loop().add_signal_handler(number, end)
    return came
