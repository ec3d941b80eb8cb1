"""Trying again is bounded in number and time, honours the service's wait, and never repeats the hopeless."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.errors import ModelFault
from desktop.harness.core.retry import DEADLINE_MS, MAX_WAIT_MS, PATIENCE, Again, again, asks_to_wait

NOW = 1_000_000


def asked(
    fault: ModelFault, attempt: int = 1, *, has_words: bool = False, retry_after_s: float | None = None
) -> Again | None:
    """The decision after one failure, the first at this time."""
    return again(
        fault, attempt=attempt, has_words=has_words, retry_after_s=retry_after_s, now_ms=NOW, deadline_ms=0
    )


def test_waits_double_and_end() -> None:
    """A busy server is asked four times, after one, two and four seconds."""
    found = [asked(ModelFault.OVERLOADED, attempt) for attempt in (1, 2, 3, 4)]
    assert [one.at_ms - NOW if one else None for one in found] == [1_000, 2_000, 4_000, None]


def test_what_would_fail_again_is_not_tried_again() -> None:
    """A key, a name, a request or an address that is wrong stays wrong; a server's own fault is told."""
    hopeless = set(ModelFault) - set(PATIENCE)
    assert {
        ModelFault.REFUSED_KEY,
        ModelFault.NO_SUCH_MODEL,
        ModelFault.SERVER,
        ModelFault.CUT_OFF,
    } <= hopeless
    assert [asked(fault) for fault in hopeless] == [None] * len(hopeless)


def test_words_that_were_read_are_not_said_anew() -> None:
    """After twenty words a silence is a person's decision; before the first it is tried once more."""
    assert asked(ModelFault.IDLE, has_words=True) is None
    assert asked(ModelFault.IDLE) is not None
    assert asked(ModelFault.IDLE, 2) is None


def test_the_service_decides_how_long_to_wait() -> None:
    """Three seconds are three seconds; an hour is no wait but a word to the person."""
    three = asked(ModelFault.RATE_LIMITED, retry_after_s=3.0)
    assert three is not None and three.at_ms == NOW + 3_000
    assert asked(ModelFault.RATE_LIMITED, retry_after_s=3_600.0) is None
    assert "60 minutes" in asks_to_wait(3_600.0)
    assert asks_to_wait(3.0) == asks_to_wait(None) == ""


@given(
    fault=st.sampled_from(list(ModelFault)),
    attempt=st.integers(min_value=1, max_value=50),
    has_words=st.booleans(),
    wait=st.none() | st.floats(min_value=0, max_value=1e6),
    now=st.integers(min_value=0, max_value=2**41),
    left=st.integers(min_value=0, max_value=DEADLINE_MS),
)
def test_no_wait_passes_its_bounds(
    fault: ModelFault, attempt: int, has_words: bool, wait: float | None, now: int, left: int
) -> None:
    """The next time is in the future, within the longest wait and before the deadline, which never moves."""
    deadline = now + left if left else 0
    found = again(
        fault, attempt=attempt, has_words=has_words, retry_after_s=wait, now_ms=now, deadline_ms=deadline
    )
    if found is None:
        return
    assert now < found.at_ms <= min(now + MAX_WAIT_MS, found.deadline_ms)
    assert found.deadline_ms == deadline or deadline == 0
    assert attempt < PATIENCE[fault].attempts
