"""The key of one process can be read by no child of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
NOBODY = 65_534
KEY = "pk-canary-0815-4711-value"

TAKE = """
import sys
from pathlib import Path
from desktop.harness.adapters.sandbox.own_process import make_undumpable, take_key_from_environment
key = take_key_from_environment()
assert key == sys.argv[1], key
assert take_key_from_environment() is None
"""


def run_python(program: str, folder: Path) -> str:
    """What a fresh process with the key in its environment prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, KEY],
        cwd=folder,
        env={
            "PYTHONPATH": str(ROOT),
            "PATH": os.defpath,
            "PADDOCK_API_KEY": KEY,
            "PADDOCK_API_KEY_2": "other",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_start_environment_no_longer_shows_the_key(tmp_path: Path) -> None:
    """After taking the key, neither the variables nor the kernel's copy of the start environment hold it."""
    program = TAKE + "import os; print(dict(os.environ)); print(Path('/proc/self/environ').read_bytes())"
    shown = run_python(program, tmp_path)
    assert KEY not in shown and "PADDOCK_API_KEY_2" in shown


def test_a_command_of_root_cannot_read_it_from_the_parent(tmp_path: Path) -> None:
    """Even a command that may read every process finds no key in the environment of its parents."""
    program = TAKE + (
        "import asyncio, os\n"
        "from desktop.harness.adapters.sandbox.processes import ShellProcesses\n"
        "make_undumpable()\n"
        'look = f\'tr "\\\\0" "\\\\n" </proc/{os.getpid()}/environ; env; cat /proc/$PPID/environ\'\n'
        "done = asyncio.run(ShellProcesses().run(look, folder='.', timeout_s=9, max_output_bytes=99999))\n"
        "print(done.output.decode())"
    )
    shown = run_python(program, tmp_path)
    assert "PADDOCK_STEP" in shown and "PADDOCK_API_KEY_2" in shown and KEY not in shown


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has non-dumpable processes")
def test_an_undumpable_process_is_closed_to_its_commands(tmp_path: Path) -> None:
    """A command of an ordinary user can read the start environment of Paddock only while it is dumpable."""
    assert os.getuid() == 0, "this test changes to an unprivileged user and so has to be started by root"
    program = (
        "import ctypes, os, subprocess, sys\n"
        "from desktop.harness.adapters.sandbox.own_process import make_undumpable\n"
        f"os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        "ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n"
        "look = ['/bin/cat', f'/proc/{os.getpid()}/environ']\n"
        "for closed in (False, True):\n"
        "    assert not closed or make_undumpable()\n"
        "    done = subprocess.run(look, capture_output=True, check=False, env={}, cwd='/')\n"
        "    print(closed, sys.argv[1].encode() in done.stdout, done.returncode)\n"
    )
    assert run_python(program, tmp_path).splitlines() == ["False True 0", "True False 1"]
