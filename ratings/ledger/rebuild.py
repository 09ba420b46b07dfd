"""Computes ratings anew from the facts, to the last digit: at once, or piece by piece while others write.

Live rating must have come to the same. In pieces, somebody asks for it from some place in the order of rating on. From
then until the last piece is written, matches that are over only get their place in that order
(`ratings.ledger.rating`), and are rated when their turn comes; a kill loses one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, select, update
from sqlmodel import Session

from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.ledger import tally_updates as tallies
from ratings.ledger.rating import (
    CHANGE_COLUMNS,
    SET_RATING,
    ChangeRow,
    VersionRating,
    first_rating,
    rate_match,
    rating_columns,
    settings_of,
)
from ratings.statistics.scores import match_firsts, match_points
from ratings.statistics.skill import Skill
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.models import PoolRecord
from ratings.store.rating import PendingRatingRecord
from ratings.store.sessions import add_rows, read, save, write
from ratings.values.states import OnWorkProgress, RatingVerdict, WorkStage, no_progress

_o, _s, _v, _c, _r = tables.rating_order, tables.match_seat, tables.version, tables.rating_change, tables.rating
_p = tables.pending_rating
_CHUNK = 5_000
"""How many places in the order of rating are read at once."""
SeatRow: TypeAlias = tuple[Any, ...]
"""A seat of a match: its place in the order of rating, match, seat, version, rank, bot, and number of the version."""
_SEATS = (
    select(_o.c.rating_seq, _o.c.match_id, _s.c.seat, _s.c.version_id, _s.c.rank, _v.c.bot_id, _v.c.number)
    .join(_s, _s.c.match_id == _o.c.match_id)
    .join(_v, _v.c.id == _s.c.version_id)
    .where(_o.c.pool_id == bindparam("pool"), _o.c.verdict == RatingVerdict.RATED)
    .where(_o.c.rating_seq >= bindparam("start"), _o.c.rating_seq < bindparam("end"))
    .order_by(_o.c.rating_seq, _s.c.seat)
)
_FACTS = len(_SEATS.selected_columns)
_SEATS_WITH_CHANGES = _SEATS.add_columns(*(_c.c[name] for name in CHANGE_COLUMNS)).outerjoin(
    _c, and_(_c.c.match_id == _s.c.match_id, _c.c.seat == _s.c.seat)
)
PIECE = 500
"""How many places in the order of rating are rated anew at once: others wait for the writing of so many."""
UNFINISHED = Text("its ratings are being computed anew, and do not count everything yet; a service goes on by itself")
_ROWS = 5_000
_COUNTED = VersionRating._fields[1:]


class PoolRatings:
    """The ratings of a pool while its matches go by."""

    def __init__(self, pool: PoolRecord) -> None:
        self._settings = settings_of(pool)
        self._pool_id = pool.id
        self._by_version: dict[str, VersionRating] = {}
        self._rated: dict[str, dict[int, str]] = {}
        self._changed: set[str] = set()

    def begin_with(self, bot_id: str, number: int, version_id: str, rating: VersionRating) -> None:
        """Let a version have the rating that it has before the matches go by."""
        self._by_version[version_id] = rating
        self._rated.setdefault(bot_id, {})[number] = version_id

    def play(self, seats: Sequence[SeatRow]) -> list[ChangeRow]:
        """Rate one match, and return the rows of its changes."""
        known, pool = self._by_version, self._pool_id
        # Nobody begins with what somebody else has only from this very match: that is not known here yet.
        before = [
            known.get(seat[3]) or first_rating(self._settings, self._predecessor(seat[5], seat[6])) for seat in seats
        ]
        after = rate_match(self._settings, before, [seat[4] for seat in seats])
        changes = []
        for seat, old, new in zip(seats, before, after, strict=True):
            version_id = seat[3]
            if version_id in known:
                known[version_id] = new
            else:
                self.begin_with(seat[5], seat[6], version_id, new)
            self._changed.add(version_id)
            changes.append((seat[1], seat[2], pool, version_id, seat[0], *old[0], *new[0]))
        return changes

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the ratings as they are now."""
        return self._rows(self._by_version)

    def changed_rows(self) -> list[dict[str, Any]]:
        """Return the rows of those ratings that matches have changed since `forget_changed`."""
        return self._rows(self._changed)

    def forget_changed(self) -> None:
        """Begin to note anew which ratings change."""
        self._changed = set()

    def _rows(self, version_ids: Iterable[str]) -> list[dict[str, Any]]:
        return [
            {"pool_id": self._pool_id, "version_id": version_id, **rating_columns(self._by_version[version_id])}
            for version_id in sorted(version_ids)
        ]

    def _predecessor(self, bot_id: str, number: int) -> Skill | None:
        earlier = [one for one in self._rated.get(bot_id, ()) if one < number]
        return self._by_version[self._rated[bot_id][max(earlier)]].skill if earlier else None


