"""How long a server wants to be left alone, as its headers say it.

Apart from `faults` because reading dates takes a slow import, which `client` has made anyway.
"""

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

_LONGEST_WAIT_S = 30 * 86_400.0


def retry_after_s(headers: Mapping[str, str], *, now_s: float) -> float | None:
    """The wait that `retry-after-ms` or `Retry-After` (seconds or a date) asks for; None when there is none.

    `headers` take any case; `now_s` is Unix time. At most 30 days.
    """
    for name, unit in (("retry-after-ms", 1_000), ("retry-after", 1)):
        try:
            return _bounded(float(headers.get(name, "")) / unit)
        except ValueError:
            continue
    try:
        at = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    return _bounded((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now_s)


def _bounded(wait_s: float) -> float | None:
    return None if wait_s != wait_s else min(max(wait_s, 0.0), _LONGEST_WAIT_S)
