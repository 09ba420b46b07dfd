"""Computes the ratings of a pool anew piece by piece, so that others can write in between; a kill loses one piece.

Somebody asks for it from some place in the order of rating on. From then until the last piece is written, matches that
are over only get their place in that order (`ratings.ledger.live`), and are rated when their turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import Connection, delete, insert, select, update
from sqlmodel import Session

from engine.text import Text
from ratings.ledger.live import CHANGE_COLUMNS, SET_RATING, ChangeRow, VersionRating
from ratings.ledger.rebuild import PoolRatings, get_pool, last_place, rated_matches
from ratings.statistics.firsts import match_firsts
from ratings.statistics.points import match_points
from ratings.statistics.skill import Skill
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.rating import PendingRatingRecord
from ratings.store.sessions import add_rows, read, write
from ratings.store.tables import AnyRow

PIECE = 500
"""How many places in the order of rating are rated anew at once: others wait for the writing of so many."""
UNFINISHED = Text(
    "ratings.ratings_being_computed_anew_do",
    "its ratings are being computed anew, and do not count everything yet; a service goes on by itself",
)
_ROWS = 5_000
_COUNTED = VersionRating._fields[1:]

_o, _s, _v, _c, _r, _p = (
    tables.rating_order,
    tables.match_seat,
    tables.version,
    tables.rating_change,
    tables.rating,
    tables.pending_rating,
)


@dataclass(frozen=True, slots=True)
class _Step:
    """What is asked for of a pool at some time; what is computed from it is written only if it is the same then."""

    first: int
    rated: int | None
    asked: int


@dataclass(slots=True)
class _Piece:
    """Some places in the order of rating, rated anew."""

    step: _Step
    end: int
    """The place behind the last."""
    changes: list[ChangeRow]
    played: PoolRatings
    is_start: bool
    """Whether `rating` tells of later places until it is written."""


def ask(session: Session, pool_id: str, first: int) -> None:
    """Have a pool rated anew from place `first` in the order of rating on; `finish` does it. Raises NotFoundError."""
    get_pool(session, pool_id, locks=True)
    pending = session.get(PendingRatingRecord, pool_id)
    if pending is None:
        pending = PendingRatingRecord(pool_id=pool_id, first_seq=first)
    else:
        pending.first_seq, pending.asked = min(pending.first_seq, first), pending.asked + 1
    session.add(pending)
    session.flush()


def finish(database: Database, pool_id: str, is_stopping: Callable[[], bool] = lambda: False) -> bool:
    """Rate a pool anew as it was asked for, and return True, or False if it was to stop before.

    Several may do so at once: what one has computed in vain is computed again. It takes about 5 s for 100,000 matches
    of two seats; others can write in between. Raises SkillError, and NotFoundError for the pool.
    """
    played: PoolRatings | None = None
    while not is_stopping():
        with read(database) as session:
            piece = _compute(session, pool_id, played)
        if piece is None:
            return True
        with write(database) as session:
            played = piece.played if _write(session, pool_id, piece) else None
    return False


def _step(session: Session, pool_id: str) -> _Step | None:
    row = session.connection().execute(select(_p).where(_p.c.pool_id == pool_id)).one_or_none()
    return None if row is None else _Step(row.first_seq, row.rated_seq, row.asked)


def _compute(session: Session, pool_id: str, played: PoolRatings | None) -> _Piece | None:
    """Return the next piece, or `None` if nothing is asked for.

    `played` are the ratings in which the piece before ended, if it was written.
    """
    step = _step(session, pool_id)
    if step is None:
        return None
    is_start = step.first != step.rated
    if is_start or played is None:
        played = PoolRatings(get_pool(session, pool_id))
        for row in _ratings_before(session, pool_id, step):
            played.begin_with(*row)
    end = min(step.first + PIECE, last_place(session.connection(), pool_id) + 1)
    played.forget_changed()
    matches = (seats for chunk in rated_matches(session, pool_id, step.first, end) for seats in chunk)
    changes = [change for seats in matches for change in played.play(seats)]
    return _Piece(step, end, changes, played, is_start)


def _write(session: Session, pool_id: str, piece: _Piece) -> bool:
    """Write a piece and return True, or False, with nothing written, if something else was asked for meanwhile."""
    get_pool(session, pool_id, locks=True)
    if _step(session, pool_id) != piece.step:
        return False
    connection = session.connection()
    its = select(_o.c.match_id).where(
        _o.c.pool_id == pool_id, _o.c.rating_seq >= piece.step.first, _o.c.rating_seq < piece.end
    )
    connection.execute(delete(_c).where(_c.c.match_id.in_(its)))
    add_rows(connection, _c, CHANGE_COLUMNS, piece.changes)
    _write_ratings(connection, pool_id, piece)
    _go_on(connection, pool_id, piece.end)
    return True


def _write_ratings(connection: Connection, pool_id: str, piece: _Piece) -> None:
    """Write how the ratings stand after the piece: all of them at the start, and then those that changed."""
    if piece.is_start:
        connection.execute(delete(_r).where(_r.c.pool_id == pool_id))
        changed = piece.played.rows()
    else:
        changed = piece.played.changed_rows()
    known = set(connection.execute(select(_r.c.version_id).where(_r.c.pool_id == pool_id)).scalars())
    if new := [row for row in changed if row["version_id"] not in known]:
        connection.execute(insert(_r), new)
    if old := [
        {**row, "the_pool": row["pool_id"], "the_version": row["version_id"]}
        for row in changed
        if row["version_id"] in known
    ]:
        connection.execute(SET_RATING, old)


def _go_on(connection: Connection, pool_id: str, end: int) -> None:
    """Note from where on it goes on, or that nothing is left."""
    its = _p.c.pool_id == pool_id
    if end > last_place(connection, pool_id):
        connection.execute(delete(_p).where(its))
    else:
        connection.execute(update(_p).where(its).values(first_seq=end, rated_seq=end))


def _ratings_before(session: Session, pool_id: str, step: _Step) -> Iterable[tuple[str, int, str, VersionRating]]:
    """Return bot, number, id and rating of every version that was rated before the first place of a step.

    What the matches from there on changed is taken back from the ratings as they are in the table, so that the earlier
    ones need not be looked at.
    """
    taken_back = _changes_between(session, pool_id, step)
    query = select(_r, _v.c.bot_id, _v.c.number).join(_v, _v.c.id == _r.c.version_id).where(_r.c.pool_id == pool_id)
    for row in session.connection().execute(query).mappings():
        since = taken_back.get(row["version_id"], _Since())
        if row["matches"] > since.matches:
            skill = since.before or Skill(row["mu"], row["sigma"])
            figures = (row[name] - getattr(since, name) for name in _COUNTED)
            yield row["bot_id"], row["number"], row["version_id"], VersionRating(skill, *figures)


@dataclass(slots=True)
class _Since:
    """What a version's rating has from the matches since some place, and its skill before them."""

    before: Skill | None = None
    matches: int = 0
    wins: int = 0
    shared: int = 0
    draws: int = 0
    points: int = 0


