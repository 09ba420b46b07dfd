"""Puts together what a service does: everywhere, or in one of the services that share a database."""

from __future__ import annotations

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
from arena.service.activities.workshop import Workshop
from arena.service.home import Home
from arena.service.logs import get_logger
from arena.service.metrics import Metrics
from arena.service.remote.desk import Presence
from arena.service.settings.values import ServiceSettings
from arena.tournament.playing import SERVICE
from arena.tournament.promotion_tests import PromotionRule
from ratings.ledger.service import ServiceLedger
from ratings.store.server_lock import ServerLock


def make_foreman(
    home: Home,
    settings: ServiceSettings,
    shop: Workshop,
    presence: Presence,
    limits: MatchLimits,
    metrics: Metrics,
) -> Foreman:
    """Return who has everything done; a service whose database is a file has all of it to do."""
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
        RemoteAttendance(shop, presence, settings.service.remote_absence),
        LadderKeeper(shop, settings.service.matches_per_day),
    ]
    queue = TournamentQueue(shop)
    later: list[Activity] = [Rerater(shop), Housekeeper(home, shop.database, settings.retention, shop.supervisor, log)]
    # What another life of it was looking at, or another service that is gone.
    begin = ServiceLedger(shop.database).requeue_admissions
    if home.is_on_server:
        turn = Leading(ServerLock(shop.database, SERVICE), [*alone, *later], begin, shop.log)
        return Foreman(shop, [*everywhere, turn, queue])
    begin()
    return Foreman(shop, [*everywhere, *alone, queue, *later])
