"""What the model knows of each file: the digest it last read or wrote.

A whole file is overwritten only when the model knew its content, or when a
person saw the difference. A fold of receipts; nothing of it is stored.
"""

from collections.abc import Mapping
from typing import Any

from desktop.harness.core.events import Record, ToolResulted
from desktop.harness.core.ids import Digest


class Seen:
    """Digests by resolved path."""

    def __init__(self) -> None:
        self._digests: dict[str, Digest | None] = {}

    def feed(self, record: Record) -> None:
        """Take in the next record; only receipts of tool results count."""
        if isinstance(record.event, ToolResulted) and isinstance(record.event.receipt, Mapping):
            self._take(record.event.receipt)

    def digest(self, path: str) -> Digest | None:
        """The content that the model last knew at this path, None if it never saw any."""
        return self._digests.get(path)

    def _take(self, receipt: Mapping[str, Any]) -> None:
        read = receipt.get("read")
        if isinstance(read, Mapping) and "path" in read and "digest" in read:
            self._digests[str(read["path"])] = read["digest"]
        for change in receipt.get("changes", ()):
            self._digests[str(change.get("path"))] = change.get("after")
            if "destination" in change:
                self._digests[str(change["destination"])] = change.get("before")
