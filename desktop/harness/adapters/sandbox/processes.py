"""Running commands beneath a keeper process (ports.Processes).

Each command gets a `keeper` (see there) that ends its whole tree; this module
starts the keeper, reads the output while it comes, and tells the keeper to stop
at the deadline or on cancelling. All of that happens in one thread per command:
no event loop has to support child processes, and a flood of output costs the
window's thread nothing.

There are no walls here: a command may do what its user may do.
"""

import asyncio
import contextlib
import os
import secrets
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from desktop.harness.adapters.sandbox.command_output import CommandOutput
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.ports import CommandResult

MARK = "PADDOCK_STEP"
"""The variable by which processes of one command are known when their keeper is gone."""
_KEEPER = Path(__file__).with_name("keeper.py")
_KEEPER_PATIENCE_S = 8.0
_CHUNK_BYTES = 1 << 18
_LOOK_S = 0.25
_TELL_S = 0.5
_TOLD_BYTES = 65_536
_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TMPDIR", "TZ")
_FIXED = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "EDITOR": "false",
    "VISUAL": "false",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "false",
    "SUDO_ASKPASS": "false",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
}

OnOutput = Callable[[bytes, int | None, bool], None]
"""Gets the newest output, the exit code as far as it is known, and whether the command has ended."""


