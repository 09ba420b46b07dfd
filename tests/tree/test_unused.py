"""Nothing is kept that only tests use: each function, class and constant of a module is used by the program.

What belongs to a class is looked at in `tests.tree.test_unused_members`.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.support.sources import GENERATED, sources_below, text_of, tree_of

OURS = ("arena", "bots", "engine", "ratings")
USERS = (*OURS, "benchmarks", "examples", "tools")
BY_ANOTHER_WAY = {
    "app": "the command line finds the commands of a module by it",
    "commands": "the command line finds the commands of a module by it",
    "router": "the pages are put together by it",
    "VERBS": "`arena.cli.commands.app_of` finds it in the file of a noun",
    "CHECKS": "`engine.registry.checks` finds it in the folder of a game",
    "FEATURED": "`engine.folder` finds it in the folder of a game",
    "GAME": "`engine.registry.get` finds it in the folder of a game",
    "PLAYABLE": "`engine.folder` finds it in the folder of a game",
    "SHOWN": "`engine.folder` finds it in the folder of a game",
    "gather": "the process that answers for the pages finds it by its name",
    "perft_counts": "`engine.golden` finds it in the folder of a game",
    "playthrough_lines": "`engine.golden` finds it in the folder of a game",
    "policy": "`engine.golden` finds it in the folder of a game",
}
"""Names that are looked up in a module, with who does that."""
KEPT = {
    "arena/adapters/gymnasium.py: SeatEnv": "for programs that learn",
    "arena/adapters/openspiel.py: GameEvaluator": "for programs that search",
    "arena/adapters/pettingzoo.py: env": "for programs that learn",
    "arena/api.py: Arena": "for notebooks and scripts",
    "arena/words/catalogue.py: read_texts": "tests hold the catalogue's files to each other by it",
    "engine/conformance.py: check_game": "for the authors of games",
    "engine/golden.py: read": "for the tests of games, beside `write`",
    "engine/openspiel/family.py: get": "`engine.registry` asks a family for its games by it",
    "engine/openspiel/family.py: names": "`engine.registry` asks a family for its games by it",
    "engine/playthrough.py: actions_in": "for the tests of games, beside what writes the lines",
    "ratings/store/rating.py: Rating": "the database has this table by it",
}
WHOLE = ("ratings/store/postgresql.py", "ratings/store/sqlite.py", "ratings/store/migrations", "engine/games/*/wire.py")
"""Modules that stand for each other, of which all is used by the name of the one that was chosen."""


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def sources() -> Mapping[str, Path]:
    """Every module that may use something, by its name."""
    return {module_of(path): path for path in sources_below(*USERS) if not path.as_posix().startswith(GENERATED)}


@cache
def uses() -> Mapping[str, frozenset[str]]:
    """The names that others use of each module: imported from it, or looked up in it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sources().values():
        known: dict[str, str] = {}
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    found[node.module].add(alias.name)
                    known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Import):
                known.update({alias.asname or alias.name: alias.name for alias in node.names})
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute):
                owner = ast.unparse(node.value) if isinstance(node.value, ast.Name | ast.Attribute) else ""
                found[known.get(owner, owner)].add(node.attr)
    return {module: frozenset(names) for module, names in found.items()}


def definitions(tree: ast.Module) -> Iterator[str]:
    """Functions, classes and constants of a module, those apart that a decorator gives to somebody."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            calls = [one.func for one in node.decorator_list if isinstance(one, ast.Call)]
            if not any(isinstance(call, ast.Attribute) for call in calls):
                yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def unused_in(module: str) -> list[str]:
    path = sources()[module]
    tree = tree_of(path)
    loaded = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    used = loaded | uses().get(module, frozenset()) | BY_ANOTHER_WAY.keys()
    return [f"{path}: {name}" for name in definitions(tree) if name not in used and not name.startswith("__")]


def looked_at() -> list[str]:
    return [
        module
        for module, path in sources().items()
        if path.parts[0] in OURS and not any(path.match(whole) or path.is_relative_to(whole) for whole in WHOLE)
    ]


def test_what_a_module_defines_is_used_by_the_program() -> None:
    unused = {name for module in looked_at() for name in unused_in(module)}
    assert unused - KEPT.keys() == set()
    assert KEPT.keys() - unused == set(), "it is used now, or gone"


@pytest.mark.parametrize("name", BY_ANOTHER_WAY)
def test_a_name_that_is_looked_up_is_looked_up(name: str) -> None:
    texts = [text_of(path) for path in sources().values()]
    assert any(f'"{name}"' in text or f".{name}" in text or f":{name}" in text for text in texts)
