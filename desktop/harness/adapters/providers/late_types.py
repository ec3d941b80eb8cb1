"""The SDK's types, each loaded when it is named.

`import openai` loads about 600 modules that only declare types, which is more than half of the time that it
takes, and we send bytes and read bytes: we need none of them. While `late_types` is in force, a package of
types is made without running its list of imports; a name that is asked of it is looked for in the module that
is called like it, else the list is run after all. So everything that the SDK offers is still there, and a
release with another layout costs time, nothing else.

It changes nothing of an SDK that was imported before, and is no part of what the SDK promises; the test
beside it compares names with those of a plain import.
"""

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_PACKAGE = "openai.types"
_BEFORE_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@contextmanager
def late_types() -> Iterator[None]:
    """Packages of types imported inside load their parts late, then and afterwards."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    """Finds packages of types where they are, and gives them a loader that waits."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _PACKAGE and not fullname.startswith(f"{_PACKAGE}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.submodule_search_locations is not None and spec.loader is not None:
            spec.loader = _Waiting(spec.loader)
        return spec


class _Waiting(Loader):
    """Makes a package without running it, until a name cannot be found otherwise."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        def find(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            if not _load_part(module, name):
                vars(module).pop("__getattr__", None)
                self._loader.exec_module(module)
            return vars(module)[name] if name in vars(module) else _missing(module, name)

        vars(module)["__getattr__"] = find


def _load_part(package: ModuleType, name: str) -> bool:
    """Import the module that is called like the name; whether the package has the name then."""
    part = f"{package.__name__}.{_BEFORE_CAPITAL.sub('_', name).lower()}"
    if importlib.util.find_spec(part) is None:
        return False
    found = vars(importlib.import_module(part))
    if name in found:
        setattr(package, name, found[name])
    return name in vars(package)


def _missing(module: ModuleType, name: str) -> Any:
    raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
