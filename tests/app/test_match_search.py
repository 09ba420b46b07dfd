"""Matches are found by who met whom, by how a bot fared and by length; what is hidden cannot be found out that way."""

from collections.abc import Callable, Iterator

import pytest

from arena.app.policy import Viewer
from arena.model.errors import RefusedError
from arena.model.matches import MatchSummary
from arena.model.port import ArenaPort
from ratings.values.page import Page
from ratings.values.states import Fared, Scope
from tests.app.world import World, fresh_world

OVER = {0, 1, 2, 4}
"""Of the blocks of two matches, the first is over; of the second and third, the first match."""
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
