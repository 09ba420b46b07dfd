"""Records what was played: in one transaction, idempotent, rated at once.

This is the hot path of a tournament, so its statements are built once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlmodel import Session

from engine.text import Text
from ratings.errors import FactError
from ratings.ledger.live import rate_prefix
from ratings.ledger.seat_logs import SeatLogFact, log_rows
from ratings.ledger.tallies import count_results
from ratings.statistics.errors import SkillError
from ratings.statistics.skill import check_ranks
from ratings.store import tables
from ratings.store.ids import now_us
from ratings.store.states import AttemptState, MatchState
from ratings.store.storable import storable
from ratings.store.tables import AnyRow


@dataclass(frozen=True, slots=True)
class FaultFact:
    """What the bot in a seat did wrong; `cause` is the wire's name for it, `evidence` is ready for JSON."""

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
class NoteFact:
    """What the organiser should know of an attempt that went well; `evidence` is ready for JSON."""

    sentence: str
    evidence: Mapping[str, Any]


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
    """The seats that forfeited, the earliest first."""
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
    """The weakest sandbox level among its bots."""
    leak_checks: Sequence[LeakFact] = ()
    seat_logs: Sequence[SeatLogFact] = ()
    runtimes: Sequence[str] = ()
    """The hash of the runtime of each seat, or nothing if nobody looked."""
    note: NoteFact | None = None


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
_MATCHES = (
    select(_m.c.id, _m.c.tournament_id, _m.c.block_id, _m.c.state, tables.pool.c.seats)
    .join(tables.tournament, tables.tournament.c.id == _m.c.tournament_id)
    .join(tables.pool, tables.pool.c.id == tables.tournament.c.pool_id)
    .where(_m.c.id.in_(bindparam("matches", expanding=True)))
    .with_for_update(of=_m)
)
_ATTEMPTS = select(_a.c.match_id, _a.c.number, _a.c.state).where(
    _a.c.match_id.in_(bindparam("matches", expanding=True))
)
_FINISH_MATCH = (
    update(_m).where(_m.c.id == bindparam("the_match")).values({name: bindparam(name) for name in _RESULT_COLUMNS})
)
_FINISH_ATTEMPT = (
    update(_a)
    .where(_a.c.match_id == bindparam("the_match"), _a.c.number == bindparam("the_number"))
    .values({name: bindparam(name) for name in ("state", "worker", "ended_at_us", "reason", "evidence")})
    .values(cause=None, tournament_id=None)
)
_RELEASE_OTHERS = (
    update(_a)
    .where(_a.c.match_id == bindparam("the_match"), _a.c.state == AttemptState.RUNNING)
    .values(
        state=AttemptState.RELEASED,
        ended_at_us=bindparam("ended_at_us"),
        reason=Text("ratings.another_attempt_faster", "another attempt was faster"),
    )
)
_SET_SEAT = (
    update(_s)
    .where(_s.c.match_id == bindparam("the_match"), _s.c.seat == bindparam("the_seat"))
    .values({name: bindparam(name) for name in ("rank", "forfeit", "resigned", "runtime")})
)
_ADD_FAULT = insert(tables.fault).values(
    {name: bindparam(name) for name in ("number", "cause", "ply", "explanation", "evidence")}
    | {
        "match_id": bindparam("the_match"),
        "seat": bindparam("the_seat"),
        "tournament_id": select(_m.c.tournament_id).where(_m.c.id == bindparam("the_match")).scalar_subquery(),
        "version_id": select(_s.c.version_id)
        .where(_s.c.match_id == bindparam("the_match"), _s.c.seat == bindparam("the_seat"))
        .scalar_subquery(),
    }
)
_ADD_LEAK_CHECK = insert(tables.leak_check)
_ADD_REPLAY = insert(tables.replay)
_ADD_SEAT_LOG = insert(tables.seat_log)


def record_results(session: Session, facts: Sequence[MatchFact]) -> list[bool]:
    """Finish matches, rate what can now be rated, and return for each fact whether it was written.

    It is False, with nothing changed, for a match that is over already. The first result of a match counts, also that
    of an attempt whose lease was lost meanwhile. Raises FactError if a fact does not fit its match.
    """
    connection = session.connection()
    matches = {row.id: row for row in connection.execute(_MATCHES, _ids(facts))}
    attempts = connection.execute(_ATTEMPTS, _ids(facts)).all()
    news = _news(facts, matches, {(row.match_id, row.number) for row in attempts})
    if news:
        _write_results(connection, list(news.values()), _others(attempts, news))
        for tournament_id in sorted({matches[match_id].tournament_id for match_id in news}):
            blocks = {
                match_id: matches[match_id].block_id
                for match_id in news
                if matches[match_id].tournament_id == tournament_id
            }
            count_results(connection, tournament_id, blocks)
            rate_prefix(connection, tournament_id)
        # Objects that the caller read before would still show the matches as they were.
        session.expire_all()
    return [news.get(fact.match_id) is fact for fact in facts]


def _ids(facts: Sequence[MatchFact]) -> dict[str, list[str]]:
    return {"matches": [fact.match_id for fact in facts]}


