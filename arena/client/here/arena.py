"""The interface over a database; a part is imported when it is asked for, so that no command pays for another's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.client.here.place import Place, UsageReader
from arena.client.here.viewer import Viewer
from ratings.store.database import Database
from ratings.store.limits import ChallengeLimits

if TYPE_CHECKING:
    from arena.client import port
    from arena.client.admin import Account, Admin, Annulments, Seasons, Tables
    from arena.client.forecasts import Forecasts
    from arena.client.here.matches import MatchesHere
    from arena.client.ladders import Ladders
    from arena.client.overview import Overview
    from arena.client.ratings import Ratings
    from arena.hosting.sandbox.programs import StoredPrograms
    from arena.hosting.uploads.area import UploadArea

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
        from arena.client.here.bots import BotsHere

        return BotsHere(self._place)

    @property
    def admissions(self) -> port.Admissions:
        from arena.client.here.admissions import AdmissionsHere

        return AdmissionsHere(self._place)

    @property
    def tournaments(self) -> port.Tournaments:
        from arena.client.here.tournaments import TournamentsHere

        return TournamentsHere(self._place)

    @property
    def forecasts(self) -> Forecasts:
        from arena.client.here.forecasting import ForecastsHere

        return ForecastsHere(self._place)

    @property
    def matches(self) -> port.Matches:
        from arena.client.here.matches import MatchesHere

        return MatchesHere(self._place)

    @property
    def watchable(self) -> MatchesHere:
        """The matches again, for a service that shows them live."""
        from arena.client.here.matches import MatchesHere

        return MatchesHere(self._place)

    @property
    def replays(self) -> port.Replays:
        from arena.client.here.replays import ReplaysHere

        return ReplaysHere(self._place)

    @property
    def leaderboards(self) -> port.Leaderboards:
        from arena.client.here.leaderboards import LeaderboardsHere

        return LeaderboardsHere(self._place)

    @property
    def overview(self) -> Overview:
        """What pages show of many versions at once; a service does not answer this."""
        from arena.client.here.overview import OverviewHere

        return OverviewHere(self._place)

    @property
    def statistics(self) -> port.Statistics:
        from arena.client.here.statistics import StatisticsHere

        return StatisticsHere(self._place)

    @property
    def ratings(self) -> Ratings:
        from arena.client.here.ratings import RatingsHere

        return RatingsHere(self._place)

    @property
    def ladders(self) -> Ladders:
        from arena.client.here.ladders import LaddersHere

        return LaddersHere(self._place)

    @property
    def runtimes(self) -> port.Runtimes:
        from arena.client.here.runtimes import RuntimesHere

        return RuntimesHere(self._place)

    @property
    def account(self) -> Account:
        from arena.client.here.account import AccountHere

        return AccountHere(self._place)

    @property
    def admin(self) -> Admin:
        from arena.client.here.admin import AdminHere

        return AdminHere(self._place.database, self._place.viewer)

    @property
    def seasons(self) -> Seasons:
        from arena.client.here.seasons import SeasonsHere

        return SeasonsHere(self._place)

    @property
    def annulments(self) -> Annulments:
        from arena.client.here.annulments import AnnulmentsHere

        return AnnulmentsHere(self._place)

    @property
    def tables(self) -> Tables:
        from arena.client.here.people import TablesHere

        return TablesHere(self._place)

    @property
    def operations(self) -> port.Operations:
        from arena.client.here.operations import OperationsHere

        return OperationsHere(self._place)
