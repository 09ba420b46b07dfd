"""The report of one tournament: entrants and answer, faults of bots, losses of hosts, leak checks.

Each part is one consistent view, and costs the same however many matches the tournament has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma
from typing import Any, TypeVar

from sqlalchemy import Select, bindparam, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_models

from ratings.read.embargo import open_beside
from ratings.read.paging import Order, cut, each, one_page
from ratings.read.tournaments import EntrantRow, TournamentRow, entrants_of, standings, tournament_row
from ratings.store import tables
from ratings.store.models import (
    BotRecord,
    EntrantTallyRecord,
    LeakCheckRecord,
    MatchRecord,
    MatchSeatRecord,
    VersionRecord,
)
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow
from ratings.store.waves import ANNULLED, EnteredVersion, count_annulled, count_progress
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import MatchState
from ratings.values.tournament_incidents import BotFaults, HostLoss

_m, _f, _v, _b, _x, _a = tables.match, tables.fault, tables.version, tables.bot, tables.annulled_block, tables.attempt
_s, _y, _c = tables.match_seat, tables.entrant_tally, tables.leak_check
_NAMES = select(_v.c.id, _b.c.name, _v.c.number).join(_b, _b.c.id == _v.c.bot_id)
_AT_ONCE = 500
_ATTEMPTS = select(_a.c.match_id, _a.c.cause).where(
    _a.c.tournament_id == bindparam("tournament"), _a.c.cause != "CANCELLED"
)
"""The attempts of a tournament that its host lost; the index of them is small."""
_COUNT_LOST = select(func.count()).where(
    _a.c.cause.in_(bindparam("causes", expanding=True)), _a.c.ended_at_us >= bindparam("since")
)
_SAT = select(_y.c.version_id, _y.c.matches).where(_y.c.tournament_id == bindparam("tournament"))
_SEATS = (
    select(_s.c.match_id, _s.c.version_id, _m.c.state)
    .join(_m, _m.c.id == _s.c.match_id)
    .where(_s.c.match_id.in_(bindparam("matches", expanding=True)))
)
LEAST_MATCHES = 3
"""So many different matches must have been lost with a bot before it is named."""
NEARLY_ALL = 0.9
"""A bot is named that sat in this part of the lost matches at least."""
MOST_CHANCE = 0.01
"""In so few of all tournaments any bot at all may be named for matches that were lost whoever sat in them."""
_Entrant = TypeVar("_Entrant", bound=Hashable)
_MOST_LISTED = 500
_FOUND_SOMETHING = ("leak", "unstable")
_ORDER = Order("leak checks", (_c.c.match_id, _c.c.seat), (str, int), is_descending=False)


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """A tournament, how far it is, and its entrants (best score first)."""

    row: TournamentRow
    entrants: list[EntrantRow]
    entered: list[EnteredVersion]
    """Everybody who ever entered, in the order of entry."""
    answer: dict[str, Any] | None = None
    """What ended it, for a format that plays until it knows something."""


def tournament_report(source: Source, tournament_id: str) -> TournamentReport:
    """Return what is shown of one tournament. Raises NotFoundError."""
    with read(source) as session:
        row = tournament_row(session, tournament_id)
        entrants, entered = standings(session, tournament_id), entrants_of(session, tournament_id)
        answer = row.tournament.answer
        # Where blocks were annulled since, the answer rests on matches that do not count any more.
        if answer is not None and answer.get(ANNULLED, 0) != count_annulled(session, tournament_id):
            answer = None
        return TournamentReport(row, entrants, entered, answer)


def bot_faults(source: Source, tournament_id: str, limit: int, *, besides_open: bool = False) -> tuple[BotFaults, ...]:
    """Return what bots did wrong in the matches of a tournament that count, the most frequent first, `limit` at most.

    With `besides_open`, matches are left out that share their chance with one that is not over.
    """
    which = {"tournament": tournament_id}
    with read(source) as session:
        query = _AMONG_CLOSED if besides_open else _AMONG_ALL
        found: Sequence[AnyRow] = session.connection().execute(query, which).all()
        found = sorted(found, key=lambda row: (-row.faulty, row.version_id, row.cause))[:limit]
        named = session.connection().execute(_NAMES.where(_v.c.id.in_({row.version_id for row in found})))
        names = {version_id: (bot, number) for version_id, bot, number in named}
        return tuple(BotFaults(*names[row.version_id], row.cause, row.faulty, row.last) for row in found)


def _counted(*, besides_open: bool) -> Select[str, str, int, str]:
    count = func.count(_f.c.match_id.distinct()).label("faulty")
    block, match = tables.block, tables.match.alias("annulled")
    query = select(_f.c.version_id, _f.c.cause, count, func.max(_f.c.match_id).label("last")).where(
        _f.c.tournament_id == bindparam("tournament"),
        _f.c.match_id.not_in(
            select(match.c.id)
            .select_from(_x)
            .join(block, block.c.id == _x.c.block_id)
            # Both columns: the index covers the pair, and a database would read every match otherwise.
            .join(match, (match.c.tournament_id == block.c.tournament_id) & (match.c.block_id == block.c.id))
            .where(block.c.tournament_id == bindparam("tournament"))
        ),
    )
    if besides_open:
        one, other = tables.block.alias("one"), tables.match.alias("other")
        query = query.join(_m, _m.c.id == _f.c.match_id).join(one, one.c.id == _m.c.block_id)
        query = query.where(~open_beside(one, other).exists())
    return query.group_by(_f.c.version_id, _f.c.cause)


_AMONG_ALL, _AMONG_CLOSED = _counted(besides_open=False), _counted(besides_open=True)


def host_losses(source: Source, tournament_id: str) -> tuple[HostLoss, ...]:
    """Return what the host lost of a tournament, the most frequent cause first."""
    with read(source) as session:
        attempts = session.connection().execute(_ATTEMPTS, {"tournament": tournament_id}).all()
        if not attempts:
            return ()
        by_cause: dict[str, list[str]] = defaultdict(list)
        for match_id, cause in attempts:
            by_cause[cause].append(match_id)
        seats, unfinished = _seats(session, sorted({match_id for match_id, _ in attempts}))
        sat, tried = _tried(session, tournament_id, [seats[match_id] for match_id in unfinished])
        losses = []
        for cause, match_ids in sorted(by_cause.items(), key=lambda lost: -len(lost[1])):
            matches = [seats[match_id] for match_id in sorted(set(match_ids))]
            loss = HostLoss(cause, len(match_ids), len(matches))
            found = suspect(matches, sat, tried)
            if found is not None:
                query = (
                    select_models(BotRecord.name, VersionRecord.number)
                    .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
                    .where(VersionRecord.id == found)
                )
                bot, number = session.exec(query).one()
                loss = replace(loss, bot=bot, version=number, sat_in=sum(found in seated for seated in matches))
            losses.append(loss)
        return tuple(losses)


def count_lost(source: Source, causes: Collection[str], *, since_us: int) -> int:
    """Return how many attempts of all tournaments ended since then because the host failed in one of these ways."""
    with read(source) as session:
        return session.connection().execute(_COUNT_LOST, {"causes": list(causes), "since": since_us}).scalar_one()


def _seats(session: Session, match_ids: Sequence[str]) -> tuple[dict[str, set[str]], list[str]]:
    """Return who sits in each of these matches, and which of them have no result."""
    seats: dict[str, set[str]] = defaultdict(set)
    unfinished = set()
    for start in range(0, len(match_ids), _AT_ONCE):
        part = {"matches": match_ids[start : start + _AT_ONCE]}
        for match_id, version_id, state in session.connection().execute(_SEATS, part):
            seats[match_id].add(version_id)
            if state != MatchState.FINISHED:
                unfinished.add(match_id)
    return seats, sorted(unfinished)


def _tried(session: Session, tournament_id: str, unfinished: Sequence[set[str]]) -> tuple[dict[str, int], int]:
    """Return in how many of the matches that were tried each version sat, and how many these were altogether."""
    tried = count_progress(session, tournament_id).finished + len(unfinished)
    tallies = session.connection().execute(_SAT, {"tournament": tournament_id}).all()
    sat = Counter({row.version_id: row.matches for row in tallies})
    sat.update(one for seats in unfinished for one in seats)
    # A version that sits in several seats of a match was counted in each.
    return {version_id: min(count, tried) for version_id, count in sat.items()}, tried


def suspect(lost: Sequence[Collection[_Entrant]], sat: Mapping[_Entrant, int], tried: int) -> _Entrant | None:
    """Return the entrant that the lost matches have in common, or `None` if there is none or chance may explain it.

    Each of `lost` holds the entrants of one match, and `sat` tells in how many of all matches that were `tried`, these
    included, each entrant sat.
    """
    counts = Counter(one for match in lost for one in set(match))
    # Of those who sat in equally many, the one that seldom sits anywhere else.
    entrant, count = max(counts.items(), key=lambda found: (found[1], -sat[found[0]]), default=(None, 0))
    if entrant is None or count < LEAST_MATCHES or count < NEARLY_ALL * len(lost):
        return None
    # Any of the entrants could have been the one that met with so much bad luck.
    chance = len(sat) * chance_of(count, len(lost), sat[entrant], tried)
    return entrant if chance < MOST_CHANCE else None


def chance_of(least: int, lost: int, sat: int, tried: int) -> float:
    """Return how likely at least `least` of `lost` matches are among the `sat` of one entrant, of `tried` altogether.

    It is the chance for as many matches, drawn blindly.
    """
    possible = range(max(least, lost + sat - tried, 0), min(lost, sat) + 1)
    return min(1.0, sum(exp(_ways(sat, met) + _ways(tried - sat, lost - met) - _ways(tried, lost)) for met in possible))


def _ways(of: int, drawn: int) -> float:
    """Return the logarithm of the number of ways to draw so many."""
    return lgamma(of + 1) - lgamma(drawn + 1) - lgamma(of - drawn + 1)


@dataclass(frozen=True, slots=True)
class LeakRow:
    """A leak check, and the version that was checked."""

    check: LeakCheckRecord
    bot: str
    version: VersionRecord
    owner_id: str | None
    """The owner of the bot."""


def leak_checks(
    source: Source, tournament_id: str, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[LeakRow]:
    """Return the leak checks of a tournament, those of the matches planned first first.

    All are listed, or of very many those that found something. Raises PageError.
    """
    with read(source) as session:
        wanted = one_page(_wanted(session, tournament_id), _ORDER, limit, after)
        keys = [(match_id, seat) for match_id, seat in session.connection().execute(wanted)]
        page = cut(keys, _ORDER, limit, lambda key: key)
        rows = {(row.check.match_id, row.check.seat): row for row in _rows(session, page.items)}
        return each(page, lambda key: rows[key])


def _wanted(session: Session, tournament_id: str) -> Select[str, int]:
    """Return the query for match and seat of the checks that are listed.

    The other tables are only looked up: as joins they would have SQLite begin with all matches of the tournament.
    """
    tallies = session.exec(
        select_models(EntrantTallyRecord).where(EntrantTallyRecord.tournament_id == tournament_id)
    ).all()
    of_tournament = select(_m.c.id).where(_m.c.id == _c.c.match_id, _m.c.tournament_id == tournament_id).exists()
    query = select(_c.c.match_id, _c.c.seat).where(of_tournament)
    if sum(one.equal + one.leaks + one.unstable + one.unknown for one in tallies) <= _MOST_LISTED:
        return query
    flagged = [one.version_id for one in tallies if one.leaks or one.unstable]
    by_flagged = select(_s.c.seat).where(
        _s.c.match_id == _c.c.match_id, _s.c.seat == _c.c.seat, _s.c.version_id.in_(flagged)
    )
    return query.where(_c.c.verdict.in_(_FOUND_SOMETHING), by_flagged.exists())


def _rows(session: Session, keys: Sequence[tuple[str, int]]) -> list[LeakRow]:
    query = (
        select_models(LeakCheckRecord, BotRecord, VersionRecord)
        .join(MatchRecord, col(MatchRecord.id) == LeakCheckRecord.match_id)
        .join(
            MatchSeatRecord,
            (col(MatchSeatRecord.match_id) == LeakCheckRecord.match_id)
            & (col(MatchSeatRecord.seat) == LeakCheckRecord.seat),
        )
        .join(VersionRecord, col(VersionRecord.id) == MatchSeatRecord.version_id)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .where(col(LeakCheckRecord.match_id).in_([match_id for match_id, _ in keys]))
    )
    return [LeakRow(check, bot.name, version, bot.owner_id) for check, bot, version in session.exec(query)]
