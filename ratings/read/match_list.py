"""Lists of matches in pages: of a tournament, a pool, a bot or all, in one state or with one fault.

What a page costs must not depend on how many matches there are, and a database chooses well only among the ways that a
query leaves it. So each query starts from the one table whose index has the matches in order, and every other
condition is an `EXISTS`, which is looked up row by row: as a join, SQLite would read a whole tournament and sort it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, bindparam, case, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_models

from ratings.read.paging import Order, cursor_of, cut, each, need_rows, one_page
from ratings.store import tables
from ratings.store.models import BlockRecord, MatchRecord, TournamentRecord
from ratings.store.sessions import Source, read
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import Fared, MatchState

_s, _v, _b, _m, _f, _e = tables.match_seat, tables.version, tables.bot, tables.match, tables.fault, tables.entrant
_MATCHES = (
    select_models(MatchRecord, TournamentRecord.name, BlockRecord.index)
    .join(TournamentRecord, col(TournamentRecord.id) == MatchRecord.tournament_id)
    .join(BlockRecord, col(BlockRecord.id) == MatchRecord.block_id)
    .where(col(MatchRecord.id).in_(bindparam("matches", expanding=True)))
)
_SEATS = (
    select(_s.c.match_id, _b.c.name, case((_m.c.rated, _s.c.rank)))
    .join(_m, _m.c.id == _s.c.match_id)
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
"""So many matches are looked up in one query."""
_LOOKED_THROUGH = 2000
"""So many matches are looked through for those of a length before a page ends."""
_PART = 500
LeaveOut = Callable[[Sequence[str]], Collection[str]]
"""Returns which of these matches, named by id, are to be left out."""


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
    is_faulty: bool = False
    """A fault with whatever cause, in the same way."""
    fared: Fared | None = None
    """How the bot or version that is given came out of it."""
    other_bot_id: str | None = None
    """Any version of the bot sits in it in a seat besides the one that is given."""
    other_version_id: str | None = None
    least_plies: int | None = None
    most_plies: int | None = None

    @property
    def has_length(self) -> bool:
        """Return whether a length is asked for, by which no index finds matches."""
        return self.least_plies is not None or self.most_plies is not None

    @property
    def tells_results(self) -> bool:
        """Return whether it tells something of what was played that a match is found."""
        return self.has_length or self.has_fault or self.fared is not None

    @property
    def has_fault(self) -> bool:
        """Return whether a fault is asked for."""
        return self.is_faulty or self.cause is not None


ALL = MatchFilter()


def leave_nothing_out(_matches: Sequence[str]) -> Collection[str]:
    """Leave nothing out."""
    return ()


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match in a list; `seats` tells who sits where, as `(name of the bot, rank or None)` by seat.

    There are no ranks without a valid result.
    """

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
        rows: dict[str, MatchRow] = {}
        rest = iter(page.items)
        while part := [key.match_id for key in islice(rest, _AT_ONCE)]:
            rows.update((row.match.id, row) for row in _rows(session, part))
        return each(page, lambda key: rows[key.match_id])


def _rows(session: Session, ids: Sequence[str]) -> list[MatchRow]:
    seats: dict[str, list[tuple[str, int | None]]] = {}
    for match_id, bot, rank in session.connection().execute(_SEATS, {"matches": ids}):
        seats.setdefault(match_id, []).append((bot, rank))
    faults: dict[str, dict[int, str]] = {}
    for id_, seat, cause in session.connection().execute(_FAULTS, {"matches": ids}):
        faults.setdefault(id_, {}).setdefault(seat, cause)
    found = session.exec(_MATCHES, params={"matches": ids})
    return [
        MatchRow(match, name, index, tuple(seats[match.id]), faults.get(match.id, {})) for match, name, index in found
    ]


class Key(NamedTuple):
    """A match, and the value that its list is sorted by."""

    match_id: str
    place: str | int
    """Its position in the schedule of the tournament whose matches are listed, or else its id."""


