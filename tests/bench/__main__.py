"""`python tests/bench`: the figures that Paddock promises, each beside its baseline, in one table."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # this folder came first on the path, where its modules would pass for top-level ones
    sys.path[0] = str(Path(__file__).resolve().parent.parent.parent)
    from tests.bench.program import main

    sys.exit(main(sys.argv[1:]))
