"""The verbs about a folder and about a session's place in it: rules, titles, the bin."""

import asyncio
from pathlib import Path

from desktop.harness.core.errors import ToolError, UsageError
from desktop.harness.core.events import SessionBinned, SessionRestored, SessionTitled
from desktop.harness.core.ids import ProjectId, SessionId
from desktop.harness.core.views import Project, SavedRule
from desktop.harness.engine.coordinator import Coordinator
from desktop.harness.engine.summaries import summaries


class ProjectVerbs:
    """Implements `ProjectAPI`."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator
        self._projects = coordinator.projects

    async def recent(self) -> list[Project]:
        """Folders opened before, newest first; taken from the sessions, kept nowhere else."""
        seen: dict[ProjectId, str] = {}
        for summary in await summaries(self._coordinator):
            seen.setdefault(summary.project, summary.workspace)
        exists = await asyncio.to_thread(lambda: [Path(path).is_dir() for path in seen.values()])
        return [
            Project(project=project, path=path, name=Path(path).name or path, exists=there)
            for (project, path), there in zip(seen.items(), exists, strict=True)
        ]

    def caution(self, path: str) -> str:
        """What to tell a person before this folder is opened: a sentence, empty for an ordinary folder."""
        return self._coordinator.parts.caution(path)

    async def rules(self, workspace: str) -> list[SavedRule]:
        """What *Always allow* saved for this folder."""
        fold = await self._projects.load(await self._project(workspace))
        return list(fold.rules.values())

    async def revoke(self, workspace: str, rule_id: str) -> None:
        """Take a rule back."""
        await self._projects.revoke(await self._project(workspace), rule_id)

    async def rename(self, session: SessionId, title: str) -> None:
        """Give a session another title."""
        title = " ".join(title.split())
        if not title:
            raise UsageError("A chat needs a title of at least one letter.")
        live = await self._coordinator.live(session)
        await self._projects.append(live.state.project, SessionTitled(titled=session, title=title))
        live.show()

    async def bin(self, session: SessionId) -> None:
        """Put a session into the bin; nothing is erased."""
        live = await self._coordinator.live(session)
        await self._projects.append(live.state.project, SessionBinned(binned=session))

    async def restore(self, session: SessionId) -> None:
        """Take a session out of the bin."""
        live = await self._coordinator.live(session)
        await self._projects.append(live.state.project, SessionRestored(restored=session))

    async def _project(self, workspace: str) -> ProjectId:
        parts = self._coordinator.parts
        try:
            hands = await asyncio.to_thread(parts.hands, workspace)
        except ToolError as error:
            raise UsageError(str(error)) from error
        return await parts.store.project_of(hands.workspace.root, *hands.workspace.identity())
