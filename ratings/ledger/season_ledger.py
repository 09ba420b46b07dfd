"""The one place that writes ladders and their seasons: announced, frozen, decided in a final, closed, opened anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from engine.translatable import Text
from ratings.errors import LadderError, PlanError
from ratings.ledger import ladders, tournaments
from ratings.ledger.accounts import add_notice, instant
from ratings.ledger.ladders import (
    LadderPlan,
    PlannerOf,
    SeasonPlan,
    Table,
    end_season,
    get_open_ladder,
    get_running,
    plan_like,
    write_season,
)
from ratings.ledger.participation import Changes, sync_ladder
from ratings.ledger.tournaments import TournamentPlan, WaveLedger
from ratings.store import waves
from ratings.store.database import Database
from ratings.store.identifiers import check_label, now_us
from ratings.store.ladder_queries import RunningLadder, running_ladders
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.season import SeasonRecord, seasons_of
from ratings.store.service import LadderRecord
from ratings.store.sessions import save, write
from ratings.store.waves import count_progress

_SUBJECT = "season"


class LadderLedger:
    """Writes ladders and their seasons. Each method is one transaction: all of it happens, or nothing.

    Whatever a method raises, nothing was written. Each that takes the name of a ladder raises NotFoundError for one
    that does not exist, and LadderError for one that is closed. Besides, each may raise a DatabaseError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def open_ladder(self, plan: LadderPlan, planner: PlannerOf) -> RunningLadder:
        """Write a ladder with its first season, in which every active version that plays in its pool takes part.

        It may have no entrants and no match yet; `planner` is asked for waves only if there are enough to seat. Raises
        AccountError for a name that cannot be, LadderError if an open ladder has that name or that pool.
        """
        with write(self._database) as session:
            return ladders.open_ladder(session, plan, planner)

    def close_ladder(self, name: str, why: str, *, table: Table | None = None) -> LadderRecord:
        """Close a ladder with its season, whose table is kept and whose secret is public from now on."""
        with write(self._database) as session:
            return ladders.close_ladder(session, name, why, table=table)

    def set_ladder_settings(self, name: str, settings: Mapping[str, Any]) -> LadderRecord:
        """Replace what the service wants to know of an open ladder."""
        with write(self._database) as session:
            ladder = get_open_ladder(session, name)
            ladder.settings = dict(settings)
            return save(session, ladder)

    def sync_ladder(self, ladder_id: str) -> Changes:
        """Bring the entrants of a ladder in line with the versions that are active, and return what changed.

        Whatever changes which versions are active has done so already; a ladder without an open season has none.
        """
        with write(self._database) as session:
            running = running_ladders(session, ladder_id)
            return sync_ladder(session, running[0]) if running else Changes()

    def close_old_rules(
        self, game: str, rules_version: str, *, new_secret: Callable[[], str], planner: PlannerOf
    ) -> list[RunningLadder]:
        """Close every ladder of the game that is played by other rules, and open one like it under its name.

        In it play the active versions whose manifests state the new rules, or none; everybody is told. Return the new
        ladders.
        """
        with write(self._database) as session:
            return ladders.close_old_rules(session, game, rules_version, new_secret=new_secret, planner=planner)

    def announce_freeze(self, ladder: str, at_us: int) -> SeasonRecord:
        """Write when submissions for the season of a ladder close, and tell everybody.

        Raises LadderError for an instant that has passed and a season that is frozen.
        """
        with write(self._database) as session:
            season = _unfrozen(session, ladder)
            if at_us <= now_us():
                raise LadderError(Text("{time} has passed; announce an instant to come", time=instant(at_us)))
            season.freezes_at_us = at_us
            session.add(season)
            _notify_everybody(
                session,
                Text(
                    "submissions for {season} of ladder {ladder} close at {time}",
                    season=repr(season.name),
                    ladder=repr(ladder),
                    time=instant(at_us),
                ),
            )
            return season

    def freeze(self, ladder: str) -> SeasonRecord:
        """Close the season of a ladder to new versions, and tell everybody.

        Raises LadderError for a season that is frozen, or before the instant that was announced.
        """
        with write(self._database) as session:
            season = _unfrozen(session, ladder)
            now = now_us()
            if season.freezes_at_us is not None and now < season.freezes_at_us:
                raise LadderError(
                    Text(
                        "it was announced that {season} of ladder {ladder} closes at {time}; wait until then",
                        season=repr(season.name),
                        ladder=repr(ladder),
                        time=instant(season.freezes_at_us),
                    )
                )
            season.frozen_at_us = now
            session.add(season)
            _notify_everybody(
                session,
                Text(
                    "submissions for {season} of ladder {ladder} are closed; new versions play in the next one",
                    season=repr(season.name),
                    ladder=repr(ladder),
                ),
            )
            return season

    def start_final(self, ladder: str, plan: TournamentPlan, planner: PlannerOf) -> TournamentRecord:
        """Write the final of a frozen season, of everybody who is in the ladder now; the ladder plays no further.

        Raises LadderError for a season that is not frozen or has its final, PlanError for a final without matches.
        """
        with write(self._database) as session:
            running = get_running(session, ladder)
            season = running.season
            if season.frozen_at_us is None:
                raise LadderError(
                    Text(
                        "{season} of ladder {ladder} is not frozen; first: arena season freeze {name}",
                        season=repr(season.name),
                        ladder=repr(ladder),
                        name=ladder,
                    )
                )
            if season.final_tournament_id is not None:
                raise LadderError(
                    Text(
                        "{season} of ladder {ladder} has its final already; close it: arena season close",
                        season=repr(season.name),
                        ladder=repr(ladder),
                    )
                )
            entered = waves.entered_versions(session, running.tournament.id)
            finalists = [version.version_id for version in entered if version.withdrawn_wave is None]
            final = tournaments.write_tournament(session, replace(plan, entrants=finalists))
            pool = session.get_one(PoolRecord, final.pool_id)
            if not planner(final, pool).plan_ready(WaveLedger(session, final.id)):
                count = len(finalists)
                raise PlanError(
                    Text("the final has no matches for {count} bots; close the season without one", count=count)
                )
            season.final_tournament_id = final.id
            session.add(season)
            tournaments.cancel(session, running.tournament.id)
            session.refresh(final)
            return final

    def close_season(
        self, ladder: str, *, table: Table, following: SeasonPlan | None = None, planner: PlannerOf | None = None
    ) -> SeasonRecord:
        """Close the season of a ladder with its table, publish its secret, and open the following one, if any.

        Raises LadderError while its final is played.
        """
        with write(self._database) as session:
            season = get_running(session, ladder).season
            final_id = season.final_tournament_id
            if final_id is not None and not count_progress(session, final_id).is_over:
                raise LadderError(
                    Text(
                        "the final of {season} of ladder {ladder} is not over; wait until it is",
                        season=repr(season.name),
                        ladder=repr(ladder),
                    )
                )
            end_season(session, season, table)
            _notify_everybody(
                session,
                Text(
                    "{season} of ladder {ladder} is over; its table and its secret are public",
                    season=repr(season.name),
                    ladder=repr(ladder),
                ),
            )
            if following is not None:
                assert planner is not None, "a season needs something that plans it"
                _open_season(session, ladder, following, planner)
                session.refresh(season)
            return season

    def open_season(self, ladder: str, plan: SeasonPlan, planner: PlannerOf) -> RunningLadder:
        """Open the next season of a ladder, played like the one before, and tell everybody.

        Raises AccountError for its name, LadderError while a season is open.
        """
        with write(self._database) as session:
            return _open_season(session, ladder, plan, planner)


