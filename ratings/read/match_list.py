"""Matches in pages: of a tournament, a pool, a bot or all, in one state or with one fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, select
from sqlmodel import Session, col
from sqlmodel import select as select_models

from ratings.read.paging import DEFAULT_LIMIT, Order, Page, cut, one_page
from ratings.store import tables
from ratings.store.models import Block, Match, Tournament
from ratings.store.sessions import Source, read
from ratings.store.states import MatchState

_m, _s, _f, _t, _v, _b = (
    tables.match,
    tables.match_seat,
    tables.fault,
    tables.tournament,
    tables.version,
    tables.bot,
)


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches are listed: those for which everything that is given here is true."""

    tournament_id: str | None = None
    pool_id: str | None = None
    bot_id: str | None = None
    """Any version of the bot sits in it."""
    version_id: str | None = None
    state: MatchState | None = None
    cause: str | None = None
    """A fault with that cause: of anybody, or of the bot or version that is given too."""


ALL = MatchFilter()


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match in a list; `seats` tells who sits where, as `(name of the bot, rank or None)` by seat."""

    match: Match
    tournament: str
    """The name of its tournament."""
    block_index: int
    seats: tuple[tuple[str, int | None], ...]


def list_matches(
    source: Source,
    only: MatchFilter = ALL,
    *,
    limit: int | None = DEFAULT_LIMIT,
    after: str | None = None,
    newest_first: bool = True,
) -> Page[MatchRow]:
    """Return a page of matches: those planned last first, or the other way round.

    The matches of one tournament are in the order of its schedule or its reverse, unless a bot or a cause is given.
    Raises PageError.
    """
    by_schedule = only.tournament_id is not None and not (only.bot_id or only.version_id or only.cause)
    query, id_ = _wanted(only)
    order = (
        Order("matches by place", (_m.c.position,), (int,), newest_first)
        if by_schedule
        else Order("matches", (id_,), (str,), newest_first)
    )
    wanted = one_page(query, order, limit, after)
    column = _m.c.position if by_schedule else _m.c.id
    with read(source) as session:
        rows = _rows(session, wanted, column.desc() if newest_first else column.asc())
    return cut(rows, order, limit, lambda row: (row.match.position if by_schedule else row.match.id,))


def _wanted(only: MatchFilter) -> tuple[Select[str], ColumnElement[str]]:
    """Return the query for the ids of the matches, and its column.

    It starts from the table whose index has the ids in order, so that a page reads little more than its own rows.
    """
    at_fault = _f.c.cause == only.cause
    if only.bot_id or only.version_id:
        id_: ColumnElement[str] = _s.c.match_id
        query = select(id_).where(*_sits(only)).distinct()
        if only.cause is not None:
            query = query.where(exists().where(_f.c.match_id == id_, _f.c.seat == _s.c.seat, at_fault))
    elif only.cause is not None:
        id_ = _f.c.match_id
        query = select(id_).where(at_fault).distinct()
    else:
        return select(_m.c.id).where(*_is_one_of(only)), _m.c.id
    if conditions := _is_one_of(only):
        query = query.join(_m, _m.c.id == id_).where(*conditions)
    return query, id_


def _sits(only: MatchFilter) -> list[ColumnElement[bool]]:
    of_bot = select(_v.c.id).where(_v.c.bot_id == only.bot_id)
    return [
        *([_s.c.version_id == only.version_id] if only.version_id else []),
        *([_s.c.version_id.in_(of_bot)] if only.bot_id else []),
    ]


def _is_one_of(only: MatchFilter) -> list[ColumnElement[bool]]:
    of_pool = select(_t.c.id).where(_t.c.pool_id == only.pool_id)
    return [
        *([_m.c.tournament_id == only.tournament_id] if only.tournament_id else []),
        *([_m.c.tournament_id.in_(of_pool)] if only.pool_id else []),
        *([_m.c.state == only.state] if only.state else []),
    ]


def _rows(session: Session, wanted: Select[str], in_order: ColumnElement[Any]) -> list[MatchRow]:
    seats = _sitting(session, wanted)
    query = (
        select_models(Match, Tournament.name, Block.index)
        .join(Tournament, col(Tournament.id) == Match.tournament_id)
        .join(Block, col(Block.id) == Match.block_id)
        .where(col(Match.id).in_(wanted.correlate(None)))
        .order_by(in_order)
    )
    return [MatchRow(match, name, index, tuple(seats[match.id])) for match, name, index in session.exec(query)]


def _sitting(session: Session, wanted: Select[str]) -> dict[str, list[tuple[str, int | None]]]:
    """Return bot and rank by seat, for every match wanted."""
    query = (
        select(_s.c.match_id, _b.c.name, _s.c.rank)
        .join(_v, _v.c.id == _s.c.version_id)
        .join(_b, _b.c.id == _v.c.bot_id)
        .where(_s.c.match_id.in_(wanted.correlate(None)))
        .order_by(_s.c.match_id, _s.c.seat)
    )
    seats: dict[str, list[tuple[str, int | None]]] = {}
    for match_id, bot, rank in session.connection().execute(query):
        seats.setdefault(match_id, []).append((bot, rank))
    return seats
