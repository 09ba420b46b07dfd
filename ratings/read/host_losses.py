"""What the host lost of a tournament, by cause, and whose matches they were if they were nearly all one bot's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import bindparam, select
from sqlmodel import Session, col
from sqlmodel import select as select_models

from ratings.statistics.host_losses import suspect
from ratings.store import tables
from ratings.store.models import BotRecord, VersionRecord
from ratings.store.progress import count_progress
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState
from ratings.values.tournaments import HostLoss

_a, _m, _s, _y = tables.attempt, tables.match, tables.match_seat, tables.entrant_tally
_AT_ONCE = 500
_ATTEMPTS = select(_a.c.match_id, _a.c.cause).where(
    _a.c.tournament_id == bindparam("tournament"), _a.c.cause != "CANCELLED"
)
"""The attempts of a tournament that its host lost; the index of them is small."""
_SAT = select(_y.c.version_id, _y.c.matches).where(_y.c.tournament_id == bindparam("tournament"))
_SEATS = (
    select(_s.c.match_id, _s.c.version_id, _m.c.state)
    .join(_m, _m.c.id == _s.c.match_id)
    .where(_s.c.match_id.in_(bindparam("matches", expanding=True)))
)


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
            bare = HostLoss(cause, len(match_ids), len(matches))
            found = suspect(matches, sat, tried)
            losses.append(bare if found is None else _named(session, bare, found, matches))
        return tuple(losses)


def _named(session: Session, loss: HostLoss, version_id: str, matches: Sequence[set[str]]) -> HostLoss:
    query = select_models(BotRecord.name, VersionRecord.number).join(
        VersionRecord, col(VersionRecord.bot_id) == BotRecord.id
    )
    bot, number = session.exec(query.where(VersionRecord.id == version_id)).one()
    return replace(loss, bot=bot, version=number, sat_in=sum(version_id in seats for seats in matches))


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
