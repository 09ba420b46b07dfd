"""Bots of one owner are not planned together in rated tournaments of the book, unless the organiser says so."""

from dataclasses import replace

import pytest

from arena.tournament.formats.compare import Compare
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin
from arena.tournament.formats.swiss import Swiss
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest
from ratings.ledger.service import ServiceLedger
from ratings.read.tournaments import list_tournaments
from ratings.store.models import TournamentRecord
from tests.tournament.book import TERMS, Book

RATED = replace(TERMS, seed=None, seats=2)
FIELD = ["ann", "eve/one", "eve/two"]
FORMATS: tuple[Format, ...] = (RoundRobin(2, 1), Swiss(2, 1), Knockout(2), LadderFormat(2, 1))


@pytest.fixture
def owned(book: Book) -> Book:
    ServiceLedger(book.database).add_owner("eve")
    for name in ("one", "two"):
        book.admit(book.add_bot(name, owner="eve"))
    return book


def meetings(book: Book, tournament: TournamentRecord) -> list[frozenset[str]]:
    leased: tuple[LeasedMatch, ...] = book.ledger.settle(
        tournament.id, request=LeaseRequest("test", 1000, 2**50)
    ).leased
    return [frozenset(seat.bot for seat in match.seats) for match in leased]


@pytest.mark.hostile("two-bots-of-one-owner")
def test_they_do_not_meet_in_a_rated_tournament(owned: Book) -> None:
    for form in FORMATS:
        met = meetings(owned, owned.plan_format(form, RATED, FIELD))
        assert met, form
        assert frozenset({"eve/one", "eve/two"}) not in met, form


def test_the_organiser_may_say_so_and_then_they_are_rated(owned: Book) -> None:
    tournament = owned.plan_format(RoundRobin(2, 1), replace(RATED, same_owner=True), FIELD)
    assert frozenset({"eve/one", "eve/two"}) in meetings(owned, tournament)
    assert tournament.rates_same_owner


def test_unrated_they_meet(owned: Book) -> None:
    tournament = owned.plan_format(RoundRobin(2, 1), replace(RATED, rated=False), FIELD)
    assert frozenset({"eve/one", "eve/two"}) in meetings(owned, tournament)


def test_too_few_owners_are_told_with_the_remedy_and_nothing_is_written(owned: Book) -> None:
    for form in (RoundRobin(2, 1), Gauntlet(2, 1), Compare(2), Swiss(2), Knockout(2), LadderFormat(2)):
        with pytest.raises(ScheduleError, match=r"one owner.*--same-owner or --unrated$"):
            owned.plan_format(form, RATED, ["eve/one", "eve/two"])
    assert list_tournaments(owned.database).items == ()
    owned.plan_format(Compare(2), replace(RATED, rated=False), ["eve/one", "eve/two"])


@pytest.mark.hostile("two-bots-of-one-owner")
def test_a_rated_match_of_theirs_is_refused(owned: Book) -> None:
    with pytest.raises(ScheduleError, match="eve/one and eve/two have one owner"):
        owned.plan_match(RATED, ["eve/one", "eve/two"])
    owned.plan_match(replace(RATED, same_owner=True), ["eve/one", "eve/two"])
