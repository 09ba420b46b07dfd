"""Matches in pages: of a tournament, a pool, a bot or all, in one state or with one fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import bindparam, select
from sqlmodel import Session, col
from sqlmodel import select as select_models

from ratings.read.match_search import ALL, LeaveOut, MatchFilter, find_page, leave_nothing_out
from ratings.read.paging import each
from ratings.store import tables
from ratings.store.models import BlockRecord, MatchRecord, TournamentRecord
from ratings.store.sessions import Source, read
from ratings.values.page import DEFAULT_LIMIT, Page

__all__ = ["ALL", "MatchFilter", "MatchRow", "list_matches"]

_s, _v, _b = tables.match_seat, tables.version, tables.bot
_MATCHES = (
    select_models(MatchRecord, TournamentRecord.name, BlockRecord.index)
    .join(TournamentRecord, col(TournamentRecord.id) == MatchRecord.tournament_id)
    .join(BlockRecord, col(BlockRecord.id) == MatchRecord.block_id)
    .where(col(MatchRecord.id).in_(bindparam("matches", expanding=True)))
)
_SEATS = (
    select(_s.c.match_id, _b.c.name, _s.c.rank)
    .join(_v, _v.c.id == _s.c.version_id)
    .join(_b, _b.c.id == _v.c.bot_id)
    .where(_s.c.match_id.in_(bindparam("matches", expanding=True)))
    .order_by(_s.c.match_id, _s.c.seat)
)
_FAULTS = (
    select(tables.fault.c.match_id, tables.fault.c.seat, tables.fault.c.cause)
    .where(tables.fault.c.match_id.in_(bindparam("matches", expanding=True)))
    .order_by(tables.fault.c.match_id, tables.fault.c.number)
)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match in a list; `seats` tells who sits where, as `(name of the bot, rank or None)` by seat."""

    match: MatchRecord
    tournament: str
    """The name of its tournament."""
    block_index: int
    seats: tuple[tuple[str, int | None], ...]
    faults: Mapping[int, str]
    """The causes of the faults of its bots, by seat."""


def list_matches(
    source: Source,
    only: MatchFilter = ALL,
    *,
    limit: int | None = DEFAULT_LIMIT,
    after: str | None = None,
    newest_first: bool = True,
    leave_out: LeaveOut = leave_nothing_out,
) -> Page[MatchRow]:
    """Return a page of matches: those planned last first, or the other way round, without those that are left out.

    The matches of one tournament are in the order of its schedule or its reverse, unless a bot or a cause is given.
    With a length a page may be short although another follows. Raises PageError.
    """
    with read(source) as session:
        page = find_page(session, only, limit, after, newest_first=newest_first, leave_out=leave_out)
        rows = _rows(session, [key.match_id for key in page.items])
        return each(page, lambda key: rows[key.match_id])


def _rows(session: Session, ids: Sequence[str]) -> dict[str, MatchRow]:
    return {row.match.id: row for part in _parts(ids) for row in _some_rows(session, part)}


def _parts(ids: Iterable[str]) -> Iterator[list[str]]:
    """Yield the ids in parts that are small enough for one query."""
    rest = iter(ids)
    while part := list(islice(rest, _AT_ONCE)):
        yield part


def _some_rows(session: Session, ids: Sequence[str]) -> list[MatchRow]:
    seats, faults = _sitting(session, ids), _at_fault(session, ids)
    found = session.exec(_MATCHES, params={"matches": ids})
    return [
        MatchRow(match, name, index, tuple(seats[match.id]), faults.get(match.id, {})) for match, name, index in found
    ]


def _sitting(session: Session, ids: Sequence[str]) -> dict[str, list[tuple[str, int | None]]]:
    """Return bot and rank by seat, for each of these matches."""
    seats: dict[str, list[tuple[str, int | None]]] = {}
    for match_id, bot, rank in session.connection().execute(_SEATS, {"matches": ids}):
        seats.setdefault(match_id, []).append((bot, rank))
    return seats


def _at_fault(session: Session, ids: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return the causes of faults by seat, for those of these matches in which a bot was at fault."""
    faults: dict[str, dict[int, str]] = {}
    for match_id, seat, cause in session.connection().execute(_FAULTS, {"matches": ids}):
        faults.setdefault(match_id, {}).setdefault(seat, cause)
    return faults
