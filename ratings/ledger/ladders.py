"""Writes ladders: opened, set, closed, and followed by others when the rules of their game have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sqlmodel import Session, col, select

from engine.translatable import Text, parts_of, text_from_json
from ratings.errors import LadderError
from ratings.ledger import tournaments
from ratings.ledger.accounts import add_notice
from ratings.ledger.rating import pool_for, pool_of, settings_of
from ratings.ledger.tournaments import Planner, TournamentPlan, WaveLedger
from ratings.store import waves
from ratings.store.identifiers import check_name, new_id, now_us
from ratings.store.ladder_queries import RunningLadder, get_ladder, may_play, running_ladders
from ratings.store.models import BotRecord, PoolRecord, TournamentRecord, VersionRecord
from ratings.store.season import SeasonRecord, season_of
from ratings.store.service import LadderRecord
from ratings.store.sessions import save

PlannerOf: TypeAlias = Callable[[TournamentRecord, PoolRecord], Planner]
"""Returns what plans the waves of a tournament."""
Table: TypeAlias = Sequence[Mapping[str, Any]]
"""The lines of a table, ready for JSON, the best first."""
_SUBJECT = "rules"


@dataclass(frozen=True, slots=True)
class LadderPlan:
    """A ladder that is to be opened."""

    name: str
    tournament: TournamentPlan
    """How it is played: an endless format; who takes part and what it is called is found by the ledger."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the service wants to know of it."""
    season: str = "season 1"
    """What people call its first season."""


@dataclass(frozen=True, slots=True)
class SeasonPlan:
    """A season that is to be opened."""

    name: str
    secret: str
    """What its seeds are derived from, in hexadecimal digits."""


def open_ladder(session: Session, plan: LadderPlan, planner: PlannerOf) -> RunningLadder:
    """Write a ladder with its first season, in which every active version that plays in its pool takes part.

    It may have no entrants and no match yet. Raises AccountError for a name that cannot be, LadderError if an open
    ladder has that name or that pool.
    """
    check_name(Text("a ladder"), plan.name)
    pool_id = plan.tournament.pool.pool_id
    for ladder in session.exec(select(LadderRecord).where(col(LadderRecord.closed_at_us).is_(None))):
        if ladder.name == plan.name:
            raise LadderError(
                Text("there is an open ladder {name} already; close it, or choose another name", name=repr(ladder.name))
            )
        if ladder.pool_id == pool_id:
            raise LadderError(
                Text(
                    "ladder {name} has the same game, seats, options and clock; close it, or change one of them",
                    name=repr(ladder.name),
                )
            )
    pool = pool_for(session, plan.tournament.pool, plan.tournament.skill)
    ladder = LadderRecord(
        id=new_id(), name=plan.name, pool_id=pool.id, settings=dict(plan.settings), opened_at_us=now_us()
    )
    save(session, ladder)
    return write_season(session, ladder, plan.season, plan.tournament, planner)


def write_season(
    session: Session, ladder: LadderRecord, name: str, plan: TournamentPlan, planner: PlannerOf
) -> RunningLadder:
    """Write the next season of a ladder with its tournament, and let `planner` add the first waves."""
    pool = session.get_one(PoolRecord, ladder.pool_id)
    number = len(session.exec(select(SeasonRecord.number).where(SeasonRecord.ladder_id == ladder.id)).all()) + 1
    entrants = [version.id for version in may_play(session, pool)]
    wanted = f"{ladder.name}-{number}"
    alike = select(TournamentRecord.name).where(col(TournamentRecord.name).startswith(wanted, autoescape=True))
    taken = set(session.exec(alike))
    tries = (wanted if count == 1 else f"{wanted}-{count}" for count in range(1, len(taken) + 2))
    free = next(one for one in tries if one not in taken)
    tournament = tournaments.write_tournament(session, replace(plan, name=free, entrants=entrants))
    season = SeasonRecord(
        ladder_id=ladder.id, number=number, name=name, tournament_id=tournament.id, opened_at_us=now_us()
    )
    save(session, season)
    if len(entrants) >= pool.seats:
        planner(tournament, pool).plan_ready(WaveLedger(session, tournament.id))
    for one in (ladder, pool, season, tournament):
        session.refresh(one)  # planning forgets what was read before
    return RunningLadder(ladder, pool, season, tournament)


def plan_like(
    tournament: TournamentRecord, pool: PoolRecord, *, secret: str, rules_version: str | None = None
) -> TournamentPlan:
    """Return the plan of a tournament that is played like another, with a secret of its own."""
    same = pool_of(
        game=pool.game,
        rules_version=pool.rules_version if rules_version is None else rules_version,
        seats=pool.seats,
        options=pool.options,
        time_control=pool.time_control,
        cores=pool.cores,
        remote=pool.remote,
        rating_method=pool.rating_method,
    )
    return TournamentPlan(
        name="",
        format=tournament.format,
        pool=same,
        secret=secret,
        seeded=False,
        settings=tournament.settings,
        entrants=(),
        rated=tournament.rated,
        rates_same_owner=tournament.rates_same_owner,
        skill=settings_of(pool),
    )


