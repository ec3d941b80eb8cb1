"""What the engine was given: one value with every capability, made by the wiring."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from desktop.harness.core.definition import AgentDefinition, Route
from desktop.harness.core.policy import Mode
from desktop.harness.core.toolspec import Change
from desktop.harness.ports import (
    Clock,
    FileView,
    Model,
    PreImages,
    Redaction,
    Registry,
    Spool,
    Store,
    TextFiles,
    Workspace,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """One opened folder and the tools of each mode that reach into it.

    `expect` tells the watcher of a change of our own before it is carried out.
    """

    workspace: Workspace
    registries: Mapping[Mode, Registry]
    expect: Callable[[Change], None] = lambda change: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything outside that the engine may use.

    `hands` opens a folder (raises ToolError), `model` gives the adapter for a route, `prepare` lets it
    get ready for a first request and returns at once, `stage` lays
    changes that are not written yet over a view, `caution` says what to think of before a folder is opened.
    """

    store: Store
    clock: Clock
    redaction: Redaction
    preimages: PreImages
    spool: Spool
    text_files: TextFiles
    instructions: str
    model: Callable[[Route], Model]
    hands: Callable[[str], Hands]
    stage: Callable[[FileView, Sequence[Change]], FileView]
    prepare: Callable[[Route], None] = lambda route: None
    command_protection: str = ""
    caution: Callable[[str], str] = lambda path: ""

    def definition(self, hands: Hands, mode: Mode, route: Route) -> AgentDefinition:
        """What the agent is in this mode and at this service."""
        return AgentDefinition(
            instructions=self.instructions, tools=hands.registries[mode].specs(), route=route
        )
