"""What bots wrote to their output in a match: an owner sees the logs of his own bots, nobody else's."""

from __future__ import annotations

from arena.client.errors import ForbiddenError
from arena.client.here.place import Place
from arena.client.values.matches import SeatLog
from ratings.read.matches import SeatRow, match_detail


def read_logs(place: Place, match_id: str, seat: int | None) -> tuple[SeatLog, ...]:
    """Return the logs of one seat, or of all that the viewer may see. Raises ForbiddenError for another's."""
    seats = match_detail(place.database, match_id).seats
    own = [row for row in seats if place.viewer.owns(row.owner_id) and seat in (None, row.seat.seat)]
    if not own:
        raise ForbiddenError(f"no log of match {match_id} is yours to read; an owner sees those of his own bots")
    return tuple(log for row in own for log in _log_of(place, row))


def _log_of(place: Place, row: SeatRow) -> tuple[SeatLog, ...]:
    del place, row
    return ()
