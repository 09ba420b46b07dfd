"""Who plays which match and until when, and what becomes of matches that their hosts lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlmodel import Session

from ratings.errors import FactError, NotFoundError
from ratings.ledger.live import rate_prefix
from ratings.store import tables
from ratings.store.ids import now_us
from ratings.store.models import AttemptState, MatchState, Tournament
from ratings.store.progress import Progress
from ratings.store.progress import count_progress as progress
from ratings.store.tables import AnyRow

__all__ = ["Progress", "progress"]

MAX_ATTEMPTS = 3
"""A match is void once its hosts have failed so often."""

_m, _a, _s, _b, _v = tables.match, tables.attempt, tables.match_seat, tables.block, tables.version


@dataclass(frozen=True, slots=True)
class LeasedSeat:
    """Who sits in a seat of a leased match; index in `LeasedMatch.seats` = seat."""

    version_id: str
    content_hash: str
    bot: str
    owner_id: str | None = None
    """The registered owner of the bot, or `None` for a bot that was added locally."""


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


@dataclass(frozen=True, slots=True)
class HostFailure:
    """Why a host lost an attempt: a cause by its name, one sentence for people, evidence that is ready for JSON."""

    reason: str
    cause: str | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LostAttempt:
    """An attempt at a match that its host lost, with no bot to blame; kept with the attempt."""

    match_id: str
    attempt: int
    reason: str
    """One sentence for people."""
    cause: str | None = None
    """The name of the cause."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """Ready for JSON."""


_LEASE_RAN_OUT = HostFailure("the lease ran out", "LEASE_EXPIRED")


_EXPIRED = (
    select(_m.c.id, _m.c.attempt)
    .join(_a, (_a.c.match_id == _m.c.id) & (_a.c.number == _m.c.attempt))
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.state == MatchState.LEASED)
    .where(_a.c.deadline_us <= bindparam("now"))
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
)
_SEATS = (
    select(_s.c.match_id, _v.c.id, _v.c.content_hash, tables.bot.c.name, tables.bot.c.owner_id)
    .join(_v, _v.c.id == _s.c.version_id)
    .join(tables.bot, tables.bot.c.id == _v.c.bot_id)
    .where(_s.c.match_id.in_(bindparam("matches", expanding=True)))
    .order_by(_s.c.match_id, _s.c.seat)
)
_LEASE = (
    update(_m).where(_m.c.id == bindparam("the_match")).values(state=MatchState.LEASED, attempt=bindparam("attempt"))
)
_ADD_ATTEMPT = insert(_a)
_END_ATTEMPT = (
    update(_a)
    .where(_a.c.match_id == bindparam("the_match"), _a.c.number == bindparam("the_number"))
    .values({name: bindparam(name) for name in ("state", "ended_at_us", "reason", "cause", "evidence")})
)
_SET_STATE = (
    update(_m)
    .where(_m.c.id == bindparam("the_match"))
    .values(state=bindparam("state"), void_reason=bindparam("void_reason"))
)
_FAILURES = select(func.count()).where(
    _a.c.match_id == bindparam("match"), _a.c.state.in_((AttemptState.FAILED, AttemptState.EXPIRED))
)


def lease(
    session: Session, *, tournament_id: str, limit: int, worker: str, deadline_us: int, now: int | None = None
) -> list[LeasedMatch]:
    """Take the next matches, at most `limit`, in schedule order, for `worker` until `deadline_us`.

    Leases that have run out are taken back first; each counts as a failed attempt of its match.
    """
    connection = session.connection()
    instant = now_us() if now is None else now
    _expire(connection, tournament_id, instant)
    rows = connection.execute(_PLANNED, {"tournament": tournament_id, "most": limit}).all()
    if not rows:
        return []
    connection.execute(_LEASE, [{"the_match": row.id, "attempt": row.attempt + 1} for row in rows])
    attempt = {
        "worker": worker,
        "state": AttemptState.RUNNING,
        "leased_at_us": instant,
        "deadline_us": deadline_us,
    }
    connection.execute(_ADD_ATTEMPT, [{"match_id": row.id, "number": row.attempt + 1, **attempt} for row in rows])
    session.expire_all()
    return _leased(connection, rows)


def _leased(connection: Connection, rows: Sequence[AnyRow]) -> list[LeasedMatch]:
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


def _expire(connection: Connection, tournament_id: str, instant: int) -> None:
    expired = connection.execute(_EXPIRED, {"tournament": tournament_id, "now": instant}).all()
    lost = False
    for match_id, attempt in expired:
        _end_attempt(connection, match_id, attempt, AttemptState.EXPIRED, _LEASE_RAN_OUT)
        lost |= not _plan_again(connection, match_id, _LEASE_RAN_OUT.reason)
    if lost:
        rate_prefix(connection, tournament_id)


def _end_attempt(connection: Connection, match_id: str, number: int, state: AttemptState, failure: HostFailure) -> None:
    why = {"reason": failure.reason, "cause": failure.cause, "evidence": dict(failure.evidence) or None}
    end = {"the_match": match_id, "the_number": number, "state": state, "ended_at_us": now_us(), **why}
    if connection.execute(_END_ATTEMPT, end).rowcount != 1:
        raise FactError(f"match {match_id} has no attempt {number}")


def _plan_again(connection: Connection, match_id: str, failure: str) -> bool:
    """Put a match back into the plan, or make it void if too many attempts failed; return whether it will be played.

    `failure` is why the last attempt failed.
    """
    failures = connection.execute(_FAILURES, {"match": match_id}).scalar_one()
    again = bool(failures < MAX_ATTEMPTS)
    state = MatchState.PLANNED if again else MatchState.VOID
    reason = None if again else f"{failures} attempts failed; the last: {failure}"
    connection.execute(_SET_STATE, {"the_match": match_id, "state": state, "void_reason": reason})
    return again


def release(
    session: Session, *, tournament_id: str, worker: str | None = None, match_ids: Sequence[str] | None = None
) -> int:
    """Give leased matches back in order, without blame; how many they were.

    All of the tournament, or only those of one worker, or only those named. A resumed run calls this for all: whoever
    held them is gone, and if not, the first result still counts once.
    """
    connection = session.connection()
    query = select(_m.c.id, _m.c.attempt).where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.LEASED)
    if worker is not None:
        query = query.join(_a, (_a.c.match_id == _m.c.id) & (_a.c.number == _m.c.attempt)).where(_a.c.worker == worker)
    if match_ids is not None:
        query = query.where(_m.c.id.in_(match_ids))
    rows = connection.execute(query).all()
    for match_id, attempt in rows:
        _end_attempt(connection, match_id, attempt, AttemptState.RELEASED, HostFailure("given back"))
        connection.execute(_SET_STATE, {"the_match": match_id, "state": MatchState.PLANNED, "void_reason": None})
    session.expire_all()
    return len(rows)


def record_host_failure(
    session: Session,
    *,
    match_id: str,
    attempt: int,
    reason: str,
    cause: str | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> bool:
    """An attempt was lost by its host, no bot to blame. True if the match will be played again, False if it is over.

    `cause` is its name, `reason` a sentence for people, `evidence` is ready for JSON; all are kept with the attempt.
    Idempotent: an attempt that has ended already is left as it is. Raises FactError for an unknown attempt.
    """
    connection = session.connection()
    query = (
        select(_m.c.tournament_id, _m.c.state, _m.c.attempt, _a.c.state.label("attempt_state"))
        .join(_a, (_a.c.match_id == _m.c.id) & (_a.c.number == attempt))
        .where(_m.c.id == match_id)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise FactError(f"match {match_id} has no attempt {attempt}")
    if row.attempt_state != AttemptState.RUNNING:
        return row.state in (MatchState.PLANNED, MatchState.LEASED)
    failure = HostFailure(reason, cause, evidence or {})
    _end_attempt(connection, match_id, attempt, AttemptState.FAILED, failure)
    again = _plan_again(connection, match_id, reason)
    if not again:
        rate_prefix(connection, row.tournament_id)
    session.expire_all()
    return again


def record_lost(session: Session, lost: LostAttempt) -> bool:
    """Record a lost attempt; return whether the match will be played again."""
    return record_host_failure(
        session,
        match_id=lost.match_id,
        attempt=lost.attempt,
        reason=lost.reason,
        cause=lost.cause,
        evidence=lost.evidence,
    )


def cancel(session: Session, tournament_id: str) -> int:
    """Make every match that is not over void, and return how many they were.

    Results that arrive later are not recorded. Raises NotFoundError.
    """
    tournament = session.get(Tournament, tournament_id)
    if tournament is None:
        raise NotFoundError(f"no tournament {tournament_id}")
    release(session, tournament_id=tournament_id)
    connection = session.connection()
    cancelled = connection.execute(
        update(_m)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.PLANNED)
        .values(state=MatchState.VOID, void_reason="the tournament was cancelled")
    ).rowcount
    if tournament.cancelled_at_us is None and (cancelled or tournament.more_waves):
        tournament.cancelled_at_us = now_us()
        tournament.more_waves = False
        session.add(tournament)
        session.flush()
    rate_prefix(connection, tournament_id)
    session.expire_all()
    return cancelled
