"""One session in memory: its folds, and who looks at them.

The folds are taken from the log and may be thrown away at any time. Records come
in by `take`, whoever committed them; each is folded once, by its seq.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable

from desktop.harness.core.events import Record
from desktop.harness.core.ids import SessionId
from desktop.harness.core.projection import Projection
from desktop.harness.core.reducer import advance
from desktop.harness.core.seen import Seen
from desktop.harness.core.state import SessionState, Status
from desktop.harness.core.titles import session_title
from desktop.harness.core.transcript import Patch, Row, RowKind, Transcript
from desktop.harness.core.views import SessionView, Update
from desktop.harness.engine.feed import LOST, Feed
from desktop.harness.ports import Store, Write

FRAME_S = 0.033
"""Streamed text is shown at most so often."""


class LiveSession:
    """The folds of one session and its two feeds: records, and what a screen shows."""

    def __init__(self, session: SessionId, title: Callable[[SessionState], str] | None = None) -> None:
        self.state = SessionState(session=session)
        self.projection = Projection()
        self.transcript = Transcript()
        self.seen = Seen()
        self.records: Feed[Record] = Feed()
        self.updates: Feed[Update] = Feed()
        self.is_running = False
        self.fault = ""
        self.changed_outside: set[str] = set()
        self._title = title or (lambda state: session_title(state.first_prompt))
        self._streamed: list[str] = []
        self._frame: asyncio.TimerHandle | None = None

    # --- records ---

    async def append(self, store: Store, *writes: Write) -> None:
        """Commit, and fold what was written together with what others wrote just before it."""
        records = await store.append(*writes)
        mine = [record for record in records if record.session == self.state.session]
        if mine and mine[0].seq != self.state.seq + 1:
            mine = await store.read(self.state.session, after=self.state.seq)
        self.take(mine)

    def take(self, records: Iterable[Record]) -> None:
        """Fold the records that are new and tell those who look on. Raises ValueError at a gap."""
        patches: list[Patch] = []
        taken = False
        for record in records:
            if record.seq <= self.state.seq:
                continue
            if record.seq != self.state.seq + 1:
                raise ValueError(f"record {record.seq} came before {self.state.seq + 1}")
            taken = True
            self.state = advance(self.state, record)
            self.projection.feed(record)
            self.seen.feed(record)
            patches.extend(self.transcript.feed(record))
            self.records.publish(record)
        if taken:
            self.show(patches)

    # --- streamed text ---

    @property
    def partial(self) -> str:
        """The text of the reply that is coming in."""
        return "".join(self._streamed)

    def stream(self, text: str) -> None:
        """Add a piece of the reply; shown with the next frame."""
        self._streamed.append(text)
        if self._frame is None and self.updates.is_watched:
            self._frame = asyncio.get_running_loop().call_later(FRAME_S, self._show_stream)

    def end_stream(self) -> str:
        """Forget the streamed text and give it back."""
        if self._frame is not None:
            self._frame.cancel()
            self._frame = None
        text = self.partial
        self._streamed.clear()
        return text

    def _show_stream(self) -> None:
        self._frame = None
        state = self.state
        patches = self.transcript.stream(self.partial, state.at_ms, state.run, state.seq)
        self._streamed[:] = [self.partial]
        self.updates.publish(Update(patches=patches))

    # --- looking on ---

    def show(self, patches: Iterable[Patch] = ()) -> None:
        """Tell the screens what changed, the view included."""
        if self.updates.is_watched:
            self.updates.publish(Update(patches=tuple(patches), view=self.view()))

    async def watch(self) -> AsyncGenerator[Update, None]:
        """All rows, then each change; all rows again when the screen could not keep up."""
        subscription = self.updates.subscribe()
        try:
            rows = self.transcript.rows
            yield Update(patches=(Patch(index=0, removed=0, rows=rows),), view=self.view())
            shown = len(rows)
            async for update in subscription:
                if update is LOST or not isinstance(update, Update):
                    rows = self.transcript.rows
                    update = Update(patches=(Patch(index=0, removed=shown, rows=rows),), view=self.view())
                shown += sum(len(patch.rows) - patch.removed for patch in update.patches)
                yield update
        finally:
            subscription.close()

    def view(self) -> SessionView:
        """Where the session stands, for a window."""
        state = self.state
        status = state.status(held=self.is_running)
        return SessionView(
            session=state.session,
            title=self._title(state),
            status=status,
            workspace=state.workspace,
            mode=state.mode,
            route=state.route,
            waiting=state.waiting,
            needs_check=state.needs_check if status is Status.NEEDS_CHECK else (),
            step=self._step() if status is Status.RUNNING else "",
            problem=self.fault or state.problem,
            runs=state.changed_runs,
            last_seq=state.seq,
        )

    def _step(self) -> str:
        """What happens now, in words."""
        running = _newest_running(self.transcript.newest(50))
        if running is not None:
            return f"{running.title}…"
        return "Writing…" if self._streamed else "Thinking…"

    def close(self) -> None:
        """End all who look on."""
        self.end_stream()
        self.records.close()
        self.updates.close()


def _newest_running(rows: list[Row]) -> Row | None:
    for row in reversed(rows):
        if row.kind is RowKind.USER:
            return None
        if row.kind is RowKind.TOOL and row.status == "running":
            return row
    return None
