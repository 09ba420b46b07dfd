"""What the host lost of a tournament, and whose matches they were."""

from __future__ import annotations

from itertools import combinations

import pytest

from ratings.ledger.attempts import LostAttempt
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.read.host_losses import host_losses
from ratings.store.database import Database
from ratings.values.tournaments import HostLoss
from tests.ratings import book

REQUEST = LeaseRequest("w1", 1000, book.FOREVER // 2)


def lose(match: LeasedMatch, cause: str) -> LostAttempt:
    return LostAttempt(match.match_id, match.attempt, "it was lost", cause)


def play(database: Database, tournament: str, bot: str, cause: str, besides: int) -> None:
    """Lose each match of a bot once and `besides` others too, then play all of them."""
    ledger = Ledger(database)
    leased = ledger.settle(tournament, request=REQUEST).leased
    own = [match for match in leased if bot in {seat.bot for seat in match.seats}]
    others = [match for match in leased if match not in own]
    lost = [*own, *others[:besides]]
    again = ledger.settle(
        tournament,
        lost=[lose(match, cause) for match in lost] + [lose(match, "WORKER_DIED") for match in others[-1:]],
        results=[book.report(match) for match in others[besides:-1]],
        request=REQUEST,
    ).leased
    ledger.settle(tournament, results=[book.report(match) for match in again])


@pytest.mark.both_databases
@pytest.mark.hostile("have-ones-matches-lost-by-the-host")
@pytest.mark.parametrize(("besides", "name"), [(0, "eve"), (1, "eve"), (5, None)])
def test_a_fault_of_the_host_that_meets_one_bots_matches_is_told_with_its_name(
    database: Database, bots: dict[str, str], besides: int, name: str | None
) -> None:
    entrants = [*bots.values(), *book.add_bots(database, ("eve", "fay", "gus", "hal")).values()]
    pairs = [book.rotations(index, pair) for index, pair in enumerate(combinations(entrants, 2))]
    one, other = (book.create(database, entrants, 2, name=name, blocks=pairs) for name in ("one", "other"))
    assert host_losses(database, one) == ()
    play(database, one, "eve", "CHARGE_BOUND", besides)
    bound, died = host_losses(database, one)
    sat_in = 14 if name else 0
    assert bound == HostLoss("CHARGE_BOUND", 14 + besides, 14 + besides, name, 1 if name else None, sat_in)
    assert died == HostLoss("WORKER_DIED", 1, 1)
    assert host_losses(database, other) == ()
