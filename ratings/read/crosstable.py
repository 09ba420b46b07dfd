"""Who did how well against whom: the crosstable, and the results of one version by opponent and by seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, permutations
from operator import itemgetter

from sqlalchemy import ColumnElement, FromClause, case, func, select
from sqlmodel import Session

from ratings.read.leaderboard import table
from ratings.read.scope import MatchScope
from ratings.read.tournaments import standings
from ratings.statistics.points import points_between
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow
from ratings.values.statistics import Counted, Crosstable, Meeting, SeatResult

_s, _v, _b = tables.match_seat, tables.version, tables.bot


def crosstable(source: Source, scope: MatchScope, limit: int) -> Crosstable:
    """Return the crosstable of the `limit` best versions of a tournament or pool."""
    with read(source) as session:
        versions = _best(session, scope, limit)
        known = names(session, versions)
        counted = tuple(Counted(version, known[version]) for version in versions)
        return Crosstable(counted, _meetings(session, scope, versions, known))


def _best(session: Session, scope: MatchScope, limit: int) -> list[str]:
    if scope.tournament_id is not None:
        return [row.version_id for row in standings(session, scope.tournament_id)][:limit]
    return [row.version_id for row in table(session, pool_id=str(scope.pool_id), limit=limit)]


def meetings(source: Source, scope: MatchScope, versions: Sequence[str]) -> tuple[Meeting, ...]:
    """Return every ordered pair of `versions` that met, sorted by ids."""
    with read(source) as session:
        return _meetings(session, scope, versions, names(session, versions))


def _meetings(
    session: Session, scope: MatchScope, versions: Sequence[str], known: Mapping[str, str]
) -> tuple[Meeting, ...]:
    query = (
        select(_s.c.match_id, _s.c.version_id, _s.c.rank)
        .where(_s.c.version_id.in_(versions), _s.c.rank.is_not(None), scope.holds(_s.c.match_id))
        .order_by(_s.c.match_id)
    )
    # Joined here and not in SQL, so that of a large pool only the few seats of these versions are read, each once.
    found = _count_meetings(session.connection().execute(query))
    return tuple(_meeting(known, *pair, *figures) for pair, figures in sorted(found.items()))


def _meeting(
    known: Mapping[str, str], version_id: str, opponent_id: str, matches: int, points: int, ties: int
) -> Meeting:
    wins = (points - ties) // 2
    return Meeting(
        bot=known[version_id],
        opponent=known[opponent_id],
        version_id=version_id,
        opponent_id=opponent_id,
        matches=matches,
        points=points,
        score=points / (2 * matches),
        wins=wins,
        ties=ties,
        losses=matches - wins - ties,
    )


def _count_meetings(sitting: Iterable[AnyRow]) -> dict[tuple[str, str], list[int]]:
    """Count matches, points and ties of each ordered pair; the rows (match, version, rank) are in order of match."""
    found: dict[tuple[str, str], list[int]] = {}
    for _, seats in groupby(sitting, key=itemgetter(0)):
        for (_, mine, rank), (_, other, other_rank) in permutations(seats, 2):
            if mine != other:  # a version that sits in several seats, as in a comparison, does not meet itself
                meeting = found.setdefault((mine, other), [0, 0, 0])
                meeting[0] += 1
                meeting[1] += points_between(rank, other_rank)
                meeting[2] += rank == other_rank
    return found


def by_opponent(source: Source, scope: MatchScope, version_id: str) -> tuple[Meeting, ...]:
    """Return how one version, called by its bot, fared against everybody whom it met, the opponent met most first."""
    with read(source) as session:
        other = _s.alias("other")
        query = (
            select(_s.c.version_id, other.c.version_id, func.count(), func.sum(_points_against(other)), _ties(other))
            .join(other, (other.c.match_id == _s.c.match_id) & (other.c.version_id != _s.c.version_id))
            .where(_s.c.version_id == version_id, _s.c.rank.is_not(None), scope.holds(_s.c.match_id))
            .group_by(_s.c.version_id, other.c.version_id)
        )
        rows = session.connection().execute(query).all()
        known = names(session, [opponent_id for _, opponent_id, *_ in rows]) | names(session, [version_id])
        found = (_meeting(known, *row) for row in rows)
        return tuple(sorted(found, key=lambda meeting: (-meeting.matches, meeting.opponent_id)))


def by_seat(source: Source, scope: MatchScope, version_id: str | None = None) -> tuple[SeatResult, ...]:
    """Return the results in each seat, of one version or of all."""
    with read(source) as session:
        rows = _seat_rows(session, scope, None if version_id is None else _s.c.version_id == version_id)
    return tuple(
        SeatResult(seat, played, first - level, points / (2 * met), lost, level - (first - ahead), first - ahead)
        for seat, played, first, points, met, lost, level, ahead in rows
    )


def _points_against(other: FromClause) -> ColumnElement[int]:
    """Return `points_between` in SQL: a large pool has too many pairs of seats to count them here."""
    ahead, level = points_between(1, 2), points_between(1, 1)
    return case((_s.c.rank < other.c.rank, ahead), (_s.c.rank == other.c.rank, level), else_=0)


def _ties(other: FromClause) -> ColumnElement[int]:
    return func.sum(case((_s.c.rank == other.c.rank, 1), else_=0))


def _seat_rows(session: Session, scope: MatchScope, only: ColumnElement[bool] | None) -> list[tuple[int, ...]]:
    """Return seat, matches, first ranks, points, opponents met, forfeits, those shared, and those ahead of some."""
    other = _s.alias("other")
    points = func.sum(_points_against(other))
    matches = func.count(func.distinct(_s.c.match_id))
    first = func.count(func.distinct(case((_s.c.rank == 1, _s.c.match_id))))
    level = func.count(func.distinct(case(((_s.c.rank == 1) & (other.c.rank == 1), _s.c.match_id))))
    ahead = func.count(func.distinct(case(((_s.c.rank == 1) & (other.c.rank > 1), _s.c.match_id))))
    forfeited = func.count(func.distinct(case((_s.c.forfeit.is_not(None), _s.c.match_id))))
    query = (
        select(_s.c.seat, matches, first, points, func.count(), forfeited, level, ahead)
        .join(other, (other.c.match_id == _s.c.match_id) & (other.c.seat != _s.c.seat))
        .where(_s.c.rank.is_not(None), scope.holds(_s.c.match_id))
        .group_by(_s.c.seat)
        .order_by(_s.c.seat)
    )
    if only is not None:
        query = query.where(only)
    return [tuple(row) for row in session.connection().execute(query)]


def names(source: Source, versions: Sequence[str]) -> dict[str, str]:
    """Return what people call each version: its bot, with the number of the version where several of it are named."""
    with read(source) as session:
        query = select(_v.c.id, _b.c.name, _v.c.number).join(_b, _b.c.id == _v.c.bot_id).where(_v.c.id.in_(versions))
        found = {id_: (name, number) for id_, name, number in session.connection().execute(query)}
        bots = [name for name, _ in found.values()]
        return {id_: name if bots.count(name) == 1 else f"{name} v{number}" for id_, (name, number) in found.items()}
