"""What belongs to a folder: saved rules, titles, the bin. A fold of the project's own log."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from desktop.harness.core.errors import UsageError
from desktop.harness.core.events import (
    Event,
    Record,
    RuleRevoked,
    RuleSaved,
    SessionBinned,
    SessionRestored,
    SessionTitled,
)
from desktop.harness.core.ids import ProjectId, Seq, SessionId
from desktop.harness.core.policy import Rule
from desktop.harness.core.state import SessionState
from desktop.harness.core.titles import session_title
from desktop.harness.core.views import SavedRule
from desktop.harness.ports import Store, Write


@dataclass(slots=True)
class ProjectFold:
    """One project's log so far."""

    seq: Seq = Seq(0)
    rules: dict[str, SavedRule] = field(default_factory=dict)
    titles: dict[SessionId, str] = field(default_factory=dict)
    binned: set[SessionId] = field(default_factory=set)

    def feed(self, record: Record) -> None:
        """Take in the next record."""
        self.seq = record.seq
        event = record.event
        if isinstance(event, RuleSaved):
            rule = Rule(tools=event.tools, pattern=event.pattern, deny=event.deny)
            self.rules[event.rule_id] = SavedRule(rule_id=event.rule_id, rule=rule, at_ms=record.at_ms)
        elif isinstance(event, RuleRevoked):
            self.rules.pop(event.rule_id, None)
        elif isinstance(event, SessionTitled):
            self.titles[event.titled] = event.title
        elif isinstance(event, SessionBinned):
            self.binned.add(event.binned)
        elif isinstance(event, SessionRestored):
            self.binned.discard(event.restored)


class Projects:
    """The folds of all projects that are in use."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._folds: dict[ProjectId, ProjectFold] = {}

    async def load(self, project: ProjectId) -> ProjectFold:
        """The fold of a project, caught up with its log."""
        fold = self._folds.setdefault(project, ProjectFold())
        for record in await self._store.read(log_of(project), after=fold.seq):
            fold.feed(record)
        return fold

    async def rules(self, project: ProjectId) -> Sequence[Rule]:
        """The rules in force, newest last."""
        return [saved.rule for saved in (await self.load(project)).rules.values()]

    def title(self, state: SessionState) -> str:
        """A session's title: what a person gave it, else the first words of its first prompt."""
        fold = self._folds.get(state.project)
        given = fold.titles.get(state.session) if fold else None
        return given or session_title(state.first_prompt)

    async def revoke(self, project: ProjectId, rule_id: str) -> None:
        """Take a rule back. Raises UsageError when there is none of that id."""
        if rule_id not in (await self.load(project)).rules:
            raise UsageError("This rule was taken back already.")
        await self.append(project, RuleRevoked(rule_id=rule_id))

    async def append(self, project: ProjectId, event: Event) -> None:
        """Commit one event of the project."""
        await self._store.append(Write(session=log_of(project), events=[event]))
        await self.load(project)


def log_of(project: ProjectId) -> SessionId:
    """The name of a project's own log."""
    return SessionId(f"project:{project}")


def save_rule(project: ProjectId, rule: Rule) -> Write:
    """The write that saves a rule, to be committed together with the decision behind it."""
    event = RuleSaved(rule_id=secrets.token_hex(4), tools=rule.tools, pattern=rule.pattern, deny=rule.deny)
    return Write(session=log_of(project), events=[event])
