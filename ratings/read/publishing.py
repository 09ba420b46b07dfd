"""Which secrets are public: what all seeds of a tournament are derived from."""

from __future__ import annotations

from ratings.store.lookups import get_tournament
from ratings.store.progress import count_progress
from ratings.store.season import season_of
from ratings.store.sessions import Source, read


def published_secret(source: Source, tournament_id: str) -> str | None:
    """Return the secret of a tournament that is over, or of a season that is closed; until then `None`.

    Before, it would give the dice and piles of matches to come. Raises NotFoundError.
    """
    with read(source) as session:
        tournament = get_tournament(session, tournament_id)
        season = season_of(session, tournament_id)
        is_closed = season is None or season.closed_at_us is not None
        return tournament.secret if is_closed and count_progress(session, tournament_id).is_over else None
