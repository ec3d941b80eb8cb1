"""The loop of the helper process: one job a line, one answer a line, in order.

A request is `{"job", "arguments", "limit_s"}`, an answer `{"value"}` or `{"code", "text"}`. The client
kills the process when a job takes too long; should the client be gone by then, an
alarm ends it one second later (a stuck regular expression would never see that the
input has ended).
"""

import json
import signal
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from desktop.harness.adapters.worker.search import search
from desktop.harness.core.errors import Refusal, ToolError

MEMORY_BYTES = 1_500_000_000
"""Enough for a 50 MB file in the widest form of Python's text, several times over."""

Job = Callable[[Mapping[str, Any]], Any]
JOBS: Mapping[str, Job] = {"search": search}


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the input ends."""
    _limit_resources()
    for line in requests:
        request = json.loads(line)
        _arm_alarm(request["limit_s"] + 1)
        answer = _answer(request)
        _arm_alarm(0)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    job = JOBS.get(request["job"])
    if job is None:
        return {"code": Refusal.FAULT, "text": f"The helper process knows no job {request['job']!r}."}
    try:
        return {"value": job(request["arguments"])}
    except ToolError as error:
        return {"code": error.code, "text": str(error)}
    except MemoryError:
        return {"code": Refusal.TOO_BIG, "text": "That takes more memory than the helper process may use."}
    except Exception as error:  # noqa: BLE001 - the fault belongs to the job, the process goes on
        return {"code": Refusal.FAULT, "text": f"The helper process failed: {type(error).__name__}: {error}."}


def _arm_alarm(delay_s: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, delay_s)


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:
        return  # Windows has no such limits
    for kind, limit in ((resource.RLIMIT_DATA, MEMORY_BYTES), (resource.RLIMIT_CORE, 0)):
        _, ceiling = resource.getrlimit(kind)
        wanted = limit if ceiling == resource.RLIM_INFINITY else min(limit, ceiling)
        resource.setrlimit(kind, (wanted, ceiling))
