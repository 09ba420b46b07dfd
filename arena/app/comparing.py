"""How the test of a comparison went, pair by pair, from its matches."""

from __future__ import annotations

from arena.model.errors import RefusedError
from arena.model.overview import WalkPoint
from arena.tournament.formats.compare import Compare
from arena.tournament.stored import format_of, situation_of
from ratings.read.tournaments import tournament_row
from ratings.read.waves import tournament_waves
from ratings.store.database import Database


def walk_of(database: Database, tournament_id: str, points: int) -> tuple[WalkPoint, ...]:
    """Return where the log ratio stood from the first pair on, thinned. Raises RefusedError.

    Planning needs the newest memory of the format alone, so the whole way is read from the matches.
    """
    row = tournament_row(database, tournament_id)
    form = format_of(row.tournament, row.pool)
    if not isinstance(form, Compare):
        raise RefusedError(f"{row.tournament.name!r} compares nothing: its format is {row.tournament.format}")
    seen = list(form.walk(situation_of(tournament_waves(database, tournament_id))))
    every = max(1, len(seen) // points)
    kept = [*seen[:-1:every], seen[-1]]
    return tuple(WalkPoint(one.steps, one.log_ratio) for one in kept)
