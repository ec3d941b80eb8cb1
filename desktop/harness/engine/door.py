"""The whole harness as one value, with the verbs that concern all of it."""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from desktop.harness.core.errors import PaddockError
from desktop.harness.core.ids import SessionId
from desktop.harness.core.views import Check
from desktop.harness.engine.coordinator import Coordinator
from desktop.harness.engine.project_verbs import ProjectVerbs
from desktop.harness.engine.services import Services
from desktop.harness.engine.sessions import Sessions
from desktop.harness.ports import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Implements `Door`.

    `checks` are the questions that the doctor asks; `warmers` load what a first message needs; `closers`
    let the adapters go, in order.
    """

    sessions: Sessions
    projects: ProjectVerbs
    services: Services
    coordinator: Coordinator
    checks: Sequence[Callable[[], Awaitable[Check]]] = ()
    warmers: Sequence[Callable[[], Awaitable[None]]] = ()
    closers: Sequence[Callable[[], Awaitable[None]]] = ()

    async def verify(self, session: SessionId | None = None) -> list[Fault]:
        """Check the digest chain of one session or of all."""
        if session is not None:
            await self.coordinator.live(session)
        return await self.coordinator.parts.store.verify(session)

    async def doctor(self, session: SessionId | None = None) -> list[Check]:
        """Say which walls hold and whether the parts work; with a session, where it stands."""
        answers = [await _answer(check) for check in self.checks]
        if session is not None:
            answers.extend(await self._about(session))
        return answers

    async def _about(self, session: SessionId) -> list[Check]:
        live = await self.coordinator.live(session)
        state = live.state
        status = state.status(held=self.coordinator.is_held(session))
        faults = await self.verify(session)
        return [
            Check(check="status", ok=True, text=f"The chat is {status}; its last record is {state.seq}."),
            Check(check="log", ok=not faults, text=_log_text(faults)),
            Check(check="waiting", ok=True, text=_names("Waits for an answer", state.waiting)),
            Check(
                check="needs_check", ok=not state.needs_check, text=_names("Unresolved", state.needs_check)
            ),
            Check(
                check="rules",
                ok=True,
                text=_names("Allowed in this chat", [rule.text for rule in state.session_rules]),
            ),
        ]

    async def warm(self) -> None:
        """Load what a first message will need. What cannot be loaded says so when it is used."""
        for warm in self.warmers:
            with contextlib.suppress(PaddockError):
                await warm()

    async def close(self) -> None:
        """Stop what runs, one record each, then let everything go."""
        await self.coordinator.close()
        for close in self.closers:
            await close()


async def _answer(check: Callable[[], Awaitable[Check]]) -> Check:
    try:
        return await check()
    except PaddockError as error:
        return Check(check="fault", ok=False, text=str(error))


def _log_text(faults: Sequence[Fault]) -> str:
    if not faults:
        return "Every record is whole."
    return f"{len(faults)} records are damaged, the first is {faults[0].seq}: {faults[0].problem}"


def _names(what: str, names: Sequence[str]) -> str:
    return f"{what}: {', '.join(names) or 'nothing'}."