def get_pool(session: Session, pool_id: str, *, locks: bool = False) -> PoolRecord:
    """Return the pool, in which, where several can write at once, nobody else rates if it `locks` it."""
    pool = session.get(PoolRecord, pool_id, with_for_update=locks or None)
    if pool is None:
        raise NotFoundError(Text("no pool {pool}", pool=pool_id))
    return pool


def rated_matches(
    session: Session, pool_id: str, first: int = 1, end: int | None = None, *, with_changes: bool = False
) -> Iterator[list[list[SeatRow]]]:
    """Yield the seats of every match that is rated, in chunks, from place `first` in the order of rating to `end`.

    That of `end` is left out; without it, it is all to the last. `with_changes` each seat is followed by what is
    stored of its change, in the order of `CHANGE_COLUMNS`, all `None` if there is nothing.
    """
    connection = session.connection()
    end = last_place(connection, pool_id) + 1 if end is None else end
    query = _SEATS_WITH_CHANGES if with_changes else _SEATS
    for start in range(first, end, _CHUNK):
        places = {"pool": pool_id, "start": start, "end": min(start + _CHUNK, end)}
        # Plain tuples, because taking rows of the database apart would cost as much as rating them.
        rows = map(tuple, connection.execute(query, places).fetchall())
        yield [list(seats) for _, seats in groupby(rows, key=itemgetter(0))]


def last_place(connection: Connection, pool_id: str) -> int:
    """Return the last place in a pool's order of rating, 0 if nothing was rated."""
    return connection.execute(select(func.max(_o.c.rating_seq)).where(_o.c.pool_id == pool_id)).scalar_one() or 0


class Differences:
    """Where the ratings that are stored of a pool are not those that its facts give, found match by match.

    What is kept in memory are the ratings, however many matches there are.
    """

    def __init__(self, session: Session, pool_id: str) -> None:
        self._session, self._connection, self._pool_id = session, session.connection(), pool_id
        self._played = PoolRatings(get_pool(session, pool_id))
        self.rated = 0
        """How many matches have gone by."""
        self._changes = self._stored = 0

    def wrong_changes(self, report: OnWorkProgress = no_progress) -> Iterator[list[tuple[ChangeRow, bool]]]:
        """Yield the changes that are missing or wrong as they must be, in chunks, with whether another is in its place.

        `report` is told after each chunk how far it is. Raises SkillError.
        """
        last = last_place(self._connection, self._pool_id)
        for chunk in rated_matches(self._session, self._pool_id, with_changes=True):
            wrong = []
            for seats in chunk:
                for seat, change in zip(seats, self._played.play(seats), strict=True):
                    stored = seat[_FACTS:]
                    if stored != change:
                        wrong.append((change, stored[0] is not None))
                    self._changes += 1
                    self._stored += stored[2] == self._pool_id
            self.rated += len(chunk)
            yield wrong
            if chunk:
                report(WorkStage.RATINGS, chunk[-1][0][0], last)

    def stray_changes(self, *, are_mended: bool) -> list[tuple[str, int]]:
        """Return match and seat of every change that belongs to no rated match.

        It is asked after `wrong_changes`, and has to know whether those `are_mended` since.
        """
        count = select(func.count()).select_from(_c).where(_c.c.pool_id == self._pool_id)
        if self._connection.execute(count).scalar_one() == (self._changes if are_mended else self._stored):
            return []
        rated = select(_o.c.match_id).where(_o.c.pool_id == self._pool_id, _o.c.verdict == RatingVerdict.RATED)
        seated = select(_s.c.seat).where(_s.c.match_id == _c.c.match_id, _s.c.seat == _c.c.seat).exists()
        stray = select(_c.c.match_id, _c.c.seat).where(
            _c.c.pool_id == self._pool_id, _c.c.match_id.not_in(rated) | ~seated
        )
        return [(row.match_id, row.seat) for row in self._connection.execute(stray)]

    def wrong_ratings(self) -> tuple[list[dict[str, Any]], set[str]]:
        """Return the ratings that are missing or wrong as they must be, and the versions whose stored one is wrong.

        It is asked after `wrong_changes`.
        """
        rows = self._connection.execute(select(_r).where(_r.c.pool_id == self._pool_id)).mappings()
        stored = {row["version_id"]: dict(row) for row in rows}
        right = {row["version_id"]: row for row in self._played.rows()}
        missing = [row for version_id, row in right.items() if stored.get(version_id) != row]
        return missing, {version_id for version_id, row in stored.items() if right.get(version_id) != row}