def command_environment(base: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: a short list of harmless variables, and nothing may ask or page."""
    passed = {name: base[name] for name in _PASSED if name in base}
    locale = {name: value for name, value in base.items() if name.startswith("LC_")}
    return {"PATH": os.defpath} | passed | locale | _FIXED


class ShellProcesses:
    """Commands with keepers. `python` is the interpreter, with its options, that runs the keeper."""

    def __init__(self, *, python: Sequence[str] = (sys.executable, "-I", "-S")) -> None:
        self._python = tuple(python)

    @property
    def is_available(self) -> bool:
        """Whether there is a POSIX shell and everything else that commands need."""
        return os.name == "posix" and os.access("/bin/sh", os.X_OK)

    async def run(
        self,
        command: str,
        *,
        folder: str,
        timeout_s: float,
        max_output_bytes: int,
        on_output: OnOutput | None = None,
    ) -> CommandResult:
        """Run `sh -c command` in the folder; both streams come as one.

        Returns when the shell has ended, not when its output is closed: what it left
        behind is ended and counted. On cancelling, CancelledError leaves only after
        the whole tree has ended. Raises ToolError (UNAVAILABLE, ROOT_CHANGED, FAULT).
        """
        if not self.is_available:
            raise ToolError(Refusal.UNAVAILABLE, "Commands can't be run here: there is no POSIX shell.")
        teller = _Teller(on_output, CommandOutput(max_output_bytes))
        running = _Running(self._python, command, folder, timeout_s, teller)
        done = asyncio.wrap_future(running.start())
        cancelled: asyncio.CancelledError | None = None
        while not done.done():
            try:
                await asyncio.wait([done])
            except asyncio.CancelledError as error:
                cancelled = error
                running.stop()
        if cancelled is not None:
            done.exception()
            raise cancelled
        return done.result()


class _Running:
    """One command from start to end, attended by a thread of its own."""

    def __init__(
        self, python: Sequence[str], command: str, folder: str, timeout_s: float, teller: "_Teller"
    ) -> None:
        self._python = python
        self._command = command
        self._folder = folder
        self._timeout_s = timeout_s
        self._teller = teller
        self._output = teller.output
        self._mark = secrets.token_hex(8)
        self._lifeline = _Lifeline()
        self._future: Future[CommandResult] = Future()

    def start(self) -> Future[CommandResult]:
        """Begin; the future is done when everything has ended."""
        threading.Thread(target=self._attend, name="paddock-command", daemon=True).start()
        return self._future

    def stop(self) -> None:
        """Ask the keeper to end the command. From any thread, any number of times."""
        self._lifeline.cut()

    def _attend(self) -> None:
        """Everything is let go before the future is done, so that whoever awaits it finds nothing left."""
        try:
            result = self._run()
        except BaseException as error:  # noqa: BLE001 - handed to whoever awaits the future
            self._lifeline.close()
            self._future.set_exception(error)
        else:
            self._lifeline.close()
            self._future.set_result(result)

    def _run(self) -> CommandResult:
        output, output_end = os.pipe()
        status, status_end = os.pipe()
        try:
            keeper = self._start_keeper(output_end, status_end)
        except ToolError:
            os.close(output)
            os.close(status)
            raise
        finally:
            os.close(output_end)
            os.close(status_end)
            self._lifeline.release_reader()
        try:
            report, timed_out = self._follow(output, status)
            self._put_to_rest(keeper, report)
            _drain(output, self._output)
        finally:
            os.close(output)
            os.close(status)
        exit_code = None if report is None or timed_out else report.exit_code
        self._teller.end(exit_code)
        kept, dropped = self._output.kept()
        return CommandResult(
            exit_code=exit_code,
            output=kept,
            dropped_bytes=dropped,
            timed_out=timed_out,
            killed_leftovers=report.leftovers if report else 0,
        )

    def _put_to_rest(self, keeper: subprocess.Popen[bytes], report: "_Report | None") -> None:
        if report is None:
            keeper.kill()
        keeper.wait()
        if report is None or report.survivors:
            _end_marked(self._mark)

    def _start_keeper(self, output_end: int, status_end: int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [*self._python, str(_KEEPER), str(status_end), self._command],
                stdin=self._lifeline.reader,
                stdout=output_end,
                stderr=output_end,
                cwd=self._folder,
                env=command_environment(os.environ) | {MARK: self._mark},
                pass_fds=(status_end,),
                start_new_session=True,
            )
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ToolError(
                Refusal.ROOT_CHANGED, "The folder is gone, so the command was not run."
            ) from error
        except (OSError, ValueError) as error:
            raise ToolError(Refusal.FAULT, f"The command could not be started: {error}.") from error

    def _follow(self, output: int, status: int) -> "tuple[_Report | None, bool]":
        """Read until the keeper reports. No report: the keeper was killed or is stuck."""
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(status, select.POLLIN)
        stop_at = time.monotonic() + self._timeout_s
        give_up_at: float | None = None
        timed_out = False
        while (now := time.monotonic()) < (give_up_at or now + 1):
            if give_up_at is None and now >= stop_at and not self._lifeline.is_cut:
                timed_out = True
                self._lifeline.cut()
            if give_up_at is None and self._lifeline.is_cut:
                give_up_at = now + _KEEPER_PATIENCE_S
            limit_s = max(0.0, min(_LOOK_S, (give_up_at or stop_at) - now))
            ready = {fd for fd, _ in poll.poll(limit_s * 1000 + 1)}
            if output in ready:
                data = os.read(output, _CHUNK_BYTES)
                self._output.add(data)
                if not data:
                    poll.unregister(output)
            self._teller.tell(now)
            if status in ready:
                return _report(status), timed_out
        return None, timed_out


class _Teller:
    """Tells of new output while it comes: the first at once, then twice a second, and how it ended."""

    def __init__(self, on_output: OnOutput | None, output: CommandOutput) -> None:
        self._on_output = on_output
        self.output = output
        self._told_bytes = 0
        self._next_s = 0.0

    def tell(self, now_s: float) -> None:
        """Tell what is new, if it is time."""
        if self._on_output is None or now_s < self._next_s or self._told_bytes == self.output.total_bytes:
            return
        self._next_s = now_s + _TELL_S
        self._told_bytes = self.output.total_bytes
        self._on_output(self.output.newest(_TOLD_BYTES), None, False)

    def end(self, exit_code: int | None) -> None:
        """Tell how it ended."""
        if self._on_output is not None:
            self._on_output(self.output.newest(_TOLD_BYTES), exit_code, True)


class _Lifeline:
    """A pipe whose closing tells the keeper to stop. Closing it twice does no harm."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        self._lock = threading.Lock()
        self._is_reader_open = True
        self.is_cut = False

    def cut(self) -> None:
        """Let the keeper see the end of its input."""
        with self._lock:
            if not self.is_cut:
                self.is_cut = True
                os.close(self._writer)

    def release_reader(self) -> None:
        """Close our copy of the keeper's end."""
        with self._lock:
            if self._is_reader_open:
                self._is_reader_open = False
                os.close(self.reader)

    def close(self) -> None:
        """Close both ends."""
        self.cut()
        self.release_reader()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    exit_code: int | None
    leftovers: int
    survivors: tuple[int, ...]


def _report(status: int) -> _Report | None:
    told = os.read(status, 65_536).split()
    if not told:
        return None
    code, leftovers, *survivors = told
    return _Report(
        exit_code=None if code == b"-" else int(code),
        leftovers=int(leftovers),
        survivors=tuple(map(int, survivors)),
    )


def _drain(output: int, sink: CommandOutput) -> None:
    """What is still in the pipe. Bounded, because somebody out of reach may hold the other end."""
    os.set_blocking(output, False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(64):
            data = os.read(output, _CHUNK_BYTES)
            if not data:
                return
            sink.add(data)


def _end_marked(mark: str) -> None:
    """End processes that carry the mark of a command; for when their keeper could not."""
    wanted = f"{MARK}={mark}".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in place.read_bytes().split(b"\0"):
                os.kill(int(place.parent.name), signal.SIGKILL)
