"""Chooses the activities of a service and runs them in one scheduler loop.

Services that share a database elect a leader for each activity that must not be done twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from arena.rpc.backoff import Backoff
from arena.service.activities.admissions import AdmissionRunner, PromotionRule, PromotionRunner
from arena.service.activities.context import Plays, ServiceContext, plays_all
from arena.service.activities.housekeeping import HomeSweeper, Housekeeper
from arena.service.activities.ladders import LadderRunner, RemoteAvailability, SeasonRunner
from arena.service.activities.tournaments import RatingRebuilder, TournamentQueue
from arena.service.home import Home
from arena.service.logs import Logger, get_logger
from arena.service.metrics import Metrics
from arena.service.remote.join_interface import Presence
from arena.service.scheduler.slots import MatchLimits, MatchLimitUpdater
from arena.service.settings import ServiceSettings
from arena.tournament.locks import REMOTE, SERVICE
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.advisory_lock import ServerLock, holder_of
from ratings.values.tournament_incidents import LockHolder

PART = "looking for work"
LOOK_EVERY_S = 2.0
_SOMEBODY = LockHolder("", None, 0)
"""Who has the lock if that is over before it can be asked."""


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
        lambda: None,
        context.log,
        "remote bots and people",
    )
    return ActivitySet(SchedulerLoop(context, [*everywhere, elected, remote, tournaments]), remote)


def _plays_beside(context: ServiceContext, remote: bool) -> bool:
    """Return whether what other services may play, too, is this one's.

    If none of them takes remote bots, what would need them is begun in vain, which tells the organiser.
    """
    return not remote or (not context.takes_remote and holder_of(context.database, REMOTE) is None)


class Activity(Protocol):
    """Something that a service does while there is something to do."""

    async def look(self) -> None:
        """Begin what is new, and end what is over."""

    async def close(self) -> None:
        """End everything that was begun."""


class SchedulerLoop:
    """Keeps all activities looking."""

    def __init__(self, context: ServiceContext, activities: Sequence[Activity], every_s: float = LOOK_EVERY_S) -> None:
        self._context = context
        self._activities = activities
        self._every_s = every_s

    async def run(self) -> None:
        """Look on and on until this task is cancelled, which ends everything that was begun."""
        backoff = Backoff(most_s=30.0)
        try:
            while True:
                await self._context.supervisor.keep_going(PART, self._look_on, backoff)
        finally:
            for activity in self._activities:
                await activity.close()

    async def _look_on(self) -> None:
        seen = self._context.wake_up.count
        for activity in self._activities:
            await activity.look()
        await self._context.wake_up.wait(seen, self._every_s)


class LeaderActivities:
    """An activity that is others, while this service holds a lock of the database."""

    def __init__(
        self,
        lock: ServerLock,
        activities: Sequence[Activity],
        begin: Callable[[], object],
        log: Logger,
        what: str = "admissions, ladders and seasons",
    ) -> None:
        """Call `begin` whenever the lock was taken, before anything else is done. `what` is for the log."""
        self._lock = lock
        self._activities = activities
        self._begin = begin
        self._log = log
        self._what = what
        self._leads: bool | None = None
        self.other: LockHolder | None = None
        """The other service that has the lock, as soon as everything here has ended; None if there is none."""

    async def settle(self) -> None:
        """Take the lock if it is free, and begin nothing yet; `other` is known then."""
        _, self.other = await asyncio.to_thread(self._try)

    async def look(self) -> None:
        """Take the lock if it is free, and do what is to be done with it; end all of that if another has it."""
        leads, other = await asyncio.to_thread(self._try)
        if leads != self._leads:
            if leads:
                await asyncio.to_thread(self._begin)
                self._log.info(f"looks after {self._what}")
            else:
                await self._end()
                self._log.info(
                    f"leaves {self._what} to another service",
                    who="unknown" if other is None or other.pid is None else f"process {other.pid} on {other.host}",
                )
            self._leads = leads
        self.other = other
        if leads:
            for activity in self._activities:
                await activity.look()

    async def close(self) -> None:
        """End everything, and let another service go on with it."""
        await self._end()
        self._lock.free()

    def _try(self) -> tuple[bool, LockHolder | None]:
        """Return whether the lock is held here, and else who has it."""
        # To ask who has it is faster than to try in vain, which each look would wait for.
        if self._leads is False and (other := self._lock.holder()) is not None:
            return False, other
        if self._lock.keep():
            return True, None
        return False, self._lock.holder() or _SOMEBODY

    async def _end(self) -> None:
        for activity in self._activities:
            await activity.close()