def rebuild(session: Session, pool_id: str, report: OnWorkProgress = no_progress) -> int:
    """Have a pool's ratings and its tournaments' tallies be those that follow from the facts, all in one go.

    Only what is wrong is written. Return how many matches were rated. It takes time in proportion to them, about 4 s
    for 100,000 of two seats, and in all of it nobody else can write; of memory it takes the same however many they are.
    """
    connection = session.connection()
    tallies.rebuild(connection, tallies.of_pool(pool_id))
    get_pool(session, pool_id, locks=True)
    differences = Differences(session, pool_id)
    for wrong in differences.wrong_changes(report):
        _remove_changes(connection, [(change[0], change[1]) for change, is_there in wrong if is_there])
        add_rows(connection, _c, CHANGE_COLUMNS, [change for change, _ in wrong])
    _remove_changes(connection, differences.stray_changes(are_mended=True))
    missing, wrong_ones = differences.wrong_ratings()
    if wrong_ones:
        its = (_r.c.pool_id == pool_id, _r.c.version_id == bindparam("the_version"))
        connection.execute(delete(_r).where(*its), [{"the_version": version_id} for version_id in wrong_ones])
    if missing:
        connection.execute(insert(_r), missing)
    connection.execute(delete(_p).where(_p.c.pool_id == pool_id))
    session.expire_all()
    return differences.rated


def _remove_changes(connection: Connection, places: Sequence[tuple[str, int]]) -> None:
    if places:
        one = delete(_c).where(_c.c.match_id == bindparam("the_match"), _c.c.seat == bindparam("the_seat"))
        connection.execute(one, [{"the_match": match_id, "the_seat": seat} for match_id, seat in places])


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
    save(session, pending)


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
    of_pool = _p.c.pool_id == pool_id
    if piece.end > last_place(connection, pool_id):
        connection.execute(delete(_p).where(of_pool))
    else:
        connection.execute(update(_p).where(of_pool).values(first_seq=piece.end, rated_seq=piece.end))
    return True


def _ratings_before(session: Session, pool_id: str, step: _Step) -> Iterable[tuple[str, int, str, VersionRating]]:
    """Return bot, number, id and rating of every version that was rated before the first place of a step.

    What the matches from there on changed is taken back from the ratings as they are in the table, so that the earlier
    ones need not be looked at.
    """
    taken_back: dict[str, _Since] = {}
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
        seats = list(match)
        ranks = [seat.rank for seat in seats]
        for seat, first, points in zip(seats, match_firsts(ranks), match_points(ranks), strict=True):
            since = taken_back.setdefault(seat.version_id, _Since(Skill(seat.mu_before, seat.sigma_before)))
            since.matches += 1
            since.wins += first.wins
            since.shared += first.shared
            since.draws += first.draws
            since.points += points
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
