"""The computer's clock."""

import time

from desktop.harness.adapters.clock import SystemClock


def test_wall_clock_counts_milliseconds() -> None:
    """A record's date is the wall clock in milliseconds."""
    before = time.time()
    now_ms = SystemClock().now_ms()
    assert before * 1000 - 1 <= now_ms <= time.time() * 1000 + 1


def test_monotonic_clock_never_goes_back() -> None:
    """Waits are measured on a clock that only grows."""
    clock = SystemClock()
    readings = [clock.monotonic_s() for _ in range(1000)]
    assert readings == sorted(readings)
