"""Attempts at matches that end without a result: lost by their host, or given back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update
from sqlmodel import Session

from engine.text import Text
from ratings.errors import FactError
from ratings.ledger.live import rate_prefix
from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.models import with_text
from ratings.values.states import AttemptState, MatchState

MAX_ATTEMPTS = 3
"""A match is void once its hosts have failed so often, those times apart at which they could play nothing at all."""

_m, _a = tables.match, tables.attempt


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
    reason = (
        None
        if again
        else Text(
            "ratings.attempts_failed_last",
            "{count} attempts failed; the last: {why}",
            count=failures,
            why=lost.reason,
        )
    )
    values = {"the_match": lost.match_id, "state": match_state, **with_text("void_reason", reason)}
    connection.execute(_SET_STATE, values)
    return again


def give_back(connection: Connection, match_id: str, attempt: int) -> None:
    """End an attempt without blame, and put its match back into the plan."""
    _end(connection, LostAttempt(match_id, attempt, Text("ratings.given_back", "given back")), AttemptState.RELEASED)
    values = {"the_match": match_id, "state": MatchState.PLANNED, **with_text("void_reason", None)}
    connection.execute(_SET_STATE, values)


def _end(connection: Connection, lost: LostAttempt, state: AttemptState) -> None:
    why = {**with_text("reason", lost.reason), "cause": lost.cause, "evidence": dict(lost.evidence) or None}
    why["lost_of"] = None if lost.cause is None else lost.match_id
    end = {"the_match": lost.match_id, "the_number": lost.attempt, "state": state, "ended_at_us": now_us(), **why}
    if connection.execute(_END_ATTEMPT, end).rowcount != 1:
        raise FactError(f"match {lost.match_id} has no attempt {lost.attempt}")
