"""Lists have pages and filters: none grows without bound, and nothing hidden can be found out by a search."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from arena.app.policy import Viewer
from arena.model.errors import RefusedError
from arena.model.matches import MatchSummary
from arena.model.port import ArenaPort
from arena.rpc.method_table import SERVICES
from ratings.values.page import Page
from ratings.values.states import Fared, Scope
from tests.app.world import World, fresh_world

PAGED = {
    "FairPlay.suspicions": "next",
    "Leaderboard.table": "next",
    "LeaderboardList.boards": "next",
    "OfficialTable.rows": "next",
    "SeasonTable.rows": "next",
    "TournamentDetail.leak_checks": "more_leak_checks",
    "TournamentDetail.standings": "more_standings",
}
"""Lists inside an answer, and its field with the cursor after which they go on."""
BOUNDED = {
    "get_logs": "one for each seat, of 64 KiB each",
    "list_confidence": "a few moments of a tournament",
    "list_lengths": "there are three measures",
    "list_runtimes": "what the organiser wrote into the settings of the service",
    "list_seats": "one for each seat of the game",
    "Admission.findings": "each check has its own few",
    "Annulled.pools": "those in which the version was rated",
    "BestKnown.contender_names": "the first 500",
    "BestKnown.contenders": "the first 500",
    "BestKnown.drifting": "the first 500",
    "BestKnown.leader_names": "the first 500",
    "BestKnown.leaders": "the first 500",
    "BotSummary.games": "the manifest of a bot has a greatest size",
    "ChanceOutcome.values": "what one throw gave",
    "ComparisonResult.bounds": "a pair",
    "ConfidencePoint.leaders": "the first 500",
    "Circle.blocks": "three",
    "Circle.bots": "three",
    "Circle.shares": "three",
    "Circle.versions": "three",
    "Crosstable.meetings": "100 versions at most, each against each",
    "Crosstable.versions": "100 at most",
    "Ladder.absent": "the first 100",
    "FairPlay.asked": "there are two kinds of questions",
    "LiveEnd.faults": "a forfeited seat does nothing any more",
    "LiveEnd.forfeits": "one for each seat",
    "LiveEnd.ranks": "one for each seat",
    "LiveEnd.resigned": "one for each seat",
    "LiveMove.chance": "what one action threw",
    "LiveStart.bots": "one for each seat",
    "LiveStart.chance": "what the set-up of a game draws",
    "LiveStart.opening": "the random plies that a match begins with",
    "MatchDetail.attempts": "three that count, and a few for each run on a sick host",
    "MatchDetail.awaits": "the matches of two blocks at most",
    "MatchDetail.faults": "a forfeited seat does nothing any more",
    "MatchDetail.leak_checks": "one for each seat",
    "MatchDetail.seats": "as many as the game has",
    "MatchSummary.seats": "as many as the game has",
    "MatchTimes.decisions": "a match has at most so many plies as its game allows",
    "MatchTimes.totals": "one for each seat",
    "OfficialRow.stronger": "as many as the page has rows",
    "OfficialTable.unsteady": "one for each bot whose repeats end differently",
    "OfficialTable.circles": "the surest 20",
    "OfficialTable.seats": "one for each seat of the game",
    "OverallRow.copies": "bots that are one program; a table has few of these",
    "OverallRow.figures": "one for each method that was asked for",
    "OverallRow.missing": "a table has 50 pools at most",
    "OverallRow.places": "one for each method that was asked for",
    "OverallTable.apart": "with the rows 300 bots at most",
    "OverallTable.methods": "there are seven",
    "OverallTable.pools": "50 at most",
    "OverallTable.rows": "300 bots at most",
    "OwnerUsage.own": "there are a few kinds of limits",
    "Pairing.entrants": "as many as meet in one tie",
    "Forecast.bots": "as many as a tournament may have",
    "Forecast.left_out": "the first 100, and how many more",
    "PlannedTournament.left_out": "the first 100, and how many more",
    "TournamentDetail.faults": "the first 100",
    "TournamentDetail.host_losses": "there are ten causes",
    "ReplayCheck.problems": "a match has at most so many plies as its game allows",
}
"""Lists that have no pages, and why they need none."""
OVER = {0, 1, 2, 4}
"""Of the blocks of two matches, the first is over; of the second and third, the first match."""


@cache
def methods() -> dict[str, Any]:
    """Every method of every Protocol by its name."""
    return {
        name: method
        for nouns in SERVICES.values()
        for protocol in nouns.values()
        for name, method in vars(protocol).items()
        if not name.startswith("_") and inspect.isfunction(method)
    }


def lists_in(name: str, kind: Any) -> Iterator[str]:
    """The tuples of which a type consists, named by method or by class and field; the items of a page apart."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Page:
        yield from lists_in(name, parts[0])
    elif origin is tuple:
        yield name
        yield from lists_in(name, parts[0])
    elif origin in (Iterator, Union, types.UnionType):
        for part in parts:
            yield from lists_in(name, part)
    elif is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        for field in fields(kind):
            yield from lists_in(f"{kind.__name__}.{field.name}", hints[field.name])