def find_page(
    session: Session,
    only: MatchFilter,
    limit: int | None,
    after: str | None,
    *,
    newest_first: bool,
    leave_out: LeaveOut = leave_nothing_out,
) -> Page[Key]:
    """Return the matches of the page behind `after`, without those that are left out.

    What is left out tells nothing by its absence either: neither the page nor whether another follows depends on it.
    With a length the page may have fewer than `limit` although another follows, since `_LOOKED_THROUGH` matches are
    looked through at once, no more. Raises PageError.
    """
    found: list[Key] = []
    while True:
        order, keys, rest = _look(session, only, limit, after, newest_first=newest_first)
        out = leave_out([key.match_id for key in keys])
        found += [key for key in keys if key.match_id not in out]
        if limit is not None and len(found) > limit:
            return cut(found, order, limit, lambda key: (key.place,))
        if only.has_length or limit is None or len(keys) <= limit:
            return Page(tuple(found), rest)
        after = cursor_of(order, (keys[-1].place,))


def _look(
    session: Session, only: MatchFilter, limit: int | None, after: str | None, *, newest_first: bool
) -> tuple[Order, list[Key], str | None]:
    """Return order and matches as `_find_keys` does; with a length, those of the ones that were looked through.

    The last is the cursor behind them, or `None` if there are no more.
    """
    if not only.has_length or limit is None:
        order, keys = _find_keys(session, only, limit, after, newest_first=newest_first)
        return order, _of_length(session, only, keys), None
    need_rows(limit)
    order, keys = _find_keys(session, only, _LOOKED_THROUGH, after, newest_first=newest_first)
    looked = keys[:_LOOKED_THROUGH]
    rest = cursor_of(order, (looked[-1].place,)) if len(keys) > len(looked) else None
    return order, _of_length(session, only, looked), rest


def _of_length(session: Session, only: MatchFilter, keys: list[Key]) -> list[Key]:
    if not only.has_length:
        return keys
    bounds = [
        *([] if only.least_plies is None else [_m.c.plies >= only.least_plies]),
        *([] if only.most_plies is None else [_m.c.plies <= only.most_plies]),
    ]
    fitting: set[str] = set()
    for start in range(0, len(keys), _PART):
        ids = [key.match_id for key in keys[start : start + _PART]]
        fitting.update(session.connection().execute(select(_m.c.id).where(_m.c.id.in_(ids), *bounds)).scalars())
    return [key for key in keys if key.match_id in fitting]


def _find_keys(
    session: Session, only: MatchFilter, limit: int | None, after: str | None, *, newest_first: bool
) -> tuple[Order, list[Key]]:
    """Return the order of the list and the matches of the page behind `after`, one more than `limit` if there is one.

    Raises PageError.
    """
    if only.bot_id or only.version_id:
        # Faults are few, so where they are asked for they come first, in the order of their own index.
        id_ = _f.c.match_id if only.has_fault else _s.c.match_id
        order = _by_id(id_, newest_first=newest_first)
        found: set[str] = set()
        others = _others(session, only)
        query = select(_v.c.id)
        if only.bot_id:
            query = query.where(_v.c.bot_id == only.bot_id)
        if only.version_id:
            query = query.where(_v.c.id == only.version_id)
        if only.tournament_id:
            entered = select(_e.c.version_id).where(
                _e.c.tournament_id == only.tournament_id, _e.c.version_id == _v.c.id
            )
            query = query.where(entered.exists())
        for version_id in list(session.connection().execute(query).scalars()):
            query = select(id_).distinct().where(*_exists_match(only, id_), *_fared(only))
            query = query if others is None else query.where(_against(id_, version_id, others))
            if only.has_fault:
                query = query.join(_s, (_s.c.match_id == id_) & (_s.c.seat == _f.c.seat))
                query = query.where(_f.c.version_id == version_id, *_by_cause(only))
            else:
                query = query.where(_s.c.version_id == version_id)
            found.update(session.connection().execute(one_page(query, order, limit, after)).scalars())
        ids = sorted(found, reverse=newest_first)
        return order, [Key(id_, id_) for id_ in (ids if limit is None else ids[: limit + 1])]
    # A fault of whatever cause is looked up match by match of a tournament: the faults of the whole book may be more.
    if only.cause is not None or (only.is_faulty and only.tournament_id is None):
        order = _by_id(_f.c.match_id, newest_first=newest_first)
        query = select(_f.c.match_id).where(*_by_cause(only), *_exists_match(only, _f.c.match_id))
        query = query.where(*_since_pool(only, _f.c.match_id))
        return order, _keys(session, one_page(query.distinct(), order, limit, after))
    if only.tournament_id is not None:
        order = Order("matches by place", (_m.c.position,), (int,), newest_first)
        query = select(_m.c.id, _m.c.position).where(_m.c.tournament_id == only.tournament_id, *_is_one_of(only))
        if only.is_faulty:
            query = query.where(select(_f.c.seat).where(_f.c.match_id == _m.c.id).exists())
        rows = session.connection().execute(one_page(query, order, limit, after))
        return order, [Key(id_, position) for id_, position in rows]
    order = _by_id(_m.c.id, newest_first=newest_first)
    return order, _keys(session, one_page(select(_m.c.id).where(*_of_pool(only)), order, limit, after))


