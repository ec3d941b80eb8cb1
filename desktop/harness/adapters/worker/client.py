"""The app's side of the helper process (ports.Worker).

Jobs wait in the queue of one thread and run one at a time. The process is started at the
first job and again after it was killed: for a job over its time limit, for a
cancelled one, or when it fell over by itself. It is told nothing of our environment
but the language.

There is no signal on the parent's death: on Linux that follows the death of the
*thread* that started the child. The end of its input and its own alarm do the same
everywhere.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from desktop.harness.core.errors import Refusal, ToolError

_MAIN = Path(__file__).with_name("__main__.py")
_PACKAGE_FOLDER = Path(__file__).parents[4]
_PASSED = ("LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT")


class HelperProcess:
    """One process, restarted at need. `command` starts it (default: this interpreter)."""

    def __init__(self, *, command: Sequence[str] = ()) -> None:
        default = (sys.executable, "-I", "-S", str(_MAIN), str(_PACKAGE_FOLDER))
        self._command = tuple(command) or default
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="paddock-worker")
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._running: object | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The process id while it lives."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    async def call(self, job: str, arguments: Mapping[str, Any], *, timeout_s: float) -> Any:
        """Run a named job; JSON in and out. The limit counts from its start, not from its turn in the queue.

        Cancelling kills the process if the job was running. Raises ToolError (TIMED_OUT, FAULT, or the
        job's own code).
        """
        if self._is_closed:
            raise ToolError(Refusal.FAULT, "The helper process is closed.")
        ticket = object()
        waiting = self._thread.submit(self._call, ticket, job, arguments, timeout_s)
        done = asyncio.wrap_future(waiting)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            done.add_done_callback(_forget)
            if not waiting.cancel():
                self._kill(ticket)
            raise

    async def close(self) -> None:
        """End the process and its thread."""
        self._is_closed = True
        self._kill(self._running)
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)
        self._let_go()

    def _call(self, ticket: object, job: str, arguments: Mapping[str, Any], timeout_s: float) -> Any:
        process = self._begin(ticket)
        late = threading.Event()
        timer = threading.Timer(timeout_s, self._end_late, (late, ticket))
        timer.daemon = True
        timer.start()
        try:
            answer = _exchange(process, {"job": job, "arguments": arguments, "limit_s": timeout_s})
        finally:
            timer.cancel()
            timer.join()
            with self._lock:
                self._running = None
        if answer is None:
            self._let_go()
            raise _ended(timeout_s, is_late=late.is_set())
        if "value" in answer:
            return answer["value"]
        raise ToolError(Refusal(answer["code"]), answer["text"])

    def _begin(self, ticket: object) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_closed:
                raise ToolError(Refusal.FAULT, "The helper process is closed.")
            if self._process is not None and self._process.poll() is not None:
                _close_pipes(self._process)
                self._process = None
            if self._process is None:
                self._process = self._start()
            self._running = ticket
            return self._process

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.sep,
                env={name: os.environ[name] for name in _PASSED if name in os.environ},
                start_new_session=True,
            )
        except OSError as error:
            raise ToolError(Refusal.FAULT, f"The helper process could not be started: {error}.") from error

    def _end_late(self, late: threading.Event, ticket: object) -> None:
        late.set()
        self._kill(ticket)

    def _kill(self, ticket: object) -> None:
        """Kill the process if it still works on that job."""
        with self._lock:
            if ticket is not None and self._running is ticket and self._process is not None:
                self._process.kill()

    def _let_go(self) -> None:
        with self._lock:
            if (process := self._process) is not None:
                self._process = None
                process.kill()
                process.wait()
                _close_pipes(process)


def _exchange(process: subprocess.Popen[bytes], request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Send one request and read its answer; None when the process ended."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError:
        return None
    if not line.endswith(b"\n"):
        return None
    answer: dict[str, Any] = json.loads(line)
    return answer


def _forget(done: "asyncio.Future[Any]") -> None:
    """Nobody waits for this answer any more, so its error is nobody's."""
    if not done.cancelled():
        done.exception()


def _ended(timeout_s: float, *, is_late: bool) -> ToolError:
    if is_late:
        return ToolError(Refusal.TIMED_OUT, f"That took longer than {timeout_s:g} s and was stopped.")
    return ToolError(Refusal.FAULT, "The helper process ended before it had an answer.")


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                continue  # what was not yet sent is lost with the process