def test_every_list_has_pages_or_a_reason_to_stay_short() -> None:
    found = {one for name, method in methods().items() for one in lists_in(name, get_type_hints(method)["return"])}
    assert found == {*PAGED, *BOUNDED}


def test_what_has_pages_takes_a_limit_and_a_cursor() -> None:
    for name, method in methods().items():
        result, parameters = get_type_hints(method)["return"], inspect.signature(method).parameters
        cursors = {cursor for one, cursor in PAGED.items() if one.startswith(f"{getattr(result, '__name__', '')}.")}
        if cursors:
            assert cursors <= get_type_hints(result).keys(), name
        if get_origin(result) is Page or "next" in cursors:
            told = [(one, parameters[one].default) for one in ("limit", "after")]
            assert told == [("limit", 50), ("after", None)], name


def test_a_table_inside_another_answer_goes_on_in_a_list_of_its_own() -> None:
    assert {"list_standings", "list_leak_checks"} <= methods().keys()


Search = Callable[[ArenaPort, int, str | None], Page[MatchSummary]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with fresh_world(tmp_path_factory.mktemp("search"), OVER, game="rex_romanorum") as made:
        yield made


def all_pages(arena: ArenaPort, search: Search, limit: int) -> list[Page[MatchSummary]]:
    pages, after = [], None
    while True:
        pages.append(search(arena, limit, after))
        after = pages[-1].next
        if after is None:
            return pages


def positions(arena: ArenaPort, search: Search, limit: int = 50) -> list[int]:
    return sorted(row.position - 1 for page in all_pages(arena, search, limit) for row in page.items)


SEARCHES: dict[str, tuple[Search, set[int]]] = {
    "the owl won": (
        lambda arena, limit, after: arena.matches.list_matches(
            bot="ben/owl", fared=Fared.WON, limit=limit, after=after
        ),
        {1, 2},
    ),
    "the owl lost": (
        lambda arena, limit, after: arena.matches.list_matches(
            bot="ben/owl", fared=Fared.LOST, limit=limit, after=after
        ),
        {0},
    ),
    "the length of those that are over": (
        lambda arena, limit, after: arena.matches.list_matches(
            least_plies=70000001, most_plies=70000004, limit=limit, after=after
        ),
        {1, 2, 4},
    ),
    "a fault": (
        lambda arena, limit, after: arena.matches.list_matches(fault="TIMEOUT", limit=limit, after=after),
        OVER,
    ),
    "any fault": (
        lambda arena, limit, after: arena.matches.list_matches(fault="any", limit=limit, after=after),
        OVER,
    ),
    "any fault in a tournament": (
        lambda arena, limit, after: arena.matches.list_matches("rex", fault="any", limit=limit, after=after),
        OVER,
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_what_was_played_is_found_but_not_what_is_hidden(world: World, name: str) -> None:
    search, found = SEARCHES[name]
    assert positions(world.asked_by(Viewer()), search) == sorted(found)
    assert positions(world.asked_by(Viewer(Scope.VIEWER)), search) == sorted(found & {0, 1})


@pytest.mark.parametrize("name", SEARCHES)
def test_no_page_tells_by_its_length_or_its_cursor_that_something_hidden_fits(world: World, name: str) -> None:
    search, found = SEARCHES[name]
    pages = all_pages(world.asked_by(Viewer(Scope.VIEWER)), search, 1)
    assert [len(page.items) for page in pages] == [1] * len(found & {0, 1})


def test_two_bots_are_found_where_both_sit(world: World) -> None:
    arena = world.asked_by(Viewer(Scope.VIEWER))
    met = arena.matches.list_matches(bot="cat", opponent="ben/owl").items
    assert sorted(row.position - 1 for row in met) == [2, 3]
    assert arena.matches.list_matches(bot="cat", opponent="ann/fox").items == ()
    assert arena.matches.list_matches(bot="cat", opponent="cat").items == ()


def test_a_search_for_a_length_ends_its_page_before_it_has_read_everything(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.read.match_list._LOOKED_THROUGH", 3)
    search: Search = lambda arena, limit, after: arena.matches.list_matches(  # noqa: E731
        least_plies=70000001, limit=limit, after=after
    )
    pages = all_pages(world.asked_by(Viewer()), search, 2)
    assert [len(page.items) for page in pages] == [0, 2, 1]
    assert positions(world.asked_by(Viewer()), search, 2) == [1, 2, 4]


def test_an_opponent_needs_a_bot(world: World) -> None:
    with pytest.raises(RefusedError, match="name one"):
        world.asked_by(Viewer()).matches.list_matches(opponent="cat")
