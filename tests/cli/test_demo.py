"""How much the demo plays of each game."""

from __future__ import annotations

import pytest

from arena.cli.nouns.demo import BUDGET_S, TIME, plan_game
from arena.match.time_control import parse_time_control
from engine import registry
from engine.core import Game

GAMES = [registry.get(name) for name in registry.single_names()]
CLOCK = parse_time_control(TIME)


def test_all_games_together_take_little_more_than_a_minute_on_two_cores() -> None:
    parts = [plan_game(game, CLOCK, BUDGET_S / len(GAMES)) for game in GAMES]
    assert sum(part.matches * part.match_seconds for part in parts) / 2 < 80


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_game_is_played_in_whole_blocks_at_least_one(game: Game) -> None:
    part = plan_game(game, CLOCK, BUDGET_S)
    assert part.blocks > plan_game(game, CLOCK, BUDGET_S / 4).blocks
    assert plan_game(game, CLOCK, 0.0).blocks == 1
    assert plan_game(game, CLOCK, BUDGET_S, blocks=7).matches == 7 * part.matches // part.blocks
