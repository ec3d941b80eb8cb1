"""Changes that others make in the open folder (ports.Watcher), over watchdog.

`folder` is the watcher itself: its thread, the look at the folder's identity, what is our own.
`batch` gathers touched paths into one report. `pruned` teaches watchdog's inotify
observer to leave ignored folders alone before a watch is spent on them.

All of it is a hint for the screen and the model. Whether a file is still what it was
is decided by content hashes when it is written.
"""

from desktop.harness.adapters.watcher.folder import FolderWatcher as FolderWatcher
