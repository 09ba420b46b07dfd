"""Which faults there are in a file: those of Cosmic Ray that a person might make, and calls that were forgotten."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import parso
from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

_LIKELY = (
    "AddNot",
    "BreakWithContinue",
    "ContinueWithBreak",
    "FalseWithTrue",
    "NumberReplacer",
    "AndWithOr",
    "OrWithAnd",
    "TrueWithFalse",
    "Operator_Add_Sub",
    "Operator_Sub_Add",
    "Operator_Mul_Div",
    "Operator_Div_Mul",
    "Operator_FloorDiv_Mul",
    "Operator_Mod_FloorDiv",
    "Operator_Eq_NotEq",
    "Operator_NotEq_Eq",
    "Operator_Lt_LtE",
    "Operator_LtE_Lt",
    "Operator_Gt_GtE",
    "Operator_GtE_Gt",
    "Operator_Lt_GtE",
    "Operator_Gt_LtE",
    "Operator_Is_IsNot",
    "Operator_IsNot_Is",
    "Operator_Delete_Not",
)
"""How the names of Cosmic Ray's operators end that are used; the others make what nobody writes."""


class DropCall(Operator):  # type: ignore[misc]  # Cosmic Ray has no types
    """Forgets a call that stands by itself."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        """Yield where such a call stands."""
        call = node.children[0] if node.type == "simple_stmt" else None
        last = call.children[-1] if call is not None and call.type == "atom_expr" else None
        if last is not None and last.type == "trailer" and last.children[0] == "(":
            yield (node.start_pos, node.end_pos)

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002 - there is one at a node
        """Return what stands in its place."""
        kept = node.get_first_leaf().prefix
        nothing = parso.parse("pass\n").children[0]
        nothing.get_first_leaf().prefix = kept
        return nothing

    @classmethod
    def examples(cls) -> tuple[()]:
        """Return no examples: it is tested by its use."""
        return ()


@dataclass(frozen=True, slots=True)
class Fault:
    """One small fault in a file."""

    path: str
    line: int
    text: str
    """The line as it is."""
    name: str
    code: str
    """The file with the fault."""

    @property
    def key(self) -> str:
        """What it is called in the list of survivors: it stays, wherever the line moves."""
        return _key(self.path, self.name, self.text)


def draw(root: Path, paths: Sequence[str], count: int, seed: str) -> list[Fault]:
    """Return so many faults in these files and directories, at most one of a kind in a line.

    Each has a place in the order of the seed that does not depend on the others, so that a change of some lines changes
    little of what is drawn.
    """
    files = sorted({file for path in paths for file in _files(root / path)})
    unique = {(file, name, line): number for file in files for name, number, line in _places(file)}
    texts = {file: file.read_text(encoding="utf-8").splitlines() for file in files}

    def order(place: tuple[Path, str, int]) -> tuple[bytes, int]:
        file, name, line = place
        key = _key(str(file.relative_to(root)), name, texts[file][line - 1].strip())
        return hashlib.sha256(f"{seed} {key}".encode()).digest(), line

    places = sorted(unique, key=order)
    found: list[Fault] = []
    for file, name, line in places:
        if len(found) == count:
            break
        fault = _fault(root, file, name, unique[file, name, line], line)
        with suppress(SyntaxError):  # what an interpreter refuses needs no test
            compile(fault.code, fault.path, "exec")
            found.append(fault)
    return found


def _files(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else (path for path in place.rglob("*.py") if "migrations" not in path.parts)


def _operators() -> Iterator[tuple[str, Operator]]:
    yield "DropCall", DropCall()
    for name in operator_names():
        if name.endswith(_LIKELY):
            yield name.rpartition("/")[2], get_operator(name)()


def _places(file: Path) -> Iterator[tuple[str, int, int]]:
    """Yield operator, the number of its occurrence, and the line of each fault in a file."""
    tree = get_ast(file.read_text(encoding="utf-8"))
    for name, operator in _operators():
        for number, (start, _end) in enumerate(_positions(tree, operator)):
            if not _is_declaration(tree, start):
                yield name, number, start[0]


def _positions(node: Any, operator: Operator) -> Iterator[Any]:
    yield from operator.mutation_positions(node)
    for child in getattr(node, "children", ()):
        yield from _positions(child, operator)


_NO_PRODUCTS = ("parameters", "param", "argument", "lambdef")  # where a star is none


def _is_declaration(tree: Any, start: tuple[int, int]) -> bool:
    """Return whether a fault is in a decorator or in the star of some parameters, where it changes nothing."""
    node = tree.get_leaf_for_position(start)
    if node is not None and node.value == "*" and node.parent.type in _NO_PRODUCTS:
        return True
    while node is not None:
        if node.type == "decorator":
            return True
        node = node.parent
    return False


def _fault(root: Path, file: Path, name: str, number: int, line: int) -> Fault:
    text = file.read_text(encoding="utf-8")
    operator = dict(_operators())[name]
    code = mutate_code(text, operator, number)
    assert code is not None
    return Fault(str(file.relative_to(root)), line, text.splitlines()[line - 1].strip(), name, code)


def _key(path: str, name: str, text: str) -> str:
    return f"{path}: {name}: {text}"
