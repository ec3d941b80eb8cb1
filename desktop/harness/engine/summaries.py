"""One line for each session of the list, folded from its log and kept until the log goes on.

What is kept may be thrown away at any time; a line whose session has newer records is folded anew.
"""

import json
from collections.abc import Mapping
from typing import Any

from desktop.harness.core.ids import CallId, ProjectId, Seq, SessionId
from desktop.harness.core.policy import Mode
from desktop.harness.core.reducer import fold
from desktop.harness.core.state import SessionState, Status
from desktop.harness.core.titles import session_title
from desktop.harness.core.views import SessionSummary
from desktop.harness.engine.coordinator import Coordinator
from desktop.harness.engine.projects import ProjectFold
from desktop.harness.ports import Head

SHAPE = 1
"""Raised when what is kept changes its shape; older lines are then folded anew."""


def _line(state: SessionState) -> str:
    """What is kept of a state: everything of the summary that the log alone decides."""
    return json.dumps(
        {
            "shape": SHAPE,
            "prompt": session_title(state.first_prompt),
            "free": str(state.status(held=False)),
            "held": str(state.status(held=True)),
            "workspace": state.workspace,
            "project": state.project,
            "model": state.route.model,
            "mode": str(state.mode),
            "waiting": state.waiting,
            "needs_check": state.needs_check,
        }
    )


async def summaries(coordinator: Coordinator) -> list[SessionSummary]:
    """All sessions, newest first."""
    store = coordinator.parts.store
    kept = dict(await store.summaries())
    heads = await store.heads()
    fresh: dict[SessionId, tuple[Seq, str]] = {}
    lines: list[tuple[Head, Mapping[str, Any]]] = []
    for head in heads:
        data = _usable(kept.get(head.session), head)
        if data is None:
            state = coordinator.known_state(head.session)
            if state is None or state.seq != head.seq:
                state = fold(head.session, await store.read(head.session))
            fresh[head.session] = (head.seq, _line(state))
            data = json.loads(fresh[head.session][1])
        lines.append((head, data))
    if fresh:
        await store.keep_summaries(fresh)
    folds = {ProjectId(data["project"]): ProjectFold() for _, data in lines}
    for project in folds:
        folds[project] = await coordinator.projects.load(project)
    return [_summary(coordinator, head, data, folds[ProjectId(data["project"])]) for head, data in lines]


def _usable(kept: tuple[Seq, str] | None, head: Head) -> Mapping[str, Any] | None:
    if kept is None or kept[0] != head.seq:
        return None
    try:
        data = json.loads(kept[1])
    except ValueError:
        return None
    return data if isinstance(data, dict) and data.get("shape") == SHAPE else None


def _summary(
    coordinator: Coordinator, head: Head, data: Mapping[str, Any], project: ProjectFold
) -> SessionSummary:
    is_held = data["held"] != data["free"] and coordinator.is_held(head.session)
    return SessionSummary(
        session=head.session,
        title=project.titles.get(head.session) or data["prompt"],
        status=Status(data["held" if is_held else "free"]),
        workspace=data["workspace"],
        project=ProjectId(data["project"]),
        model=data["model"],
        mode=Mode(data["mode"]),
        parent=head.parent,
        fork_seq=head.fork_seq,
        last_at_ms=head.at_ms,
        waiting=tuple(CallId(call) for call in data["waiting"]),
        needs_check=tuple(CallId(call) for call in data["needs_check"]),
        binned=head.session in project.binned,
    )
