"""The one place that writes ladders and their seasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ratings.ledger import ladders, rules, seasons
from ratings.ledger.ladders import LadderPlan, PlannerOf, SeasonPlan, Table
from ratings.ledger.syncing import Changes, sync_ladder
from ratings.ledger.tournaments import TournamentPlan
from ratings.store.database import Database
from ratings.store.ladders import RunningLadder, running_ladders
from ratings.store.models import TournamentRecord
from ratings.store.season import SeasonRecord
from ratings.store.service import LadderRecord
from ratings.store.sessions import write


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
            return ladders.set_ladder_settings(session, name, settings)

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
            return rules.close_old_rules(session, game, rules_version, new_secret=new_secret, planner=planner)

    def announce_freeze(self, ladder: str, at_us: int) -> SeasonRecord:
        """Write when submissions for the season of a ladder close, and tell everybody.

        Raises LadderError for an instant that has passed and a season that is frozen.
        """
        with write(self._database) as session:
            return seasons.announce_freeze(session, ladder, at_us)

    def freeze(self, ladder: str) -> SeasonRecord:
        """Close the season of a ladder to new versions, and tell everybody.

        Raises LadderError for a season that is frozen, or before the instant that was announced.
        """
        with write(self._database) as session:
            return seasons.freeze(session, ladder)

    def start_final(self, ladder: str, plan: TournamentPlan, planner: PlannerOf) -> TournamentRecord:
        """Write the final of a frozen season, of everybody who is in the ladder now; the ladder plays no further.

        Raises LadderError for a season that is not frozen or has its final, PlanError for a final without matches.
        """
        with write(self._database) as session:
            return seasons.start_final(session, ladder, plan, planner)

    def close_season(
        self, ladder: str, *, table: Table, following: SeasonPlan | None = None, planner: PlannerOf | None = None
    ) -> SeasonRecord:
        """Close the season of a ladder with its table, publish its secret, and open the following one, if any.

        Raises LadderError while its final is played.
        """
        with write(self._database) as session:
            return seasons.close_season(session, ladder, table=table, following=following, planner=planner)

    def open_season(self, ladder: str, plan: SeasonPlan, planner: PlannerOf) -> RunningLadder:
        """Open the next season of a ladder, played like the one before, and tell everybody.

        Raises AccountError for its name, LadderError while a season is open.
        """
        with write(self._database) as session:
            return seasons.open_season(session, ladder, plan, planner)
