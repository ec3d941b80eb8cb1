"""The helper process as a program: jobs in on standard input, answers out on standard output.

Run as `python -m desktop.harness.adapters.worker`, or (faster, without the site packages)
as a file with the folder that holds the package as its only word.
"""

import sys


def main() -> None:
    """Serve until the input ends."""
    if len(sys.argv) > 1:
        sys.path.insert(0, sys.argv[1])
    from desktop.harness.adapters.worker.serving import serve

    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
