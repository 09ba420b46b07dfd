"""The quick habits: legal in both variants, and plainly sensible where there is only one sensible thing."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.chance import SeededChance
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.checks import CHECKS
from engine.games.rex_romanorum.evaluation.playable import PLAYABLE


@pytest.mark.parametrize("variant", ["full", "short"])
def test_whole_games_by_habit_show_the_game(variant: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(3):
        for seats in (2, 4):
            state = GAME.new_state(seats, GAME.parse_options({"variant": variant}), SeededChance(seed))
            random = Random(seed)
            while state.seat() is not None:
                action = PLAYABLE.quick_action(state, random)
                assert state.is_legal(action), GAME.actions.format(action)
                seen.update(CHECKS.measures(state, action))
                state.apply_unchecked(action)
    assert {
        *("turns: acquire", "turns: harvest", "turns: build", "turns: muster", "turns: attack"),
        *("turns: bishop's election", "regions bought", "figures bought", "churches", "battles"),
    } <= set(seen)


def test_turns_are_counted_from_0() -> None:
    state = GAME.new_state(3, None, SeededChance(1))
    assert PLAYABLE.turns_played(state) == 0
    for turn in range(1, 5):
        state.apply(GAME.actions.parse("ACT_HARVEST"))
        assert PLAYABLE.turns_played(state) == turn
