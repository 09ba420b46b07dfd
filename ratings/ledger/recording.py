"""Records what was played: in one transaction, idempotent, rated at once.

This is the hot path of a tournament, so its statements are built once.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any, Protocol, Self

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlmodel import Session

from engine.translatable import Text
from ratings.errors import FactError
from ratings.ledger.proof import Signer, add_results
from ratings.ledger.rating import rate_prefix
from ratings.ledger.tally_updates import count_results
from ratings.statistics.errors import SkillError
from ratings.statistics.skill import check_ranks
from ratings.store import tables
from ratings.store.identifiers import now_us, storable
from ratings.store.models import with_text
from ratings.store.tables import AnyRow
from ratings.values.owners import OWNER_LIMITS, OwnerLimits
from ratings.values.states import AttemptState, MatchState


class ReportedFault(Protocol):
    """What the bot in a seat did wrong."""

    @property
    def seat(self) -> int: ...

    @property
    def cause(self) -> str:
        """The wire's name for it."""

    @property
    def ply(self) -> int:
        """At which ply it happened."""

    @property
    def explanation(self) -> str:
        """One sentence for people."""

    @property
    def evidence(self) -> Mapping[str, Any]:
        """What shows it, ready for JSON."""


class ReportedLeakCheck(Protocol):
    """What a leak check of one seat found."""

    @property
    def seat(self) -> int: ...

    @property
    def verdict(self) -> str:
        """`equal`, `leak`, `unstable` or `unknown`."""

    @property
    def ply(self) -> int | None:
        """The first decision that was answered differently."""

    @property
    def sentence(self) -> str:
        """What was found, for people."""

    @property
    def evidence(self) -> Mapping[str, Any]: ...


class ReportedLog(Protocol):
    """What the bot in a seat wrote during a match."""

    @property
    def seat(self) -> int: ...

    @property
    def data(self) -> bytes:
        """All of it, or its beginning and its end."""

    @property
    def cut_bytes(self) -> int:
        """How many bytes in its middle were left out."""


class ReportedNote(Protocol):
    """What the organiser should know of an attempt that went well."""

    @property
    def sentence(self) -> str: ...

    @property
    def evidence(self) -> Mapping[str, Any]: ...


class ReportedResult(Protocol):
    """How a match ended."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat: 1 + the number of strictly better ones."""

    @property
    def by_rules(self) -> bool:
        """Whether the game reached its own end."""

    @property
    def rated(self) -> bool:
        """Whether it may count for ratings."""

    @property
    def forfeits(self) -> tuple[int, ...]:
        """The seats that forfeited, the earliest first."""

    @property
    def resigned(self) -> tuple[int, ...]:
        """Those of them that resigned."""

    @property
    def faults(self) -> Sequence[ReportedFault]:
        """What bots did wrong, in order."""

    @property
    def details(self) -> Mapping[str, Any]:
        """What the game says of its end, ready for JSON."""


class ReportedMatch(Protocol):
    """What came of one attempt at a match, as `arena.match.worker_report.MatchReport` tells it."""

    @property
    def match_id(self) -> str: ...

    @property
    def attempt(self) -> int:
        """The number of the attempt."""

    @property
    def result(self) -> ReportedResult:
        """How it ended."""

    @property
    def plies(self) -> int:
        """How many plies it has."""

    @property
    def decisions(self) -> int:
        """How many of them a bot chose."""

    @property
    def started_at_us(self) -> int:
        """Microseconds since 1970, UTC."""

    @property
    def duration_us(self) -> int:
        """How long it took, in microseconds of wall time."""

    @property
    def game_digest(self) -> str:
        """The digest of what was played."""

    @property
    def record_digest(self) -> str:
        """The digest of all that is recorded of it."""

    @property
    def replay(self) -> bytes: ...

    @property
    def sandbox(self) -> str:
        """The weakest level of the sandbox that any of its bots had."""

    @property
    def leak_checks(self) -> Sequence[ReportedLeakCheck]:
        """Those of its seats that were made."""

    @property
    def seat_logs(self) -> Sequence[ReportedLog]:
        """What its bots wrote, as far as it is kept."""

    @property
    def runtimes(self) -> Sequence[str]:
        """The hash of the runtime of each seat, or nothing if nobody looked."""

    @property
    def sandboxes(self) -> Sequence[str]:
        """The level of the sandbox of each seat, empty for a remote bot; or nothing if nobody looked."""

    @property
    def note_bytes(self) -> Sequence[int]:
        """How many bytes the notes of each seat in the replay have; or nothing if nobody counted."""

    def without_notes(self, seats: Collection[int]) -> Self:
        """Return what is reported, with a replay that lacks the notes of these seats and says so."""

    @property
    def note(self) -> ReportedNote | None: ...


