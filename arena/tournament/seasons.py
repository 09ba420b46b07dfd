"""Ends the season of a ladder, and opens the next one.

A season ends in this order: no new versions, then a final of equal numbers of matches, then a table that is kept.
"""

from __future__ import annotations

from dataclasses import replace

from arena.tournament.formats import catalog
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.final import Final
from arena.tournament.planner import planner_of
from ratings.ledger.ladders import SeasonPlan, plan_like
from ratings.ledger.season_ledger import LadderLedger
from ratings.read.ladders import count_apart, find_ladder, owners_present, running_ladder
from ratings.read.tournaments import present_entrants
from ratings.store.database import Database
from ratings.store.ladder_queries import RunningLadder
from ratings.store.models import TournamentRecord
from ratings.store.season import SeasonRecord
from ratings.store.waves import OWNERS_APART

FINAL_BLOCKS = "final_blocks"
"""The setting of a ladder that tells how long the final of its season is; 0 for none."""
DEFAULT_FINAL_BLOCKS = 12
_KEPT_SETTINGS = ("opening_plies", "start_limit_us", "margin_us", OWNERS_APART)


def announce_freeze(database: Database, ladder: str, at_us: int, final_blocks: int) -> SeasonRecord:
    """Write when the season is frozen, and how long its final will be; whoever serves the ladder does both then.

    Raises NotFoundError, LadderError, ScheduleError for a final that cannot be.
    """
    running = running_ladder(database, ladder)
    _check_final(running, database, final_blocks)
    ledger = LadderLedger(database)
    season = ledger.announce_freeze(ladder, at_us)
    ledger.set_ladder_settings(ladder, {**running.ladder.settings, FINAL_BLOCKS: final_blocks})
    return season


def freeze_season(database: Database, ladder: str, final_blocks: int | None = None) -> TournamentRecord | None:
    """Close the season to new versions, and return its final, or `None` if it is to have none or nobody to play it.

    Without `final_blocks`, the final is as it was announced. A season that is frozen gets the final that it lacks.
    Raises NotFoundError, LadderError, and ScheduleError for a final that cannot be.
    """
    running = running_ladder(database, ladder)
    blocks = final_blocks_of(running) if final_blocks is None else final_blocks
    _check_final(running, database, blocks)
    ledger = LadderLedger(database)
    if running.season.frozen_at_us is None:
        ledger.freeze(ladder)
    if not _has_final(running, database, blocks):
        return None
    form, settings = Final(running.pool.seats, blocks), running.tournament.settings
    kept = {key: settings[key] for key in _KEPT_SETTINGS if key in settings}
    plan = replace(
        plan_like(running.tournament, running.pool, secret=seeds.new_secret().hex()),
        name=f"{running.tournament.name}-final",
        format=form.traits.name,
        settings={**catalog.to_settings(form), **kept, "seed": None},
    )
    return ledger.start_final(ladder, plan, planner_of)


def open_season(database: Database, ladder: str, name: str | None) -> RunningLadder:
    """Open the next season of a ladder whose last one is closed; without a name it is called by its number.

    Raises NotFoundError, AccountError for the name, LadderError while a season is open.
    """
    ledger = LadderLedger(database)
    return ledger.open_season(ladder, season_plan(database, ladder, name), planner_of)


def season_plan(database: Database, ladder: str, name: str | None) -> SeasonPlan:
    """Return the plan of the next season, with a secret from the operating system. Raises NotFoundError."""
    number = len(find_ladder(database, ladder).seasons) + 1
    return SeasonPlan(name or f"season {number}", seeds.new_secret().hex())


def final_blocks_of(running: RunningLadder) -> int:
    """Return in how many blocks each bot plays the final at least, as it was announced or by default."""
    blocks = running.ladder.settings.get(FINAL_BLOCKS, DEFAULT_FINAL_BLOCKS)
    return blocks if isinstance(blocks, int) and blocks >= 0 else DEFAULT_FINAL_BLOCKS


def _has_final(running: RunningLadder, database: Database, blocks: int) -> bool:
    if running.tournament.settings.get(OWNERS_APART):
        present = count_apart(owners_present(database, running.tournament.id))
    else:
        present = len(present_entrants(database, running.tournament.id))
    return blocks > 0 and present >= running.pool.seats


def _check_final(running: RunningLadder, database: Database, blocks: int) -> None:
    if _has_final(running, database, blocks):
        Final(running.pool.seats, blocks).check(len(present_entrants(database, running.tournament.id)))