def _unfrozen(session: Session, name: str) -> SeasonRecord:
    season = get_running(session, name).season
    if season.frozen_at_us is not None:
        raise LadderError(
            Text(
                "{season} of ladder {ladder} is closed to new versions already",
                season=repr(season.name),
                ladder=repr(name),
            )
        )
    return season


def _open_season(session: Session, name: str, plan: SeasonPlan, planner: PlannerOf) -> RunningLadder:
    check_label(Text("a season"), plan.name)
    ladder = get_open_ladder(session, name)
    if running := running_ladders(session, ladder.id):
        raise LadderError(
            Text(
                "{season} of ladder {ladder} is open; close it first: arena season close {name}",
                season=repr(running[0].season.name),
                ladder=repr(name),
                name=name,
            )
        )
    before = session.get_one(TournamentRecord, seasons_of(session, ladder.id)[-1].tournament_id)
    like = plan_like(before, session.get_one(PoolRecord, ladder.pool_id), secret=plan.secret)
    opened = write_season(session, ladder, plan.name, like, planner)
    _notify_everybody(session, Text("{season} of ladder {ladder} is open", season=repr(plan.name), ladder=repr(name)))
    return opened


def _notify_everybody(session: Session, sentence: str) -> None:
    add_notice(session, None, _SUBJECT, sentence)
