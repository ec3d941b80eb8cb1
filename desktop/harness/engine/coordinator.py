"""Which sessions are in memory, who runs them, and how they are stopped.

One run per session: whoever wants to run it takes the session's lock first, catches up
with the log, and gives the lock back when nothing is due. Words of other processes
are seen by watching the log's version, often while something runs, seldom otherwise.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress

from desktop.harness.core.commands import Command, FinishCancel, Pause
from desktop.harness.core.errors import BusyError, PaddockError, ToolError, UsageError
from desktop.harness.core.events import Cancelled, Event, Paused
from desktop.harness.core.ids import RunNumber, SessionId
from desktop.harness.core.state import SessionState
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.engine.projects import Projects
from desktop.harness.engine.runner import Runner
from desktop.harness.ports import SessionLock, Write

log = logging.getLogger(__name__)

BUSY_POLL_S = 0.05
IDLE_POLL_S = 0.5
CLOSE_WITHIN_S = 2.5


class Coordinator:
    """Opens sessions, starts and stops their runners."""

    def __init__(self, parts: Parts, projects: Projects) -> None:
        self.parts = parts
        self.projects = projects
        self._live: dict[SessionId, LiveSession] = {}
        self._opening = asyncio.Lock()
        self._runners: dict[SessionId, Runner] = {}
        self._tasks: dict[SessionId, asyncio.Task[None]] = {}
        self._poll: asyncio.Task[None] | None = None
        self._is_closed = False

    # --- sessions in memory ---

    async def live(self, session: SessionId) -> LiveSession:
        """The session, caught up with the log. Raises UsageError when there is none of that name."""
        async with self._opening:
            live = self._live.get(session)
            if live is None:
                records = await self.parts.store.read(session)
                if not records:
                    raise UsageError(f"There is no chat with the id {session}.")
                live = LiveSession(
                    self.parts.store, session, self.projects.title, is_held=lambda: self.is_held(session)
                )
                live.take(records)
                await self.projects.load(live.state.project)
                self._live[session] = live
                self._start_polling()
                return live
        await live.catch_up()
        return live

    def known_state(self, session: SessionId) -> SessionState | None:
        """The state of a session that is in memory, as far as it was folded."""
        live = self._live.get(session)
        return None if live is None else live.state

    async def hands(self, state: SessionState) -> Hands:
        """The opened folder of a session. Raises UsageError when it cannot be used."""
        try:
            hands = await asyncio.to_thread(self.parts.hands, state.workspace)
            await asyncio.to_thread(hands.workspace.check_root)
        except ToolError as error:
            raise UsageError(str(error)) from error
        place = (hands.workspace.root, *hands.workspace.identity())
        if await self.parts.store.project_of(*place) != state.project:
            raise UsageError(f"Another folder stands at {state.workspace} now. Open it as a new chat.")
        return hands

    def changed_outside(self, root: str, paths: Iterable[str]) -> list[LiveSession]:
        """Note files that changed outside, for each session there; gives those with open questions."""
        lives = [live for live in self._live.values() if live.state.workspace == root]
        named = {path for path in paths if path != "."}
        for live in lives:
            live.changed_outside.update(named)
        return [live for live in lives if live.state.waiting and not live.is_running]

    def folder_gone(self, root: str) -> None:
        """Say in every session on that folder that it is gone; tools find out by themselves."""
        for live in self._live.values():
            if live.state.workspace == root:
                live.fault = f"The folder {root} is gone. Put it back, or open another one."
                live.show()

    async def append(self, live: LiveSession, *events: Event, also: Sequence[Write] = ()) -> None:
        """Commit words of a person and fold them."""
        write = Write(session=live.state.session, events=events, run=live.state.run)
        await live.append(write, *also)

    # --- running ---

    def is_running(self, session: SessionId) -> bool:
        """Whether this process runs the session."""
        return session in self._tasks

    def is_held(self, session: SessionId) -> bool:
        """Whether any process runs the session."""
        return self.is_running(session) or self.parts.store.is_locked(session)

    @asynccontextmanager
    async def holding(self, live: LiveSession) -> AsyncIterator[SessionLock]:
        """The session's lock, with the log caught up. Raises BusyError."""
        if self.is_running(live.state.session):
            raise BusyError("Paddock is still working in this chat. Wait for it, or stop it first.")
        lock = await asyncio.to_thread(self.parts.store.lock, live.state.session)
        try:
            await live.catch_up()
            yield lock
        finally:
            lock.release()

    async def begin(
        self, live: LiveSession, *events: Event, opens_run: bool = False, deny_questions: bool = False
    ) -> None:
        """Commit these events under the session's lock and run on from there.

        Returns when they are durable. Raises BusyError, UsageError (folder), StorageError; then
        nothing was recorded.
        """
        session = live.state.session
        self.parts.prepare(live.state.route)
        hands = await self.hands(live.state)
        rules = await self.projects.rules(live.state.project)
        if self.is_running(session):
            raise BusyError("Paddock is still working in this chat. Wait for it, or stop it first.")
        lock = await asyncio.to_thread(self.parts.store.lock, session)
        try:
            await live.catch_up()
            runner = Runner(self.parts, hands, live, lock, rules, deny_questions=deny_questions)
            if events:
                run = RunNumber(live.state.run + 1) if opens_run else live.state.run
                await runner.commit(*events, run=run)
        except BaseException:
            lock.release()
            raise
        self._start(live, runner, lock)

    async def wake(self, live: LiveSession) -> None:
        """Run on if something is due and nobody runs the session already."""
        if live.state.due is None or self.is_running(live.state.session):
            return
        with suppress(BusyError):  # whoever holds the session sees the new records
            await self.begin(live)

    def _start(self, live: LiveSession, runner: Runner, lock: SessionLock) -> None:
        session = live.state.session
        live.is_running = True
        live.fault = ""
        self._runners[session] = runner
        self._tasks[session] = asyncio.ensure_future(self._run(live, runner, lock))
        self._start_polling()
        live.show()

    async def _run(self, live: LiveSession, runner: Runner, lock: SessionLock) -> None:
        session = live.state.session
        try:
            await runner.run()
        except PaddockError as error:
            live.fault = str(error)
        except Exception as error:
            log.exception("the run of session %s broke", session)
            live.fault = f"Paddock made a mistake ({type(error).__name__}). What was recorded is safe."
        finally:
            live.end_stream()
            live.is_running = False
            del self._runners[session], self._tasks[session]
            lock.release()
            live.show()

    async def settled(self, session: SessionId) -> None:
        """Wait until this process runs the session no more."""
        while (task := self._tasks.get(session)) is not None:
            await asyncio.wait([task])

    # --- stopping ---

    async def stop(self, live: LiveSession) -> None:
        """End the work of a run whose cancel, kill or pause is on record, wherever it runs."""
        runner = self._runners.get(live.state.session)
        if runner is not None:
            runner.stop_work()
        else:
            await self._close_unrun(live)

    async def _close_unrun(self, live: LiveSession) -> None:
        """Close a run that nobody works on. That needs no folder, which may be gone."""
        with suppress(BusyError):  # whoever holds the session sees the wish
            async with self.holding(live) as lock:
                if (event := _closing(live.state.due)) is not None:
                    run = live.state.run
                    write = Write(session=live.state.session, events=[event], run=run, fence=lock.fence)
                    await live.append(write)

    async def close(self) -> None:
        """No new work, a little time for quiet, one record each; then let go."""
        self._is_closed = True
        for runner in self._runners.values():
            runner.interrupt()
        if self._tasks:
            _, late = await asyncio.wait(list(self._tasks.values()), timeout=CLOSE_WITHIN_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=0.5)
        if self._poll is not None:
            self._poll.cancel()
            await asyncio.wait([self._poll])
        for live in self._live.values():
            live.close()

    # --- other processes ---

    def _start_polling(self) -> None:
        if self._poll is None and not self._is_closed:
            self._poll = asyncio.ensure_future(self._watch_log())

    async def _watch_log(self) -> None:
        """Fold what other processes commit; act on their wish to stop."""
        version = -1
        while True:
            await asyncio.sleep(BUSY_POLL_S if self._tasks else IDLE_POLL_S)
            with suppress(PaddockError):
                newest = await self.parts.store.version()
                if newest == version:
                    continue
                version = newest
                await self._take_foreign()

    async def _take_foreign(self) -> None:
        for session, live in list(self._live.items()):
            if session in self._runners or live.updates.is_watched or live.records.is_watched:
                await live.catch_up()
            if (runner := self._runners.get(session)) is not None:
                runner.stop_work()


def _closing(due: Command | None) -> Event | None:
    """The record that ends or holds up a run, if nothing else is due."""
    match due:
        case FinishCancel():
            return Cancelled(text="")
        case Pause():
            return Paused(reason=due.reason)
    return None
