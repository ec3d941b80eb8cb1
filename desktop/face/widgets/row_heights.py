"""The heights of many rows, some measured, some guessed, and where each row begins.

Plain numbers, no Qt. Rows that were never seen have a guess; the sums are made
anew only from the first row that changed, so a growing last row costs nothing.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class RowHeights:
    """Heights in pixels of the rows of one list."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._is_measured = bytearray()
        self._tops: list[int] = [0]
        self._good_until = 0

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> int:
        """Height of all rows."""
        return self.top(len(self._heights))

    def top(self, row: int) -> int:
        """Where a row begins; for the number of rows, where the last one ends."""
        if row > self._good_until:
            start = self._good_until
            self._tops[start:] = accumulate(self._heights[start:], initial=self._tops[start])
            self._good_until = len(self._heights)
        return self._tops[row]

    def height(self, row: int) -> int:
        """The height of a row."""
        return self._heights[row]

    def is_measured(self, row: int) -> bool:
        """Whether the height of a row is more than a guess."""
        return bool(self._is_measured[row])

    def row_at(self, y: int) -> int:
        """The row at a place, the nearest one outside; -1 when there is none."""
        last = len(self._heights) - 1
        if last < 0:
            return -1
        self.top(last + 1)
        return max(0, min(last, bisect_right(self._tops, y) - 1))

    # --- changes ---

    def measure(self, row: int, height: int) -> None:
        """Note the true height of a row."""
        self._is_measured[row] = 1
        if self._heights[row] != height:
            self._heights[row] = height
            self._good_until = min(self._good_until, row)

    def doubt(self, first: int, last: int) -> None:
        """These rows changed: what was measured is a guess again."""
        self._is_measured[first : last + 1] = bytes(last + 1 - first)

    def insert(self, row: int, guesses: Sequence[int]) -> None:
        """Rows came in before `row`."""
        self._heights[row:row] = guesses
        self._is_measured[row:row] = bytes(len(guesses))
        self._good_until = min(self._good_until, row)

    def remove(self, first: int, last: int) -> None:
        """Rows went away."""
        del self._heights[first : last + 1]
        del self._is_measured[first : last + 1]
        self._good_until = min(self._good_until, first)
        del self._tops[self._good_until + 1 :]

    def clear(self) -> None:
        """No rows."""
        self.remove(0, len(self._heights) - 1)
