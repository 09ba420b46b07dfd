"""Counting decision sequences."""

from __future__ import annotations

import pytest

from engine import registry
from engine.chance import ScriptedChance, SeededChance
from engine.core import Game
from engine.perft import breakdown, perft
from tests.support.script_game import GAME, ScriptOptions


@pytest.mark.parametrize("name", registry.single_names())
def test_depth_zero_and_one(name: str) -> None:
    game: Game = registry.get(name)
    for seats in game.seats:
        state = game.new_state(seats)
        assert perft(state, 0) == 1
        assert perft(state, 1) == len(state.legal_actions())


@pytest.mark.parametrize("name", registry.single_names())
def test_counting_leaves_the_position_as_it_was(name: str) -> None:
    state = registry.get(name).new_state(3)
    before = state.to_json()
    counts = breakdown(state, 3)
    assert sum(counts.values()) == perft(state, 3)
    assert list(counts) == list(state.legal_actions())
    assert state.to_json() == before


@pytest.mark.parametrize("name", registry.single_names())
def test_a_count_can_be_repeated(name: str) -> None:
    state = registry.get(name).new_state(2, chance=SeededChance(1))
    for _ in range(40):
        state.apply(state.legal_actions()[0])
    assert perft(state, 3, seed=5) == perft(state.clone(), 3, seed=5)


def test_sequences_that_end_early_count_nothing() -> None:
    alone = GAME.new_state(1, ScriptOptions("0:2"), ScriptedChance([]))
    assert perft(alone, 1) == 2
    assert perft(alone, 2) == 0
    assert breakdown(alone, 2) == {0: 0, 1: 0}


def test_a_breakdown_needs_a_decision() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        breakdown(GAME.new_state(1), 0)
