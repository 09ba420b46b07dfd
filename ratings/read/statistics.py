"""Statistics of many matches: crosstable, opponents, seats, lengths, and the rating curves and faults of versions.

Only whole blocks count, so nothing is told of blocks that are not over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby, permutations
from operator import itemgetter
from statistics import fmean

from sqlalchemy import ColumnElement, FromClause, bindparam, case, exists, func, literal, select
from sqlmodel import Session
from sqlmodel import select as select_models

from engine.translatable import text_from_json
from ratings.read.leaderboard import table
from ratings.read.paging import Order, cut, each, one_page
from ratings.read.pool_lookup import MatchScope
from ratings.read.tournaments import standings
from ratings.statistics.scores import points_between
from ratings.store import tables
from ratings.store.rating import RatingChangeRecord
from ratings.store.sessions import Source, read
from ratings.values.leaderboards import CurvePoint, FaultCount
from ratings.values.page import Page
from ratings.values.statistics import Counted, Crosstable, Meeting, RatingChange, SeatResult, Spread

_s, _v, _b, _m, _c = tables.match_seat, tables.version, tables.bot, tables.match, tables.rating_change
_f = tables.fault
_MEASURES = ("plies", "decisions", "duration_us")
_HISTORY = Order("history", (_c.c.rating_seq, _c.c.seat), (int, int))
_LATEST = (
    select(
        (_c.c.mu_before - 3 * _c.c.sigma_before).label("before"), (_c.c.mu_after - 3 * _c.c.sigma_after).label("after")
    )
    .where(_c.c.pool_id == bindparam("pool"), _c.c.version_id == bindparam("version"))
    .order_by(_c.c.rating_seq.desc())
    .limit(bindparam("depth"))
)
"""Sent once for each version, which costs SQLite less than one statement that joins them all."""


def crosstable(source: Source, scope: MatchScope, limit: int) -> Crosstable:
    """Return the crosstable of the `limit` best versions of a tournament or pool."""
    with read(source) as session:
        versions = (
            [row.version_id for row in standings(session, scope.tournament_id)][:limit]
            if scope.tournament_id is not None
            else [row.version_id for row in table(session, pool_id=str(scope.pool_id), limit=limit)]
        )
        known = names(session, versions)
        counted = tuple(Counted(version, known[version]) for version in versions)
        return Crosstable(counted, _meetings(session, scope, versions, known))


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
    found: dict[tuple[str, str], list[int]] = {}
    for _, seats in groupby(session.connection().execute(query), key=itemgetter(0)):
        for (_, mine, rank), (_, other, other_rank) in permutations(seats, 2):
            if mine != other:  # a version that sits in several seats, as in a comparison, does not meet itself
                meeting = found.setdefault((mine, other), [0, 0, 0])
                meeting[0] += 1
                meeting[1] += points_between(rank, other_rank)
                meeting[2] += rank == other_rank
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


def by_opponent(source: Source, scope: MatchScope, version_id: str) -> tuple[Meeting, ...]:
    """Return how one version, called by its bot, fared against everybody whom it met, the opponent met most first."""
    with read(source) as session:
        other = _s.alias("other")
        ties = func.sum(case((_s.c.rank == other.c.rank, 1), else_=0))
        query = (
            select(_s.c.version_id, other.c.version_id, func.count(), func.sum(_points_against(other)), ties)
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
        if version_id is not None:
            query = query.where(_s.c.version_id == version_id)
        rows = [tuple(row) for row in session.connection().execute(query)]
    return tuple(
        SeatResult(seat, played, first - level, points / (2 * met), lost, level - (first - ahead), first - ahead)
        for seat, played, first, points, met, lost, level, ahead in rows
    )


def _points_against(other: FromClause) -> ColumnElement[int]:
    """Return `points_between` in SQL: a large pool has too many pairs of seats to count them here."""
    ahead, level = points_between(1, 2), points_between(1, 1)
    return case((_s.c.rank < other.c.rank, ahead), (_s.c.rank == other.c.rank, level), else_=0)


def names(source: Source, versions: Sequence[str]) -> dict[str, str]:
    """Return what people call each version: its bot, with the number of the version where several of it are named."""
    with read(source) as session:
        query = select(_v.c.id, _b.c.name, _v.c.number).join(_b, _b.c.id == _v.c.bot_id).where(_v.c.id.in_(versions))
        found = {id_: (name, number) for id_, name, number in session.connection().execute(query)}
        bots = [name for name, _ in found.values()]
        return {id_: name if bots.count(name) == 1 else f"{name} v{number}" for id_, (name, number) in found.items()}


def lengths(source: Source, scope: MatchScope) -> tuple[Spread, ...]:
    """Return the distribution of every measure, or nothing before the first match."""
    with read(source) as session:
        query = select(*(_m.c[name] for name in _MEASURES)).where(scope.holds(_m.c.id), _m.c.plies.is_not(None))
        columns = list(zip(*session.connection().execute(query), strict=True))
        found = zip(_MEASURES, columns, strict=bool(columns))
        return tuple(_spread(name, sorted(values)) for name, values in found)


def _spread(name: str, values: list[int]) -> Spread:
    count = len(values)
    middle, high = values[(count - 1) // 2], values[-(-95 * count // 100) - 1]
    return Spread(name, count, values[0], middle, fmean(values), values[-1], high)


def latest_changes(
    source: Source, pool_id: str, version_ids: Collection[str], depth: int
) -> dict[str, list[tuple[float, float]]]:
    """Return the rating (mu - 3 sigma) before and after each of the last `depth` matches of versions, oldest first."""
    with read(source) as session:
        connection = session.connection()
        wanted = [(version, {"pool": pool_id, "version": version, "depth": depth}) for version in version_ids]
        return {
            version: [(before, after) for before, after in reversed(connection.execute(_LATEST, which).all())]
            for version, which in wanted
        }


def faulty_matches(source: Source, pool_id: str, version_ids: Collection[str]) -> dict[str, int]:
    """Count the rated matches in which versions did something wrong; those without a fault are left out."""
    is_rated = exists().where(_c.c.match_id == _f.c.match_id, _c.c.seat == _f.c.seat, _c.c.pool_id == pool_id)
    query = (
        select(_f.c.version_id, func.count(_f.c.match_id.distinct()).label("faulty"))
        .where(_f.c.version_id.in_(version_ids), is_rated)
        .group_by(_f.c.version_id)
    )
    with read(source) as session:
        return {row.version_id: row.faulty for row in session.connection().execute(query)}


def faults_by_cause(source: Source, pool_id: str, version_id: str) -> tuple[FaultCount, ...]:
    """Return what a version did wrong in the rated matches of a pool, the most frequent cause first."""
    query = (
        select(_f.c.cause, _f.c.match_id, _f.c.explanation, _f.c.explanation_text, _c.c.rating_seq)
        .join(_c, (_c.c.match_id == _f.c.match_id) & (_c.c.seat == _f.c.seat))
        .where(_f.c.version_id == version_id, _c.c.pool_id == pool_id)
    )
    with read(source) as session:
        rows = session.connection().execute(query).all()
    counts = []
    for cause in {row.cause for row in rows}:
        of_cause = [row for row in rows if row.cause == cause]
        last = max(of_cause, key=lambda row: row.rating_seq)
        explanation = text_from_json(last.explanation, last.explanation_text)
        counts.append(FaultCount(cause, len(of_cause), last.match_id, explanation))
    return tuple(sorted(counts, key=lambda count: (-count.count, count.cause)))


def curve(source: Source, pool_id: str, version_id: str, points: int) -> tuple[CurvePoint, ...]:
    """Return the ratings of a version in a pool, oldest first, thinned to about `points`; the last is always there."""
    of_version = (_c.c.pool_id == pool_id) & (_c.c.version_id == version_id)
    with read(source) as session:
        connection = session.connection()
        count: int = connection.execute(select(func.count()).where(of_version)).scalar_one()
        numbered = (
            select(
                func.row_number().over(order_by=(_c.c.rating_seq, _c.c.seat)).label("number"),
                _c.c.mu_after,
                _c.c.sigma_after,
            )
            .where(of_version)
            .subquery()
        )
        every = literal(max(1, -(-count // points)))
        is_kept = (numbered.c.number % every == 0) | (numbered.c.number == 1) | (numbered.c.number == count)
        query = select(numbered).where(is_kept).order_by(numbered.c.number)
        return tuple(CurvePoint(*row) for row in connection.execute(query))


def history(
    source: Source, *, pool_id: str, version_id: str, limit: int | None = None, after: str | None = None
) -> Page[RatingChange]:
    """Return the changes of a version's rating in a pool, the last first. Raises PageError."""
    query = select_models(RatingChangeRecord).where(
        RatingChangeRecord.pool_id == pool_id, RatingChangeRecord.version_id == version_id
    )
    with read(source) as session:
        found = session.exec(one_page(query, _HISTORY, limit, after)).all()
    return each(cut(found, _HISTORY, limit, lambda change: (change.rating_seq, change.seat)), _change)


def _change(stored: RatingChangeRecord) -> RatingChange:
    return RatingChange(
        match_id=stored.match_id,
        seat=stored.seat,
        pool_id=stored.pool_id,
        version_id=stored.version_id,
        rating_seq=stored.rating_seq,
        mu_before=stored.mu_before,
        sigma_before=stored.sigma_before,
        mu_after=stored.mu_after,
        sigma_after=stored.sigma_after,
        exposure=stored.mu_after - 3 * stored.sigma_after,
    )
