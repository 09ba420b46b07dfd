"""Which matches are being played, and which were left behind by a run that is gone."""

from __future__ import annotations

from collections.abc import Iterable

from arena.app.place import Place
from ratings.store.models import Match
from ratings.store.states import MatchState


def left_behind(place: Place, found: Iterable[Match]) -> frozenset[str]:
    """Return the ids of those of the matches that are leased although nobody plays their tournament.

    For people, and for programs, they are planned again: that is what they become when somebody goes on.
    """
    begun = [match for match in found if match.state is MatchState.LEASED]
    stopped = {one for one in {match.tournament_id for match in begun} if _is_stopped(place, one)}
    return frozenset(match.id for match in begun if match.tournament_id in stopped)


def _is_stopped(place: Place, tournament_id: str) -> bool:
    from arena.app.tournament_values import standing_of  # in most lists of matches none is begun
    from arena.model.tournaments import STOPPED
    from ratings.read.tournaments import tournament_row

    status, _ = standing_of(place, tournament_row(place.database, tournament_id))
    return status == STOPPED
