"""Arguments of a call: read, coerced once, checked against the tool's schema.

Only the flat objects that Paddock's own tools declare: strings, integers and
booleans, required or not, nothing beside them. Models send numbers as strings
and whole objects encoded twice; where the schema leaves one meaning only, that
is taken, so that the card and the hash show what will really be done.
"""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.toolspec import ToolSpec

MAX_ARGUMENT_BYTES = 4_000_000


def _bad(text: str) -> ToolError:
    return ToolError(Refusal.BAD_ARGUMENTS, text)


def read_object(raw: str) -> dict[str, Any]:
    """The object that a model meant: "" and null are {}, a twice encoded one is opened once.

    Raises ValueError saying where the text stops being JSON or what it is instead.
    """
    if raw.strip() in ("", "null"):
        return {}
    try:
        value = _TOLERANT.decode(raw)
        if isinstance(value, str):
            value = _TOLERANT.decode(value)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"the arguments are no complete JSON: {error.msg} at character {error.pos}"
        ) from error
    except RecursionError as error:
        raise ValueError("the arguments are nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError(f"the arguments are {_name(value)}, not an object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"the arguments are no complete JSON: {name} is no value")


_STRICT = json.JSONDecoder(parse_constant=_no_constant)
"""JSON as every server reads it: without NaN and Infinity, which Python would take."""
_TOLERANT = json.JSONDecoder(strict=False, parse_constant=_no_constant)
"""The same, and bare control characters in strings are let pass."""


def valid_text(raw: str) -> str:
    """The arguments as JSON text of an object: the raw text if it is one, else the nearest object."""
    try:
        if isinstance(_STRICT.decode(raw), dict):
            return raw
    except (ValueError, RecursionError):
        pass  # empty, or with bare control characters: written anew below
    try:
        return json.dumps(read_object(raw), ensure_ascii=False)
    except ValueError:
        return "{}"


def arguments_of(spec: ToolSpec, raw: str) -> Mapping[str, Any]:
    """The checked arguments of a call to this tool.

    Raises ToolError(BAD_ARGUMENTS) with a sentence that names the tool and the field.
    """
    if len(raw) > MAX_ARGUMENT_BYTES:
        raise _bad(f"{spec.name}: the arguments are too long; write in parts.")
    try:
        given = read_object(raw)
    except ValueError as error:
        raise _bad(f"{spec.name}: {error}.") from error
    properties: Mapping[str, Mapping[str, Any]] = spec.parameters.get("properties", {})
    if unknown := sorted(set(given) - set(properties)):
        raise _bad(f"{spec.name}: there is no field {unknown[0]!r}; the fields are {', '.join(properties)}.")
    taken = {
        name: _coerced(spec.name, name, value, properties[name])
        for name, value in given.items()
        if value is not None or name in spec.parameters.get("required", ())
    }
    for name in spec.parameters.get("required", ()):
        if name not in taken:
            raise _bad(f"{spec.name}: missing: {name}.")
    return taken


def _coerced(tool: str, name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    wanted = schema.get("type")
    if wanted == "integer":
        value = _integer(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return _within(tool, name, value, schema)
    elif wanted == "boolean":
        value = {"true": True, "false": False}.get(value.lower(), value) if isinstance(value, str) else value
        if isinstance(value, bool):
            return value
    elif isinstance(value, str):
        return value
    raise _bad(f"{tool}: {name} must be {_article(str(wanted))}, not {_name(value)}.")


def _integer(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 19:
        return int(value)
    return value


def _within(tool: str, name: str, value: int, schema: Mapping[str, Any]) -> int:
    least = schema.get("minimum")
    if least is not None and value < least:
        raise _bad(f"{tool}: {name} must be at least {least}.")
    return value


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _name(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "null")
