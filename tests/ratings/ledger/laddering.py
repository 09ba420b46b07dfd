"""What tests of ladders open, hand in and look at."""

from __future__ import annotations

from typing import Any

from ratings.ledger.ladders import LadderPlan
from ratings.ledger.ledger import Ledger
from ratings.ledger.tournaments import Planner
from ratings.read.ladders import open_ladders
from ratings.read.tournaments import tournament_waves
from ratings.store.database import Database
from ratings.store.models import PoolRecord, TournamentRecord
from tests.ratings import book
from tests.support.specs import EndlessWaves


def endless(_: TournamentRecord, pool: PoolRecord) -> Planner:
    return EndlessWaves(pool.seats)


def ladder_plan(name: str = "king", **changes: Any) -> LadderPlan:
    return LadderPlan(name, book.plan([], 2, format="ladder", settings={"waves": 0}, **changes), {"matches_per_day": 9})


def submit(database: Database, bot: str, content: str = "aa", owner: str | None = None, **manifest: Any) -> str:
    return Ledger(database).add_version(bot=bot, owner=owner, content_hash=content, manifest=manifest)[0].id


def present(database: Database, name: str = "king") -> list[str]:
    """The versions that are planned in the next wave."""
    (running,) = [one for one in open_ladders(database) if one.ladder.name == name]
    entrants = tournament_waves(database, running.tournament.id).entrants
    return [entrant.version_id for entrant in entrants if entrant.withdrawn_wave is None]
