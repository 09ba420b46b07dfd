"""Puts together what a service does: everywhere, or in one of the services that share a database."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from arena.service.activities.admissions import AdmissionRunner
from arena.service.activities.context import Plays, ServiceContext, plays_all
from arena.service.activities.housekeeping import HomeSweeper, Housekeeper
from arena.service.activities.ladders import LadderRunner
from arena.service.activities.leader_election import LeaderActivities
from arena.service.activities.match_limits import MatchLimits, MatchLimitUpdater
from arena.service.activities.promotions import PromotionRunner
from arena.service.activities.rating_rebuilds import RatingRebuilder
from arena.service.activities.remote_availability import RemoteAvailability
from arena.service.activities.scheduler_loop import Activity, SchedulerLoop
from arena.service.activities.seasons import SeasonRunner
from arena.service.activities.tournaments import TournamentQueue
from arena.service.home import Home
from arena.service.logs import get_logger
from arena.service.metrics import Metrics
from arena.service.remote.join_policy import Presence
from arena.service.settings import ServiceSettings
from arena.tournament.playing import REMOTE, SERVICE
from arena.tournament.promotion_tests import PromotionRule
from ratings.ledger.service import ServiceLedger
from ratings.store.server_lock import ServerLock, holder_of
from ratings.values.tournaments import LockHolder


@dataclass(frozen=True, slots=True)
class ActivitySet:
    """All that a service does."""

    loop: SchedulerLoop
    remote: LeaderActivities | None = None
    """What only one of the services does that may share the database and take remote bots or people."""

    def other_service(self) -> LockHolder | None:
        """Return the other service that takes remote bots and people, or None if this one does."""
        return None if self.remote is None else self.remote.other

    async def settle(self) -> None:
        """Find out whether another service takes remote bots and people, before one comes."""
        if self.remote is not None:
            await self.remote.settle()


def make_activity_set(
    home: Home,
    settings: ServiceSettings,
    context: ServiceContext,
    presence: Presence,
    limits: MatchLimits,
    metrics: Metrics,
) -> ActivitySet:
    """Return what is to be done; a service whose database is a file has all of it to do."""
    log, asked = get_logger("house"), settings.admission
    rule = PromotionRule(asked.promotion_loss, asked.promotion_pairs) if asked.promotion == "compare" else None
    everywhere: list[Activity] = [
        MatchLimitUpdater(context.database, context.slots, limits),
        HomeSweeper(home, context.database, context.supervisor, log),
    ]
    alone: list[Activity] = [
        AdmissionRunner(context, metrics, tests_promotions=rule is not None),
        PromotionRunner(context, rule),
        SeasonRunner(context),
    ]
    availability = RemoteAvailability(context, presence, settings.service.remote_absence)
    later: list[Activity] = [
        RatingRebuilder(context),
        Housekeeper(home, context.database, settings.retention, context.supervisor, log),
    ]
    # What another life of it was looking at, or another service that is gone.
    begin = ServiceLedger(context.database).requeue_admissions

    def play(plays: Plays) -> tuple[LadderRunner, TournamentQueue]:
        per_day = settings.service.matches_per_day
        return LadderRunner(context, per_day, plays=plays), TournamentQueue(context, plays=plays)

    if not home.is_on_server:
        begin()
        ladders, tournaments = play(plays_all)
        return ActivitySet(SchedulerLoop(context, [*everywhere, *alone, availability, ladders, tournaments, *later]))
    ladders, tournaments = play(partial(_plays_beside, context))
    elected = LeaderActivities(ServerLock(context.database, SERVICE), [*alone, ladders, *later], begin, context.log)
    if not context.takes_remote:
        return ActivitySet(SchedulerLoop(context, [*everywhere, elected, tournaments]))
    remote = LeaderActivities(
        ServerLock(context.database, REMOTE),
        [availability, *play(bool)],
        _nothing,
        context.log,
        "remote bots and people",
    )
    return ActivitySet(SchedulerLoop(context, [*everywhere, elected, remote, tournaments]), remote)


def _plays_beside(context: ServiceContext, remote: bool) -> bool:
    """Return whether what other services may play, too, is this one's.

    If none of them takes remote bots, what would need them is begun in vain, which tells the organiser.
    """
    return not remote or (not context.takes_remote and holder_of(context.database, REMOTE) is None)


def _nothing() -> None:
    """Begin without ado."""
