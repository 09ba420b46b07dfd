"""Live rating: TrueSkill applied match by match, in schedule order, never in finishing order.

What one match does is in `rate_match`, without I/O, shared with `ratings.rebuild`; the rest of this file finds out
which matches come next and writes down what happened to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from sqlalchemy import Connection, and_, bindparam, func, insert, select, update

from ratings import tables
from ratings.models import MatchState, Verdict
from ratings.skill import Skill, SkillSettings, exposure, newcomer, rate, successor
from ratings.tables import AnyRow

_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Standing:
    """A version in a pool: its skill, and what it did there (`wins`, `points` as in `ratings.models.Rating`)."""

    skill: Skill
    matches: int = 0
    wins: int = 0
    points: int = 0


def first_standing(settings: SkillSettings, predecessor: Skill | None) -> Standing:
    """Where a version starts in a pool: as a newcomer, or from its nearest earlier version rated there."""
    return Standing(newcomer(settings) if predecessor is None else successor(settings, predecessor))


def rate_match(settings: SkillSettings, before: Sequence[Standing], ranks: Sequence[int]) -> list[Standing]:
    """The standings after a match; index = seat."""
    skills = rate(settings, [standing.skill for standing in before], ranks)
    return [
        Standing(skill, old.matches + 1, old.wins + (rank == 1), old.points + _points(rank, ranks))
        for skill, old, rank in zip(skills, before, ranks, strict=True)
    ]


def _points(rank: int, ranks: Sequence[int]) -> int:
    beaten = sum(other > rank for other in ranks)
    tied = sum(other == rank for other in ranks) - 1
    return 2 * beaten + tied


def standing_columns(standing: Standing) -> dict[str, Any]:
    """The columns of table `rating` that a standing fills."""
    return {
        "mu": standing.skill.mu,
        "sigma": standing.skill.sigma,
        "exposure": exposure(standing.skill),
        "matches": standing.matches,
        "wins": standing.wins,
        "points": standing.points,
    }


def change_columns(before: Standing, after: Standing) -> dict[str, float]:
    """The columns of table `rating_change` that a match fills for one seat."""
    return {
        "mu_before": before.skill.mu,
        "sigma_before": before.skill.sigma,
        "mu_after": after.skill.mu,
        "sigma_after": after.skill.sigma,
    }


_t, _p, _m, _s, _v, _b, _r = (
    tables.tournament,
    tables.pool,
    tables.match,
    tables.match_seat,
    tables.version,
    tables.bot,
    tables.rating,
)

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
    )
    .join(_p, _p.c.id == _t.c.pool_id)
    .where(_t.c.id == bindparam("tournament"))
    # Two tournaments of one pool take turns where the database allows several writers; SQLite ignores this.
    .with_for_update(of=_p)
)
_NEXT_MATCHES = (
    select(_m.c.id, _m.c.block_id, _m.c.position, _m.c.state, _m.c.rated)
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.position >= bindparam("start"))
    .order_by(_m.c.position)
    .limit(_CHUNK)
)
_SEATS = (
    select(
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
        _r.c.points,
    )
    .join(_v, _v.c.id == _s.c.version_id)
    .join(_b, _b.c.id == _v.c.bot_id)
    .outerjoin(_r, and_(_r.c.version_id == _s.c.version_id, _r.c.pool_id == bindparam("pool")))
    .where(_s.c.match_id == bindparam("match"))
    .order_by(_s.c.seat)
)
_PREDECESSOR = (
    select(_r.c.mu, _r.c.sigma)
    .join(_v, _v.c.id == _r.c.version_id)
    .where(_v.c.bot_id == bindparam("bot"), _v.c.number < bindparam("number"), _r.c.pool_id == bindparam("pool"))
    .order_by(_v.c.number.desc())
    .limit(1)
)
_LAST_SEQ = select(func.max(tables.rating_order.c.rating_seq)).where(tables.rating_order.c.pool_id == bindparam("pool"))
_ADD_ORDER = insert(tables.rating_order)
_ADD_CHANGE = insert(tables.rating_change)
_ADD_RATING = insert(_r)
_SET_RATING = (
    update(_r)
    .where(_r.c.pool_id == bindparam("the_pool"), _r.c.version_id == bindparam("the_version"))
    .values({name: bindparam(name) for name in ("mu", "sigma", "exposure", "matches", "wins", "points")})
)
_SET_THROUGH = update(_t).where(_t.c.id == bindparam("tournament")).values(rated_through=bindparam("through"))


def rate_prefix(connection: Connection, tournament_id: str) -> int:
    """Rate the tournament's whole blocks from where rating stopped to the first that is not over.

    How many matches were passed. A match that is void voids its block: seats are fair only in whole blocks. Inside the
    caller's transaction. Nothing happens in an unrated tournament.
    """
    tournament = connection.execute(_TOURNAMENT, {"tournament": tournament_id}).one()
    if not tournament.rated:
        return 0
    through = tournament.rated_through
    while chunk := _over_from(connection, tournament_id, through):
        _rate_chunk(connection, tournament, chunk)
        through += len(chunk)
        connection.execute(_SET_THROUGH, {"tournament": tournament_id, "through": through})
    return int(through - tournament.rated_through)


def _over_from(connection: Connection, tournament_id: str, start: int) -> list[AnyRow]:
    """The matches at `start`, start + 1, ... that are over, up to the first block that is not; few at once."""
    rows = connection.execute(_NEXT_MATCHES, {"tournament": tournament_id, "start": start}).all()
    over = list(takewhile(lambda row: row.state in (MatchState.FINISHED, MatchState.VOID), rows))
    # A block that is cut off, by a match that is not over or by the limit, has to wait.
    cut = rows[len(over)].block_id if len(over) < len(rows) else over[-1].block_id if len(over) == _CHUNK else None
    return [row for row in over if row.block_id != cut]


def _rate_chunk(connection: Connection, tournament: AnyRow, matches: Sequence[AnyRow]) -> None:
    settings = SkillSettings(
        tournament.mu, tournament.sigma, tournament.beta, tournament.tau, tournament.draw_probability
    )
    pool = tournament.pool_id
    last = connection.execute(_LAST_SEQ, {"pool": pool}).scalar_one() or 0
    void_blocks = {match.block_id for match in matches if match.state == MatchState.VOID}
    for seq, match in enumerate(matches, start=last + 1):
        seats = connection.execute(_SEATS, {"pool": pool, "match": match.id}).all()
        verdict = _verdict(match, seats, void_blocks, bool(tournament.rates_same_owner))
        order = {"pool_id": pool, "rating_seq": seq, "match_id": match.id, "verdict": verdict}
        connection.execute(_ADD_ORDER, order)
        if verdict is Verdict.RATED:
            _rate_one(connection, settings, order, seats)


def _verdict(match: AnyRow, seats: Sequence[AnyRow], void_blocks: Set[str], rates_same_owner: bool) -> Verdict:
    if match.state == MatchState.VOID:
        return Verdict.VOID
    if match.block_id in void_blocks:
        return Verdict.VOID_BLOCK
    if not match.rated:
        return Verdict.UNRATED
    owners = [seat.owner_id for seat in seats if seat.owner_id is not None]
    if len(set(owners)) < len(owners) and not rates_same_owner:
        return Verdict.SAME_OWNER
    return Verdict.RATED


def _rate_one(
    connection: Connection, settings: SkillSettings, order: Mapping[str, Any], seats: Sequence[AnyRow]
) -> None:
    pool = order["pool_id"]
    before = [_standing(connection, settings, pool, seat) for seat in seats]
    after = rate_match(settings, before, [seat.rank for seat in seats])
    changes, new, known = [], [], []
    for seat, old, now in zip(seats, before, after, strict=True):
        place = {"match_id": order["match_id"], "seat": seat.seat, "pool_id": pool, "version_id": seat.version_id}
        changes.append({**place, "rating_seq": order["rating_seq"], **change_columns(old, now)})
        if seat.mu is None:
            new.append({"pool_id": pool, "version_id": seat.version_id, **standing_columns(now)})
        else:
            known.append({"the_pool": pool, "the_version": seat.version_id, **standing_columns(now)})
    connection.execute(_ADD_CHANGE, changes)
    if new:
        connection.execute(_ADD_RATING, new)
    if known:
        connection.execute(_SET_RATING, known)


def _standing(connection: Connection, settings: SkillSettings, pool: str, seat: AnyRow) -> Standing:
    if seat.mu is not None:
        return Standing(Skill(seat.mu, seat.sigma), seat.matches, seat.wins, seat.points)
    before = connection.execute(_PREDECESSOR, {"bot": seat.bot_id, "number": seat.number, "pool": pool}).one_or_none()
    return first_standing(settings, None if before is None else Skill(*before))
