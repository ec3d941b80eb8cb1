"""The log on disk: one SQLite database, one file lock a session, artifacts as files.

`SqliteStore` is the only name for the outside. The modules beneath it, from the
ground up: `header` and `database` (opening, never touching what is newer),
`schema` (tables and how they grew), `chain` (what makes damage visible),
`appending`, `reading`, `checking` (the log), `plain_tables` (what may be lost),
`lane` (the threads that own the connections), `locks` (who runs a session) and
`faults` (errors as sentences).

sqlite-utils is imported by the first job that opens the database, inside its
thread: importing it takes longer than painting the window.
"""

from desktop.harness.adapters.store.sqlite import SqliteStore

__all__ = ["SqliteStore"]
