"""What is loaded by an import, and what must not be: a process pays for each module in time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

from tests.support.reporting import report
from tests.support.sources import ROOT


@dataclass(frozen=True, slots=True)
class Claim:
    """Each of these modules is imported without any of those."""

    modules: tuple[str, ...]
    without: tuple[str, ...]


LAUNCHER = Claim(("arena.hosting.launcher.__main__",), ("grpc", "asyncio"))
# A bot may have a module of its own that is called `engine`.
KIT = Claim(("bots.kit", "arena.wire.completion_queue_check"), ("engine",))
MESSAGES = Claim(("arena.v1.play_pb2",), ("arena.match",))
# Whoever lists what was played names the game, its options and its facts, and makes no position.
NAMED_GAMES = tuple(
    Claim(
        (f"engine.games.{game}",),
        tuple(f"engine.games.{game}.{part}" for part in ("evaluation", "features", "rules", "state", "view", "wire")),
    )
    for game in ("foreign_king", "rex_romanorum")
)
# It takes a third of a second of processor time, and a service has a database of its own.
NOUNS = Claim(
    tuple(
        f"arena.cli.nouns.{noun}"
        for noun in ("bot", "leaderboard", "owner", "ladder", "replay", "stats", "notice", "login")
    ),
    ("sqlalchemy",),
)
# A tenth of a second and 25 MB that neither `arena --help` nor a worker shall pay.
NO_STATISTICS = Claim(("arena.cli.app", "arena.worker", "arena.tournament.runner", "ratings.ledger.ledger"), ("numpy",))
# Forking a process with live gRPC threads can hang, and every worker would pay its memory twice.
COORDINATOR = Claim(("arena.cli.app", "arena.api", "arena.executor.local", "arena.tournament.runner"), ("grpc",))
# gRPC reads what is set for it when it is imported: no support of forks, which can hang, and nothing on stderr.
SETS_GRPC_UP = Claim(
    tuple(f"arena.cli.{module}" for module in ("nouns.serve", "nouns.login", "verbs.bot.connect", "shared.connect")),
    ("grpc",),
)
CLAIMS = (LAUNCHER, KIT, MESSAGES, *NAMED_GAMES, NOUNS, NO_STATISTICS, COORDINATOR, SETS_GRPC_UP)
"""In an order in which one process can import everything: what a claim excludes is imported by later ones alone."""
IMPORTING = """
import importlib, json, sys
for modules, without in json.loads(sys.argv[1]):
    for module in modules:
        importlib.import_module(module)
    print(json.dumps([name for name in without if name in sys.modules]))
"""


def found_after_importing(*claims: Claim) -> list[list[str]]:
    """For each claim, which excluded modules a new process has loaded after importing those of all claims so far."""
    asked = json.dumps([(claim.modules, claim.without) for claim in claims])
    program = [sys.executable, "-c", IMPORTING, asked]
    finished = subprocess.run(program, capture_output=True, text=True, check=True, cwd=ROOT)
    return [json.loads(line) for line in finished.stdout.splitlines()]


@cache
def found_by_all() -> dict[Claim, list[str]]:
    """What is found for each claim where one process checks all of them: no less than a process for each would find."""
    return dict(zip(CLAIMS, found_after_importing(*CLAIMS), strict=True))


def against(claim: Claim) -> list[str]:
    """The modules that break a claim, and what they import; each is imported alone only if something was found."""
    if not found_by_all()[claim]:
        return []
    alone = {module: found_after_importing(Claim((module,), claim.without))[0] for module in claim.modules}
    return [f"{module} imports {', '.join(found)}" for module, found in alone.items() if found]


def test_what_breaks_a_claim_is_named() -> None:
    assert found_after_importing(Claim(("json", "ast"), ("json.decoder", "grpc"))) == [["json.decoder"]]


def test_the_arena_package_itself_is_a_docstring_so_that_a_bot_imports_it_cheaply() -> None:
    report(against(MESSAGES))


def test_the_kit_connects_without_the_engine() -> None:
    report(against(KIT))


def test_the_coordinator_never_imports_grpc() -> None:
    report(against(COORDINATOR))


def test_what_sets_grpc_up_does_so_before_it_is_imported() -> None:
    report(against(SETS_GRPC_UP))


def test_numpy_is_loaded_only_by_those_who_ask_for_statistics() -> None:
    report(against(NO_STATISTICS))


def test_a_game_is_named_without_its_positions_and_its_rules() -> None:
    report(line for claim in NAMED_GAMES for line in against(claim))


def test_the_database_is_imported_only_by_those_who_ask_one_here() -> None:
    report(against(NOUNS))


def test_the_launcher_imports_neither_grpc_nor_an_event_loop() -> None:
    report(against(LAUNCHER))
