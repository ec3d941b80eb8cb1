"""The command `paddock`: the window on a folder, the tour, or a verb without a window.

It only chooses; what is chosen is loaded late, so that a verb never loads Qt and the help is there at once.
"""

import gc
import os
import sys
from collections.abc import Sequence

_INTERRUPTED = 130


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; the exit code. Ctrl+C while it is still loading ends it without a word."""
    try:
        return _chosen(list(sys.argv[1:] if words is None else words))
    except KeyboardInterrupt:
        return _INTERRUPTED


def _chosen(words: list[str]) -> int:
    if not words or os.sep in words[0]:
        return _window(words)  # no verb looks like that, so the window does not wait for the verbs
    from desktop.cli.command import is_verb
    from desktop.cli.command import main as carry_out

    if not is_verb(words[0]):
        return _window(words)
    if words[0] == "tour":
        return _tour(words)
    return carry_out(words)


def _window(words: list[str]) -> int:
    if len(words) > 1:
        from desktop.cli.command import parser

        parser().error(f"{words[0]!r} is no verb, and the window takes one folder")
    gc.disable()  # loading makes many objects and no rubbish; `app` looks for rubbish again when all is there
    from desktop.app import run_window

    return run_window(words[0] if words else None)


def _tour(words: list[str]) -> int:
    from desktop.cli.command import parser

    options = parser().parse_args(words)
    from desktop.tour.playing import main as play

    return play(options.out)


if __name__ == "__main__":
    sys.exit(main())
