"""Registries hand out what a mode may use."""

import json
from typing import Any

import pytest

from desktop.harness.adapters.tools.registry import ToolSet, read_only


def test_the_read_only_registry_takes_no_tool_with_effects(bench: Any) -> None:
    """A tool that can change something is refused when the registry is built."""
    tools = [bench.tools.get(name) for name in ("list_files", "read_file", "file_info")]
    names = [spec.name for spec in read_only(*tools).specs()]
    assert names == ["list_files", "read_file", "file_info"]
    assert read_only(*tools).get("edit_file") is None
    with pytest.raises(ValueError, match="edit_file"):
        read_only(*tools, bench.tools.get("edit_file"))
    with pytest.raises(ValueError, match="share a name"):
        ToolSet(tools[0], tools[0])


def test_the_declarations_are_small_and_closed(bench: Any) -> None:
    """Descriptions and schemas of the seven file tools stay within their share and are closed."""
    sent = [
        {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
        for spec in bench.tools.specs()
    ]
    assert len(json.dumps(sent, separators=(",", ":"))) < 2_600
    assert all(tool["parameters"]["additionalProperties"] is False for tool in sent)