def _news(
    facts: Sequence[MatchFact], matches: Mapping[str, AnyRow], attempts: Set[tuple[str, int]]
) -> dict[str, MatchFact]:
    """Return the first fact of each match that is not over yet. Raises FactError if one does not fit its match."""
    news: dict[str, MatchFact] = {}
    for fact in facts:
        match = matches.get(fact.match_id)
        if match is None:
            raise FactError(f"there is no match {fact.match_id}")
        if match.state not in (MatchState.FINISHED, MatchState.VOID):
            _check_fact(fact, match, attempts)
            news.setdefault(fact.match_id, fact)
    return news


def _others(attempts: Sequence[AnyRow], news: Mapping[str, MatchFact]) -> list[str]:
    """Return those of the matches that are played in another attempt, too, than the one that has their result."""
    running = ((row.match_id, row.number) for row in attempts if row.state == AttemptState.RUNNING)
    return [match_id for match_id, number in running if match_id in news and news[match_id].attempt != number]


def _check_fact(fact: MatchFact, match: AnyRow, attempts: Set[tuple[str, int]]) -> None:
    place = f"match {fact.match_id}"
    if (fact.match_id, fact.attempt) not in attempts:
        raise FactError(f"{place} has no attempt {fact.attempt}; lease it before it is played")
    if len(fact.ranks) != match.seats:
        raise FactError(f"{place}: {len(fact.ranks)} ranks for {match.seats} seats")
    try:
        check_ranks(fact.ranks)
    except SkillError as error:
        raise FactError(f"{place}: {error}") from error
    if not _seats_named(fact) <= set(range(match.seats)) or len(set(fact.forfeits)) != len(fact.forfeits):
        raise FactError(f"{place}: a forfeit, fault, leak check or log has a seat that is not there, or one seat twice")
    if fact.runtimes and len(fact.runtimes) != match.seats:
        raise FactError(f"{place}: {len(fact.runtimes)} runtimes for {match.seats} seats")
    if not fact.replay:
        raise FactError(f"{place}: the replay is empty")


def _seats_named(fact: MatchFact) -> set[int]:
    faulty, checked = (fault.seat for fault in fact.faults), (check.seat for check in fact.leak_checks)
    return {*fact.forfeits, *fact.resigned, *faulty, *checked, *(log.seat for log in fact.seat_logs)}


def _write_results(connection: Connection, facts: Sequence[MatchFact], others: Sequence[str]) -> None:
    now = now_us()
    attempts = [
        {
            "the_match": fact.match_id,
            "the_number": fact.attempt,
            "worker": fact.worker,
            "ended_at_us": now,
            "reason": None if fact.note is None else fact.note.sentence,
            "evidence": None if fact.note is None else dict(fact.note.evidence),
        }
        for fact in facts
    ]
    connection.execute(_FINISH_ATTEMPT, [{**attempt, "state": AttemptState.FINISHED} for attempt in attempts])
    if others:
        connection.execute(_RELEASE_OTHERS, [{"the_match": match_id, "ended_at_us": now} for match_id in others])
    connection.execute(_FINISH_MATCH, [_match_row(fact) for fact in facts])
    connection.execute(_SET_SEAT, [row for fact in facts for row in _seat_rows(fact)])
    if faults := [row for fact in facts for row in _fault_rows(fact)]:
        connection.execute(_ADD_FAULT, faults)
    if leaks := [row for fact in facts for row in _leak_rows(fact)]:
        connection.execute(_ADD_LEAK_CHECK, leaks)
    if logs := [row for fact in facts for row in log_rows(fact.match_id, fact.seat_logs)]:
        connection.execute(_ADD_SEAT_LOG, logs)
    connection.execute(_ADD_REPLAY, [{"match_id": fact.match_id, "data": fact.replay} for fact in facts])


def _match_row(fact: MatchFact) -> dict[str, Any]:
    values = {name: getattr(fact, name) for name in _RESULT_COLUMNS[1:]}
    return {"the_match": fact.match_id, **values, "state": MatchState.FINISHED, "details": dict(fact.details)}


def _seat_rows(fact: MatchFact) -> list[dict[str, Any]]:
    forfeits = {seat: order for order, seat in enumerate(fact.forfeits, start=1)}
    return [
        {
            "the_match": fact.match_id,
            "the_seat": seat,
            "rank": rank,
            "forfeit": forfeits.get(seat),
            "resigned": seat in fact.resigned,
            "runtime": (fact.runtimes[seat] or None) if fact.runtimes else None,
        }
        for seat, rank in enumerate(fact.ranks)
    ]


def _fault_rows(fact: MatchFact) -> list[dict[str, Any]]:
    return [
        {
            "the_match": fact.match_id,
            "number": number,
            "the_seat": fault.seat,
            "cause": fault.cause,
            "ply": fault.ply,
            "explanation": storable(fault.explanation),
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
            "sentence": storable(check.sentence),
            "evidence": dict(check.evidence),
        }
        for check in fact.leak_checks
    ]