def get_open_ladder(session: Session, name: str) -> LadderRecord:
    """Return the open ladder of that name. Raises NotFoundError, LadderError for one that is closed."""
    ladder = get_ladder(session, name)
    if ladder.closed_at_us is not None:
        raise LadderError(
            Text(
                "ladder {name} is closed ({why}); open it anew: arena ladder open",
                name=repr(name),
                why=text_from_json(ladder.closed_because or "", ladder.closed_because_text),
            )
        )
    return ladder


def get_running(session: Session, name: str) -> RunningLadder:
    """Return the open ladder of that name with its season. Raises NotFoundError, LadderError."""
    ladder = get_open_ladder(session, name)
    running = running_ladders(session, ladder.id)
    if not running:
        raise LadderError(
            Text(
                "no season of ladder {ladder} is open; open one: arena season open {name}", ladder=repr(name), name=name
            )
        )
    return running[0]


def close_ladder(session: Session, name: str, why: str, *, table: Table | None = None) -> LadderRecord:
    """Close a ladder with its season, whose secret is public from now on. Raises NotFoundError, LadderError."""
    if not why.strip():
        raise LadderError(Text("a ladder is closed for a reason that its owners are told; give one with --why"))
    ladder = get_open_ladder(session, name)
    for running in running_ladders(session, ladder.id):
        end_season(session, running.season, table)
    ladder.closed_at_us, ladder.closed_because, ladder.closed_because_text = now_us(), why, parts_of(why)
    return save(session, ladder)


def end_season(session: Session, season: SeasonRecord, table: Table | None) -> SeasonRecord:
    """Close a season: what is planned of its tournaments is void, its table is kept."""
    for tournament_id in (season.tournament_id, season.final_tournament_id):
        if tournament_id is not None:
            tournaments.cancel(session, tournament_id)
    session.refresh(season)
    season.closed_at_us = now_us()
    season.table = None if table is None else [dict(line) for line in table]
    return save(session, season)


def check_may_cancel(session: Session, tournament_id: str) -> None:
    """Raise LadderError for the tournament of a season that is open: what ends it must close the season, too."""
    season = season_of(session, tournament_id)
    if season is not None and season.closed_at_us is None:
        name = session.get_one(LadderRecord, season.ladder_id).name
        raise LadderError(
            Text(
                "this tournament is {season} of ladder {ladder}; close that instead: arena season close {name}",
                season=repr(season.name),
                ladder=repr(name),
                name=name,
            )
        )


def close_old_rules(
    session: Session, game: str, rules_version: str, *, new_secret: Callable[[], str], planner: PlannerOf
) -> list[RunningLadder]:
    """Close every ladder of the game that is played by other rules, and open one like it under its name.

    In it play the active versions whose manifests state the new rules, or none. Everybody is told, and every owner of a
    bot that played what becomes of it. Return the new ladders.
    """
    old = [one for one in running_ladders(session) if one.pool.game == game and one.pool.rules_version != rules_version]
    return [_succeed(session, running, rules_version, new_secret(), planner) for running in old]


def _succeed(
    session: Session, running: RunningLadder, rules_version: str, secret: str, planner: PlannerOf
) -> RunningLadder:
    ladder, game = running.ladder, running.pool.game
    playing = _present(session, running.tournament.id)
    why = Text(
        "{game} has rules version {version} now, and this ladder was played by version {old}",
        game=game,
        version=rules_version,
        old=running.pool.rules_version,
    )
    close_ladder(session, ladder.name, why)
    plan = plan_like(running.tournament, running.pool, secret=secret, rules_version=rules_version)
    opened = open_ladder(session, LadderPlan(ladder.name, plan, ladder.settings, running.season.name), planner)
    goes_on = _present(session, opened.tournament.id)
    for version_id in playing:
        _notify_owner(session, version_id, opened, version_id in goes_on)
    add_notice(
        session,
        None,
        _SUBJECT,
        Text(
            "{game} has rules version {version} now: ladder {ladder} was closed and begins anew, with the bots that "
            "play by the new rules",
            game=game,
            version=rules_version,
            ladder=repr(ladder.name),
        ),
    )
    return opened


def _present(session: Session, tournament_id: str) -> list[str]:
    entered = waves.entered_versions(session, tournament_id)
    return [version.version_id for version in entered if version.withdrawn_wave is None]


def _notify_owner(session: Session, version_id: str, opened: RunningLadder, goes_on: bool) -> None:
    query = select(BotRecord.name, BotRecord.owner_id, VersionRecord.number).join(
        VersionRecord, col(VersionRecord.bot_id) == BotRecord.id
    )
    name, owner_id, number = session.exec(query.where(VersionRecord.id == version_id)).one()
    if owner_id is not None:
        game, version, ladder = opened.pool.game, opened.pool.rules_version, repr(opened.ladder.name)
        sentence = (
            Text(
                "{game} has rules version {version} now, so ladder {ladder} begins anew; version {number} of {bot} "
                "plays in it",
                game=game,
                version=version,
                ladder=ladder,
                number=number,
                bot=name,
            )
            if goes_on
            else Text(
                "{game} has rules version {version} now, so ladder {ladder} begins anew; version {number} of {bot} "
                "states other rules and does not play until you submit a new version",
                game=game,
                version=version,
                ladder=ladder,
                number=number,
                bot=name,
            )
        )
        add_notice(session, owner_id, _SUBJECT, sentence)
