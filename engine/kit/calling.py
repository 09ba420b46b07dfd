"""Writes the source that calls the rules of each phase directly. Committed, never made when a game is played.

    python -m engine.kit.calling engine.games.foreign_king

writes `rules/calls.py` into the package, with a class `Calls`: the table that the package's `rules/phases.py` makes,
whose functions are named instead of looked up. It is for the compiled engine, in which such a call costs a small part
of one through a table; the sources play by the table alone.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Any

from engine.kit.cloning import path_of
from engine.kit.phases import PhaseTable

_HEADER = '''"""Calls of the rules, phase by phase, for the compiled engine.

Made by `python -m engine.kit.calling {package}` from rules/phases.py: do not edit.
"""
# ruff: noqa: C901 # as many branches as there are phases

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from {package} import state as at
from {package}.rules import {modules}
from {package}.state import {kind}
from engine.kit.phases import PhasedState, PhaseTable


class Calls(PhaseTable):
    """The phase table of the game, which calls directly what it names."""
'''

_STUB = "from engine.kit.phases import PhaseTable\n\n\nclass Calls(PhaseTable): ...\n"
"""What `rules/phases.py` can import until the file is written for the first time."""


def source(package: str) -> str:
    """Return what `rules/calls.py` of the package must be."""
    table: PhaseTable = importlib.import_module(f"{package}.rules.phases").TABLE.table
    kind = table.kind.__name__
    rules = f"{package}.rules."
    bodies = [
        *_method("legal_in(self, position: PhasedState) -> Sequence[int]", kind),
        *_asked(table.names, table.legal, rules, "state"),
        "        return super().legal_in(position)\n",
        *_method("is_legal_in(self, position: PhasedState, action: int) -> bool", kind),
        *_asked(table.names, table.legality, rules, "state, action"),
        "        return super().is_legal_in(position, action)\n",
        *_method("apply_in(self, position: PhasedState, action: int) -> None", kind),
        *_applied(table.names, table.applications),
        "        return super().apply_in(position, action)\n",
    ]
    applied = (function for by_action in table.applications for function in by_action if function is not None)
    functions: set[Callable[..., Any]] = {*table.legal, *table.legality, *applied}
    modules = sorted({_module(function) for function in functions if _is_rule(function, rules)})
    return "".join([_HEADER.format(package=package, modules=", ".join(modules), kind=kind), *bodies])


def _method(signature: str, kind: str) -> Iterator[str]:
    yield f"\n    def {signature}:\n"
    yield f"        state = cast({kind}, position)\n"
    yield "        phase = state.phase\n"


def _asked(names: Sequence[str], functions: Sequence[Callable[..., Any]], rules: str, given: str) -> Iterator[str]:
    for name, function in zip(names, functions, strict=True):
        if _is_rule(function, rules):
            yield f"        if phase == at.{name}:\n"
            yield f"            return {_called(function)}({given})\n"


def _applied(names: Sequence[str], applications: Sequence[Sequence[Any]]) -> Iterator[str]:
    for name, by_action in zip(names, applications, strict=True):
        ends = accumulate(len(list(run)) for _, run in groupby(by_action))
        runs = [(end, by_action[end - 1]) for end in ends if by_action[end - 1] is not None]
        for place, (end, function) in enumerate(runs):
            if place == 0:
                yield f"        if phase == at.{name}:\n"
            if place == len(runs) - 1:
                yield f"            return {_called(function)}(state, action)\n"
            else:
                yield f"            if action < {end}:\n"
                yield f"                return {_called(function)}(state, action)\n"


def _is_rule(function: Callable[..., Any], rules: str) -> bool:
    return function.__module__.startswith(rules)


def _module(function: Callable[..., Any]) -> str:
    return function.__module__.rpartition(".")[2]


def _called(function: Callable[..., Any]) -> str:
    return f"{_module(function)}.{function.__name__}"


def main(arguments: Sequence[str]) -> int:
    """Write `rules/calls.py` into each package named."""
    for package in arguments:
        path = path_of(f"{package}.rules", "calls.py")
        if not path.exists():
            path.write_text(_STUB, encoding="utf-8")
        path.write_text(source(package), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
