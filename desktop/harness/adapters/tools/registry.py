"""The tools of one mode, and the two builders of registries.

A mode is what it was handed: the read-only registry holds no tool that can change
anything, which its builder enforces.
"""

from desktop.harness.core.toolspec import SideEffect, ToolSpec
from desktop.harness.ports import Tool


class ToolSet:
    """Tools by name, in a fixed order (see `ports.Registry`)."""

    def __init__(self, *tools: Tool) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools share a name")

    def specs(self) -> tuple[ToolSpec, ...]:
        """The declarations in a fixed order."""
        return tuple(tool.spec for tool in self._tools.values())

    def get(self, name: str) -> Tool | None:
        """The tool of that name, if this mode has it."""
        return self._tools.get(name)


def read_only(*tools: Tool) -> ToolSet:
    """The registry of *Look only*. Raises ValueError for a tool with side effects."""
    for tool in tools:
        if tool.spec.side_effect is not SideEffect.NONE:
            raise ValueError(f"{tool.spec.name} can change something")
    return ToolSet(*tools)


def write(*tools: Tool) -> ToolSet:
    """The registry of *Can change files*: any tools."""
    return ToolSet(*tools)
