"""Finds the matches of one page by a filter, reading little more of any table than that page holds.

What a page costs must not depend on how many matches there are, and a database chooses well only among the ways that a
query leaves it. So each query starts from the one table whose index has the matches in order, and every other
condition is an `EXISTS`, which is looked up row by row: as a join, SQLite would read a whole tournament and sort it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, func, select
from sqlmodel import Session

from ratings.read.paging import Order, one_page
from ratings.store import tables
from ratings.store.states import MatchState

_m, _s, _f, _t, _v, _e = (
    tables.match,
    tables.match_seat,
    tables.fault,
    tables.tournament,
    tables.version,
    tables.entrant,
)
_FEW = 5000
"""So many matches of a pool are sorted sooner than all matches are looked through for them."""


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


class Key(NamedTuple):
    """A match, and the value that its list is sorted by."""

    match_id: str
    place: str | int
    """Its position in the schedule of the tournament whose matches are listed, or else its id."""


def find_keys(
    session: Session, only: MatchFilter, limit: int | None, after: str | None, *, newest_first: bool
) -> tuple[Order, list[Key]]:
    """Return the order of the list and the matches of the page behind `after`, one more than `limit` if there is one.

    Raises PageError.
    """
    if only.bot_id or only.version_id:
        return _of_versions(session, only, limit, after, newest_first=newest_first)
    if only.cause is not None:
        order = _by_id(_f.c.match_id, newest_first=newest_first)
        query = select(_f.c.match_id).where(_f.c.cause == only.cause, *_exists_match(only, _f.c.match_id))
        return order, _keys(session, one_page(query.distinct(), order, limit, after))
    if only.tournament_id is not None:
        order = Order("matches by place", (_m.c.position,), (int,), newest_first)
        query = select(_m.c.id, _m.c.position).where(_m.c.tournament_id == only.tournament_id, *_is_one_of(only))
        rows = session.connection().execute(one_page(query, order, limit, after))
        return order, [Key(id_, position) for id_, position in rows]
    order = _by_id(_m.c.id, newest_first=newest_first)
    of_pool = _of_small_pool(session, only)
    query = select(_m.c.id).where(*(_is_one_of(only) if of_pool is None else [of_pool, *_in_state(only)]))
    return order, _keys(session, one_page(query, order, limit, after))


def _by_id(column: ColumnElement[str], *, newest_first: bool) -> Order:
    return Order("matches", (column,), (str,), newest_first)


def _keys(session: Session, ids: Select[str]) -> list[Key]:
    return [Key(id_, id_) for id_ in session.connection().execute(ids).scalars()]


def _of_versions(
    session: Session, only: MatchFilter, limit: int | None, after: str | None, *, newest_first: bool
) -> tuple[Order, list[Key]]:
    """Look the matches of each version up and merge them: no index has those of several versions in order."""
    order, id_ = _by_id(_s.c.match_id, newest_first=newest_first), _s.c.match_id
    found: set[str] = set()
    for version_id in _versions(session, only):
        at_fault = select(_f.c.match_id).where(_f.c.match_id == id_, _f.c.seat == _s.c.seat, _f.c.cause == only.cause)
        query = select(id_).distinct().where(_s.c.version_id == version_id, *_exists_match(only, id_))
        query = query if only.cause is None else query.where(at_fault.exists())
        found.update(session.connection().execute(one_page(query, order, limit, after)).scalars())
    ids = sorted(found, reverse=newest_first)
    return order, [Key(id_, id_) for id_ in (ids if limit is None else ids[: limit + 1])]


def _versions(session: Session, only: MatchFilter) -> list[str]:
    """Return the versions that are meant, of a tournament those that entered it."""
    query = select(_v.c.id)
    if only.bot_id:
        query = query.where(_v.c.bot_id == only.bot_id)
    if only.version_id:
        query = query.where(_v.c.id == only.version_id)
    if only.tournament_id:
        entered = select(_e.c.version_id).where(_e.c.tournament_id == only.tournament_id, _e.c.version_id == _v.c.id)
        query = query.where(entered.exists())
    return list(session.connection().execute(query).scalars())


def _exists_match(only: MatchFilter, match_id: ColumnElement[str]) -> list[ColumnElement[bool]]:
    """Return the condition on the match of that id, if there is one."""
    conditions = _is_one_of(only)
    if only.tournament_id:
        conditions.append(_m.c.tournament_id == only.tournament_id)
    return [select(_m.c.id).where(_m.c.id == match_id, *conditions).exists()] if conditions else []


def _is_one_of(only: MatchFilter) -> list[ColumnElement[bool]]:
    """Return the conditions on a match but for its tournament."""
    in_pool = select(_t.c.id).where(_t.c.id == _m.c.tournament_id, _t.c.pool_id == only.pool_id)
    return [*([in_pool.exists()] if only.pool_id else []), *_in_state(only)]


def _in_state(only: MatchFilter) -> list[ColumnElement[bool]]:
    return [_m.c.state == only.state] if only.state else []


def _of_small_pool(session: Session, only: MatchFilter) -> ColumnElement[bool] | None:
    """Return the condition that finds the matches of a pool by its tournaments, or `None` if they are very many."""
    if only.pool_id is None:
        return None
    last = select(func.max(_m.c.position) + 1).where(_m.c.tournament_id == _t.c.id).scalar_subquery()
    planned = select(func.sum(last)).where(_t.c.pool_id == only.pool_id)
    if (session.connection().execute(planned).scalar() or 0) > _FEW:
        return None
    return _m.c.tournament_id.in_(select(_t.c.id).where(_t.c.pool_id == only.pool_id))
