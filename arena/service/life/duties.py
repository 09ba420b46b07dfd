"""Puts together what a service does: everywhere, or in one of the services that share a database."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from arena.service.activities.admissions import AdmissionDesk
from arena.service.activities.foreman import Activity, Foreman
from arena.service.activities.housekeeping import HomeSweeper, Housekeeper
from arena.service.activities.ladders import LadderKeeper
from arena.service.activities.leading import Leading
from arena.service.activities.owners import LimitKeeper, MatchLimits
from arena.service.activities.presence import RemoteAttendance
from arena.service.activities.promotions import PromotionDesk
from arena.service.activities.rerating import Rerater
from arena.service.activities.seasons import SeasonKeeper
from arena.service.activities.tournaments import TournamentQueue
from arena.service.activities.workshop import Plays, Workshop, plays_all
from arena.service.home import Home
from arena.service.logs import get_logger
from arena.service.metrics import Metrics
from arena.service.remote.desk import Presence
from arena.service.settings.values import ServiceSettings
from arena.tournament.playing import REMOTE, SERVICE
from arena.tournament.promotion_tests import PromotionRule
from ratings.ledger.service import ServiceLedger
from ratings.store.server_lock import ServerLock, holder_of
from ratings.values.tournaments import LockHolder


@dataclass(frozen=True, slots=True)
class Duties:
    """All that a service does."""

    foreman: Foreman
    remote: Leading | None = None
    """What only one of the services does that may share the database and take remote bots or people."""

    def elsewhere(self) -> LockHolder | None:
        """Return the other service that takes remote bots and people, or None if this one does."""
        return None if self.remote is None else self.remote.other

    async def settle(self) -> None:
        """Find out whether another service takes remote bots and people, before one comes."""
        if self.remote is not None:
            await self.remote.settle()


def make_duties(
    home: Home,
    settings: ServiceSettings,
    shop: Workshop,
    presence: Presence,
    limits: MatchLimits,
    metrics: Metrics,
) -> Duties:
    """Return what is to be done; a service whose database is a file has all of it to do."""
    log, asked = get_logger("house"), settings.admission
    rule = PromotionRule(asked.promotion_loss, asked.promotion_pairs) if asked.promotion == "compare" else None
    everywhere: list[Activity] = [
        LimitKeeper(shop.database, shop.slots, limits),
        HomeSweeper(home, shop.database, shop.supervisor, log),
    ]
    alone: list[Activity] = [
        AdmissionDesk(shop, metrics, tests_promotions=rule is not None),
        PromotionDesk(shop, rule),
        SeasonKeeper(shop),
    ]
    attendance = RemoteAttendance(shop, presence, settings.service.remote_absence)
    later: list[Activity] = [Rerater(shop), Housekeeper(home, shop.database, settings.retention, shop.supervisor, log)]
    # What another life of it was looking at, or another service that is gone.
    begin = ServiceLedger(shop.database).requeue_admissions

    def play(plays: Plays) -> tuple[LadderKeeper, TournamentQueue]:
        per_day = settings.service.matches_per_day
        return LadderKeeper(shop, per_day, plays=plays), TournamentQueue(shop, plays=plays)

    if not home.is_on_server:
        begin()
        keeper, queue = play(plays_all)
        return Duties(Foreman(shop, [*everywhere, *alone, attendance, keeper, queue, *later]))
    keeper, queue = play(partial(_plays_beside, shop))
    turn = Leading(ServerLock(shop.database, SERVICE), [*alone, keeper, *later], begin, shop.log)
    if not shop.takes_remote:
        return Duties(Foreman(shop, [*everywhere, turn, queue]))
    remote = Leading(
        ServerLock(shop.database, REMOTE), [attendance, *play(bool)], _nothing, shop.log, "remote bots and people"
    )
    return Duties(Foreman(shop, [*everywhere, turn, remote, queue]), remote)


def _plays_beside(shop: Workshop, remote: bool) -> bool:
    """Return whether what other services may play, too, is this one's.

    If none of them takes remote bots, what would need them is begun in vain, which tells the organiser.
    """
    return not remote or (not shop.takes_remote and holder_of(shop.database, REMOTE) is None)


def _nothing() -> None:
    """Begin without ado."""
