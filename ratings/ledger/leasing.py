"""Who plays which match and until when, and attempts that end without a result: lost by their host, or given back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlmodel import Session

from engine.translatable import Text
from ratings.errors import FactError
from ratings.ledger.rating import rate_prefix
from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.models import with_text
from ratings.values.states import AttemptState, MatchState

_m, _a, _s, _b, _v, _bot = tables.match, tables.attempt, tables.match_seat, tables.block, tables.version, tables.bot
Lease: TypeAlias = tuple[str, int]
"""The id of a match, and the number of the attempt that has it."""
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
MAX_ATTEMPTS = 3
"""A match is void once its hosts have failed so often, those times apart at which they could play nothing at all."""
_END_ATTEMPT = (
    update(_a)
    .where(_a.c.match_id == bindparam("the_match"), _a.c.number == bindparam("the_number"))
    .values(
        {name: bindparam(name) for name in ("state", "ended_at_us", "reason", "reason_text", "cause", "evidence")}
        | {"tournament_id": select(_m.c.tournament_id).where(_m.c.id == bindparam("lost_of")).scalar_subquery()}
    )
)
_SET_STATE = (
    update(_m)
    .where(_m.c.id == bindparam("the_match"))
    .values({name: bindparam(name) for name in ("state", "void_reason", "void_reason_text")})
)
_FAILURES = select(func.count()).where(
    _a.c.match_id == bindparam("match"), _a.c.state.in_((AttemptState.FAILED, AttemptState.EXPIRED))
)
_STATES = (
    select(_m.c.tournament_id, _m.c.state, _a.c.state.label("attempt_state"))
    .join(_a, (_a.c.match_id == _m.c.id) & (_a.c.number == bindparam("attempt")))
    .where(_m.c.id == bindparam("match"))
)


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
    expired = connection.execute(_EXPIRED, {"tournament": tournament_id, "worker": worker, "now": instant}).all()
    lost = [LostAttempt(match_id, attempt, Text("the lease ran out"), "LEASE_EXPIRED") for match_id, attempt in expired]
    again = [fail_attempt(connection, one, AttemptState.EXPIRED) for one in lost]
    if not all(again):
        rate_prefix(connection, tournament_id)
    wanted: dict[str, Any] = {"tournament": tournament_id, "most": limit}
    query = _PLANNED_BESIDES if besides else _PLANNED
    rows = connection.execute(query, {**wanted, "besides": list(besides)} if besides else wanted).all()
    if not rows:
        return []
    connection.execute(_LEASE, [{"the_match": row.id, "attempt": row.attempt + 1} for row in rows])
    attempt = {"worker": worker, "state": AttemptState.RUNNING, "leased_at_us": instant, "deadline_us": deadline_us}
    connection.execute(_ADD_ATTEMPT, [{"match_id": row.id, "number": row.attempt + 1, **attempt} for row in rows])
    session.expire_all()
    seats: dict[str, list[LeasedSeat]] = {}
    for match_id, *seat in connection.execute(_SEATS, {"matches": [row.id for row in rows]}):
        seats.setdefault(match_id, []).append(LeasedSeat(*seat))
    return [
        LeasedMatch(
            match_id=row.id,
            attempt=row.attempt + 1,
            position=row.position,
            block_index=row.block_index,
            rotation=row.rotation,
            opening=tuple(row.opening),
            chance_seed=row.chance_seed,
            seats=tuple(seats[row.id]),
        )
        for row in rows
    ]


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


@dataclass(frozen=True, slots=True)
class LostAttempt:
    """An attempt at a match that its host lost, with no bot to blame; all of it is kept with the attempt."""

    match_id: str
    attempt: int
    reason: str
    """Why it was lost, in one sentence for people."""
    cause: str | None = None
    """The name of the cause."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """What shows the cause, ready for JSON."""
    counts: bool = True
    """Whether it counts against the match; not if the host could play nothing at all."""


def record_lost(session: Session, lost: LostAttempt) -> bool:
    """Record a lost attempt, and return whether its match will be played again.

    An attempt that has ended already is left as it is. Raises FactError for an unknown attempt.
    """
    connection = session.connection()
    row = connection.execute(_STATES, {"match": lost.match_id, "attempt": lost.attempt}).one_or_none()
    if row is None:
        raise FactError(f"match {lost.match_id} has no attempt {lost.attempt}")
    if row.attempt_state != AttemptState.RUNNING:
        return row.state in (MatchState.PLANNED, MatchState.LEASED)
    again = fail_attempt(connection, lost, AttemptState.FAILED if lost.counts else AttemptState.RELEASED)
    if not again:
        rate_prefix(connection, row.tournament_id)
    session.expire_all()
    return again


def fail_attempt(connection: Connection, lost: LostAttempt, state: AttemptState) -> bool:
    """End an attempt, and put its match back into the plan, or make it void if too many attempts failed.

    Return whether it will be played again.
    """
    _end(connection, lost, state)
    failures = connection.execute(_FAILURES, {"match": lost.match_id}).scalar_one()
    again = bool(failures < MAX_ATTEMPTS)
    match_state = MatchState.PLANNED if again else MatchState.VOID
    reason = None if again else Text("{count} attempts failed; the last: {why}", count=failures, why=lost.reason)
    values = {"the_match": lost.match_id, "state": match_state, **with_text("void_reason", reason)}
    connection.execute(_SET_STATE, values)
    return again


def give_back(connection: Connection, match_id: str, attempt: int) -> None:
    """End an attempt without blame, and put its match back into the plan."""
    _end(connection, LostAttempt(match_id, attempt, Text("given back")), AttemptState.RELEASED)
    values = {"the_match": match_id, "state": MatchState.PLANNED, **with_text("void_reason", None)}
    connection.execute(_SET_STATE, values)


def _end(connection: Connection, lost: LostAttempt, state: AttemptState) -> None:
    why = {**with_text("reason", lost.reason), "cause": lost.cause, "evidence": dict(lost.evidence) or None}
    why["lost_of"] = None if lost.cause is None else lost.match_id
    end = {"the_match": lost.match_id, "the_number": lost.attempt, "state": state, "ended_at_us": now_us(), **why}
    if connection.execute(_END_ATTEMPT, end).rowcount != 1:
        raise FactError(f"match {lost.match_id} has no attempt {lost.attempt}")
