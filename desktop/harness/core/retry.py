"""When a failed request is tried again: by class of fault, at an absolute time, within a deadline.

Tried again is what a moment mends: a service that is busy, not there yet, or silent before its first
word. All else is a person's decision: what would fail the same way (a refused key, an unknown model),
what broke in the middle of words that are being read. The times are records, so a restart renews none.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from desktop.harness.core.errors import ModelFault

DEADLINE_MS = 300_000
"""After the first failure of a request it is tried for at most this long."""

MAX_WAIT_MS = 120_000
"""A service that asks for a longer wait is left alone; the person is told when it wants to be asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a class of fault is tried in all, and how long the first wait is; each next one doubles."""

    attempts: int
    first_wait_ms: int


PATIENCE: Mapping[ModelFault, Patience] = {
    ModelFault.RATE_LIMITED: Patience(attempts=5, first_wait_ms=2_000),
    ModelFault.OVERLOADED: Patience(attempts=4, first_wait_ms=1_000),
    ModelFault.UNREACHABLE: Patience(attempts=2, first_wait_ms=1_000),
    ModelFault.IDLE: Patience(attempts=2, first_wait_ms=500),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The next attempt: when it is due, and when trying ends. Both in milliseconds since the epoch."""

    at_ms: int
    deadline_ms: int


def again(
    fault: ModelFault,
    *,
    attempt: int,
    has_words: bool,
    retry_after_s: float | None,
    now_ms: int,
    deadline_ms: int,
) -> Again | None:
    """When to try again after the failed `attempt` (from 1), None when that is a person's decision.

    `deadline_ms` is 0 for the first failure of a request.
    """
    patience = PATIENCE.get(fault)
    if patience is None or attempt >= patience.attempts or has_words:
        return None
    wait_ms = patience.first_wait_ms * 2 ** (attempt - 1)
    if retry_after_s is not None:
        wait_ms = max(wait_ms, int(retry_after_s * 1000))
    deadline_ms = deadline_ms or now_ms + DEADLINE_MS
    if wait_ms > MAX_WAIT_MS or now_ms + wait_ms > deadline_ms:
        return None
    return Again(at_ms=now_ms + wait_ms, deadline_ms=deadline_ms)


def asks_to_wait(retry_after_s: float | None) -> str:
    """What a person is told of a wait that is too long to sit through; empty for a short one."""
    if retry_after_s is None or retry_after_s * 1000 <= MAX_WAIT_MS:
        return ""
    minutes = int(-(-retry_after_s // 60))
    return f" It asks to be left alone for {minutes} minutes."
