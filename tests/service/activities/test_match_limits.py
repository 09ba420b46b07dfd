"""How many matches of an owner are played at once follows what the organiser sets, while the service runs."""

import asyncio

from arena.service.activities.match_limits import MatchLimits, MatchLimitUpdater
from arena.service.scheduler.jobs import MatchPurpose
from arena.service.scheduler.slots import Slots
from ratings.ledger.service import ServiceLedger
from ratings.values.owners import OwnerLimits
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.tournament.book import Book


async def test_a_limit_counts_as_soon_as_it_is_set(book: Book) -> None:
    ledger, executor = ServiceLedger(book.database), HeldExecutor()
    ledger.add_owner("ada")
    limits = MatchLimits(OwnerLimits(concurrent_matches=1))
    slots = Slots(4, dict.fromkeys(MatchPurpose, 1.0), owner_limit=limits)
    slots.use(executor)
    updater, view = MatchLimitUpdater(book.database, slots, limits), slots.view(MatchPurpose.LADDER, "king3")
    tasks = [asyncio.ensure_future(view.run(order(f"m{number}", "ada/fox", "house"))) for number in range(4)]
    played = []
    for most in (1, 3, 0):
        ledger.set_owner_limits("ada", {"concurrent_matches": most})
        await updater.look()
        await settle()
        played.append(len(executor.playing))
    assert played == [1, 3, 4]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
