"""The pure part of the harness: what the log means, and what is due.

Nothing in here reads a clock, a file or a socket, and nothing awaits. It says
what is due; the engine does it.
"""
