"""What planning a tournament needs: which bots may enter, how long matches take, how many challenges are open."""

from __future__ import annotations

import enum
from collections.abc import Collection
from dataclasses import dataclass
from statistics import fmean

from sqlalchemy import exists, func, or_
from sqlalchemy import select as core_select
from sqlmodel import col, select

from ratings.store import tables
from ratings.store.bot_events import ActiveVersionRecord
from ratings.store.ladder_queries import annulled
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.service import AdmissionRecord
from ratings.store.sessions import Source, read
from ratings.values.owners import PEOPLE
from ratings.values.states import MatchState

_m, _s, _t = tables.match, tables.match_seat, tables.tournament
_MOST_TOURNAMENTS = 20
_MOST_MATCHES = 500
CHALLENGER = "challenger"
"""The key in the settings of a tournament under which the name of whoever challenged stands."""
_HAS_OPEN = exists().where(_m.c.tournament_id == _t.c.id, _m.c.state.in_((MatchState.PLANNED, MatchState.LEASED)))


class Unfit(enum.Enum):
    """Why no version of a bot would play."""

    DISABLED = "disabled"
    OWNER_DISABLED = "owner disabled"
    NOT_ADMITTED = "not admitted"
    WITHDRAWN = "withdrawn"
    FILES_MISSING = "files missing"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot, with the version that would play and what keeps it out, if anything does."""

    bot: BotRecord
    version: VersionRecord
    unfit: Unfit | None


def candidates(source: Source) -> list[Candidate]:
    """Return all bots by name, but the seats that people take.

    The version is the active one of a bot, else its newest. One of an owner who handed it in to be looked at must have
    become active; where nobody looks at bots, as in a database without a service, it need not.
    """
    newest = (
        select(VersionRecord.bot_id, func.max(VersionRecord.number).label("number"))
        .group_by(col(VersionRecord.bot_id))
        .subquery()
    )
    query = (
        select(BotRecord, VersionRecord, OwnerRecord, ActiveVersionRecord.version_id)
        .join(newest, newest.c.bot_id == BotRecord.id)
        .join(ActiveVersionRecord, col(ActiveVersionRecord.bot_id) == BotRecord.id, isouter=True)
        .join(
            VersionRecord,
            (col(VersionRecord.id) == ActiveVersionRecord.version_id)
            | (
                col(ActiveVersionRecord.version_id).is_(None)
                & (VersionRecord.bot_id == newest.c.bot_id)
                & (VersionRecord.number == newest.c.number)
            ),
        )
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .where(func.coalesce(OwnerRecord.name, "") != PEOPLE)
        .order_by(BotRecord.name)
    )
    with read(source) as session:
        rows = session.exec(query).all()
        out = annulled(session, [version.id for _, version, _, _ in rows])
        handed_in = set(session.exec(select(AdmissionRecord.version_id).distinct()))
        return [
            Candidate(
                bot, version, _unfit(bot, owner, version, version.id in out, active is None and version.id in handed_in)
            )
            for bot, version, owner, active in rows
        ]


def _unfit(
    bot: BotRecord, owner: OwnerRecord | None, version: VersionRecord, is_annulled: bool, is_waiting: bool
) -> Unfit | None:
    if bot.disabled_at_us is not None:
        return Unfit.DISABLED
    if owner is not None and owner.disabled_at_us is not None:
        return Unfit.OWNER_DISABLED
    if version.withdrawn_at_us is not None or is_annulled:
        return Unfit.WITHDRAWN
    if is_waiting:
        return Unfit.NOT_ADMITTED
    return Unfit.FILES_MISSING if version.files_removed_at_us is not None else None


def mean_duration(source: Source, pool_id: str, version_ids: Collection[str]) -> tuple[int, int]:
    """Return from how many matches among these versions alone it is known, and how long one takes on average.

    That is in microseconds of wall time, and the mean of the versions' own means: who has played most does not count
    most, since in most of what is planned all sit about equally often. It is zeros if none was played. A few hundred
    matches of the newest tournaments of the pool are looked at, however many there are. Matches of others say nothing:
    how long a bot thinks is its own.
    """
    other = core_select(_s.c.seat).where(_s.c.match_id == _m.c.id, _s.c.version_id.not_in(version_ids)).exists()
    with read(source) as session:
        newest = core_select(_t.c.id).where(_t.c.pool_id == pool_id).order_by(_t.c.id.desc()).limit(_MOST_TOURNAMENTS)
        found = session.connection().execute(newest).scalars().all()
        query = core_select(_m.c.id, _m.c.duration_us).where(
            _m.c.tournament_id.in_(found), _m.c.state == MatchState.FINISHED, _m.c.duration_us.is_not(None), ~other
        )
        played = query.limit(_MOST_MATCHES).subquery()
        seats = core_select(played.c.id, played.c.duration_us, _s.c.version_id).join(_s, _s.c.match_id == played.c.id)
        rows = session.connection().execute(seats).all()
    durations: dict[str, list[int]] = {}
    for _, duration_us, version_id in rows:
        durations.setdefault(version_id, []).append(duration_us)
    means = [fmean(own) for own in durations.values()]
    return len({row.id for row in rows}), round(fmean(means)) if means else 0


def has_played(source: Source, pool_id: str) -> bool:
    """Return whether a match of the pool was finished."""
    query = core_select(_m.c.id).join(_t, _t.c.id == _m.c.tournament_id)
    with read(source) as session:
        finished = query.where(_t.c.pool_id == pool_id, _m.c.state == MatchState.FINISHED).limit(1)
        return session.connection().execute(finished).first() is not None


def count_open_challenges(source: Source, challenger: str) -> int:
    """Return how many challenges of somebody are neither over nor cancelled."""
    query = (
        core_select(func.count())
        .select_from(_t)
        .where(~_t.c.rated, _t.c.cancelled_at_us.is_(None), or_(_t.c.more_waves, _HAS_OPEN))
        .where(_t.c.settings[CHALLENGER].as_string() == challenger)
    )
    with read(source) as session:
        return int(session.connection().execute(query).scalar_one())
