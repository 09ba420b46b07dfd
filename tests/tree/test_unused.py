"""Nothing is kept that only tests use: each function, class and constant of a module is used by the program.

What belongs to a class is looked at in `tests.tree.test_unused_members`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.support.reporting import report
from tests.support.sources import ROOT, facts_of, is_generated, modules_below

OURS = ("arena", "bots", "engine", "ratings")
USERS = (*OURS, "benchmarks", "examples", "tools")
BY_ANOTHER_WAY = {
    "app": "the command line finds the commands of a module by it",
    "commands": "the command line finds the commands of a module by it",
    "router": "the pages are put together by it",
    "VERBS": "`arena.cli.app.make_parser` finds it in the file of a noun",
    "CHECKS": "`engine.registry.checks` finds it in the folder of a game",
    "FEATURED": "`engine.kit.game_folder` finds it in the folder of a game",
    "GAME": "`engine.registry.get` finds it in the folder of a game",
    "PLAYABLE": "`engine.kit.game_folder` finds it in the folder of a game",
    "SHOWN": "`engine.kit.game_folder` finds it in the folder of a game",
    "gather": "the process that answers for the pages finds it by its name",
    "perft_counts": "`engine.golden` finds it in the folder of a game",
    "playthrough_lines": "`engine.golden` finds it in the folder of a game",
    "policy": "`engine.golden` finds it in the folder of a game",
}
"""Names that are looked up in a module, with who does that."""
KEPT = {
    "arena/adapters/dataset.py: load": "for programs that learn",
    "arena/adapters/gymnasium.py: SeatEnv": "for programs that learn",
    "arena/adapters/openspiel.py: GameEvaluator": "for programs that search",
    "arena/adapters/pettingzoo.py: env": "for programs that learn",
    "arena/api.py: Arena": "for notebooks and scripts",
    "arena/i18n/catalogue.py: read_texts": "tests hold the catalogue's files to each other by it",
    "engine/conformance.py: check_game": "for the authors of games",
    "engine/golden.py: read": "for the tests of games, beside `write`",
    "engine/openspiel/catalogue.py: get": "`engine.registry` asks a family for its games by it",
    "engine/openspiel/catalogue.py: names": "`engine.registry` asks a family for its games by it",
    "engine/golden.py: actions_in": "for the tests of games, beside what writes the lines",
    "ratings/store/rating.py: RatingOrderRecord": "the database has this table by it",
    "ratings/store/rating.py: RatingRecord": "the database has this table by it",
}
WHOLE = ("ratings/store/postgresql.py", "ratings/store/sqlite.py", "ratings/store/migrations", "engine/games/*/wire.py")
"""Modules that stand for each other, of which all is used by the name of the one that was chosen."""


@cache
def sources() -> Mapping[str, Path]:
    """Every module that may use something, by its name."""
    return {name: path for name, path in modules_below(ROOT, USERS).items() if not is_generated(path)}


@cache
def uses() -> Mapping[str, frozenset[str]]:
    """The names that others use of each module: imported from it, or looked up in it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sources().values():
        for one in facts_of(path).imports:
            if one.name is not None:
                found[one.module].add(one.name)
        for owner, name in facts_of(path).used:
            found[owner].add(name)
    return {module: frozenset(names) for module, names in found.items()}


def unused_in(module: str) -> list[str]:
    path = sources()[module]
    facts = facts_of(path)
    used = facts.loaded | uses().get(module, frozenset()) | BY_ANOTHER_WAY.keys()
    defined = [one.name for one in facts.definitions if not one.is_registered and not one.name.startswith("__")]
    return [f"{path}: {name}" for name in defined if name not in used]


def looked_at() -> list[str]:
    return [
        module
        for module, path in sources().items()
        if path.parts[0] in OURS and not any(path.match(whole) or path.is_relative_to(whole) for whole in WHOLE)
    ]


def test_what_a_module_defines_is_used_by_the_program() -> None:
    unused = {name for module in looked_at() for name in unused_in(module)}
    report(sorted(unused - KEPT.keys()))
    report(f"{name} is used now, or gone" for name in sorted(KEPT.keys() - unused))


def test_a_name_that_is_looked_up_is_looked_up() -> None:
    reads = frozenset().union(*(facts_of(path).reads for path in sources().values()))
    report(sorted(BY_ANOTHER_WAY.keys() - reads))
