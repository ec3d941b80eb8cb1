"""The bench program: measures family after family and prints one table.

Ends with 1 when a limit is missed. A family is a module with `measure`; its docstring says what is
measured, against what, and where the limits come from.
"""

import argparse
import importlib
import inspect
import json
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from tests.bench.figure import Figure, table

FAMILIES = (
    "turns",
    "long_session",
    "system_calls",
    "requests",
    "append",
    "second_start",
    "window_start",
    "chat",
)


class Family(Protocol):
    """A module that measures."""

    def measure(self, *, is_quick: bool) -> list[Figure]:
        """Its figures; `is_quick` takes fewer rounds."""
        ...


def main(words: Sequence[str]) -> int:
    """Measure, print, judge; 1 when a limit is missed."""
    options = _parser().parse_args(list(words))
    if options.explain:
        print("\n\n".join(f"{name}: {inspect.getdoc(_module(name))}" for name in FAMILIES))
        return 0
    figures: list[Figure] = []
    for family in options.only or FAMILIES:
        started_s = time.monotonic()
        print(f"{family} ...", file=sys.stderr, flush=True)
        figures += _module(family).measure(is_quick=options.quick)
        print(f"{family}: {time.monotonic() - started_s:.0f} s", file=sys.stderr, flush=True)
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}\n")
    print(table(figures))
    if options.json:
        lines = [json.dumps(figure.as_json()) for figure in figures]
        options.json.write_text("\n".join(lines) + "\n", "utf-8")
    return 0 if all(figure.passes for figure in figures) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="The figures that Paddock promises.")
    parser.add_argument("--only", action="append", choices=FAMILIES, help="one family; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: a hint, no proof")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the figures there too, one object a line"
    )
    parser.add_argument("--explain", action="store_true", help="say what is measured, and measure nothing")
    return parser


def _module(family: str) -> Family:
    return cast(Family, importlib.import_module(f"tests.bench.{family}"))
