"""The command line: every verb is a client of the same door as the window.

Nothing here knows rules, files or models; a verb calls the session API and prints what was committed. Plain
words for people, with `--json` one object a line for programs.
"""
