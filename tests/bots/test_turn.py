"""A whole turn in one answer: what it holds, and that it is what would have been answered one by one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from bots.algorithms.tree import Node, Search, Settings
from bots.session import MAX_ACTIONS, decide_turn
from engine import registry
from engine.abilities import need_playable
from engine.chance import RecordingChance, SeededChance
from engine.core import IllegalActionError, State
from engine.record import Playing

SEATS = 3


def positions_of(name: str, seed: int) -> list[State]:
    """Some positions of a random match in which there is something to choose."""
    game, random = registry.get(name), Random(seed)
    state, found = game.new_state(SEATS, chance=SeededChance(seed)), []
    while state.seat() is not None:
        legal = state.legal_actions()
        if len(legal) > 1 and random.random() < 0.1:
            found.append(state.clone(SeededChance(seed)))
        state.apply(random.choice(legal))
    return found


def drawing(seed: int) -> Callable[[State], int]:
    random = Random(seed)
    return lambda state: random.choice(state.legal_actions())


@pytest.mark.parametrize("name", registry.single_names())
@pytest.mark.parametrize("seed", range(3))
def test_all_of_a_turn_is_applied_and_the_next_decision_is_anothers_or_after_chance(name: str, seed: int) -> None:
    for state in positions_of(name, seed):
        seat, choose = state.seat(), drawing(seed)
        chosen = decide_turn(state.clone(SeededChance(seed)), choose)
        chance = RecordingChance(SeededChance(seed))
        again = state.clone(chance)
        for index, action in enumerate(chosen):
            assert again.seat() == seat
            assert len(again.legal_actions()) > 1, "forced decisions are not answered"
            again.apply(action)
            while again.seat() == seat and len(again.legal_actions()) == 1 and not again.revealed():
                again.apply(again.legal_actions()[0])
            assert index == len(chosen) - 1 or not again.revealed()
        assert again.seat() != seat or again.revealed() or len(chosen) == MAX_ACTIONS


def test_a_choice_that_is_illegal_is_told_and_a_game_that_is_over_has_no_turn() -> None:
    game = registry.get("foreign_king")
    with pytest.raises(IllegalActionError):
        decide_turn(game.new_state(SEATS), lambda _: 10_000)
    playing = Playing(game, SEATS, game.parse_options({}), SeededChance(1))
    random = Random(1)
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    with pytest.raises(ValueError, match="the game is over"):
        decide_turn(playing.state, lambda _: 0)


def test_a_tree_answers_its_whole_turn_as_it_would_decision_by_decision() -> None:
    game = registry.get("foreign_king")
    playable = need_playable(game)
    for state in positions_of(game.name, 5)[:4]:
        seat = state.seat()
        one, root = Search(playable, SEATS, Random(1), Settings()), Node(seat)
        here, expected = state.clone(SeededChance(0)), list[int]()
        while here.seat() == seat:
            if len(here.legal_actions()) == 1:
                here.apply(here.legal_actions()[0])
                continue
            one.run(root, here.clone, lambda iterations: iterations < 20)
            expected.append(root.best_action())
            root = root.child(expected[-1]) or Node(seat)
            here.apply(expected[-1])
        whole = Search(playable, SEATS, Random(1), Settings())
        assert whole.best_turn(Node(seat), state, 20) == expected