_m, _a, _s, _o = tables.match, tables.attempt, tables.match_seat, tables.owner
_OF_RESULT = ("by_rules", "rated")
_OF_REPORT = ("plies", "decisions", "started_at_us", "duration_us", "game_digest", "record_digest", "sandbox")
_OF_SEAT = ("rank", "forfeit", "resigned", "runtime", "sandbox", "note_bytes", "notes_left_out")
_RESULT_COLUMNS = ("state", "details", *_OF_RESULT, *_OF_REPORT)
_MATCHES = (
    select(_m.c.id, _m.c.tournament_id, _m.c.block_id, _m.c.position, _m.c.state, tables.pool.c.seats)
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
    .values({name: bindparam(name) for name in ("state", "ended_at_us", "reason", "reason_text", "evidence")})
    .values(cause=None, tournament_id=None)
)
_RELEASE_OTHERS = (
    update(_a)
    .where(_a.c.match_id == bindparam("the_match"), _a.c.state == AttemptState.RUNNING)
    .values(
        state=AttemptState.RELEASED,
        ended_at_us=bindparam("ended_at_us"),
        **with_text("reason", Text("another attempt was faster")),
    )
)
_SET_SEAT = (
    update(_s)
    .where(_s.c.match_id == bindparam("the_match"), _s.c.seat == bindparam("the_seat"))
    .values({name: bindparam(name) for name in _OF_SEAT})
)
_NOTERS = (
    select(_s.c.match_id, _s.c.seat, _o.c.id, _o.c.note_bytes, _o.c.limits)
    .join(tables.version, tables.version.c.id == _s.c.version_id)
    .join(tables.bot, tables.bot.c.id == tables.version.c.bot_id)
    .join(_o, _o.c.id == tables.bot.c.owner_id)
    .where(_s.c.match_id.in_(bindparam("matches", expanding=True)))
    # Everybody who counts takes the owners in this order, where the database allows several writers.
    .order_by(_o.c.id, _s.c.match_id, _s.c.seat)
    .with_for_update(of=_o, key_share=True)
)
_SET_NOTES = update(_o).where(_o.c.id == bindparam("the_owner")).values(note_bytes=bindparam("note_bytes"))
_ADD_FAULT = insert(tables.fault).values(
    {name: bindparam(name) for name in ("number", "cause", "ply", "explanation", "explanation_text", "evidence")}
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


def record_results(
    session: Session,
    reports: Sequence[ReportedMatch],
    limits: OwnerLimits = OWNER_LIMITS,
    signer: Signer | None = None,
) -> list[bool]:
    """Finish matches, rate what can now be rated, and return for each report whether it was written.

    It is False, with nothing changed, for a match that is over already. The first result of a match counts, also that
    of an attempt whose lease was lost meanwhile. Where `limits` of an owner, or those of their own, have no room for
    the notes of a seat, these are left out. What is written is signed, too, by `signer` if there is one. Raises
    FactError if a report does not fit its match.
    """
    connection = session.connection()
    matches = {row.id: row for row in connection.execute(_MATCHES, _ids(reports))}
    attempts = connection.execute(_ATTEMPTS, _ids(reports)).all()
    news = _news(reports, matches, {(row.match_id, row.number) for row in attempts})
    if news:
        running = ((row.match_id, row.number) for row in attempts if row.state == AttemptState.RUNNING)
        others = [match_id for match_id, number in running if match_id in news and news[match_id].attempt != number]
        written = _write_results(connection, list(news.values()), others, limits)
        for tournament_id in sorted({matches[match_id].tournament_id for match_id in news}):
            blocks = {
                match_id: matches[match_id].block_id
                for match_id in news
                if matches[match_id].tournament_id == tournament_id
            }
            if signer is not None:
                signed = [_signed(report, matches[report.match_id]) for report in written if report.match_id in blocks]
                add_results(connection, tournament_id, signed, signer)
            count_results(connection, tournament_id, blocks)
            rate_prefix(connection, tournament_id)
        # Objects that the caller read before would still show the matches as they were.
        session.expire_all()
    return [news.get(report.match_id) is report for report in reports]


def _ids(reports: Sequence[ReportedMatch]) -> dict[str, list[str]]:
    return {"matches": [report.match_id for report in reports]}


def _news(
    reports: Sequence[ReportedMatch], matches: Mapping[str, AnyRow], attempts: Set[tuple[str, int]]
) -> dict[str, ReportedMatch]:
    """Return the first report of each match that is not over yet. Raises FactError if one does not fit its match."""
    news: dict[str, ReportedMatch] = {}
    for report in reports:
        match = matches.get(report.match_id)
        if match is None:
            raise FactError(f"there is no match {report.match_id}")
        if match.state not in (MatchState.FINISHED, MatchState.VOID):
            _check(report, match, attempts)
            news.setdefault(report.match_id, report)
    return news


def _check(report: ReportedMatch, match: AnyRow, attempts: Set[tuple[str, int]]) -> None:
    place, result = f"match {report.match_id}", report.result
    forfeits = result.forfeits
    if (report.match_id, report.attempt) not in attempts:
        raise FactError(f"{place} has no attempt {report.attempt}; lease it before it is played")
    if len(result.ranks) != match.seats:
        raise FactError(f"{place}: {len(result.ranks)} ranks for {match.seats} seats")
    try:
        check_ranks(result.ranks)
    except SkillError as error:
        raise FactError(f"{place}: {error}") from error
    faulty, checked = (fault.seat for fault in result.faults), (check.seat for check in report.leak_checks)
    named = {*forfeits, *result.resigned, *faulty, *checked, *(log.seat for log in report.seat_logs)}
    if not named <= set(range(match.seats)) or len(set(forfeits)) != len(forfeits):
        raise FactError(f"{place}: a forfeit, fault, leak check or log has a seat that is not there, or one seat twice")
    for name in ("runtimes", "sandboxes", "note_bytes"):
        if len(of_seats := getattr(report, name)) not in (0, match.seats):
            raise FactError(f"{place}: {len(of_seats)} {name} for {match.seats} seats")
    if not report.replay:
        raise FactError(f"{place}: the replay is empty")


def _without_excess(
    connection: Connection, reports: Sequence[ReportedMatch], limits: OwnerLimits
) -> tuple[list[ReportedMatch], set[tuple[str, int]]]:
    """Return the reports without the notes for which their owners have no room, and match and seat of these.

    What is kept is counted. A bot without an owner is the organiser's own, and has no limit.
    """
    sizes = {(report.match_id, seat): size for report in reports for seat, size in enumerate(report.note_bytes) if size}
    if not sizes:
        return list(reports), set()
    used: dict[str, int] = {}
    left_out: set[tuple[str, int]] = set()
    for match_id, seat, owner, before, own in connection.execute(_NOTERS, {"matches": sorted({m for m, _ in sizes})}):
        size, most = sizes.get((match_id, seat), 0), limits.with_own(own).note_bytes
        so_far = used.get(owner, before or 0)
        if size and most and so_far + size > most:
            left_out.add((match_id, seat))
        elif size:
            used[owner] = so_far + size
    if used:
        connection.execute(_SET_NOTES, [{"the_owner": owner, "note_bytes": size} for owner, size in used.items()])
    kept = []
    for report in reports:
        seats = {seat for match_id, seat in left_out if match_id == report.match_id}
        kept.append(report.without_notes(seats) if seats else report)
    return kept, left_out


def _write_results(
    connection: Connection, found: Sequence[ReportedMatch], others: Sequence[str], limits: OwnerLimits
) -> list[ReportedMatch]:
    """Write what was found, and return it as it was written: notes may have been left out."""
    reports, left_out = _without_excess(connection, found, limits)
    now = now_us()
    attempts = [
        {
            "the_match": report.match_id,
            "the_number": report.attempt,
            "ended_at_us": now,
            **with_text("reason", None if report.note is None else report.note.sentence),
            "evidence": None if report.note is None else dict(report.note.evidence),
        }
        for report in reports
    ]
    connection.execute(_FINISH_ATTEMPT, [{**attempt, "state": AttemptState.FINISHED} for attempt in attempts])
    if others:
        connection.execute(_RELEASE_OTHERS, [{"the_match": match_id, "ended_at_us": now} for match_id in others])
    matches = [
        {
            "the_match": report.match_id,
            **{name: getattr(report.result, name) for name in _OF_RESULT},
            **{name: getattr(report, name) for name in _OF_REPORT},
            "state": MatchState.FINISHED,
            "details": dict(report.result.details),
        }
        for report in reports
    ]
    connection.execute(_FINISH_MATCH, matches)
    connection.execute(_SET_SEAT, [row for report in reports for row in _seat_rows(report, left_out)])
    if faults := [row for report in reports for row in _fault_rows(report)]:
        connection.execute(_ADD_FAULT, faults)
    if leaks := [
        {
            "match_id": report.match_id,
            "seat": check.seat,
            "verdict": str(check.verdict),
            "ply": check.ply,
            **with_text("sentence", storable(check.sentence)),
            "evidence": dict(check.evidence),
        }
        for report in reports
        for check in report.leak_checks
    ]:
        connection.execute(_ADD_LEAK_CHECK, leaks)
    if logs := [row for report in reports for row in log_rows(report.match_id, report.seat_logs)]:
        connection.execute(_ADD_SEAT_LOG, logs)
    connection.execute(_ADD_REPLAY, [{"match_id": report.match_id, "data": report.replay} for report in reports])
    return reports


def _fault_rows(report: ReportedMatch) -> list[dict[str, Any]]:
    return [
        {
            "the_match": report.match_id,
            "number": number,
            "the_seat": fault.seat,
            "cause": str(fault.cause),  # and no enumeration, which a driver may write by its name
            "ply": fault.ply,
            **with_text("explanation", storable(fault.explanation)),
            "evidence": dict(fault.evidence),
        }
        for number, fault in enumerate(report.result.faults)
    ]


def _signed(report: ReportedMatch, match: AnyRow) -> dict[str, Any]:
    """Return what the signed log of the tournament says of a result."""
    return {
        "match": report.match_id,
        "position": match.position,
        "ranks": list(report.result.ranks),
        "forfeits": list(report.result.forfeits),
        "rated": report.result.rated,
        "game": report.game_digest,
        "record": report.record_digest,
    }


def _seat_rows(report: ReportedMatch, left_out: Set[tuple[str, int]]) -> list[dict[str, Any]]:
    forfeits = {seat: order for order, seat in enumerate(report.result.forfeits, start=1)}
    return [
        {
            "the_match": report.match_id,
            "the_seat": seat,
            "rank": rank,
            "forfeit": forfeits.get(seat),
            "resigned": seat in report.result.resigned,
            "runtime": (report.runtimes[seat] or None) if report.runtimes else None,
            "sandbox": (report.sandboxes[seat] or None) if report.sandboxes else None,
            "note_bytes": (report.note_bytes[seat] or None) if report.note_bytes else None,
            "notes_left_out": True if (report.match_id, seat) in left_out else None,
        }
        for seat, rank in enumerate(report.result.ranks)
    ]


def log_rows(match_id: str, logs: Sequence[ReportedLog]) -> list[dict[str, Any]]:
    """Return the rows that keep the logs of a match; `ratings.read.matches.seat_log` reads them."""
    return [
        {"match_id": match_id, "seat": log.seat, "data": zlib.compress(log.data), "cut_bytes": log.cut_bytes}
        for log in logs
    ]
