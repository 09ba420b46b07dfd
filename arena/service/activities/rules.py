"""Closes ladders that are played by rules which are installed no more, and opens their successors."""

from __future__ import annotations

from arena.service.logs import Logger
from arena.tournament.errors import TournamentError
from arena.tournament.formats import seeds
from arena.tournament.planner import planner_of
from engine import registry
from engine.core import EngineError
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.store.database import Database


def follow_rules(database: Database, log: Logger) -> int:
    """Bring every ladder to the rules that are installed, and return how many begin anew.

    A ladder of a game that is not installed any more stays as it is.
    """
    ledger, begun = LadderLedger(database), 0
    for name in registry.names():
        version = registry.get(name).rules_version
        try:
            opened = ledger.close_old_rules(
                name, version, new_secret=lambda: seeds.new_secret().hex(), planner=planner_of
            )
        except (EngineError, TournamentError) as error:
            # The options of a pool may mean nothing to the new rules; such a ladder waits for the organiser.
            log.error("ladder cannot follow the rules", game=name, rules_version=version, why=str(error))
            continue
        for one in opened:
            log.warning("ladder begins anew", ladder=one.ladder.name, game=name, rules_version=version)
        begun += len(opened)
    return begun
