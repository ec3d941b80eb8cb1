"""One session in memory: its folds, and who looks at them.

The folds are taken from the log and may be thrown away at any time. Records come
in by `take`, whoever committed them; each is folded once, by its seq.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Protocol

from desktop.harness.core.events import Record
from desktop.harness.core.ids import Seq, SessionId
from desktop.harness.core.projection import Projection
from desktop.harness.core.reducer import advance
from desktop.harness.core.seen import Seen
from desktop.harness.core.state import SessionState, Status
from desktop.harness.core.titles import session_title, title_of
from desktop.harness.core.transcript import Patch, Transcript
from desktop.harness.core.views import SessionView, Update
from desktop.harness.engine.feed import LOST, Feed
from desktop.harness.ports import Write


class Log(Protocol):
    """As much of the store as one session needs."""

    async def append(self, *writes: Write) -> list[Record]:
        """See `Store`."""
        ...

    async def read(self, session: SessionId, *, after: Seq = Seq(0), upto: Seq | None = None) -> list[Record]:
        """See `Store`."""
        ...


FRAME_S = 0.033
"""Streamed text is shown at most so often."""


class LiveSession:
    """The folds of one session and its two feeds: records, and what a screen shows.

    The rows are folded when somebody looks for the first time; a run without a window has none.
    """

    def __init__(
        self,
        store: Log,
        session: SessionId,
        title: Callable[[SessionState], str] | None = None,
        *,
        is_held: Callable[[], bool] = lambda: False,
    ) -> None:
        self._store = store
        self.state = SessionState(session=session)
        self.projection = Projection()
        self.transcript: Transcript | None = None
        self.seen = Seen()
        self.records: Feed[Record] = Feed()
        self.updates: Feed[Update] = Feed()
        self.is_running = False
        self.fault = ""
        self.changed_outside: set[str] = set()
        self._title = title or (lambda state: session_title(state.first_prompt))
        self._is_held = is_held
        self._streamed: list[str] = []
        self._frame: asyncio.TimerHandle | None = None

    # --- records ---

    async def append(self, *writes: Write) -> None:
        """Commit, and fold what was written together with what others wrote just before it."""
        records = await self._store.append(*writes)
        mine = [record for record in records if record.session == self.state.session]
        if mine and mine[0].seq != self.state.seq + 1:
            await self.catch_up()
        else:
            self.take(mine)

    async def catch_up(self) -> None:
        """Fold what others have added to the log."""
        self.take(await self._store.read(self.state.session, after=self.state.seq))

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
            if self.transcript is not None:
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
        if self.transcript is None:
            return
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
        transcript = self.transcript or await self._rows()
        subscription = self.updates.subscribe()
        try:
            rows = transcript.rows
            yield Update(patches=(Patch(index=0, removed=0, rows=rows),), view=self.view())
            shown = len(rows)
            async for update in subscription:
                if update is LOST or not isinstance(update, Update):
                    rows = transcript.rows
                    update = Update(patches=(Patch(index=0, removed=shown, rows=rows),), view=self.view())
                shown += sum(len(patch.rows) - patch.removed for patch in update.patches)
                yield update
        finally:
            subscription.close()

    async def _rows(self) -> Transcript:
        """The fold of rows, made from the log up to where the other folds stand."""
        transcript, seq = Transcript(), Seq(0)
        while seq != self.state.seq:
            upto = self.state.seq
            for record in await self._store.read(self.state.session, after=seq, upto=upto):
                transcript.feed(record)
            seq = upto
        if self.transcript is None:
            self.transcript = transcript
        return self.transcript

    def view(self) -> SessionView:
        """Where the session stands, for a window."""
        state = self.state
        status = self._status()
        return SessionView(
            session=state.session,
            title=self._title(state),
            status=status,
            workspace=state.workspace,
            mode=state.mode,
            route=state.route,
            waiting=state.waiting,
            needs_check=state.needs_check if status is Status.NEEDS_CHECK else (),
            step=self._step(status),
            problem=self.fault or state.problem,
            runs=state.changed_runs,
            last_seq=state.seq,
        )

    def _status(self) -> Status:
        """Where it stands, also when another process runs it; that is asked only where it matters."""
        free, held = (self.state.status(held=is_held) for is_held in (False, True))
        return held if free is not held and (self.is_running or self._is_held()) else free

    def _step(self, status: Status) -> str:
        """What happens now, in words; empty when nothing does."""
        if status is Status.RETRYING:
            return "Waiting to ask the service again\u2026"
        if status is not Status.RUNNING:
            return ""
        for call in self.state.calls.values():
            if call.is_open:
                return f"{title_of(call.asked.tool, call.asked.arguments)}\u2026"
        return "Writing…" if self._streamed else "Thinking…"

    def close(self) -> None:
        """End all who look on."""
        self.end_stream()
        self.records.close()
        self.updates.close()
