"""Recording what was played: one transaction, idempotent, rated at once. The hot path: statements are built once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlmodel import Session

from ratings import tables
from ratings.errors import FactError, SkillError
from ratings.ids import now_us
from ratings.live import rate_prefix
from ratings.models import AttemptState, MatchState
from ratings.skill import check_ranks
from ratings.tables import AnyRow


@dataclass(frozen=True, slots=True)
class FaultFact:
    """What a seat did wrong; `cause` is the wire's name, `evidence` is ready for JSON."""

    seat: int
    cause: str
    ply: int
    explanation: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LeakFact:
    """What a leak check of one seat found; `evidence` is ready for JSON."""

    seat: int
    verdict: str
    ply: int | None
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MatchFact:
    """What came of one attempt at a match; `ranks[seat]` is 1 + the number of strictly better seats."""

    match_id: str
    attempt: int
    worker: str
    ranks: tuple[int, ...]
    by_rules: bool
    rated: bool
    forfeits: tuple[int, ...]
    """Seats, the earliest first."""
    faults: Sequence[FaultFact]
    details: Mapping[str, Any]
    plies: int
    decisions: int
    started_at_us: int
    duration_us: int
    game_digest: str
    record_digest: str
    replay: bytes
    resigned: tuple[int, ...] = ()
    sandbox: str | None = None
    """The weakest level at which one of its bots was kept."""
    leak_checks: Sequence[LeakFact] = ()


_m, _a, _s = tables.match, tables.attempt, tables.match_seat
_RESULT_COLUMNS = (
    "state",
    "by_rules",
    "rated",
    "details",
    "plies",
    "decisions",
    "started_at_us",
    "duration_us",
    "game_digest",
    "record_digest",
    "sandbox",
)
_MATCH = (
    select(_m.c.tournament_id, _m.c.state, tables.pool.c.seats)
    .join(tables.tournament, tables.tournament.c.id == _m.c.tournament_id)
    .join(tables.pool, tables.pool.c.id == tables.tournament.c.pool_id)
    .where(_m.c.id == bindparam("match"))
    .with_for_update(of=_m)
)
_FINISH_MATCH = (
    update(_m).where(_m.c.id == bindparam("the_match")).values({name: bindparam(name) for name in _RESULT_COLUMNS})
)
_FINISH_ATTEMPT = (
    update(_a)
    .where(_a.c.match_id == bindparam("the_match"), _a.c.number == bindparam("the_number"))
    .values(
        state=bindparam("state"),
        worker=bindparam("worker"),
        ended_at_us=bindparam("ended_at_us"),
        reason=None,
        cause=None,
        evidence=None,
    )
)
_RELEASE_OTHERS = (
    update(_a)
    .where(_a.c.match_id == bindparam("the_match"), _a.c.state == AttemptState.RUNNING)
    .values(state=AttemptState.RELEASED, ended_at_us=bindparam("ended_at_us"), reason="another attempt was faster")
)
_SET_SEAT = (
    update(_s)
    .where(_s.c.match_id == bindparam("the_match"), _s.c.seat == bindparam("the_seat"))
    .values(rank=bindparam("rank"), forfeit=bindparam("forfeit"), resigned=bindparam("resigned"))
)
_ADD_FAULT = insert(tables.fault)
_ADD_LEAK_CHECK = insert(tables.leak_check)
_ADD_REPLAY = insert(tables.replay)


def record_result(session: Session, fact: MatchFact) -> bool:
    """Finish a match and rate what can now be rated. False, and nothing changed, if the match is over already.

    The first result of a match counts, also that of an attempt whose lease was lost meanwhile. Raises FactError,
    nothing written, if the fact does not fit its match.
    """
    connection = session.connection()
    match = connection.execute(_MATCH, {"match": fact.match_id}).one_or_none()
    if match is None:
        raise FactError(f"there is no match {fact.match_id}")
    if match.state in (MatchState.FINISHED, MatchState.VOID):
        return False
    _check_fact(fact, match)
    _write_result(connection, fact)
    rate_prefix(connection, match.tournament_id)
    # Objects the caller read before would still show the match as it was.
    session.expire_all()
    return True


def _check_fact(fact: MatchFact, match: AnyRow) -> None:
    place = f"match {fact.match_id}"
    if len(fact.ranks) != match.seats:
        raise FactError(f"{place}: {len(fact.ranks)} ranks for {match.seats} seats")
    try:
        check_ranks(fact.ranks)
    except SkillError as error:
        raise FactError(f"{place}: {error}") from error
    seats = {*fact.forfeits, *fact.resigned, *(fault.seat for fault in fact.faults)}
    seats |= {check.seat for check in fact.leak_checks}
    if not seats <= set(range(match.seats)) or len(set(fact.forfeits)) != len(fact.forfeits):
        raise FactError(f"{place}: a forfeit, fault or leak check names a seat that is not there, or one seat twice")
    if not fact.replay:
        raise FactError(f"{place}: the replay is empty")


def _write_result(connection: Connection, fact: MatchFact) -> None:
    now = now_us()
    attempt = {"the_match": fact.match_id, "the_number": fact.attempt, "worker": fact.worker, "ended_at_us": now}
    if connection.execute(_FINISH_ATTEMPT, {**attempt, "state": AttemptState.FINISHED}).rowcount != 1:
        raise FactError(f"match {fact.match_id} has no attempt {fact.attempt}; lease it before it is played")
    connection.execute(_RELEASE_OTHERS, {"the_match": fact.match_id, "ended_at_us": now})
    values = {name: getattr(fact, name) for name in _RESULT_COLUMNS[1:]}
    values |= {"state": MatchState.FINISHED, "details": dict(fact.details)}
    connection.execute(_FINISH_MATCH, {"the_match": fact.match_id, **values})
    connection.execute(_SET_SEAT, _seat_rows(fact))
    if fact.faults:
        connection.execute(_ADD_FAULT, _fault_rows(fact))
    if fact.leak_checks:
        connection.execute(_ADD_LEAK_CHECK, _leak_rows(fact))
    connection.execute(_ADD_REPLAY, {"match_id": fact.match_id, "data": fact.replay})


def _seat_rows(fact: MatchFact) -> list[dict[str, Any]]:
    forfeits = {seat: order for order, seat in enumerate(fact.forfeits, start=1)}
    return [
        {
            "the_match": fact.match_id,
            "the_seat": seat,
            "rank": rank,
            "forfeit": forfeits.get(seat),
            "resigned": seat in fact.resigned,
        }
        for seat, rank in enumerate(fact.ranks)
    ]


def _fault_rows(fact: MatchFact) -> list[dict[str, Any]]:
    return [
        {
            "match_id": fact.match_id,
            "number": number,
            "seat": fault.seat,
            "cause": fault.cause,
            "ply": fault.ply,
            "explanation": _storable(fault.explanation),
            "evidence": dict(fault.evidence),
        }
        for number, fault in enumerate(fact.faults)
    ]


def _leak_rows(fact: MatchFact) -> list[dict[str, Any]]:
    return [
        {
            "match_id": fact.match_id,
            "seat": check.seat,
            "verdict": check.verdict,
            "ply": check.ply,
            "sentence": _storable(check.sentence),
            "evidence": dict(check.evidence),
        }
        for check in fact.leak_checks
    ]


def _storable(text: str) -> str:
    """The text without what a database refuses: a bot's own words may stand in it (NUL, half surrogate pairs)."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
