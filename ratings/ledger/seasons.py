"""Writes the seasons of ladders: announced, frozen, decided in a final, closed, opened anew."""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import Session

from engine.text import Text
from ratings.errors import LadderError, PlanError
from ratings.ledger import tournaments
from ratings.ledger.ladders import (
    PlannerOf,
    SeasonPlan,
    Table,
    end_season,
    get_open_ladder,
    get_running,
    plan_like,
    write_season,
)
from ratings.ledger.notices import add_notice, instant
from ratings.ledger.tournaments import TournamentPlan
from ratings.ledger.waves import WaveLedger
from ratings.store import waves
from ratings.store.identifiers import check_label, now_us
from ratings.store.ladders import RunningLadder, running_ladders
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.season import SeasonRecord, seasons_of
from ratings.store.waves import count_progress

_SUBJECT = "season"


def announce_freeze(session: Session, name: str, at_us: int) -> SeasonRecord:
    """Write when submissions for the season of a ladder close, and tell everybody.

    Raises NotFoundError, and LadderError for an instant that has passed and a season that is frozen.
    """
    season = _unfrozen(session, name)
    if at_us <= now_us():
        raise LadderError(
            Text(
                "ratings.passed_announce_instant_come",
                "{time} has passed; announce an instant to come",
                time=instant(at_us),
            )
        )
    season.freezes_at_us = at_us
    session.add(season)
    _tell(
        session,
        Text(
            "ratings.submissions_ladder_close",
            "submissions for {season} of ladder {ladder} close at {time}",
            season=repr(season.name),
            ladder=repr(name),
            time=instant(at_us),
        ),
    )
    return season


def freeze(session: Session, name: str) -> SeasonRecord:
    """Close the season of a ladder to new versions, and tell everybody.

    Raises NotFoundError, and LadderError for a season that is frozen, or before the instant that was announced.
    """
    season = _unfrozen(session, name)
    now = now_us()
    if season.freezes_at_us is not None and now < season.freezes_at_us:
        at = instant(season.freezes_at_us)
        raise LadderError(
            Text(
                "ratings.announced_ladder_closes_wait_until",
                "it was announced that {season} of ladder {ladder} closes at {time}; wait until then",
                season=repr(season.name),
                ladder=repr(name),
                time=at,
            )
        )
    season.frozen_at_us = now
    session.add(season)
    _tell(
        session,
        Text(
            "ratings.submissions_ladder_closed_new_versions",
            "submissions for {season} of ladder {ladder} are closed; new versions play in the next one",
            season=repr(season.name),
            ladder=repr(name),
        ),
    )
    return season


def _unfrozen(session: Session, name: str) -> SeasonRecord:
    season = get_running(session, name).season
    if season.frozen_at_us is not None:
        raise LadderError(
            Text(
                "ratings.ladder_closed_new_versions_already",
                "{season} of ladder {ladder} is closed to new versions already",
                season=repr(season.name),
                ladder=repr(name),
            )
        )
    return season


def start_final(session: Session, name: str, plan: TournamentPlan, planner: PlannerOf) -> TournamentRecord:
    """Write the final of a frozen season, of everybody who is in the ladder now; the ladder itself plays no further.

    Raises NotFoundError, LadderError for a season that is not frozen or has its final, and PlanError for a final that
    cannot be played.
    """
    running = get_running(session, name)
    season = running.season
    if season.frozen_at_us is None:
        raise LadderError(
            Text(
                "ratings.ladder_not_frozen_first_arena",
                "{season} of ladder {ladder} is not frozen; first: arena season freeze {name}",
                season=repr(season.name),
                ladder=repr(name),
                name=name,
            )
        )
    if season.final_tournament_id is not None:
        raise LadderError(
            Text(
                "ratings.ladder_final_already_close_arena",
                "{season} of ladder {ladder} has its final already; close it: arena season close",
                season=repr(season.name),
                ladder=repr(name),
            )
        )
    entered = waves.entered_versions(session, running.tournament.id)
    finalists = [version.version_id for version in entered if version.withdrawn_wave is None]
    final = tournaments.write_tournament(session, replace(plan, entrants=finalists))
    pool = session.get_one(PoolRecord, final.pool_id)
    if not planner(final, pool).plan_ready(WaveLedger(session, final.id)):
        raise PlanError(
            Text(
                "ratings.final_no_matches_bots_close",
                "the final has no matches for {count} bots; close the season without one",
                count=len(finalists),
            )
        )
    season.final_tournament_id = final.id
    session.add(season)
    tournaments.cancel(session, running.tournament.id)
    session.refresh(final)
    return final


def close_season(
    session: Session, name: str, *, table: Table, following: SeasonPlan | None, planner: PlannerOf | None
) -> SeasonRecord:
    """Close the season of a ladder with its table, publish its secret, and open the following one if there is a plan.

    Raises NotFoundError, and LadderError while its final is played.
    """
    running = get_running(session, name)
    season = running.season
    if season.final_tournament_id is not None and not count_progress(session, season.final_tournament_id).is_over:
        raise LadderError(
            Text(
                "ratings.final_ladder_not_over_wait",
                "the final of {season} of ladder {ladder} is not over; wait until it is",
                season=repr(season.name),
                ladder=repr(name),
            )
        )
    end_season(session, season, table)
    _tell(
        session,
        Text(
            "ratings.ladder_over_table_secret_public",
            "{season} of ladder {ladder} is over; its table and its secret are public",
            season=repr(season.name),
            ladder=repr(name),
        ),
    )
    if following is not None:
        assert planner is not None, "a season needs something that plans it"
        open_season(session, name, following, planner)
        session.refresh(season)
    return season


def open_season(session: Session, name: str, plan: SeasonPlan, planner: PlannerOf) -> RunningLadder:
    """Open the next season of a ladder, played like the one before, and tell everybody.

    Raises NotFoundError, AccountError for its name, and LadderError while a season is open.
    """
    check_label(Text("ratings.a_season", "a season"), plan.name)
    ladder = get_open_ladder(session, name)
    if running := running_ladders(session, ladder.id):
        raise LadderError(
            Text(
                "ratings.ladder_open_close_first_arena",
                "{season} of ladder {ladder} is open; close it first: arena season close {name}",
                season=repr(running[0].season.name),
                ladder=repr(name),
                name=name,
            )
        )
    before = session.get_one(TournamentRecord, seasons_of(session, ladder.id)[-1].tournament_id)
    like = plan_like(before, session.get_one(PoolRecord, ladder.pool_id), secret=plan.secret)
    opened = write_season(session, ladder, plan.name, like, planner)
    _tell(
        session,
        Text("ratings.ladder_open", "{season} of ladder {ladder} is open", season=repr(plan.name), ladder=repr(name)),
    )
    return opened


def _tell(session: Session, sentence: str) -> None:
    add_notice(session, None, _SUBJECT, sentence)
