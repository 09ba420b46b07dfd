"""The interface over a database; a part is imported when it is asked for, so that no command pays for another's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.app.place import Place, UsageReader
from arena.app.viewer import Viewer
from ratings.store.database import Database
from ratings.store.limits import ChallengeLimits

if TYPE_CHECKING:
    from arena.app.matches import MatchesHere
    from arena.hosting.sandbox.programs import StoredPrograms
    from arena.hosting.uploads.area import UploadArea
    from arena.model import port
    from arena.model.overview import Overview
    from arena.model.port import Account, Admin, Annulments, Forecasts, Ladders, Ratings, Seasons, Tables

_ORGANISER = Viewer()
_USUAL_CHALLENGES = ChallengeLimits()


class ArenaHere:
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
    ) -> None:
        """Take the programs of the bots, or what returns them when they are needed: it is slow to import."""
        find_programs = programs if callable(programs) else lambda: programs
        self._place = Place(
            database, find_programs, viewer, usage, uploads, matches_per_day, play_port, is_connected, challenges
        )

    @property
    def bots(self) -> port.Bots:
        from arena.app.bots import BotsHere

        return BotsHere(self._place)

    @property
    def admissions(self) -> port.Admissions:
        from arena.app.admissions import AdmissionsHere

        return AdmissionsHere(self._place)

    @property
    def tournaments(self) -> port.Tournaments:
        from arena.app.tournaments import TournamentsHere

        return TournamentsHere(self._place)

    @property
    def forecasts(self) -> Forecasts:
        from arena.app.forecasting import ForecastsHere

        return ForecastsHere(self._place)

    @property
    def matches(self) -> port.Matches:
        from arena.app.matches import MatchesHere

        return MatchesHere(self._place)

    @property
    def watchable(self) -> MatchesHere:
        """The matches again, for a service that shows them live."""
        from arena.app.matches import MatchesHere

        return MatchesHere(self._place)

    @property
    def replays(self) -> port.Replays:
        from arena.app.replays import ReplaysHere

        return ReplaysHere(self._place)

    @property
    def leaderboards(self) -> port.Leaderboards:
        from arena.app.leaderboards import LeaderboardsHere

        return LeaderboardsHere(self._place)

    @property
    def overview(self) -> Overview:
        """What pages show of many versions at once; a service does not answer this."""
        from arena.app.overview import OverviewHere

        return OverviewHere(self._place)

    @property
    def statistics(self) -> port.Statistics:
        from arena.app.statistics import StatisticsHere

        return StatisticsHere(self._place)

    @property
    def ratings(self) -> Ratings:
        from arena.app.ratings import RatingsHere

        return RatingsHere(self._place)

    @property
    def ladders(self) -> Ladders:
        from arena.app.ladders import LaddersHere

        return LaddersHere(self._place)

    @property
    def runtimes(self) -> port.Runtimes:
        from arena.app.runtimes import RuntimesHere

        return RuntimesHere(self._place)

    @property
    def account(self) -> Account:
        from arena.app.account import AccountHere

        return AccountHere(self._place)

    @property
    def admin(self) -> Admin:
        from arena.app.admin import AdminHere

        return AdminHere(self._place.database, self._place.viewer)

    @property
    def seasons(self) -> Seasons:
        from arena.app.seasons import SeasonsHere

        return SeasonsHere(self._place)

    @property
    def annulments(self) -> Annulments:
        from arena.app.annulments import AnnulmentsHere

        return AnnulmentsHere(self._place)

    @property
    def tables(self) -> Tables:
        from arena.app.people import TablesHere

        return TablesHere(self._place)

    @property
    def operations(self) -> port.Operations:
        from arena.app.operations import OperationsHere

        return OperationsHere(self._place)
