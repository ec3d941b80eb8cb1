"""Events to JSON text and back.

Fields that hold their default are left out. Old shapes are brought up by
`UPCASTERS` before they are read; kinds that this version does not know survive
as `Unknown`, and data that cannot be read at all comes back as `Damaged`.
Nothing here raises on what it reads.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_type_hints

from desktop.harness.core import events
from desktop.harness.core.events import AskedCall, Damaged, Event, Record, Unknown

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""From (kind, shape) to the next shape. A record without `"v"` has shape 1."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """How one class of event is written and read. `names` is an ordered set."""

    cls: type[Any]
    names: dict[str, None]
    defaults: Mapping[str, Any]
    readers: Mapping[str, Callable[[Any], Any]]


def _asked_call(value: Mapping[str, Any]) -> AskedCall:
    names = AskedCall.__dataclass_fields__
    return AskedCall(**{name: item for name, item in value.items() if name in names})


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    text = str(hint)
    if "AskedCall" in text:
        return lambda value: tuple(_asked_call(item) for item in value)
    if text.startswith("tuple["):
        return tuple
    return None


def _shape(cls: type[Any]) -> _Shape:
    hints = get_type_hints(cls)
    defaults = {item.name: item.default for item in fields(cls) if item.default is not MISSING}
    readers = {item.name: reader for item in fields(cls) if (reader := _reader(hints[item.name]))}
    return _Shape(cls, dict.fromkeys(item.name for item in fields(cls)), defaults, readers)


_KINDS: dict[str, _Shape] = {
    vars(cls)["kind"]: _shape(cls)
    for cls in vars(events).values()
    if isinstance(cls, type) and "kind" in vars(cls) and cls not in (Unknown, Damaged)
}


def known_kinds() -> frozenset[str]:
    """Every kind that this version can read."""
    return frozenset(_KINDS)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, AskedCall):
        return {name: getattr(value, name) for name in AskedCall.__dataclass_fields__}
    return value


def as_data(event: Event) -> dict[str, Any]:
    """The fields of an event as plain JSON values, defaults left out."""
    if isinstance(event, Unknown):
        return dict(event.data)
    if isinstance(event, Damaged):
        return {"kind": event.real_kind, "problem": event.problem}
    shape = _KINDS[event.kind]
    data: dict[str, Any] = {}
    for name in shape.names:
        value = getattr(event, name)
        if name in shape.defaults and value == shape.defaults[name]:
            continue
        data[name] = _plain(value)
    return data


def kind_of(event: Event) -> str:
    """The kind as it stands in the log."""
    return event.real_kind if isinstance(event, Unknown) else event.kind


def storable(text: str) -> str:
    """The text without lone surrogates, which neither SQLite nor UTF-8 can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def encode(event: Event) -> str:
    """An event's fields as compact JSON text that SQLite and UTF-8 can hold."""
    return storable(_JSON(as_data(event)))


def decode(kind: str, text: str, upcasters: Mapping[tuple[str, int], Upcaster] | None = None) -> Event:
    """The event behind a kind and its JSON text. Never raises."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            return Damaged(real_kind=kind, problem="its data is no object")
        shape = _KINDS.get(kind)
        if shape is None:
            return Unknown(real_kind=kind, data=data)
        data = _upcast(kind, data, UPCASTERS if upcasters is None else upcasters)
        for name, reader in shape.readers.items():
            if name in data:
                data[name] = reader(data[name])
        if not data.keys() <= shape.names.keys():
            data = {name: value for name, value in data.items() if name in shape.names}
        event: Event = shape.cls(**data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return Damaged(real_kind=kind, problem=f"its data cannot be read ({type(error).__name__})")
    return event


def _upcast(kind: str, data: dict[str, Any], upcasters: Mapping[tuple[str, int], Upcaster]) -> dict[str, Any]:
    shape = data.pop("v", 1)
    while (kind, shape) in upcasters:
        data = upcasters[kind, shape](data)
        shape += 1
    return data


def record_as_json(record: Record) -> dict[str, Any]:
    """A record in the form that the command line prints."""
    return {
        "session": record.session,
        "seq": record.seq,
        "kind": kind_of(record.event),
        "at_ms": record.at_ms,
        "run": record.run,
        "data": as_data(record.event),
    }
