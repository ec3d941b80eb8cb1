"""The verbs of a session, as the door offers them: check, make the words durable, wake the runner."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress

from desktop import __version__
from desktop.harness.core.approvals import Offer, offer
from desktop.harness.core.definition import Route
from desktop.harness.core.errors import BusyError, ToolError, UnsettledError, UsageError, WaitingError
from desktop.harness.core.events import (
    CancelRequested,
    Event,
    Killed,
    ModeChanged,
    ModelChanged,
    PauseRequested,
    Record,
    Resumed,
    RunStarted,
    SessionForked,
    SessionStarted,
    Settlement,
    Steered,
    ToolStarted,
    Undone,
    UserMessage,
)
from desktop.harness.core.ids import CallId, RunNumber, Seq, SessionId
from desktop.harness.core.policy import Mode, asked_rule
from desktop.harness.core.state import Close, SessionState, Stage, Status
from desktop.harness.core.views import (
    ContextView,
    Decision,
    Evidence,
    Question,
    SessionSummary,
    SessionView,
    UndoPlan,
    Update,
)
from desktop.harness.engine.context import context_view
from desktop.harness.engine.coordinator import Coordinator
from desktop.harness.engine.effects import recorded_preview, settled_event, unresolved_event
from desktop.harness.engine.evidence import evidence_of, shown_evidence
from desktop.harness.engine.feed import Lost
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.parts import Hands
from desktop.harness.engine.projects import save_rule
from desktop.harness.engine.questions import (
    events_for,
    fresh_questions,
    prepare_waiting,
    question_of,
)
from desktop.harness.engine.restoring import Restoring, carry_out, plan
from desktop.harness.engine.summaries import summaries
from desktop.harness.engine.undo import as_plan, changes_of
from desktop.harness.ports import Write


class Sessions:
    """Implements `SessionAPI`."""

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        default_route: Callable[[], Route],
        window: Callable[[Route], int | None] = lambda route: None,
        check_address: Callable[[str], object] = lambda base_url: None,
    ) -> None:
        self._coordinator = coordinator
        self._parts = coordinator.parts
        self._default_route = default_route
        self._window = window
        self._check_address = check_address

    # --- begin and say ---

    async def start(
        self, workspace: str, *, mode: Mode = Mode.WRITE, route: Route | None = None
    ) -> SessionId:
        """Begin a session on a folder."""
        try:
            hands = await asyncio.to_thread(self._parts.hands, workspace)
        except ToolError as error:
            raise UsageError(str(error)) from error
        route = route or self._default_route()
        self._parts.prepare(route)
        root = hands.workspace.root
        project = await self._parts.store.project_of(root, *hands.workspace.identity())
        session = SessionId(f"s{secrets.token_hex(5)}")
        self._check_route(route)
        started = SessionStarted(
            workspace=root,
            project=project,
            mode=str(mode),
            model=route.model,
            base_url=route.base_url,
            version=__version__,
        )
        await self._parts.store.create(session, [started])
        return session

    async def prompt(
        self, session: SessionId, text: str, *, rules: Sequence[str] = (), deny_questions: bool = False
    ) -> None:
        """Say something; durable when this returns."""
        if not text.strip():
            raise UsageError("There is nothing to send yet.")
        live = await self._coordinator.live(session)
        self._parts.prepare(live.state.route)
        _refuse_over_open(live.view().status)
        hands = await self._coordinator.hands(live.state)
        for rule in rules:
            _check_rule(rule, hands)
        definition = self._parts.definition(hands, live.state.mode, live.state.route)
        said = UserMessage(text=self._parts.redaction.redact(text))
        begun = RunStarted(definition=definition.digest(), rules=tuple(rules))
        await self._coordinator.begin(live, said, begun, opens_run=True, deny_questions=deny_questions)

    # --- decide ---

    async def questions(self, session: SessionId) -> list[Question]:
        """All open questions, each on the result of those before it; asked anew where the files moved on."""
        live = await self._coordinator.live(session)
        if not live.state.waiting:
            return []
        hands = await self._coordinator.hands(live.state)
        prepared = await prepare_waiting(self._parts, hands, live)
        if fresh := fresh_questions(live.state, prepared):
            await self._ask_anew(live, fresh)
        return [
            question_of(self._parts, hands, live.state, call_id, prepared[call_id])
            for call_id in live.state.waiting
        ]

    async def refresh(self, root: str, paths: frozenset[str] | None) -> None:
        """Files of a folder changed outside: ask the questions anew whose difference is another one now.

        None stands for the folder itself, which is gone; the chats on it say so.
        """
        if paths is None:
            self._coordinator.folder_gone(root)
            return
        for live in self._coordinator.changed_outside(root, paths):
            await self.questions(live.state.session)

    async def _ask_anew(self, live: LiveSession, fresh: Sequence[Event]) -> None:
        async with self._coordinator.holding(live) as lock:
            write = Write(session=live.state.session, events=fresh, run=live.state.run, fence=lock.fence)
            await live.append(write)

    async def decide(self, session: SessionId, *decisions: Decision) -> None:
        """Answer questions; the run goes on by itself."""
        live = await self._coordinator.live(session)
        state = live.state
        hands = await self._coordinator.hands(state)
        offers = {call_id: _offer(hands, state, call_id) for call_id in state.calls}
        events, rules = events_for(state, decisions, offers)
        saved = [save_rule(state.project, rule) for rule in rules]
        await self._coordinator.append(live, *events, also=saved)
        await self._coordinator.wake(live)

    # --- control ---

    async def resume(self, session: SessionId, *, deny_questions: bool = False) -> None:
        """Go on with what is due."""
        live = await self._coordinator.live(session)
        state = live.state
        if self._coordinator.is_running(session):
            if state.is_pausing:
                await self._coordinator.append(live, Resumed())
            return
        if not state.is_open:
            return
        if state.due is None and state.hold in (Close.NONE, Close.CANCELLED):
            return
        await self._coordinator.begin(live, Resumed(), deny_questions=deny_questions)

    async def settle(self, session: SessionId, call_id: CallId, outcome: Settlement) -> None:
        """Answer for an effect without a receipt; the run goes on by itself."""
        live = await self._coordinator.live(session)
        if call_id not in live.state.needs_check or self._coordinator.is_held(session):
            raise UsageError(f"Nothing has to be answered for under the name {call_id}.")
        call = live.state.calls[call_id]
        events: list[Event] = [settled_event(call, outcome, by="person")]
        if call.stage is Stage.STARTED:
            hands = await self._coordinator.hands(live.state)
            found = await asyncio.to_thread(evidence_of, self._parts, hands.workspace, session, call)
            events.insert(0, unresolved_event(call, found))
        await self._coordinator.begin(live, *events)

    async def evidence(self, session: SessionId, call_id: CallId) -> Evidence:
        """What can be seen of an effect without a receipt."""
        live = await self._coordinator.live(session)
        if call_id not in live.state.needs_check:
            raise UsageError(f"Nothing has to be answered for under the name {call_id}.")
        hands: Hands | None = None
        with suppress(UsageError):  # a folder that is gone shows nothing any more
            hands = await self._coordinator.hands(live.state)
        return await asyncio.to_thread(shown_evidence, self._parts, hands, live, call_id)

    async def cancel(self, session: SessionId) -> None:
        """Stop the run; returns when acknowledged (durable)."""
        live = await self._coordinator.live(session)
        if not live.state.is_open:
            return
        if not live.state.is_cancelling:
            await self._coordinator.append(live, CancelRequested())
        await self._coordinator.stop(live)

    async def kill(self, session: SessionId) -> None:
        """End the run at once; what it was doing is left as it was."""
        live = await self._coordinator.live(session)
        if live.state.is_open:
            await self._coordinator.append(live, Killed())
            await self._coordinator.stop(live)

    async def pause(self, session: SessionId) -> None:
        """Hold the run at the next safe point: what runs now comes to its end, nothing new begins."""
        live = await self._coordinator.live(session)
        state = live.state
        if not state.is_open or state.is_pausing or state.hold is not Close.NONE:
            return
        await self._coordinator.append(live, PauseRequested())
        await self._coordinator.stop(live)

    async def steer(self, session: SessionId, text: str) -> None:
        """Say something to a run that works; the model reads it with its next request."""
        if not text.strip():
            raise UsageError("There is nothing to send yet.")
        live = await self._coordinator.live(session)
        if not live.state.is_open or live.state.is_cancelling:
            raise UsageError("Nothing is being done in this chat; just send a message.")
        await self._coordinator.append(live, Steered(text=self._parts.redaction.redact(text)))

    async def fork(self, session: SessionId, *, at: Seq | None = None) -> SessionId:
        """Branch: records 1..at belong to both."""
        live = await self._coordinator.live(session)
        at = live.state.seq if at is None else at
        if not 1 <= at <= live.state.seq:
            raise UsageError(f"This chat has the records 1 to {live.state.seq}; {at} is none of them.")
        shared = [
            record.event.call_id
            for record in await self._parts.store.read(session, upto=at)
            if isinstance(record.event, ToolStarted)
        ]
        child = SessionId(f"s{secrets.token_hex(5)}")
        forked = SessionForked(parent=session, fork_seq=at, shared_effects=tuple(shared))
        await self._parts.store.create(child, [forked], parent=session, fork_seq=at)
        return child

    async def set_mode(self, session: SessionId, mode: Mode) -> None:
        """Change what the session may do."""
        live = await self._idle(session)
        if live.state.mode is not mode:
            await self._coordinator.append(live, ModeChanged(mode=str(mode)))

    async def set_route(self, session: SessionId, route: Route) -> None:
        """Change the session's model or service."""
        self._check_route(route)
        self._parts.prepare(route)
        live = await self._idle(session)
        if live.state.route != route:
            await self._coordinator.append(live, ModelChanged(model=route.model, base_url=route.base_url))

    async def _idle(self, session: SessionId) -> LiveSession:
        live = await self._coordinator.live(session)
        if self._coordinator.is_held(session):
            raise BusyError("Paddock is working in this chat. Change this when it is done.")
        if live.state.waiting:
            raise WaitingError("Paddock waits for your answer. Change this when it is answered.")
        return live

    def _check_route(self, route: Route) -> None:
        """Raises UsageError for what is no address of a service, before it is on record."""
        if not route.is_offline:
            self._check_address(route.base_url)

    # --- undo ---

    async def plan_undo(self, session: SessionId, run: RunNumber | None = None) -> UndoPlan:
        """What undoing a run would do."""
        live = await self._coordinator.live(session)
        hands = await self._coordinator.hands(live.state)
        run = _undoable(live.state, run)
        restoring = await self._restoring(live, hands, run)
        return await asyncio.to_thread(as_plan, self._parts, hands, run, restoring)

    async def undo(self, session: SessionId, run: RunNumber | None = None) -> UndoPlan:
        """Put back what a run changed, never over later edits; itself on record."""
        live = await self._coordinator.live(session)
        hands = await self._coordinator.hands(live.state)
        async with self._coordinator.holding(live):
            run = _undoable(live.state, run)
            restoring = await self._restoring(live, hands, run)
            shown = await asyncio.to_thread(as_plan, self._parts, hands, run, restoring)
            done = await asyncio.to_thread(carry_out, self._parts, hands, restoring)
            await self._coordinator.append(
                live,
                Undone(
                    target_run=run,
                    restored=tuple(change.as_record() for change in done.changes),
                    kept=tuple({"path": path, "why": why} for path, why in done.kept),
                ),
            )
        paths = {change.path for change in done.changes}
        files = tuple(file for file in shown.files if file.path in paths)
        return UndoPlan(run=run, files=files, kept=done.kept)

    async def _restoring(self, live: LiveSession, hands: Hands, run: RunNumber) -> Restoring:
        changes = changes_of(await self._parts.store.read(live.state.session), run)
        return await asyncio.to_thread(plan, self._parts, hands, changes)

    # --- look ---

    async def summaries(self, *, workspace: str | None = None, binned: bool = False) -> list[SessionSummary]:
        """All sessions (of a folder), newest first; those in the bin only when asked for."""
        return [
            summary
            for summary in await summaries(self._coordinator)
            if summary.binned is binned and workspace in (None, summary.workspace)
        ]

    async def view(self, session: SessionId) -> SessionView:
        """Where one session stands."""
        return (await self._coordinator.live(session)).view()

    async def records(self, session: SessionId, *, after: Seq = Seq(0)) -> list[Record]:
        """The log of a session."""
        await self._coordinator.live(session)
        return await self._parts.store.read(session, after=after)

    async def context(self, session: SessionId) -> ContextView:
        """The exact next request."""
        live = await self._coordinator.live(session)
        hands = await self._coordinator.hands(live.state)
        return context_view(self._parts, hands, live, self._window(live.state.route))

    async def watch(self, session: SessionId) -> AsyncGenerator[Update, None]:
        """First all rows as one patch and the view, then what changes."""
        async with aclosing((await self._coordinator.live(session)).watch()) as updates:
            async for update in updates:
                yield update

    async def feed(self, session: SessionId) -> AsyncGenerator[Record, None]:
        """Records committed from the moment the iteration starts."""
        live = await self._coordinator.live(session)
        last = live.state.seq
        subscription = live.records.subscribe()
        try:
            async for item in subscription:
                missed = (
                    await self._parts.store.read(session, after=last) if isinstance(item, Lost) else [item]
                )
                for record in missed:
                    if record.seq > last:
                        last = record.seq
                        yield record
        finally:
            subscription.close()

    async def settled(self, session: SessionId) -> SessionView:
        """Wait until nothing of the session runs in this process."""
        await self._coordinator.settled(session)
        return await self.view(session)

    async def draft(self, session: SessionId) -> str:
        """The text that was left in the composer."""
        return await self._parts.store.get_note(f"draft:{session}") or ""

    async def keep_draft(self, session: SessionId, text: str) -> None:
        """Keep the text of the composer."""
        await self._parts.store.put_note(f"draft:{session}", text or None)


