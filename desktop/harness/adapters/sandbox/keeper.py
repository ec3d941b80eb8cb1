"""The small process that keeps one command and ends everything the command started.

Run as a program: `python -I -S keeper.py STATUS_FD COMMAND`, in the folder and with
the environment that the command shall have. It needs nothing but the standard
library and starts in about 20 ms.

Why a process of its own: orphans of a command (double forks, `setsid`) can only
be found by whoever adopts them. Were that Paddock itself, it would also adopt the
orphans of everything else it ever starts, and could not tell them apart. Here
every descendant belongs to the one command by construction.

- standard input is the lifeline: end of file means "stop", also when Paddock was
  killed, so no command outlives it;
- the shell gets a process group of its own in the keeper's session, which has no
  terminal; as it leads no session it cannot acquire one;
- when the shell is done, what is left of its children is ended and counted;
- one line on STATUS_FD says how it went: the exit code (`-` when stopped), the number of
  leftovers, the ids of processes that could not be ended.

It is no wall: a hostile command may kill its keeper. Processes are then looked for
by the mark in their environment (see `processes`).
"""

import contextlib
import os
import select
import signal
import sys
import time
from typing import NoReturn

QUIET_S = 2.0
"""How long a command that is told to stop may take to tidy up."""
_LEFTOVER_QUIET_S = 0.3
_FINISHING_S = 0.1
_KILLING_S = 3.0
_STEP_S = 0.005
_SET_CHILD_SUBREAPER = 36
_IGNORED = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE)


def main() -> None:
    """Keep the command of the command line."""
    status_fd, command = int(sys.argv[1]), sys.argv[2]
    os.set_inheritable(status_fd, False)
    _adopt_orphans()
    wake = _wake_on_child()
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    keeper = Keeper(_start(command))
    stopped = not keeper.wait(wake)
    leftovers = 0 if stopped else keeper.count_leftovers()
    keeper.end_tree(QUIET_S if stopped else _LEFTOVER_QUIET_S)
    words = ["-" if stopped else keeper.exit_code, leftovers, *sorted(keeper.alive())]
    with contextlib.suppress(OSError):
        os.write(status_fd, " ".join(map(str, words)).encode())


class Keeper:
    """The tree beneath this process: who is alive in it, and ending it."""

    def __init__(self, shell: int) -> None:
        self._shell = shell
        self.exit_code: int | None = None

    def wait(self, wake: int) -> bool:
        """Wait for the shell; False when the lifeline ended first."""
        poll = select.poll()
        poll.register(0, select.POLLIN | select.POLLHUP)
        poll.register(wake, select.POLLIN)
        while self.exit_code is None:
            ready = {fd for fd, _ in poll.poll()}
            if wake in ready:
                os.read(wake, 4096)
            self._reap()
            if 0 in ready and self.exit_code is None:
                return False
        return True

    def count_leftovers(self) -> int:
        """How many processes outlived the shell, after a moment for those that were just finishing."""
        self._wait_until_empty(_FINISHING_S)
        return len(self.alive())

    def end_tree(self, quiet_s: float) -> None:
        """End every descendant: asked first, then by force until none is left (or for three seconds)."""
        for pid in self.alive():
            _signal(pid, signal.SIGTERM, signal.SIGCONT)
        if self._wait_until_empty(quiet_s):
            return
        deadline = time.monotonic() + _KILLING_S
        while (pids := self.alive()) and time.monotonic() < deadline:
            for pid in pids:
                _signal(pid, signal.SIGSTOP)
            for pid in self.alive() | pids:
                _signal(pid, signal.SIGKILL)
            self._wait_until_empty(_STEP_S * 4)

    def alive(self) -> set[int]:
        """The living descendants. Those that have ended are collected on the way."""
        self._reap()
        return descendants(os.getpid())

    def _wait_until_empty(self, limit_s: float) -> bool:
        deadline = time.monotonic() + limit_s
        while self.alive():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_STEP_S)
        return True

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self._shell:
                    code = os.waitstatus_to_exitcode(status)
                    self.exit_code = code if code >= 0 else 128 - code


def descendants(root: int) -> set[int]:
    """All living processes beneath one."""
    children: dict[int, list[tuple[int, bool]]] = {}
    for pid, parent, is_alive in _processes():
        children.setdefault(parent, []).append((pid, is_alive))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for pid, is_alive in children.get(waiting.pop(), ()):
            waiting.append(pid)
            if is_alive:
                found.add(pid)
    return found


def _processes() -> list[tuple[int, int, bool]]:
    """Each process with its parent and whether it is more than a zombie."""
    try:
        names = [entry.name for entry in os.scandir("/proc") if entry.name.isdigit()]
    except FileNotFoundError:
        names = []
    if not names:
        return _processes_by_ps()
    found = []
    for name in names:
        with contextlib.suppress(OSError):  # it ended meanwhile
            state, parent = _stat_of(name).rsplit(b")", 1)[1].split()[:2]
            found.append((int(name), int(parent), state not in {b"Z", b"X"}))
    return found


def _stat_of(pid: str) -> bytes:
    fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)


def _processes_by_ps() -> list[tuple[int, int, bool]]:
    """The same where there is no /proc; `ps` itself is left out."""
    import subprocess  # costs 10 ms that only macOS has to pay

    with subprocess.Popen(["/bin/ps", "-axo", "pid=,ppid=,stat="], stdout=subprocess.PIPE) as ps:
        assert ps.stdout is not None
        rows = [line.split() for line in ps.stdout]
    return [
        (int(pid), int(parent), not state.startswith(b"Z"))
        for pid, parent, state in (row[:3] for row in rows if len(row) >= 3)
        if int(pid) != ps.pid
    ]


def _signal(pid: int, *numbers: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        for number in numbers:
            os.kill(pid, number)


def _adopt_orphans() -> None:
    """Become the parent of every orphan beneath (Linux); elsewhere orphans of a double fork are missed."""
    if sys.platform == "linux":
        import ctypes  # only Linux needs it

        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wake_on_child() -> int:
    """A descriptor that becomes readable when a child ends."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reader


def _start(command: str) -> int:
    pid = os.fork()
    return pid or _become_shell(command)


def _become_shell(command: str) -> NoReturn:
    try:
        os.setpgid(0, 0)
        for number in (*_IGNORED, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        with contextlib.suppress(OSError, ValueError):
            _no_core_files()
        os.execv("/bin/sh", ["sh", "-c", command])
    finally:
        os._exit(127)


def _no_core_files() -> None:
    import resource  # absent on some platforms

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
