"""Creating tournaments: what is written, what is refused, and that bots of one owner are kept apart."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from arena.hosting.store import StoreError
from arena.match.time_control import parse_time_control
from arena.tournament.creation import plan_ladder
from arena.tournament.errors import RequestError
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format, ScheduleError
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin
from arena.tournament.formats.swiss import Swiss
from arena.tournament.stored import check_stored, draw_of, format_of, options_of
from engine.core import OptionsError, SeatsError, UnknownGameError
from ratings.errors import BotError, NotFoundError
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.tournaments import list_tournaments, tournament_names, tournament_row
from ratings.statistics.errors import SkillError
from ratings.store.models import TournamentRecord
from ratings.values.pools import RatingMethod
from tests.tournament.book import BOTS, TERMS, Book

REFUSED: tuple[tuple[dict[str, Any], Sequence[str], type[Exception], str], ...] = (
    ({"game": "chess"}, BOTS, UnknownGameError, "there is no game 'chess'; installed are: "),
    ({"options": {"colour": "red"}}, BOTS, OptionsError, "nim has no option 'colour'; it has: size"),
    ({"options": {"left": 7}}, BOTS, RequestError, "option left is set by openings alone; give the position in a file"),
    ({"seats": 7}, BOTS, SeatsError, "nim is played by 2 to 4 seats, not 7"),
    ({}, ["ann", "bob"], ScheduleError, "3 seats need at least 3 entrants, not 2; name more bots"),
    ({}, ["ann", "bob", "ann"], RequestError, "ann is entered more than once; name each version once"),
    ({}, ["ann", "bob", "eve"], NotFoundError, "no bot 'eve'"),
    ({}, ["ann", "bob", "fox"], BotError, "bot 'fox' is disabled"),
    ({}, ["ann", "bob", "gnu"], RequestError, r"gnu does not play nim; its bot\.toml names: chess, go"),
    ({"seed": -1}, BOTS, RequestError, "seed -1 is out of range; use 0 to 9007199254740991"),
    ({"cores": 0}, BOTS, RequestError, "0 cores cannot play; grant each bot at least 1"),
    (
        {"cores": 2, "clock": parse_time_control("60+1,pondering")},
        BOTS,
        RequestError,
        "with pondering all bots of a match compute at once, and share one core",
    ),
    ({"opening_plies": 101}, BOTS, RequestError, "an opening of 101 plies is impossible; use 0 to 100"),
    ({"opening_plies": 60}, BOTS, RequestError, "an opening of 60 plies is longer than the game can be"),
    ({"opening_plies": 1, "options": {"size": 1}}, BOTS, RequestError, "an opening of 1 plies is longer than"),
    ({"openings": '[\n["TAKE:4"]]'}, BOTS, ScheduleError, "openings, line 2: 'TAKE:4' is no legal action after 0"),
    ({"openings": '["TAKE:1"]', "options": {"size": 1}}, BOTS, ScheduleError, "line 1: the opening leaves nothing"),
)
RATED = replace(TERMS, seed=None, seats=2)
FIELD = ["ann", "eve/one", "eve/two"]
FORMATS: tuple[Format, ...] = (RoundRobin(2, 1), Swiss(2, 1), Knockout(2), LadderFormat(2, 1))


def leased(book: Book, tournament: TournamentRecord) -> tuple[LeasedMatch, ...]:
    """All matches of a plan, in schedule order."""
    return book.ledger.settle(tournament.id, request=LeaseRequest("test", 10_000, 2**50)).leased


def test_a_plan_holds_every_match_in_schedule_order(book: Book) -> None:
    matches = leased(book, book.plan(blocks=2))
    assert len(matches) == 4 * 2 * 3
    assert [(match.block_index, match.rotation) for match in matches] == [
        (block, rotation) for block in range(8) for rotation in range(3)
    ]


def test_a_block_shares_opening_and_chance_seed(book: Book) -> None:
    matches = leased(book, book.plan())
    for start in range(0, len(matches), 3):
        block = matches[start : start + 3]
        assert len({(match.opening, match.chance_seed) for match in block}) == 1
        assert [block[rotation].seats[0] for rotation in range(3)] == list(block[0].seats)
    assert len({match.chance_seed for match in matches}) == 8


def test_the_same_seed_plans_the_same_tournament(book: Book) -> None:
    first, second = (leased(book, book.plan()) for _ in range(2))
    key = [(match.opening, match.chance_seed, match.seats) for match in first]
    assert key == [(match.opening, match.chance_seed, match.seats) for match in second]


def test_without_a_seed_every_plan_is_another(book: Book) -> None:
    terms = replace(TERMS, seed=None)
    first, second = book.plan(terms), book.plan(terms)
    assert not first.seeded
    assert first.secret != second.secret
    assert leased(book, first)[0].chance_seed != leased(book, second)[0].chance_seed


def test_a_seed_is_stored_with_what_it_made(book: Book) -> None:
    tournament = book.plan()
    assert tournament.seeded
    assert tournament.secret == seeds.secret_from_seed(42).hex()
    assert tournament.settings == {
        "blocks": 2,
        "seed": 42,
        "opening_plies": 3,
        "start_limit_us": 10_000_000,
        "margin_us": 50_000,
        "owners_apart": True,
    }


def test_the_pool_is_named_by_all_that_counts(book: Book) -> None:
    terms = replace(TERMS, options={"size": "21"}, clock=parse_time_control("60+1"), cores=2)
    pool = tournament_row(book.database, book.plan(terms).id).pool
    assert (pool.game, pool.rules_version, pool.seats, pool.options) == ("nim", "1", 3, {"size": 21})
    assert (pool.time_control, pool.cores) == ("60+1", 2)


@pytest.mark.needs("openskill")
@pytest.mark.parametrize("form", [RoundRobin(3, 1), LadderFormat(3, 2)], ids=str)
def test_the_same_matches_by_another_rating_method_are_another_pool(book: Book, form: Format) -> None:
    terms = replace(TERMS, rating_method=RatingMethod.OPENSKILL)
    usual, other = (
        tournament_row(book.database, book.plan_format(form, one, name=name).id)
        for name, one in (("usual", TERMS), ("other", terms))
    )
    assert usual.pool.rating_method is RatingMethod.TRUESKILL
    assert other.pool.rating_method is RatingMethod.OPENSKILL
    assert usual.pool.id != other.pool.id
    assert usual.tournament.settings == other.tournament.settings  # it is the pool's alone
    found = format_of(other.tournament, other.pool)
    assert found == (replace(form, rating_method=RatingMethod.OPENSKILL) if isinstance(form, LadderFormat) else form)


def test_a_tournament_of_a_method_that_is_not_installed_is_refused_with_the_remedy(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    terms = replace(TERMS, rating_method=RatingMethod.OPENSKILL)
    refused = pytest.raises(SkillError, match=r"openskill is not installed; install it with: pip install '.*openskill")
    with refused:
        book.plan(terms)
    with refused:
        plan_ladder(replace(terms, seed=None), LadderFormat(3, 0))
    assert not tournament_names(book.database)


def test_options_left_out_are_the_same_pool_as_their_defaults(book: Book) -> None:
    assert book.plan().pool_id == book.plan(replace(TERMS, options={"size": 30})).pool_id


def test_the_opening_is_as_long_as_asked(book: Book) -> None:
    for plies in (0, 2):
        matches = leased(book, book.plan(replace(TERMS, opening_plies=plies)))
        assert {len(match.opening) for match in matches} == {plies}


def test_openings_of_a_file_are_kept_with_the_tournament(book: Book) -> None:
    openings = ((0, 1, 2), (2,), ())
    planned = book.plan(replace(TERMS, openings='["TAKE:1 TAKE:2 TAKE:3", ["TAKE:3"], []]'))
    matches = leased(book, planned)
    assert {match.opening for match in matches} == set(openings)
    for start in range(0, len(matches), 3):
        assert len({match.opening for match in matches[start : start + 3]}) == 1
    row = tournament_row(book.database, planned.id)
    assert draw_of(row.tournament, row.pool).book == openings
    cut = book.plan(replace(TERMS, openings='["TAKE:1 TAKE:2"]', opening_plies=1))
    assert {match.opening for match in leased(book, cut)} == {(0,)}


def test_positions_of_a_file_are_options_of_their_matches_and_not_of_the_pool(book: Book) -> None:
    planned = book.plan(replace(TERMS, openings='[{"heap": 7}, ["TAKE:3"], {"heap": 9}]'))
    tournament, pool = (row := tournament_row(book.database, planned.id)).tournament, row.pool
    assert (pool.id, pool.options) == (book.plan().pool_id, {"size": 30})
    drawn, begun = draw_of(tournament, pool), set()
    for match in leased(book, planned):
        left = options_of(tournament, pool, match.block_index).get("left")
        begun.add((match.block_index % 3, left, match.opening))
    assert {(left, opening) for _, left, opening in begun} == {(7, ()), (9, ()), (None, (2,))}
    assert len(begun) == 3, "each block has one, whoever sits where, and after all of them they are played again"
    assert drawn.starts == ({"left": 7}, {}, {"left": 9})


@pytest.mark.parametrize(
    "starts", [None, {"left": 7}, "x", [{}], [{"left": 7}, 1], [{}, {"left": -1}], [{}, {"no": 1}], [{}, {"size": 7}]]
)
def test_positions_from_elsewhere_that_cannot_be_are_refused(book: Book, starts: Any) -> None:
    row = tournament_row(book.database, book.plan(replace(TERMS, openings='[{"heap": 7}, []]')).id)
    check_stored(row.tournament, row.pool)
    row.tournament.settings = {**row.tournament.settings, "starts": starts}
    with pytest.raises(ValueError, match=r"starts|left|'no'"):
        check_stored(row.tournament, row.pool)


@pytest.mark.parametrize("name", ["", "\x1b[31mred", "a\nb", "a\0b", "x" * 81])
def test_a_name_from_elsewhere_that_no_tournament_can_have_is_refused(book: Book, name: str) -> None:
    row = tournament_row(book.database, book.plan(TERMS).id)
    row.tournament.name = name
    with pytest.raises(RequestError, match="is no name for a tournament; use 1 to 80 printable characters"):
        check_stored(row.tournament, row.pool)


def test_a_game_that_is_shorter_than_its_usual_opening_has_a_shorter_one(book: Book) -> None:
    planned = book.plan(replace(TERMS, options={"size": 4}))
    assert planned.settings["opening_plies"] == 0
    assert {match.opening for match in leased(book, planned)} == {()}


def test_two_entrants_in_two_seats_are_a_tournament(book: Book) -> None:
    matches = leased(book, book.plan(replace(TERMS, seats=2), bots=["ann", "bob"], blocks=1))
    assert [[seat.bot for seat in match.seats] for match in matches] == [["ann", "bob"], ["bob", "ann"]]


def test_two_versions_of_one_bot_may_meet(book: Book) -> None:
    old = book.add_bot("ann")
    book.add_bot("ann", code="improved")
    matches = leased(book, book.plan(bots=["ann", f"ann@{old.content_hash[:8]}", "bob"], blocks=1))
    assert sorted(seat.bot for seat in matches[0].seats) == ["ann", "ann", "bob"]


def test_a_single_match_seats_the_bots_as_named(book: Book) -> None:
    tournament = book.plan_match(TERMS, ["cid", "ann", "bob"])
    (match,) = leased(book, tournament)
    assert tournament.format == "match"
    assert [seat.bot for seat in match.seats] == ["cid", "ann", "bob"]


def test_what_cannot_be_played_is_refused_and_nothing_is_written(book: Book) -> None:
    book.add_bot("fox")
    book.add_bot("gnu", games='["chess", "go"]')
    book.ledger.set_disabled("fox", disabled=True)
    for change, bots, error, message in REFUSED:
        with pytest.raises(error, match=message):
            book.plan(replace(TERMS, **change), bots=bots)
    assert list_tournaments(book.database).items == ()


def test_a_version_named_in_two_ways_is_entered_twice(book: Book) -> None:
    digits = book.add_bot("ann").content_hash[:8]
    with pytest.raises(RequestError, match=r"ann is entered more than once; name each version once"):
        book.plan(bots=["ann", f"ann@{digits}", "bob"])


def test_no_blocks_are_no_tournament(book: Book) -> None:
    with pytest.raises(ScheduleError, match="at least 1 block a combination, not 0"):
        book.plan(blocks=0)


def test_a_bot_whose_files_are_gone_is_not_entered(book: Book) -> None:
    stored = book.store.directory(book.add_bot("ann").content_hash)
    stored.rename(stored.with_name("elsewhere"))
    with pytest.raises(StoreError, match="the files of this version are missing; add the bot again"):
        book.plan()


def test_a_name_is_one_short_line(book: Book) -> None:
    for name in ("", "  ", "two\nlines", "n" * 81):
        with pytest.raises(RequestError, match="is no name for a tournament"):
            book.plan_match(TERMS, BOTS[:3], name)
    assert list_tournaments(book.database).items == ()


def test_a_match_needs_one_bot_a_seat(book: Book) -> None:
    with pytest.raises(RequestError, match="3 seats need 3 bots, not 4; name one for each seat"):
        book.plan_match(TERMS, BOTS)


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
