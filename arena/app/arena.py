"""The interface over a database; a part is imported when it is asked for, so that no command pays for another's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from arena.app.policy import AppContext, UsageReader, Viewer, usual_method
from ratings.store.database import Database, open_for_reading
from ratings.values.owners import ChallengeLimits
from ratings.values.pools import RatingMethod
from ratings.values.states import Scope

if TYPE_CHECKING:
    from arena.app.matches import LocalMatches
    from arena.hosting.sandbox.stored_programs import StoredPrograms
    from arena.hosting.uploads.resumable_uploads import UploadArea
    from arena.model import port
    from arena.model.port import Account, Admin, Annulments, Forecasts, Ladders, Ratings, Seasons, Tables
    from arena.model.ratings import Overview

_ORGANISER = Viewer()
_USUAL_CHALLENGES = ChallengeLimits()


class LocalArena:
    """An `ArenaPort` over an open database, which whoever opened it closes. It may be used from several threads."""

    def __init__(
        self,
        database: Database,
        programs: StoredPrograms | Callable[[], StoredPrograms],
        viewer: Viewer = _ORGANISER,
        usage: UsageReader | None = None,
        uploads: UploadArea | None = None,
        matches_per_day: Callable[[], int | None] = lambda: None,
        play_port: Callable[[], int] = int,
        is_connected: Callable[[str], bool] | None = None,
        challenges: ChallengeLimits = _USUAL_CHALLENGES,
        rating_method: Callable[[], RatingMethod] = usual_method,
    ) -> None:
        """Take the programs of the bots, or what returns them when they are needed: it is slow to import."""
        find_programs = programs if callable(programs) else lambda: programs
        self._context = AppContext(
            database,
            find_programs,
            viewer,
            usage,
            uploads,
            matches_per_day,
            play_port,
            is_connected,
            challenges,
            rating_method,
        )

    @property
    def bots(self) -> port.Bots:
        from arena.app.bots import LocalBots

        return LocalBots(self._context)

    @property
    def admissions(self) -> port.Admissions:
        from arena.app.admissions import LocalAdmissions

        return LocalAdmissions(self._context)

    @property
    def tournaments(self) -> port.Tournaments:
        from arena.app.tournaments import LocalTournaments

        return LocalTournaments(self._context)

    @property
    def forecasts(self) -> Forecasts:
        from arena.app.tournament_planning import LocalForecasts

        return LocalForecasts(self._context)

    @property
    def matches(self) -> port.Matches:
        from arena.app.matches import LocalMatches

        return LocalMatches(self._context)

    @property
    def watchable(self) -> LocalMatches:
        """The matches again, for a service that shows them live."""
        from arena.app.matches import LocalMatches

        return LocalMatches(self._context)

    @property
    def replays(self) -> port.Replays:
        from arena.app.replays import LocalReplays

        return LocalReplays(self._context)

    @property
    def leaderboards(self) -> port.Leaderboards:
        from arena.app.ratings import LocalLeaderboards

        return LocalLeaderboards(self._context)

    @property
    def overview(self) -> Overview:
        """What pages show of many versions at once; a service does not answer this."""
        from arena.app.page_queries import LocalOverview

        return LocalOverview(self._context)

    @property
    def statistics(self) -> port.Statistics:
        from arena.app.ratings import LocalStatistics

        return LocalStatistics(self._context)

    @property
    def ratings(self) -> Ratings:
        from arena.app.ratings import LocalRatings

        return LocalRatings(self._context)

    @property
    def ladders(self) -> Ladders:
        from arena.app.ladders import LocalLadders

        return LocalLadders(self._context)

    @property
    def runtimes(self) -> port.Runtimes:
        from arena.app.runtimes import LocalRuntimes

        return LocalRuntimes(self._context)

    @property
    def account(self) -> Account:
        from arena.app.accounts import LocalAccount

        return LocalAccount(self._context)

    @property
    def admin(self) -> Admin:
        from arena.app.accounts import LocalAdmin

        return LocalAdmin(self._context.database, self._context.viewer)

    @property
    def seasons(self) -> Seasons:
        from arena.app.seasons import LocalSeasons

        return LocalSeasons(self._context)

    @property
    def annulments(self) -> Annulments:
        from arena.app.annulments import LocalAnnulments

        return LocalAnnulments(self._context)

    @property
    def tables(self) -> Tables:
        from arena.app.human_play import LocalTables

        return LocalTables(self._context)

    @property
    def operations(self) -> port.Operations:
        from arena.app.long_operations import LocalOperations

        return LocalOperations(self._context)


@contextmanager
def open_for_visitors(db: str) -> Iterator[LocalArena]:
    """Open a database for reading, with the store of its bots, and yield it as somebody without a login sees it.

    Raises the errors of `ratings.store.database.open_for_reading`.
    """
    from arena.app.bot_store import store_of
    from arena.hosting.sandbox.stored_programs import StoredPrograms

    with closing(open_for_reading(db)) as database:
        yield LocalArena(database, StoredPrograms(store_of(db)), Viewer(Scope.VIEWER))