def _by_id(column: ColumnElement[str], *, newest_first: bool) -> Order:
    return Order("matches", (column,), (str,), newest_first)


def _keys(session: Session, ids: Select[str]) -> list[Key]:
    return [Key(id_, id_) for id_ in session.connection().execute(ids).scalars()]


def _by_cause(only: MatchFilter) -> list[ColumnElement[bool]]:
    return [] if only.cause is None else [_f.c.cause == only.cause]


def _fared(only: MatchFilter) -> list[ColumnElement[bool]]:
    if only.fared is None:
        return []
    if only.fared is Fared.LOST:
        return [_s.c.rank > 1]
    other = _s.alias("beside")
    beside = select(other.c.seat).where(other.c.match_id == _s.c.match_id, other.c.seat != _s.c.seat, other.c.rank == 1)
    is_beside = beside.exists()
    has_result = select(_m.c.id).where(_m.c.id == _s.c.match_id, _m.c.rated).exists()
    return [_s.c.rank == 1, has_result, is_beside if only.fared is Fared.SHARED else ~is_beside]


def _others(session: Session, only: MatchFilter) -> list[str] | None:
    """Return the versions of the bot that sits in another seat, or `None` if none is given."""
    if only.other_version_id:
        return [only.other_version_id]
    if not only.other_bot_id:
        return None
    return list(session.connection().execute(select(_v.c.id).where(_v.c.bot_id == only.other_bot_id)).scalars())


def _against(match_id: ColumnElement[str], version_id: str, others: Sequence[str]) -> ColumnElement[bool]:
    """Return the condition that one of the others sits in another seat of a match in which a version sits."""
    other = _s.alias("other")
    query = select(other.c.match_id).where(other.c.version_id.in_(others))
    if version_id in others:
        return query.where(other.c.match_id == match_id, other.c.seat != _s.c.seat).exists()
    # An offset has a database read all matches of the others at once, in the order of their index: for two that never
    # met, it would look up every match of the one among those of the others.
    return match_id.in_(query.offset(0))


def _exists_match(only: MatchFilter, match_id: ColumnElement[str]) -> list[ColumnElement[bool]]:
    """Return the condition on the match of that id, if there is one."""
    conditions = _is_one_of(only)
    if only.tournament_id:
        conditions.append(_m.c.tournament_id == only.tournament_id)
    return [select(_m.c.id).where(_m.c.id == match_id, *conditions).exists()] if conditions else []


def _is_one_of(only: MatchFilter) -> list[ColumnElement[bool]]:
    """Return the conditions on a match but for its tournament."""
    return [
        *([_m.c.pool_id == only.pool_id] if only.pool_id else []),
        *([_m.c.state == only.state] if only.state else []),
    ]


def _of_pool(only: MatchFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of `_is_one_of`, with only one index left to choose: that of the pool, or of the state.

    A joined string has none. Nearly all matches of a pool are finished; those in any other state are few in the book.
    """
    if not (only.pool_id and only.state):
        return _is_one_of(only)
    if only.state is MatchState.FINISHED:
        return [_m.c.pool_id == only.pool_id, _m.c.state.concat("") == only.state.value]
    return [_m.c.pool_id.concat("") == only.pool_id, _m.c.state == only.state, *_since_pool(only, _m.c.id)]


def _since_pool(only: MatchFilter, match_id: ColumnElement[str]) -> list[ColumnElement[bool]]:
    """Return the condition that a match is none that was planned before those of the pool, or after them.

    Else the search for those of a pool in which nobody plays any more would go through all that came since.
    """
    if only.pool_id is None:
        return []
    of_pool = tables.match.alias("of_pool")
    first, last = (
        select(end(of_pool.c.id)).where(of_pool.c.pool_id == only.pool_id).scalar_subquery()
        for end in (func.min, func.max)
    )
    return [match_id.between(first, last)]
