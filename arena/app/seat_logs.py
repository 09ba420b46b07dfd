"""What bots wrote to their output in a match: an owner sees the logs of his own bots, nobody else's."""

from __future__ import annotations

from arena.app.place import Place
from arena.match.report import LOG_HEAD_BYTES
from arena.model.errors import ForbiddenError
from arena.model.match_details import SeatLog
from ratings.read.logs import StoredLog, seat_log
from ratings.read.matches import SeatRow, match_detail


def read_logs(place: Place, match_id: str, seat: int | None) -> tuple[SeatLog, ...]:
    """Return the logs of one seat, or of all that the viewer may see. Raises ForbiddenError for another's."""
    seats = match_detail(place.database, match_id).seats
    own = [row for row in seats if place.viewer.owns(row.owner_id) and seat in (None, row.seat.seat)]
    if not own:
        raise ForbiddenError(f"no log of match {match_id} is yours to read; an owner sees those of his own bots")
    return tuple(_value(row, seat_log(place.database, match_id, row.seat.seat)) for row in own)


def _value(row: SeatRow, log: StoredLog | None) -> SeatLog:
    text, cut_bytes = ("", 0) if log is None else (_text(log), log.cut_bytes)
    return SeatLog(row.seat.match_id, row.seat.seat, row.bot, text, cut_bytes)


def _text(log: StoredLog) -> str:
    """Return the log as text, with a line where something was left out."""
    if not log.cut_bytes:
        return log.data.decode(errors="replace")
    head, tail = log.data[:LOG_HEAD_BYTES], log.data[LOG_HEAD_BYTES:]
    gap = f"\n[{log.cut_bytes} bytes left out]\n"
    return head.decode(errors="replace") + gap + tail.decode(errors="replace")
