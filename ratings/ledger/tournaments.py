"""Writes a new tournament with its entrants, and cancels one; `waves` plans what it plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert, update
from sqlmodel import Session, col, select

from engine.text import Text
from ratings.errors import BotError, PlanError
from ratings.ledger.leasing import release
from ratings.ledger.live import rate_prefix
from ratings.ledger.pools import pool_for
from ratings.statistics.skill import SkillSettings
from ratings.store import tables
from ratings.store.identifiers import new_id, now_us
from ratings.store.ladders import annulled
from ratings.store.lookups import get_tournament
from ratings.store.models import BotRecord, TournamentRecord, VersionRecord, with_text
from ratings.store.sessions import Source, read
from ratings.values.pools import Pool
from ratings.values.states import MatchState

_m = tables.match


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """All that is known of a tournament before its first wave is planned."""

    name: str
    format: str
    pool: Pool
    secret: str
    """What all seeds are derived from, in hexadecimal digits."""
    seeded: bool
    settings: Mapping[str, Any]
    entrants: Sequence[str]
    """The ids of the versions that take part, in the order of entry."""
    rated: bool = True
    rates_same_owner: bool = False
    """Whether matches between bots of one registered owner are rated too."""
    skill: SkillSettings = field(default_factory=SkillSettings)
    """The constants of the pool, if it does not exist yet."""


def write_tournament(session: Session, plan: TournamentPlan) -> TournamentRecord:
    """Write a tournament and its entrants, without any wave. Raises PlanError or BotError, with nothing written."""
    _check(session, plan)
    pool = pool_for(session, plan.pool, plan.skill)
    tournament = TournamentRecord(
        id=new_id(),
        name=plan.name,
        format=plan.format,
        pool_id=pool.id,
        secret=plan.secret,
        seeded=plan.seeded,
        settings=dict(plan.settings),
        rated=plan.rated,
        rates_same_owner=plan.rates_same_owner,
        created_at_us=now_us(),
        more_waves=True,
    )
    session.add(tournament)
    session.flush()
    _write_entrants(session, tournament.id, plan.entrants)
    return tournament


def check_plan(source: Source, plan: TournamentPlan) -> None:
    """Raise PlanError or BotError if `write_tournament` would; nothing is written."""
    with read(source) as session:
        _check(session, plan)


def _check(session: Session, plan: TournamentPlan) -> None:
    _check_entered_once(plan.entrants)
    check_versions(session, plan.entrants)
    check_kinds(session, plan.entrants, remote=plan.pool.remote)


def _write_entrants(session: Session, tournament_id: str, versions: Sequence[str]) -> None:
    rows = [
        {"tournament_id": tournament_id, "position": position, "version_id": version}
        for position, version in enumerate(versions)
    ]
    if rows:
        session.connection().execute(insert(tables.entrant), rows)


def _check_entered_once(entrants: Sequence[str]) -> None:
    twice = [version for version, count in Counter(entrants).items() if count > 1]
    if twice:
        raise PlanError(
            Text(
                "ratings.version_entered_twice_enter_every",
                "version {name} is entered twice; enter every version once",
                name=twice[0],
            )
        )


def check_versions(session: Session, versions: Sequence[str]) -> None:
    """Raise PlanError for a version that does not exist, BotError for one that may not play any more."""
    query = (
        select(VersionRecord, BotRecord.name, BotRecord.disabled_at_us)
        .join(BotRecord)
        .where(col(VersionRecord.id).in_(versions))
    )
    found = {version.id: (version, name, disabled) for version, name, disabled in session.exec(query)}
    out = annulled(session, versions)
    for version_id in versions:
        if version_id not in found:
            raise PlanError(
                Text(
                    "ratings.no_version_add_bot_first",
                    "there is no version {version}; add the bot first",
                    version=version_id,
                )
            )
        version, name, disabled = found[version_id]
        if disabled is not None:
            raise BotError(
                Text(
                    "ratings.bot_disabled_leave_out_let",
                    "bot {bot} is disabled; leave it out, or let it in again: arena bot disable {name} --undo",
                    bot=repr(name),
                    name=name,
                )
            )
        if version.withdrawn_at_us is not None or version_id in out:
            if version_id in out:
                raise BotError(
                    Text(
                        "ratings.version_annulled_leave_out_enter",
                        "version {number} of {bot} was annulled; leave it out, or enter another version",
                        number=version.number,
                        bot=repr(name),
                    )
                )
            raise BotError(
                Text(
                    "ratings.version_withdrawn_leave_out_enter",
                    "version {number} of {bot} was withdrawn; leave it out, or enter another version",
                    number=version.number,
                    bot=repr(name),
                )
            )
        if version.files_removed_at_us is not None:
            raise BotError(
                Text(
                    "ratings.files_version_not_here_add",
                    "the files of version {number} of {bot} are not here; add it again",
                    number=version.number,
                    bot=repr(name),
                )
            )


def check_kinds(session: Session, versions: Sequence[str], *, remote: bool) -> None:
    """Raise BotError for a remote bot in a pool that is not remote; a hosted one may play in either."""
    query = (
        select(BotRecord.name)
        .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
        .where(col(VersionRecord.id).in_(versions))
    )
    strangers = [] if remote else session.exec(query.where(col(BotRecord.remote)).order_by(BotRecord.name)).all()
    if strangers:
        raise BotError(
            Text(
                "ratings.bot_remote_played_hosted_bots",
                "bot {names} is remote, and this is played by hosted bots, for whose code and clock the arena "
                "vouches; enter it in a tournament or ladder of remote bots",
                names=repr(strangers[0]),
            )
        )


def cancel(session: Session, tournament_id: str) -> int:
    """Make every match that is not over void, and return how many they were.

    Results that arrive later are not recorded. Raises NotFoundError.
    """
    tournament = get_tournament(session, tournament_id)
    release(session, tournament_id)
    cancelled = _void_planned(session, tournament_id)
    if tournament.cancelled_at_us is None and (cancelled or tournament.more_waves):
        tournament.cancelled_at_us = now_us()
        tournament.more_waves = False
        session.add(tournament)
        session.flush()
    rate_prefix(session.connection(), tournament_id)
    session.expire_all()
    return cancelled


def _void_planned(session: Session, tournament_id: str) -> int:
    why = with_text("void_reason", Text("ratings.tournament_cancelled", "the tournament was cancelled"))
    void = session.connection().execute(
        update(_m)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.PLANNED)
        .values(state=MatchState.VOID, **why)
    )
    return int(void.rowcount)
