"""Nothing of a class is kept that only tests use: the program reads each method, field and attribute of its classes.

They are told apart by their names alone, so one that is called like another one that is used counts as used: there is
no false alarm, and what is found is unused. An override is not looked at, for what it overrides is.
"""

from __future__ import annotations

import ast
import enum
import importlib
import re
from collections.abc import Iterator
from functools import cache

from tests.support.sources import ROOT, text_of, tree_of
from tests.tree.test_unused import looked_at, sources

WIRE = "arena.client.values"
"""What is below it crosses to services and clients of other versions, field by field."""
PAGES = "arena/web/templates"
ALL_OF_A_CLASS = {"__slots__", "__all__"}
"""Lists of names that use none of them."""
KEPT = {
    "arena/adapters/features.py: Features.meanings": "for learners, which are no part of the program",
    "arena/adapters/features.py: Features.scaled": "for learners, which are no part of the program",
    "arena/cli/shared/terminal.py: Guarded.writelines": "without it texts would reach the stream behind as they are",
    "arena/client/here/ratings.py: RatingsHere.list_suspicions": "older clients call it",
    "arena/client/ratings.py: Ratings.list_suspicions": "older clients call it",
    "arena/hosting/content.py: Look.device": "two looks are compared as wholes",
    "arena/hosting/content.py: Look.inode": "two looks are compared as wholes",
    "arena/scripting/fingerprint.py: _Printer.reducer_override": "pickle calls it",
    "arena/scripting/pickling.py: _ByName.reducer_override": "pickle calls it",
}
BASES_ELSEWHERE = tuple(
    f"arena.adapters.{name}"
    for name in ("gymnasium", "openspiel", "pettingzoo", "spiel_game", "spiel_observer", "spiel_state")
)
"""Modules whose classes are for packages that are not installed here: what they override cannot be seen."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def members_of(kind: ast.ClassDef) -> Iterator[str]:
    """Methods, fields, and attributes that methods give to `self`; not those whose names Python itself gives."""
    for node in kind.body:
        if isinstance(node, _Function):
            yield node.name
            yield from (name for one in ast.walk(node) if (name := given_to_self(one)))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def given_to_self(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return None
    return node.attr if ast.unparse(node.value) == "self" else None


def reads_of(tree: ast.AST) -> Iterator[str]:
    """The names by which members are read: as attributes, within the body of a class, in patterns, and in texts."""
    naming: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.MatchClass):
            yield from node.kwd_attrs
        elif isinstance(node, ast.ClassDef):
            yield from (one.id for one in around_methods(node) if isinstance(one, ast.Name))
        elif isinstance(node, ast.Assign) and any(ast.unparse(target) in ALL_OF_A_CLASS for target in node.targets):
            naming |= {id(one) for one in ast.walk(node)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in naming:
            yield from node.value.split(".")


def around_methods(kind: ast.ClassDef) -> Iterator[ast.AST]:
    """What is run when a class is made: its assignments, and what decorates its methods."""
    for node in kind.body:
        for part in node.decorator_list if isinstance(node, _Function | ast.ClassDef) else [node]:
            yield from (one for one in ast.walk(part) if isinstance(getattr(one, "ctx", None), ast.Load))


def beginnings_in(tree: ast.AST) -> Iterator[str]:
    """The texts with which names begin that are put together for `getattr`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            begins = getattr(node.args[1], "left", None)
            if isinstance(begins, ast.Constant):
                yield str(begins.value)


@cache
def read_names() -> frozenset[str]:
    pages = (ROOT / PAGES).rglob("*.html")
    in_pages = {name for page in pages for name in re.findall(r"\.(\w+)", page.read_text(encoding="utf-8"))}
    return frozenset(in_pages.union(*(reads_of(tree_of(path)) for path in sources().values())))


@cache
def beginnings() -> tuple[str, ...]:
    trees = [tree_of(path) for path in sources().values() if "getattr(" in text_of(path)]
    return tuple(dict.fromkeys(text for tree in trees for text in beginnings_in(tree)))


def is_unused(name: str) -> bool:
    return name not in read_names() and not name.startswith(("__", *beginnings()))


def is_for_others(module: str, kind: str, name: str) -> bool:
    """Whether a base has it, or it is one of an enumeration's values, or a field that crosses the wire."""
    if module in BASES_ELSEWHERE:
        return True
    found = getattr(importlib.import_module(module), kind)
    overrides = any(name in vars(base) for base in found.__mro__[1:])
    return overrides or issubclass(found, enum.Enum) or module.startswith(WIRE)


def unused_in(module: str) -> Iterator[str]:
    path = sources()[module]
    for kind in tree_of(path).body:
        if isinstance(kind, ast.ClassDef):
            for name in dict.fromkeys(members_of(kind)):
                if is_unused(name) and not is_for_others(module, kind.name, name):
                    yield f"{path}: {kind.name}.{name}"


def test_what_a_class_has_is_used_by_the_program() -> None:
    unused = {name for module in looked_at() for name in unused_in(module)}
    assert unused - KEPT.keys() == set()
    assert KEPT.keys() - unused == set(), "it is used now, or gone"


def test_members_are_found_and_what_reads_them() -> None:
    text = """
class Light:
    __slots__ = ("_hue",)
    size: int = 1

    def glow(self):
        self._hue, self._on = 3, True

    hue = property(lambda self: self._hue)


match lamp:
    case Light(size=1):
        getattr(lamp, "_do_" + what)(lamp.glow, "a.b")
"""
    tree = ast.parse(text)
    (kind,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    assert list(members_of(kind)) == ["__slots__", "size", "glow", "_hue", "_on", "hue"]
    assert {"size", "glow", "_hue", "a", "b", "property"} <= set(reads_of(tree))
    assert not {"_on", "hue"} & set(reads_of(tree))
    assert list(beginnings_in(tree)) == ["_do_"]
