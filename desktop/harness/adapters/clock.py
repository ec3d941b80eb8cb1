"""Time as the computer tells it.

Two clocks that must not be mixed: the wall clock dates records and may jump when
somebody sets it; the monotonic one measures waits and never goes back. Nothing is
ordered by either of them, the log is ordered by `seq`.
"""

import time


class SystemClock:
    """The clock of this computer."""

    def now_ms(self) -> int:
        """Milliseconds since 1970 by the wall clock."""
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        """Seconds that only grow; the zero means nothing."""
        return time.monotonic()
