"""How versions did lately, how their ratings went, and what they did wrong: each in one reading for many of them.

Everything starts from the rated matches, so blocks that are not over are not told.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import bindparam, exists, func, literal, select
from sqlmodel import select as select_models

from engine.text import text_from_json
from ratings.read.paging import Order, cut, each, one_page
from ratings.store import tables
from ratings.store.rating import RatingChangeRecord
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow
from ratings.values.bots import CurvePoint, FaultCount
from ratings.values.page import Page
from ratings.values.statistics import RatingChange

_c, _f = tables.rating_change, tables.fault
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
    return tuple(sorted((_of_cause(cause, rows) for cause in {row.cause for row in rows}), key=_by_count))


def _of_cause(cause: str, rows: Collection[AnyRow]) -> FaultCount:
    of_cause = [row for row in rows if row.cause == cause]
    last = max(of_cause, key=lambda row: row.rating_seq)
    explanation = text_from_json(last.explanation, last.explanation_text)
    return FaultCount(cause, len(of_cause), last.match_id, explanation)


def _by_count(row: FaultCount) -> tuple[int, str]:
    return -row.count, row.cause


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
