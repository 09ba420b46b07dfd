"""Pools, and live rating: TrueSkill or OpenSkill applied match by match, in schedule order, never in finishing order.

`rate_match` tells what one match does, without I/O, and is shared with `rebuild`; the rest of this file finds out which
matches come next and writes down what happened to them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, and_, bindparam, func, insert, select, update
from sqlmodel import Session

from ratings.errors import FactError
from ratings.statistics.errors import SkillError
from ratings.statistics.scores import Firsts, match_firsts, match_points
from ratings.statistics.skill import Skill, SkillSettings, exposure, newcomer, rate, successor
from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.models import PoolRecord
from ratings.store.sessions import add_rows, save
from ratings.store.tables import AnyRow
from ratings.values.pools import Pool, RatingMethod
from ratings.values.states import MatchState, RatingVerdict

_t, _p, _m, _s, _v, _b = tables.tournament, tables.pool, tables.match, tables.match_seat, tables.version, tables.bot
_r, _x, _w = tables.rating, tables.annulled_block, tables.pending_rating
_CHUNK = 64
RATED_COLUMNS = ("mu", "sigma", "exposure", "matches", "wins", "shared", "draws", "points")
"""The columns of table `rating` that a rating fills."""
CHANGE_COLUMNS = (
    *("match_id", "seat", "pool_id", "version_id", "rating_seq"),
    *("mu_before", "sigma_before", "mu_after", "sigma_after"),
)
ChangeRow: TypeAlias = tuple[Any, ...]
"""A row of table `rating_change`: the values of its `CHANGE_COLUMNS`."""
_TOURNAMENT = (
    select(
        _t.c.pool_id,
        _t.c.rated,
        _t.c.rates_same_owner,
        _t.c.rated_through,
        _p.c.mu,
        _p.c.sigma,
        _p.c.beta,
        _p.c.tau,
        _p.c.draw_probability,
        _p.c.rating_method,
        _w.c.pool_id.label("pending"),
    )
    .join(_p, _p.c.id == _t.c.pool_id)
    .outerjoin(_w, _w.c.pool_id == _t.c.pool_id)
    .where(_t.c.id == bindparam("tournament"))
    # Two tournaments of one pool take turns where the database allows several writers; SQLite ignores this.
    .with_for_update(of=_p)
)
_NEXT_MATCHES = (
    select(_m.c.id, _m.c.block_id, _m.c.position, _m.c.state, _m.c.rated, _x.c.annulment_id)
    .outerjoin(_x, _x.c.block_id == _m.c.block_id)
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.position >= bindparam("start"))
    .order_by(_m.c.position)
    .limit(_CHUNK)
)
_SEATS = (
    select(
        _s.c.match_id,
        _s.c.seat,
        _s.c.version_id,
        _s.c.rank,
        _v.c.bot_id,
        _v.c.number,
        _b.c.owner_id,
        _r.c.mu,
        _r.c.sigma,
        _r.c.matches,
        _r.c.wins,
        _r.c.shared,
        _r.c.draws,
        _r.c.points,
    )
    .join(_v, _v.c.id == _s.c.version_id)
    .join(_b, _b.c.id == _v.c.bot_id)
    .outerjoin(_r, and_(_r.c.version_id == _s.c.version_id, _r.c.pool_id == bindparam("pool")))
    .where(_s.c.match_id.in_(bindparam("matches", expanding=True)))
    .order_by(_s.c.seat)
)
_PREDECESSOR = (
    select(_v.c.number, _r.c.version_id, _r.c.mu, _r.c.sigma)
    .join(_v, _v.c.id == _r.c.version_id)
    .where(_v.c.bot_id == bindparam("bot"), _v.c.number < bindparam("number"), _r.c.pool_id == bindparam("pool"))
    .order_by(_v.c.number.desc())
    .limit(1)
)
_LAST_SEQ = select(func.max(tables.rating_order.c.rating_seq)).where(tables.rating_order.c.pool_id == bindparam("pool"))
_ADD_ORDER = insert(tables.rating_order)
_ADD_RATING = insert(_r)
SET_RATING = (
    update(_r)
    .where(_r.c.pool_id == bindparam("the_pool"), _r.c.version_id == bindparam("the_version"))
    .values({name: bindparam(name) for name in RATED_COLUMNS})
)
_SET_THROUGH = update(_t).where(_t.c.id == bindparam("tournament")).values(rated_through=bindparam("through"))


def pool_of(
    game: str,
    rules_version: str,
    seats: int,
    options: Mapping[str, Any] | None = None,
    time_control: str = "none",
    cores: int = 1,
    remote: bool = False,
    rating_method: RatingMethod = RatingMethod.TRUESKILL,
) -> Pool:
    """Return the pool of the matches that have all this in common.

    Its name is the SHA-256, in hexadecimal digits, of their canonical JSON: keys sorted, no spaces, ASCII. What came
    after the first schema is in it only if it is not the default, so that old pools keep their names.
    """
    key = {
        "game": game,
        "rules_version": rules_version,
        "seats": seats,
        "options": dict(options or {}),
        "time_control": time_control,
        "cores": cores,
        **({"remote": True} if remote else {}),
        **({} if rating_method == RatingMethod.TRUESKILL else {"rating_method": rating_method}),
    }
    canonical = json.dumps(key, sort_keys=True, separators=(",", ":"), allow_nan=False)
    pool_id = hashlib.sha256(canonical.encode("ascii")).hexdigest()
    return Pool(pool_id, game, rules_version, seats, options or {}, time_control, cores, remote, rating_method)


def pool_for(session: Session, pool: Pool, settings: SkillSettings | None = None) -> PoolRecord:
    """Return the pool as it is stored; it is written if it is missing, and `settings` only count then."""
    stored = session.get(PoolRecord, pool.pool_id)
    if stored is None:
        constants = asdict(settings or SkillSettings())
        fields = {**constants, **asdict(pool), "options": dict(pool.options)}
        stored = PoolRecord(id=fields.pop("pool_id"), created_at_us=now_us(), **fields)
        save(session, stored)
    return stored


def settings_of(pool: PoolRecord | AnyRow) -> SkillSettings:
    """Return how a pool, or a row that has its columns, is rated."""
    return SkillSettings(pool.mu, pool.sigma, pool.beta, pool.tau, pool.draw_probability, pool.rating_method)


class VersionRating(NamedTuple):
    """A version in a pool: its skill, and how it did, counted as in `ratings.store.rating.RatingRecord`."""

    skill: Skill
    matches: int = 0
    wins: int = 0
    shared: int = 0
    draws: int = 0
    points: int = 0


def first_rating(settings: SkillSettings, predecessor: Skill | None) -> VersionRating:
    """Return where a version starts in a pool: as a newcomer, or from its nearest earlier version rated there."""
    return VersionRating(newcomer(settings) if predecessor is None else successor(settings, predecessor))


def rate_match(settings: SkillSettings, before: Sequence[VersionRating], ranks: Sequence[int]) -> list[VersionRating]:
    """Return the ratings after a match; index = seat."""
    skills = rate(settings, [rating[0] for rating in before], ranks)
    return [
        VersionRating(skill, old[1] + 1, old[2] + win, old[3] + share, old[4] + draw, old[5] + gained)
        for skill, old, ((win, share, draw), gained) in zip(skills, before, _gains(tuple(ranks)), strict=True)
    ]


@lru_cache(maxsize=1 << 12)
def _gains(ranks: tuple[int, ...]) -> tuple[tuple[Firsts, int], ...]:
    """Return for each seat which kind of first it was, and its points."""
    return tuple(zip(match_firsts(ranks), match_points(ranks), strict=True))


def rating_columns(rating: VersionRating) -> dict[str, Any]:
    """Return the columns of table `rating` that a rating fills."""
    return {
        "mu": rating.skill.mu,
        "sigma": rating.skill.sigma,
        "exposure": exposure(rating.skill),
        "matches": rating.matches,
        "wins": rating.wins,
        "shared": rating.shared,
        "draws": rating.draws,
        "points": rating.points,
    }


def rate_prefix(connection: Connection, tournament_id: str) -> int:
    """Rate the tournament's whole blocks from where rating stopped to the first block that is not over.

    Return how many matches were passed, inside the caller's transaction; an unrated tournament has none. A match that
    is void, or whose result says that it is not to be rated, voids its block, because seats are only fair in whole
    blocks. Raises FactError.
    """
    tournament = connection.execute(_TOURNAMENT, {"tournament": tournament_id}).one()
    if not tournament.rated:
        return 0
    through = tournament.rated_through
    try:
        while chunk := _over_from(connection, tournament_id, through):
            pool = tournament.pool_id
            last = connection.execute(_LAST_SEQ, {"pool": pool}).scalar_one() or 0
            broken = {match.block_id for match in chunk if match.state == MatchState.VOID or not match.rated}
            seats: dict[str, list[AnyRow]] = {}
            for row in connection.execute(_SEATS, {"pool": pool, "matches": [match.id for match in chunk]}):
                seats.setdefault(row.match_id, []).append(row)
            ratings = _Ratings(
                connection, settings_of(tournament), pool, [seat for found in seats.values() for seat in found]
            )
            order = []
            for seq, match in enumerate(chunk, start=last + 1):
                verdict = _verdict(match, seats[match.id], broken, bool(tournament.rates_same_owner))
                order.append({"pool_id": pool, "rating_seq": seq, "match_id": match.id, "verdict": verdict})
                if verdict is RatingVerdict.RATED and tournament.pending is None:
                    ratings.play(seq, seats[match.id])
            connection.execute(_ADD_ORDER, order)
            ratings.write()
            through += len(chunk)
            connection.execute(_SET_THROUGH, {"tournament": tournament_id, "through": through})
    except SkillError as error:
        raise FactError(f"tournament {tournament_id} cannot be rated: {error}") from error
    return int(through - tournament.rated_through)


def _over_from(connection: Connection, tournament_id: str, start: int) -> list[AnyRow]:
    """Return the matches from position `start` on, a chunk at most, up to the first block that is not over."""
    rows = connection.execute(_NEXT_MATCHES, {"tournament": tournament_id, "start": start}).all()
    over = list(takewhile(lambda row: row.state in (MatchState.FINISHED, MatchState.VOID), rows))
    # A block that is cut off, by a match that is not over or by the limit, has to wait.
    cut = rows[len(over)].block_id if len(over) < len(rows) else over[-1].block_id if len(over) == _CHUNK else None
    return [row for row in over if row.block_id != cut]


def _verdict(match: AnyRow, seats: Sequence[AnyRow], broken: Set[str], rates_same_owner: bool) -> RatingVerdict:
    if match.annulment_id is not None:
        return RatingVerdict.ANNULLED
    if match.state == MatchState.VOID:
        return RatingVerdict.VOID
    if not match.rated:
        return RatingVerdict.UNRATED
    if match.block_id in broken:
        return RatingVerdict.VOID_BLOCK
    owners = [seat.owner_id for seat in seats if seat.owner_id is not None]
    if len(set(owners)) < len(owners) and not rates_same_owner:
        return RatingVerdict.SAME_OWNER
    return RatingVerdict.RATED


class _Ratings:
    """The ratings with which a chunk of matches begins, what the matches make of them, and the rows to write."""

    def __init__(self, connection: Connection, settings: SkillSettings, pool: str, seats: Iterable[AnyRow]) -> None:
        self._connection, self._settings, self._pool = connection, settings, pool
        self._ratings = {
            seat.version_id: VersionRating(
                Skill(seat.mu, seat.sigma), seat.matches, seat.wins, seat.shared, seat.draws, seat.points
            )
            for seat in seats
            if seat.mu is not None
        }
        self._known = set(self._ratings)
        self._changed: dict[str, AnyRow] = {}
        self._changes: list[ChangeRow] = []

    def play(self, seq: int, seats: Sequence[AnyRow]) -> None:
        """Rate one match, in which `seats` took part."""
        known = self._ratings
        before = [known.get(seat.version_id) or first_rating(self._settings, self._predecessor(seat)) for seat in seats]
        after = rate_match(self._settings, before, [seat.rank for seat in seats])
        for seat, old, new in zip(seats, before, after, strict=True):
            place = (seat.match_id, seat.seat, self._pool, seat.version_id, seq)
            self._changes.append((*place, *old.skill, *new.skill))
            self._ratings[seat.version_id] = new
            self._changed[seat.version_id] = seat

    def write(self) -> None:
        """Write every change, and every rating as the last match left it."""
        new, known = [], []
        for version_id in self._changed:
            columns = rating_columns(self._ratings[version_id])
            if version_id in self._known:
                known.append({"the_pool": self._pool, "the_version": version_id, **columns})
            else:
                new.append({"pool_id": self._pool, "version_id": version_id, **columns})
        add_rows(self._connection, tables.rating_change, CHANGE_COLUMNS, self._changes)
        for statement, rows in ((_ADD_RATING, new), (SET_RATING, known)):
            if rows:
                self._connection.execute(statement, rows)

    def _predecessor(self, seat: AnyRow) -> Skill | None:
        """Return the skill of the bot's nearest earlier version rated here, in the database or in this chunk."""
        place = {"bot": seat.bot_id, "number": seat.number, "pool": self._pool}
        stored = self._connection.execute(_PREDECESSOR, place).one_or_none()
        earlier = [(row.number, id_) for id_, row in self._changed.items() if row.bot_id == seat.bot_id]
        found = [one for one in earlier if one[0] < seat.number]
        if stored is not None:
            found.append((stored.number, stored.version_id))
        if not found:
            return None
        _, version_id = max(found)
        if version_id in self._ratings:
            return self._ratings[version_id].skill
        assert stored is not None
        return Skill(stored.mu, stored.sigma)
