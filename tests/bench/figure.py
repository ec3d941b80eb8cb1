"""One figure: what was measured, what it is compared with, and the limit it must keep.

A figure knows nothing of how it was measured. Times are compared as ratios wherever there is something to
compare with, because absolute times say more about the machine than about the program.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value with its limit.

    With a `baseline` the limit is on the ratio of the two, else on the value. `at_least` turns the limit
    round. `note` says what a reader must know to believe the figure; a figure with `missing` was not measured
    here, and why.
    """

    name: str
    value: float
    unit: str
    limit: float
    baseline: float | None = None
    at_least: bool = False
    note: str = ""
    missing: str = ""

    @property
    def ratio(self) -> float | None:
        """Value over baseline, None without a baseline."""
        return None if not self.baseline else self.value / self.baseline

    @property
    def passes(self) -> bool:
        """Whether the limit is kept; what was not measured passes nothing."""
        judged = self.value if self.ratio is None else self.ratio
        return not self.missing and (judged >= self.limit if self.at_least else judged <= self.limit)

    def as_json(self) -> dict[str, Any]:
        """All of it, for a program."""
        return {
            "figure": self.name,
            "value": self.value,
            "unit": self.unit,
            "baseline": self.baseline,
            "ratio": self.ratio,
            "limit": self.limit,
            "at_least": self.at_least,
            "pass": self.passes,
            "note": self.note,
            "missing": self.missing,
        }


def lower_quartile(values: Sequence[float]) -> float:
    """The value that a quarter of them stay under: what the program costs when the machine lets it run."""
    return statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines for people."""
    heads = ("figure", "value", "baseline", "ratio", "limit", "pass")
    rows = [heads, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [
        f"{figure.name}: {figure.missing or figure.note}"
        for figure in figures
        if figure.missing or figure.note
    ]
    return "\n".join(line.rstrip() for line in [*lines, "", *notes])


def _cells(figure: Figure) -> tuple[str, ...]:
    sign = ">=" if figure.at_least else "<="
    suffix = " x" if figure.ratio is not None else f" {figure.unit}".rstrip()
    return (
        figure.name,
        "-" if figure.missing else _number(figure.value, figure.unit),
        "-" if figure.baseline is None else _number(figure.baseline, figure.unit),
        "-" if figure.ratio is None else f"{figure.ratio:.2f}",
        f"{sign} {figure.limit:g}{suffix}",
        "yes" if figure.passes else "NO",
    )


def _number(value: float, unit: str) -> str:
    shown = f"{value:,.0f}" if value == int(value) or abs(value) >= 1_000 else f"{value:,.2f}"
    return f"{shown} {unit}".rstrip()