def _refuse_over_open(status: Status) -> None:
    """Raises WaitingError, UnsettledError: a new prompt would close what a person has to answer first."""
    if status is Status.WAITING:
        raise WaitingError("Paddock waits for your answer above. Answer it, or stop, then send this.")
    if status is Status.NEEDS_CHECK:
        raise UnsettledError(
            "Something was begun here and it is not known whether it happened. "
            "Continue and answer that first, or stop here, then send this."
        )


def _check_rule(text: str, hands: Hands) -> None:
    tools = [spec.name for spec in hands.registries[Mode.WRITE].specs()]
    try:
        asked_rule(text, tools)
    except ValueError as error:
        raise UsageError(f"{text!r} is no rule: {error}.") from error


def _offer(hands: Hands, state: SessionState, call_id: CallId) -> Offer:
    """What may be offered for a question, from its record alone."""
    call = state.calls[call_id]
    tool = hands.registries[state.mode].get(call.asked.tool)
    if tool is None or call.question is None:
        return Offer(always=None, session=None)
    return offer(tool.spec, recorded_preview(call.question))


def _undoable(state: SessionState, run: RunNumber | None) -> RunNumber:
    """The run to undo. Raises UsageError when it changed nothing that can be put back."""
    if run is None and state.changed_runs:
        return state.changed_runs[-1]
    if run is None or run not in state.changed_runs:
        raise UsageError(
            "There is nothing to undo." if run is None else f"Message {run} left nothing to undo."
        )
    return run
