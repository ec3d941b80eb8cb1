"""The two commands of a checkout: `run` opens Paddock, `test` checks everything; `bench` prints figures.

Works with a bare Python and a bare machine: the first start sets up what is missing, later ones only compare
a stamp and hand the process over. This file holds no rule about Paddock itself; whatever follows `--` goes to
the program unread, save that a window without a screen becomes the tour.

Usage:
  python3 packaging/dev.py run [-- WORDS...]     open the window, or `paddock WORDS`
  python3 packaging/dev.py test [-- WORDS...]    all checks; WORDS go to pytest
  python3 packaging/dev.py bench [-- WORDS...]   the benchmark table
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import List, Mapping

from environment import Environment, SetUpError, say

CHECKOUT = Path(__file__).resolve().parent.parent
PLATFORMS_NOBODY_SEES = ("offscreen", "minimal")


def main(words: List[str]) -> int:
    """Do one command; answers with its exit code where the process is not handed over."""
    commands = {"run": run, "test": test, "bench": bench}
    command = commands.get(words[0]) if words else None
    if command is None:
        say((__doc__ or "").partition("Usage:\n")[2].rstrip())
        return 2
    rest = words[2:] if words[1:2] == ["--"] else words[1:]
    try:
        return command(Environment(CHECKOUT), rest)
    except SetUpError as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130


def run(environment: Environment, words: List[str]) -> int:
    """Become `paddock WORDS`; the tour in place of a window that nobody could see."""
    if not environment.serves("run"):
        environment.prepare("run")
    if opens_window(words) and not has_screen(os.environ, sys.platform):
        say("There is no screen here, so Paddock plays its tour on one that is not shown.")
        words = ["tour"]
    if not has_screen(os.environ, sys.platform):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # -P: the folder that one stands in may hold anything, also a module called like one of ours
    return become(environment, ["-P", "-m", "desktop", *words])


def test(environment: Environment, words: List[str]) -> int:
    """Run every check and then the tests, whose closing line is the last; not 0 when anything failed."""
    if not environment.serves("test"):
        environment.prepare("test")
    import checks

    return checks.run_all(environment.python, CHECKOUT, words)


def bench(environment: Environment, words: List[str]) -> int:
    """Print the benchmark table."""
    if not environment.serves("run"):
        environment.prepare("run")
    if not has_screen(os.environ, sys.platform):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    return become(environment, [str(CHECKOUT / "tests" / "bench"), *words])


def opens_window(words: List[str]) -> bool:
    """Whether these words ask for the window: none, or the path of a folder.

    A bare word is left to the program: a verb may be called like a folder that happens to be there.
    """
    if len(words) != 1:
        return not words
    return (os.sep in words[0] or words[0] in (".", "..")) and Path(words[0]).is_dir()


def has_screen(variables: Mapping[str, str], platform: str) -> bool:
    """Whether a window would be seen. Only Linux comes without a screen."""
    if not platform.startswith("linux"):
        return True
    chosen = variables.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if chosen:
        return chosen not in PLATFORMS_NOBODY_SEES
    return bool(variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY"))


def become(environment: Environment, words: List[str]) -> int:
    """Hand this process over to the environment's Python, exit code and signals included."""
    command = [str(environment.python), *words]
    sys.stdout.flush()
    if os.name == "nt":
        import subprocess

        return subprocess.call(command)
    os.execv(command[0], command)
    raise AssertionError("the process was handed over")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
