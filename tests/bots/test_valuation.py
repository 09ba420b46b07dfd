"""What the search bot thinks of positions of a match that is over."""

from __future__ import annotations

import pytest

from bots.algorithms.search import value_match
from bots.algorithms.uniform import RandomBot
from bots.offline import play_offline
from engine import registry
from engine.chance import SeededChance
from engine.core import Game
from engine.record import Playing


@pytest.mark.parametrize("name", ["foreign_king", "rex_romanorum"])
def test_positions_are_valued_alike_each_time_and_the_end_exactly(name: str) -> None:
    game = registry.get(name)
    match = play_offline([RandomBot(), RandomBot()], game, chance_seed=3)

    def value(seat: int) -> list[tuple[int, float]]:
        valued = value_match(start(game), match.record.actions, decided(seat), seat, playouts=8)
        return [(one.ply, one.value) for one in valued]

    def decided(seat: int) -> list[int]:
        """The first plies at which a seat had a choice."""
        playing = start(game)
        events = [playing.apply(action) for action in match.record.actions]
        return [event.ply for event in events if event.seat == seat and not event.forced][:5]

    values = value(0)
    assert values == value(0)
    assert all(0 <= worth <= 1 for _, worth in values)
    assert values[-1][0] == len(match.record.actions)
    winner = match.ranks.index(1)
    assert value(winner)[-1][1] > value(1 - winner)[-1][1]


def start(game: Game) -> Playing:
    return Playing(game, 2, game.parse_options({}), SeededChance(3))
