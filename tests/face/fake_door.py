"""A door without a harness: keeps chats, rows, questions, rules and settings in memory.

It fills the Protocols of the door truly enough for the window: rows come as patches over `watch`, a
question stays until it is answered, an answer to another payload changes nothing, a question of a file
that moved on is asked anew. What the agent does is scripted by `plans`: the questions that the next
prompt leads to.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from desktop.harness.api import (
    CallId,
    Check,
    ContextView,
    Decision,
    Evidence,
    Fault,
    FileDiff,
    Mode,
    ModelError,
    ModelFault,
    Offer,
    PaddockError,
    Patch,
    PayloadHash,
    Project,
    ProjectId,
    Question,
    Record,
    Route,
    Row,
    RowKind,
    Rule,
    RunNumber,
    SavedRule,
    Scope,
    Seq,
    Service,
    SessionId,
    SessionSummary,
    SessionView,
    Settlement,
    Status,
    UndoPlan,
    Update,
    UsageError,
    WaitingError,
)

START = Seq(0)
OFFLINE = Route(model="offline helper", base_url="")


def edit_question(
    path: str = "notes.txt", before: str = "one colour\n", after: str = "one color\n", number: int = 1
) -> Question:
    """A question about an edit, as the harness would offer it."""
    rule = Rule(tools=("edit_file", "write_file"), pattern=path)
    folder = path.rpartition("/")[0]
    beside = Rule(tools=("edit_file", "write_file"), pattern=f"{folder}/*" if folder else "*")
    anything = Rule(tools=("edit_file", "write_file"))
    return Question(
        call_id=CallId(f"t1c{number}"),
        payload=PayloadHash(f"{hash((path, before, after)) & 0xFFFFFFFF:08x}"),
        tool="edit_file",
        title=f"Change {path}",
        files=(FileDiff(path=path, kind="edit", before=before, after=after),),
        folder="Reports",
        offer=Offer(
            always=rule,
            session=rule,
            wider=(("files in the same folder", beside), ("any file of this project", anything)),
        ),
    )


def command_question(command: str = "wc -l notes.txt", *, plain: bool = True) -> Question:
    """A question about a command."""
    rule = Rule(tools=("run_command",), pattern=command)
    return Question(
        call_id=CallId("t1c1"),
        payload=PayloadHash("c0ffee"),
        tool="run_command",
        title="Run a command",
        command=command,
        folder="Reports",
        offer=Offer(
            always=rule if plain else None,
            session=rule,
            why_not="" if plain else "Only a command of plain words can be allowed for ever.",
        ),
        protection="no protection for commands yet",
        undoable=False,
    )


@dataclass
class Chat:
    """One chat of the fake."""

    view: SessionView
    rows: list[Row] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    watchers: list[asyncio.Queue[Update]] = field(default_factory=list)
    parent: SessionId | None = None
    fork_seq: Seq | None = None
    is_binned: bool = False
    draft: str = ""


class FakeSessions:
    """The sessions of the fake door."""

    def __init__(self, door: "FakeDoor") -> None:
        self._door = door
        self._seqs = count(1)
        self._names = count(1)
        self.chats: dict[SessionId, Chat] = {}
        self.plans: list[list[Question]] = []
        self.decisions: list[Decision] = []
        self.settled_calls: list[tuple[CallId, Settlement]] = []
        self.evidence_of: dict[CallId, Evidence] = {}
        self.fails_with: PaddockError | None = None

    async def start(
        self, workspace: str, *, mode: Mode = Mode.WRITE, route: Route | None = None
    ) -> SessionId:
        if not Path(workspace).is_dir():
            raise UsageError(f"There is no folder at {workspace}.")
        session = SessionId(f"s{next(self._names)}")
        view = SessionView(
            session=session,
            title="New chat",
            status=Status.IDLE,
            workspace=workspace,
            mode=mode,
            route=route or OFFLINE,
        )
        self.chats[session] = Chat(view)
        self._door.projects.remember(workspace)
        return session

    async def prompt(
        self, session: SessionId, text: str, *, rules: Sequence[str] = (), deny_questions: bool = False
    ) -> None:
        chat = self._chat(session)
        if self.fails_with is not None:
            raise self.fails_with
        if chat.questions:
            raise WaitingError("Answer the open question first.")
        run = RunNumber(max((row.run for row in chat.rows), default=0) + 1)
        title = text if chat.view.title == "New chat" else chat.view.title
        self.put(session, RowKind.USER, text=text, run=run)
        if not self.plans:
            self.put(session, RowKind.ASSISTANT, text=f"You said: {text}", run=run)
            self.change(session, title=title, status=Status.IDLE)
            return
        chat.questions = self.plans.pop(0)
        for question in chat.questions:
            self.put(
                session,
                RowKind.TOOL,
                title=question.title,
                status="waiting",
                call_id=question.call_id,
                run=run,
            )
        self._tell_waiting(session, title=title)

    async def decide(self, session: SessionId, *decisions: Decision) -> None:
        chat = self._chat(session)
        for decision in decisions:
            self.decisions.append(decision)
            asked = next((q for q in chat.questions if q.call_id == decision.call_id), None)
            if asked is None or asked.payload != decision.payload:
                continue
            chat.questions.remove(asked)
            index = next(i for i, row in enumerate(chat.rows) if row.call_id == decision.call_id)
            status = "ok" if decision.scope else "refused"
            self._splice(chat, index, replace(chat.rows[index], status=status, seq=self._seq()))
            if decision.scope is Scope.ALWAYS and asked.offer.always is not None:
                self._door.projects.save(chat.view.workspace, asked.offer.always)
        if chat.questions:
            self._tell_waiting(session)
            return
        run = chat.rows[-1].run
        self.put(session, RowKind.ASSISTANT, text="Done.", run=run)
        self.change(session, status=Status.IDLE, waiting=(), runs=(*chat.view.runs, run))

    async def resume(self, session: SessionId, *, deny_questions: bool = False) -> None:
        self.change(session, status=Status.IDLE)

    async def evidence(self, session: SessionId, call_id: CallId) -> Evidence:
        if call_id not in self._chat(session).view.needs_check:
            raise UsageError("Nothing has to be answered for.")
        return self.evidence_of.get(call_id, Evidence(call_id=call_id, is_command=True))

    async def settle(self, session: SessionId, call_id: CallId, outcome: Settlement) -> None:
        if call_id not in self._chat(session).view.needs_check:
            raise UsageError("Nothing has to be answered for.")
        self.settled_calls.append((call_id, outcome))
        self.change(session, status=Status.IDLE, needs_check=())

    async def steer(self, session: SessionId, text: str) -> None:
        self.put(session, RowKind.USER, text=text)

    async def pause(self, session: SessionId) -> None:
        self.change(session, status=Status.PAUSED)

    async def kill(self, session: SessionId) -> None:
        self.change(session, status=Status.CANCELLED)

    async def cancel(self, session: SessionId) -> None:
        self._chat(session).questions.clear()
        self.put(session, RowKind.NOTICE, text="Stopped.")
        self.change(session, status=Status.CANCELLED, waiting=(), step="")

    async def fork(self, session: SessionId, *, at: Seq | None = None) -> SessionId:
        chat = self._chat(session)
        at = chat.view.last_seq if at is None else at
        made = await self.start(chat.view.workspace, mode=chat.view.mode, route=chat.view.route)
        branch = self.chats[made]
        branch.parent, branch.fork_seq = session, at
        branch.rows = [row for row in chat.rows if row.seq <= at]
        branch.view = replace(branch.view, title=chat.view.title, last_seq=at)
        return made

    async def plan_undo(self, session: SessionId, run: RunNumber | None = None) -> UndoPlan:
        file = FileDiff(path="notes.txt", kind="edit", before="one color\n", after="one colour\n")
        kept = (("list.txt", "it was changed since"),)
        return UndoPlan(run=run or RunNumber(1), files=(file,), kept=kept)

    async def undo(self, session: SessionId, run: RunNumber | None = None) -> UndoPlan:
        plan = await self.plan_undo(session, run)
        self.put(session, RowKind.NOTICE, text="Put back as before: notes.txt.")
        self.change(session, runs=tuple(r for r in self._chat(session).view.runs if r != plan.run))
        return plan

    async def set_mode(self, session: SessionId, mode: Mode) -> None:
        self.change(session, mode=mode)

    async def set_route(self, session: SessionId, route: Route) -> None:
        self.change(session, route=route)

    async def summaries(self, *, workspace: str | None = None, binned: bool = False) -> list[SessionSummary]:
        return [
            SessionSummary(
                session=session,
                title=chat.view.title,
                status=chat.view.status,
                workspace=chat.view.workspace,
                project=ProjectId(chat.view.workspace),
                model=chat.view.route.model,
                mode=chat.view.mode,
                parent=chat.parent,
                fork_seq=chat.fork_seq,
                last_at_ms=int(chat.view.last_seq),
                waiting=chat.view.waiting,
                binned=chat.is_binned,
            )
            for session, chat in reversed(self.chats.items())
            if chat.is_binned is binned and workspace in (None, chat.view.workspace)
        ]

    async def view(self, session: SessionId) -> SessionView:
        return self._chat(session).view

    async def records(self, session: SessionId, *, after: Seq = START) -> list[Record]:
        return []

    async def questions(self, session: SessionId) -> list[Question]:
        return list(self._chat(session).questions)

    async def context(self, session: SessionId) -> ContextView:
        raise UsageError("The fake sends no requests.")

    async def watch(self, session: SessionId) -> AsyncGenerator[Update, None]:
        chat = self._chat(session)
        queue: asyncio.Queue[Update] = asyncio.Queue()
        chat.watchers.append(queue)
        try:
            yield Update(patches=(Patch(index=0, removed=0, rows=tuple(chat.rows)),), view=chat.view)
            while True:
                yield await queue.get()
        finally:
            chat.watchers.remove(queue)

    async def feed(self, session: SessionId) -> AsyncGenerator[Record, None]:
        for record in await self.records(session):
            yield record

    async def settled(self, session: SessionId) -> SessionView:
        return self._chat(session).view

    async def draft(self, session: SessionId) -> str:
        return self._chat(session).draft

    async def keep_draft(self, session: SessionId, text: str) -> None:
        self._chat(session).draft = text

    # --- what a test does to it ---

    def put(self, session: SessionId, kind: RowKind, **fields: Any) -> Row:
        """Add a row and tell the watchers."""
        chat = self._chat(session)
        seq = self._seq()
        row = Row(key=f"{kind[0]}{seq}", kind=kind, seq=seq, at_ms=0, **fields)
        chat.rows.append(row)
        self._tell(chat, Patch(index=len(chat.rows) - 1, removed=0, rows=(row,)))
        self.change(session, last_seq=seq)
        return row

    def stream(self, session: SessionId, text: str) -> None:
        """Show more of the last row."""
        chat = self._chat(session)
        self._splice(chat, len(chat.rows) - 1, replace(chat.rows[-1], text=text))

    def change(self, session: SessionId, **fields: Any) -> None:
        """Change the view and tell the watchers."""
        chat = self._chat(session)
        chat.view = replace(chat.view, **fields)
        self._tell(chat, view=chat.view)

    def ask_again(self, session: SessionId, question: Question) -> None:
        """The file moved on: another question stands in the place of the old one."""
        chat = self._chat(session)
        chat.questions = [question if q.call_id == question.call_id else q for q in chat.questions]
        self._tell_waiting(session)

    def _tell_waiting(self, session: SessionId, **fields: Any) -> None:
        calls = tuple(question.call_id for question in self._chat(session).questions)
        self.change(session, status=Status.WAITING, waiting=calls, last_seq=self._seq(), **fields)

    def _splice(self, chat: Chat, index: int, row: Row) -> None:
        chat.rows[index] = row
        self._tell(chat, Patch(index=index, removed=1, rows=(row,)))

    def _tell(self, chat: Chat, *patches: Patch, view: SessionView | None = None) -> None:
        for queue in chat.watchers:
            queue.put_nowait(Update(patches=patches, view=view))

    def _chat(self, session: SessionId) -> Chat:
        if session not in self.chats:
            raise UsageError(f"There is no chat {session}.")
        return self.chats[session]

    def _seq(self) -> Seq:
        return Seq(next(self._seqs))


class FakeProjects:
    """The folders of the fake door."""

    def __init__(self, door: "FakeDoor") -> None:
        self._door = door
        self._recent: list[str] = []
        self.cautions: dict[str, str] = {}
        self._rules: dict[str, list[SavedRule]] = {}

    def remember(self, workspace: str) -> None:
        """A folder was opened."""
        self._recent = [workspace, *(path for path in self._recent if path != workspace)]

    def save(self, workspace: str, rule: Rule) -> None:
        """*Always allow* was pressed."""
        rules = self._rules.setdefault(workspace, [])
        rules.append(SavedRule(rule_id=f"r{len(rules) + 1}", rule=rule, at_ms=0))

    def caution(self, path: str) -> str:
        return self.cautions.get(path, "")

    async def recent(self) -> list[Project]:
        return [
            Project(project=ProjectId(path), path=path, name=Path(path).name, exists=True)
            for path in self._recent
        ]

    async def rules(self, workspace: str) -> list[SavedRule]:
        return list(self._rules.get(workspace, ()))

    async def revoke(self, workspace: str, rule_id: str) -> None:
        self._rules[workspace] = [rule for rule in self._rules[workspace] if rule.rule_id != rule_id]

    async def rename(self, session: SessionId, title: str) -> None:
        self._door.sessions.change(session, title=title)

    async def bin(self, session: SessionId) -> None:
        self._door.sessions.chats[session].is_binned = True

    async def restore(self, session: SessionId) -> None:
        self._door.sessions.chats[session].is_binned = False


class FakeServices:
    """The services and settings of the fake door."""

    def __init__(self) -> None:
        self.kept: list[Service] = []
        self.keys: dict[str, str] = {}
        self.settings: dict[str, Any] = {}
        self.keychain_is = "ready"
        self.problem_is = ""
        self._default = OFFLINE

    def default_route(self) -> Route:
        return self._default

    def services(self) -> list[Service]:
        offline = Service(name="Offline helper", base_url="", model=OFFLINE.model)
        return [*(replace(each, has_key=each.base_url in self.keys) for each in self.kept), offline]

    async def save(self, service: Service, *, default: bool = False) -> None:
        self.kept = [*(each for each in self.kept if each.base_url != service.base_url), service]
        if default:
            self._default = Route(model=service.model, base_url=service.base_url)

    async def remove(self, base_url: str) -> None:
        self.kept = [each for each in self.kept if each.base_url != base_url]

    async def put_key(self, base_url: str, key: str) -> bool:
        self.keys[base_url] = key
        return self.keychain_is == "ready"

    async def remove_key(self, base_url: str) -> None:
        self.keys.pop(base_url, None)

    async def has_key(self, base_url: str) -> bool:
        return base_url in self.keys

    async def keychain(self) -> str:
        return self.keychain_is

    async def models(self, base_url: str) -> list[str]:
        if "nobody" in base_url:
            raise ModelError("Nothing answers at this address.", ModelFault.UNREACHABLE)
        return ["qwen3", "llama4"]

    def problem(self) -> str:
        return self.problem_is

    def setting(self, name: str) -> Any:
        return self.settings.get(name)

    async def set_setting(self, name: str, value: Any) -> None:
        self.settings[name] = value


class FakeDoor:
    """The whole fake harness."""

    def __init__(self) -> None:
        self.sessions = FakeSessions(self)
        self.projects = FakeProjects(self)
        self.services = FakeServices()
        self.is_closed = False
        self.is_warm = False

    async def verify(self, session: SessionId | None = None) -> list[Fault]:
        return []

    async def doctor(self, session: SessionId | None = None) -> list[Check]:
        return []

    async def warm(self) -> None:
        self.is_warm = True

    async def close(self) -> None:
        self.is_closed = True
