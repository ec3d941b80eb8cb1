"""Types of the SDK that load when they are named: fewer modules, and still all there."""

import json
import subprocess
import sys
from typing import Any

_LATE = """
import json, sys
from desktop.harness.adapters.providers.late_types import late_types
with late_types():
    import openai
before = len([name for name in sys.modules if name.startswith("openai.types")])
"""


def _told(program: str) -> Any:
    """What a program in a fresh process prints as JSON."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_most_types_stay_unloaded() -> None:
    """Importing the SDK loads a small part of its types."""
    plain = _told(
        "import json, sys, openai\nprint(len([n for n in sys.modules if n.startswith('openai.types')]))"
    )
    assert _told(f"{_LATE}print(before)") < plain / 3


def test_every_name_is_still_there() -> None:
    """Each public name of each package is the one that a plain import gives."""
    names = """
import importlib
packages = ["openai.types", "openai.types.chat", "openai.types.responses", "openai.types.shared"]
def home(found): return [getattr(found, "__module__", None), getattr(found, "__qualname__", repr(found))]
"""
    listing = """
print(json.dumps({p: {n: home(v) for n, v in vars(importlib.import_module(p)).items() if n[:1].isupper()}
                  for p in packages}))
"""
    plain = _told(f"import json, openai{names}{listing}")
    asked = f"wanted = json.loads({json.dumps(json.dumps({p: sorted(n) for p, n in plain.items()}))})\n"
    giving = """
print(json.dumps({p: {n: home(getattr(importlib.import_module(p), n)) for n in wanted[p]} for p in packages}))
"""
    assert _told(f"{_LATE}{names}{asked}{giving}") == plain


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    """After the whole package was loaded for it, an unknown name fails as in any module."""
    program = f"""{_LATE}
try:
    openai.types.chat.Nonsense
except AttributeError as error:
    print(json.dumps(str(error)))
"""
    assert _told(program) == "module 'openai.types.chat' has no attribute 'Nonsense'"


def test_an_sdk_that_is_there_already_is_left_alone() -> None:
    """Packages imported before are not touched, and no finder stays behind."""
    program = """
import json, sys, openai
from desktop.harness.adapters.providers.late_types import late_types
finders = list(sys.meta_path)
with late_types():
    import openai.types
print(json.dumps([sys.meta_path == finders, hasattr(openai.types, "__getattr__")]))
"""
    assert _told(program) == [True, False]
