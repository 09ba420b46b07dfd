"""The situation that a tournament's table is made from: of what is kept up and remembered, never of all matches.

Formats that plan everything at once rank by tallies, which the book of record keeps up. The others plan from what they
remember of old waves, and rank by that; those that remember nothing are short, and are read whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournament.formats import seeds
from arena.tournament.formats.format import Format
from arena.tournament.formats.past import Past, Tally
from arena.tournament.formats.situation import Situation
from arena.tournament.stored import entrant_of, situation_of
from ratings.read.tournament_report import TournamentReport
from ratings.read.tournaments import EntrantRow, recent_waves, tournament_waves
from ratings.store.database import Database


def read_situation(database: Database, tournament_id: str) -> Situation:
    """Return what a format knows of its tournament now, as far back as it must. Raises NotFoundError."""
    waves = recent_waves(database, tournament_id)
    situation = situation_of(waves)
    if waves.memory is not None and situation.past.waves != waves.memory.index + 1:
        return situation_of(tournament_waves(database, tournament_id))  # a memory that is not understood here
    return situation


def table_situation(database: Database, form: Format, report: TournamentReport) -> Situation:
    """Return what the format makes the table of a tournament from."""
    tournament = report.row.tournament
    if form.traits.lag:
        return read_situation(database, tournament.id)
    seed = seeds.schedule_seed(bytes.fromhex(tournament.secret))
    return Situation(tuple(map(entrant_of, report.entered)), (), seed, _past(report.entrants))


def _past(entrants: Sequence[EntrantRow]) -> Past:
    """Return the tallies of the one wave as far as it was played, as if it were over."""
    return Past(
        waves=1,
        tallies={
            row.version_id: Tally(points=row.whole.points, possible=row.whole.possible, whole=row.whole.blocks)
            for row in entrants
        },
    )
