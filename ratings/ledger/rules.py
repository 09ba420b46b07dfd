"""Closes the ladders of a game whose rules have changed, and opens their successors."""

from __future__ import annotations

from collections.abc import Callable

from sqlmodel import Session, col, select

from engine.text import Text
from ratings.ledger.ladders import LadderPlan, PlannerOf, close_ladder, open_ladder, plan_like
from ratings.ledger.notices import add_notice
from ratings.store import waves
from ratings.store.ladders import RunningLadder, running_ladders
from ratings.store.models import BotRecord, VersionRecord

_SUBJECT = "rules"


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
        "ratings.rules_version_now_ladder_played",
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
        _tell_owner(session, version_id, opened, version_id in goes_on)
    add_notice(
        session,
        None,
        _SUBJECT,
        Text(
            "ratings.rules_version_now_ladder_closed",
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


def _tell_owner(session: Session, version_id: str, opened: RunningLadder, goes_on: bool) -> None:
    query = select(BotRecord.name, BotRecord.owner_id, VersionRecord.number).join(
        VersionRecord, col(VersionRecord.bot_id) == BotRecord.id
    )
    name, owner_id, number = session.exec(query.where(VersionRecord.id == version_id)).one()
    if owner_id is not None:
        game, version, ladder = opened.pool.game, opened.pool.rules_version, repr(opened.ladder.name)
        sentence = (
            Text(
                "ratings.rules_version_now_so_ladder",
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
                "ratings.rules_version_now_so_ladder_begins",
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
