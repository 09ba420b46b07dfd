"""Writes the source that copies positions, from the declared fields. Committed, never made when a game is played.

    python -m engine.kit.cloning engine.games.foreign_king

writes `clones.py` into the package, with a function `clone_...` for each class that declares its fields in the
package's `state.py`. A list is sliced, a dict copied, a field whose form is `ObjectForm` cloned; everything else is
shared, so annotate with `Sequence` what is replaced and never changed. A field `chance` becomes what `clone` is given.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.core import State
from engine.kit.field_codecs import Optional
from engine.kit.fields import Declared, ObjectForm, container, declared
from engine.translatable import Text

_HEADER = '''"""Copies of positions. Made by `python -m engine.kit.cloning {package}` from state.py: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.chance import Chance
    from {package}.state import {kinds}
'''


_STUB = "def __getattr__(name: str) -> None: ...\n"
"""What `state.py` can import until the file is written for the first time."""


def function_name(kind: type[Any]) -> str:
    """Return the name of the function that clones a class: `clone_nim_state` for `NimState`."""
    return "clone" + re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", kind.__name__)


def source(package: str) -> str:
    """Return what `clones.py` of the package must be."""
    state = importlib.import_module(f"{package}.state")
    classes = [kind for _, kind in inspect.getmembers(state, inspect.isclass) if kind.__module__ == state.__name__]
    kinds = [kind for kind in classes if is_dataclass(kind) and all("start" in each.metadata for each in fields(kind))]
    lines = [_HEADER.format(package=package, kinds=", ".join(sorted(kind.__name__ for kind in kinds)))]
    for kind in sorted(kinds, key=lambda kind: kind.__name__):
        lines += ["\n\n", *_function(kind)]
    return "".join(lines)


def _function(kind: type[Any]) -> Iterator[str]:
    all_fields = declared(kind)
    chance = ", chance: Chance | None = None" if issubclass(kind, State) else ""
    yield f"def {function_name(kind)}(self: {kind.__name__}{chance}) -> {kind.__name__}:\n"
    yield '    """Return an independent copy."""\n'
    if chance and not any(each.name == "chance" for each in all_fields):
        yield "    del chance  # nothing is drawn\n"
    yield "    copy = type(self)()\n"
    holds = {each.name: container(each) for each in fields(kind)}
    for each in all_fields:
        yield f"    copy.{each.name} = {_copied(each, holds[each.name])}\n"
    yield "    return copy\n"


def _copied(each: Declared, kind: str) -> str:
    value = f"self.{each.name}"
    if each.name == "chance":
        return "chance"
    if kind == "list":
        return f"{value}[:]"
    if kind == "dict":
        return f"{value}.copy()"
    form = each.stated.form if each.stated is not None else None
    if isinstance(form, ObjectForm):
        return f"{value}.clone()"
    if isinstance(form, Optional) and isinstance(form.form, ObjectForm):
        return f"None if {value} is None else {value}.clone()"
    return value


def path_of(package: str, name: str = "clones.py") -> Path:
    """Return where a file of the package lies; the package itself, which may need the file, is not imported."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(Text("there is no package {package}", package=package))
    return Path(found.origin).with_name(name)


def main(arguments: Sequence[str]) -> int:
    """Write `clones.py` into each package named."""
    for package in arguments:
        path = path_of(package)
        if not path.exists():
            path.write_text(_STUB, encoding="utf-8")
        path.write_text(source(package), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