def _changes_between(session: Session, pool_id: str, step: _Step) -> Mapping[str, _Since]:
    """Return by version what the changes have added from the first place of a step to where the ratings stand."""
    found: dict[str, _Since] = {}
    query = (
        select(_c.c.match_id, _c.c.version_id, _c.c.mu_before, _c.c.sigma_before, _s.c.rank)
        .select_from(_o)
        .join(_c, _c.c.match_id == _o.c.match_id)
        .join(_s, (_s.c.match_id == _c.c.match_id) & (_s.c.seat == _c.c.seat))
        .where(_o.c.pool_id == pool_id, _o.c.rating_seq >= step.first)
        .order_by(_o.c.rating_seq, _c.c.seat)
    )
    if step.rated is not None:
        query = query.where(_o.c.rating_seq < step.rated)
    rows = session.connection().execute(query, execution_options={"yield_per": _ROWS})
    for _, match in groupby(rows, key=lambda row: row.match_id):
        _take_in(found, list(match))
    return found


def _take_in(found: dict[str, _Since], seats: list[AnyRow]) -> None:
    ranks = [seat.rank for seat in seats]
    for seat, first, points in zip(seats, match_firsts(ranks), match_points(ranks), strict=True):
        since = found.setdefault(seat.version_id, _Since(Skill(seat.mu_before, seat.sigma_before)))
        since.matches += 1
        since.wins += first.wins
        since.shared += first.shared
        since.draws += first.draws
        since.points += points
