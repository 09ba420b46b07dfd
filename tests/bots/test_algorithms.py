"""The sample bots: legal, deterministic, and each better than the one before."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from bots.algorithms.greedy import GreedyBot, best_turn
from bots.algorithms.search import SearchBot
from bots.algorithms.tree import Node, Search, Settings
from bots.algorithms.uniform import RandomBot
from bots.kit import Bot
from bots.offline import OfflineMatch, play_offline
from engine import registry
from engine.core import AbilityError
from tests.support.nim import NIM, NimState

MAKERS: dict[str, Callable[[], Bot]] = {
    "random": RandomBot,
    "greedy": lambda: GreedyBot(nodes=20),
    "search": lambda: SearchBot(playouts=5),
}
GAMES = [*registry.single_names(), "nim", "lucky_nim"]
OPTIONS: dict[str, dict[str, Any]] = {"lucky_nim": {"size": 6}}
SHORT: dict[str, dict[str, Any]] = {
    "foreign_king": {"max_rounds": 4},
    "rex_romanorum": {"variant": "short", "round_limit": 3},
    **OPTIONS,
}
"""Options with which a match is soon over, for what is seen of every match."""


def play(
    game: str, *makers: Callable[[], Bot], seed: int = 0, options: dict[str, dict[str, Any]] = OPTIONS
) -> OfflineMatch:
    seeds = [10 * seed + seat for seat in range(len(makers))]
    return play_offline([make() for make in makers], game, options=options.get(game), seeds=seeds, chance_seed=seed)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", MAKERS)
def test_every_bot_plays_every_game_to_its_end_and_equally_from_equal_seeds(game: str, name: str) -> None:
    numbers = registry.get(game).seats if game in registry.single_names() else (2, 3)
    few, many = ([MAKERS[name]] * seats for seats in (numbers[0], numbers[-1]))
    match = play(game, *few, seed=3, options=SHORT)
    assert min(match.ranks) == 1
    assert play(game, *few, seed=3, options=SHORT).record == match.record
    assert min(play(game, *many, options=SHORT).ranks) == 1


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_that_has_played_before_plays_as_a_fresh_one(game: str) -> None:
    used = [SearchBot(playouts=5), SearchBot(playouts=5)]
    options, new = SHORT.get(game), [SearchBot(playouts=5), SearchBot(playouts=5)]
    play_offline(used, game, options=options, seeds=[7, 8], chance_seed=9)
    again = play_offline(used, game, options=options, seeds=[1, 2], chance_seed=3)
    fresh = play_offline(new, game, options=options, seeds=[1, 2], chance_seed=3)
    assert again.record == fresh.record


def test_other_seeds_give_other_playings() -> None:
    makers = [RandomBot, RandomBot]
    assert play("nim", *makers, seed=1).record != play("nim", *makers, seed=2).record


def test_greedy_takes_the_win_it_can_reach() -> None:
    assert best_turn(NIM.playable, NimState(2, heap=3), 100, Random(0)) == [2]


def test_greedy_draws_among_equals_from_its_seed() -> None:
    state = NimState(2, heap=20)
    lines = {tuple(best_turn(NIM.playable, state, 100, Random(seed))) for seed in range(30)}
    assert lines == {(0,), (1,), (2,)}


def test_search_finds_the_only_winning_move_of_nim() -> None:
    for heap in (5, 6, 7, 9, 10, 11):
        root = Node(0)
        search = Search(NIM.playable, 2, Random(1), Settings(exploration=0.7))
        search.run(root, NimState(2, heap).clone, lambda iterations: iterations < 2000)
        assert root.best_action() + 1 == heap % 4, f"heap of {heap}"


def test_search_beats_random_at_a_game_of_chance_and_hidden_cards() -> None:
    ranks = [play("lucky_nim", RandomBot, lambda: SearchBot(playouts=60), seed=seed).ranks for seed in range(60)]
    wins = sum(rank == (2, 1) for rank in ranks)
    losses = sum(rank == (1, 2) for rank in ranks)
    assert wins > 1.5 * losses


def test_search_stops_growing_its_tree_at_the_limit() -> None:
    root = Node(0)
    search = Search(NIM.playable, 2, Random(1), Settings(max_nodes=50))
    search.run(root, NimState(2, 40).clone, lambda iterations: iterations < 500)

    def count(node: Node) -> int:
        return 1 + sum(count(child) for child in node.children.values())

    assert 40 <= count(root) <= 60
    assert root.visits_total > 480


def test_the_tree_is_kept_from_one_decision_to_the_next() -> None:
    bot = SearchBot(playouts=200)
    roots: list[int] = []
    search_run = Search.run

    class Watching(Search):
        def run(self, root, sample, goes_on):  # type: ignore[no-untyped-def]
            roots.append(root.visits_total)
            search_run(self, root, sample, goes_on)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bots.algorithms.search.Search", Watching)
        play_offline([bot, RandomBot()], "nim")
    assert roots[0] == 0
    assert max(roots[1:]) > 0


@pytest.mark.parametrize("name", registry.single_names())
def test_greedy_beats_random(name: str) -> None:
    ranks = [play(name, lambda: GreedyBot(nodes=200), RandomBot, seed=seed).ranks for seed in range(3)]
    assert ranks == [(1, 2)] * 3


@pytest.mark.parametrize("name", registry.single_names())
def test_search_beats_random(name: str) -> None:
    ranks = [play(name, lambda: SearchBot(playouts=20), RandomBot, seed=seed).ranks for seed in range(3)]
    assert ranks == [(1, 2)] * 3


@pytest.mark.parametrize("make", [MAKERS["greedy"], MAKERS["search"]])
def test_a_game_that_gives_no_evaluation_is_refused_by_name(
    make: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(NIM), "playable", None)
    with pytest.raises(AbilityError, match="nim cannot be searched: it gives no evaluation"):
        play("nim", make, RandomBot)
    assert min(play("nim", RandomBot, RandomBot).ranks) == 1
