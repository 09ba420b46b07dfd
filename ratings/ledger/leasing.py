"""Who plays which match and until when, and what becomes of matches that their hosts lost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlmodel import Session

from engine.text import Text
from ratings.ledger.attempts import LostAttempt, fail_attempt, give_back
from ratings.ledger.live import rate_prefix
from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.tables import AnyRow
from ratings.values.states import AttemptState, MatchState

_m, _a, _s, _b, _v = tables.match, tables.attempt, tables.match_seat, tables.block, tables.version
_bot = tables.bot


Lease: TypeAlias = tuple[str, int]
"""The id of a match, and the number of the attempt that has it."""


@dataclass(frozen=True, slots=True)
class LeasedSeat:
    """Who sits in a seat of a leased match; index in `LeasedMatch.seats` = seat."""

    version_id: str
    content_hash: str
    bot: str
    owner_id: str | None = None
    """The registered owner of the bot, or `None` for a bot that was added locally."""
    is_remote: bool = False
    """Whether its author runs it elsewhere."""


@dataclass(frozen=True, slots=True)
class LeasedMatch:
    """A match to play now, with all that the plan says of it."""

    match_id: str
    attempt: int
    position: int
    block_index: int
    rotation: int
    opening: tuple[int, ...]
    chance_seed: int
    seats: tuple[LeasedSeat, ...]


_EXPIRED = (
    select(_m.c.id, _m.c.attempt)
    .join(_a, (_a.c.match_id == _m.c.id) & (_a.c.number == _m.c.attempt))
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.state == MatchState.LEASED)
    .where(_a.c.deadline_us <= bindparam("now"), _a.c.worker != bindparam("worker"))
    .order_by(_m.c.position)
)
_PLANNED = (
    select(
        _m.c.id,
        _m.c.attempt,
        _m.c.position,
        _m.c.rotation,
        _b.c.index.label("block_index"),
        _b.c.opening,
        _b.c.chance_seed,
    )
    .join(_b, _b.c.id == _m.c.block_id)
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.state == MatchState.PLANNED)
    .order_by(_m.c.position)
    .limit(bindparam("most"))
    .with_for_update(of=_m, skip_locked=True)
)
_PLANNED_BESIDES = _PLANNED.where(_m.c.id.not_in(bindparam("besides", expanding=True)))
_SEATS = (
    select(_s.c.match_id, _v.c.id, _v.c.content_hash, _bot.c.name, _bot.c.owner_id, _bot.c.remote)
    .join(_v, _v.c.id == _s.c.version_id)
    .join(_bot, _bot.c.id == _v.c.bot_id)
    .where(_s.c.match_id.in_(bindparam("matches", expanding=True)))
    .order_by(_s.c.match_id, _s.c.seat)
)
_LEASE = (
    update(_m).where(_m.c.id == bindparam("the_match")).values(state=MatchState.LEASED, attempt=bindparam("attempt"))
)
_ADD_ATTEMPT = insert(_a)


def lease(
    session: Session,
    *,
    tournament_id: str,
    limit: int,
    worker: str,
    deadline_us: int,
    now: int | None = None,
    besides: Collection[str] = (),
) -> list[LeasedMatch]:
    """Take the next matches, at most `limit`, in schedule order but `besides` some, for `worker` until `deadline_us`.

    Leases of others that have run out are taken back first; each counts as a failed attempt of its match. Those of
    `worker` never run out while it asks for more: it is there, and what has passed is known only by the wall clock,
    which may jump by days.
    """
    connection = session.connection()
    instant = now_us() if now is None else now
    _expire(connection, tournament_id, worker, instant)
    wanted: dict[str, Any] = {"tournament": tournament_id, "most": limit}
    query = _PLANNED_BESIDES if besides else _PLANNED
    rows = connection.execute(query, {**wanted, "besides": list(besides)} if besides else wanted).all()
    if not rows:
        return []
    connection.execute(_LEASE, [{"the_match": row.id, "attempt": row.attempt + 1} for row in rows])
    attempt = {"worker": worker, "state": AttemptState.RUNNING, "leased_at_us": instant, "deadline_us": deadline_us}
    connection.execute(_ADD_ATTEMPT, [{"match_id": row.id, "number": row.attempt + 1, **attempt} for row in rows])
    session.expire_all()
    return _leased(connection, rows)


def _leased(connection: Connection, rows: Sequence[AnyRow]) -> list[LeasedMatch]:
    seats: dict[str, list[LeasedSeat]] = {}
    for match_id, *seat in connection.execute(_SEATS, {"matches": [row.id for row in rows]}):
        seats.setdefault(match_id, []).append(LeasedSeat(*seat))
    return [_leased_match(row, tuple(seats[row.id])) for row in rows]


def _leased_match(row: AnyRow, seats: tuple[LeasedSeat, ...]) -> LeasedMatch:
    return LeasedMatch(
        match_id=row.id,
        attempt=row.attempt + 1,
        position=row.position,
        block_index=row.block_index,
        rotation=row.rotation,
        opening=tuple(row.opening),
        chance_seed=row.chance_seed,
        seats=seats,
    )


def _expire(connection: Connection, tournament_id: str, worker: str, instant: int) -> None:
    expired = connection.execute(_EXPIRED, {"tournament": tournament_id, "worker": worker, "now": instant}).all()
    lost = [
        LostAttempt(match_id, attempt, Text("ratings.lease_ran_out", "the lease ran out"), "LEASE_EXPIRED")
        for match_id, attempt in expired
    ]
    again = [fail_attempt(connection, one, AttemptState.EXPIRED) for one in lost]
    if not all(again):
        rate_prefix(connection, tournament_id)


def release(session: Session, tournament_id: str, *, worker: str | None = None, besides: Collection[Lease] = ()) -> int:
    """Give back all leased matches of a tournament, or of one worker, without blame; return how many they were.

    Those that are leased as `besides` says stay so: each by the id of its match and the number of the attempt.
    """
    connection = session.connection()
    query = select(_m.c.id, _m.c.attempt).where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.LEASED)
    if worker is not None:
        query = query.join(_a, (_a.c.match_id == _m.c.id) & (_a.c.number == _m.c.attempt)).where(_a.c.worker == worker)
    rows = connection.execute(query).all()
    given = [row for row in rows if tuple(row) not in besides]
    for match_id, attempt in given:
        give_back(connection, match_id, attempt)
    session.expire_all()
    return len(given)
