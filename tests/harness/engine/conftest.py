"""A whole house on a temporary folder, talking to the strict scripted server."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from desktop.harness.api import Decision, Mode, Question, Record, Route, Scope, SessionId, SessionView, Status
from desktop.harness.engine.door import House
from desktop.proof.server import ScriptedServer
from desktop.wiring import open_door


@dataclass
class Bench:
    """A door, a folder and a server, with the steps that most tests take."""

    door: House
    folder: Path
    data: Path
    server: ScriptedServer

    @property
    def route(self) -> Route:
        """The scripted server as a model service."""
        return Route(model="scripted", base_url=self.server.base_url)

    async def start(self, mode: Mode = Mode.WRITE) -> SessionId:
        """A session on the folder."""
        return await self.door.sessions.start(str(self.folder), mode=mode, route=self.route)

    async def say(self, session: SessionId, text: str, **options: Any) -> SessionView:
        """Prompt and wait until nothing runs."""
        await self.door.sessions.prompt(session, text, **options)
        return await self.door.sessions.settled(session)

    async def questions(self, session: SessionId) -> list[Question]:
        """All open questions, fresh."""
        return await self.door.sessions.questions(session)

    async def answer(
        self, session: SessionId, scope: Scope | None = Scope.ONCE, **options: Any
    ) -> SessionView:
        """Answer all open questions alike and wait until nothing runs."""
        decisions = [
            Decision(call_id=question.call_id, payload=question.payload, scope=scope, **options)
            for question in await self.questions(session)
        ]
        await self.door.sessions.decide(session, *decisions)
        return await self.door.sessions.settled(session)

    async def kinds(self, session: SessionId) -> list[str]:
        """The kinds of the log, in order."""
        return [record.event.kind for record in await self.door.sessions.records(session)]

    async def results(self, session: SessionId) -> list[Any]:
        """The events of all tool results."""
        return [r.event for r in await self.door.sessions.records(session) if r.event.kind == "tool_result"]

    async def last(self, session: SessionId) -> Record:
        """The newest record."""
        return (await self.door.sessions.records(session))[-1]

    async def reopen(self) -> None:
        """Close the program and start it again on the same data."""
        await self.door.close()
        self.door = await open_door(self.data)

    def sent(self, number: int = -1) -> list[dict[str, Any]]:
        """The messages of one request behind the system text."""
        messages: list[dict[str, Any]] = self.server.requests[number]["messages"][1:]
        return messages


MakeBench = Callable[..., Awaitable[Bench]]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[MakeBench]:
    """Makes benches; at the end no request may have broken a rule and every log must be whole."""
    async with AsyncExitStack() as stack:
        made: list[Bench] = []

        async def make(replies: Any = (), **options: Any) -> Bench:
            folder = tmp_path / f"folder{len(made)}"
            folder.mkdir()
            data = tmp_path / "data"
            server = await stack.enter_async_context(ScriptedServer(replies, **options))
            door = await open_door(data)
            made.append(Bench(door=door, folder=folder, data=data, server=server))
            return made[-1]

        yield make
        for one in made:
            assert await one.door.verify() == []
            await one.door.close()
            assert one.server.breaches == []


__all__ = ["Bench", "Status"]
