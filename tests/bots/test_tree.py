"""The tree: it begins with the turns that look best, keeps to its number of positions, and values ends of turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from bots.algorithms.lines import find_turns
from bots.algorithms.tree import History, Node, Search, Settings
from engine import registry
from engine.abilities import Playable, need_playable
from engine.chance import SeededChance
from engine.core import State

GAME = registry.get("foreign_king")
PLAYABLE = need_playable(GAME)
SEATS = 3


def position(seed: int = 3, plies: int = 30) -> State:
    """A position some way into a random match in which a turn begins."""
    random, state = Random(seed), GAME.new_state(SEATS, chance=SeededChance(seed))
    before = state.seat()
    while plies > 0 or state.seat() == before or len(state.legal_actions()) == 1:
        before = state.seat()
        state.apply(random.choice(state.legal_actions()))
        plies -= 1
    return state


def counting(seen: list[Any]) -> Playable:
    """The game, which puts every position that is valued into `seen`."""

    def evaluate_all(state: State) -> Sequence[float]:
        seen.append((state.seat(), len(state.legal_actions())))
        return PLAYABLE.evaluate_all(state)

    return replace(PLAYABLE, evaluate_all=evaluate_all)


def grown(playable: Playable, state: State, positions: int, settings: Settings) -> Node:
    root = Node(state.seat())
    Search(playable, SEATS, Random(1), settings).run(root, state.clone, lambda valued: valued < positions)
    return root


def test_the_turns_that_look_best_are_in_the_tree_before_anything_is_tried() -> None:
    state, settings = position(), Settings(turns=5, prior=3)
    root = grown(PLAYABLE, state, 2 * settings.looks, settings)
    best = find_turns(PLAYABLE, state, settings.looks)[:5]
    for turn in best:
        node: Node | None = root
        for action in turn.actions:
            assert node is not None
            assert node.visits[node.actions.index(action)] >= 3
            node = node.child(action)
    assert root.is_planted


def test_no_more_positions_are_valued_than_were_allowed_and_half_of_them_at_most_before_the_tree() -> None:
    for allowed in (1, 10, 60):
        seen: list[Any] = []
        root = grown(counting(seen), position(), allowed, Settings(turns=1, prior=1))
        iterations = root.visits_total - 1
        assert allowed <= len(seen) <= allowed + 1
        assert iterations >= allowed // 2


def test_what_is_valued_in_the_tree_is_the_end_of_a_turn() -> None:
    state, seen = position(), list[Any]()
    grown(counting(seen), state, 400, Settings(looks=1))
    assert sum(seat != state.seat() for seat, _ in seen[1:]) > 0.5 * len(seen)


def test_a_place_that_was_planted_once_is_not_planted_again() -> None:
    state = position()
    root, search = Node(state.seat()), Search(PLAYABLE, SEATS, Random(1), Settings())
    search.run(root, state.clone, lambda valued: valued < 100)
    before = root.visits_total
    search.run(root, state.clone, lambda valued: valued < 50)
    assert root.visits_total == before + 50


def test_history_tells_what_an_action_led_to_and_of_an_unknown_one_what_all_did() -> None:
    history = History(2)
    assert history.means(0, [3, 4]) == [0.0, 0.0]
    history.count(0, 3, 0.25)
    history.count(0, 3, 0.75)
    history.count(0, 5, 1.0)
    history.count(1, 4, 0.0)
    means = history.means(0, [3, 5, 4])
    assert means[:2] == [0.5, 1.0]
    assert abs(means[2] - 2 / 3) < 1e-12
