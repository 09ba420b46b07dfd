"""Searching where something is hidden: what is drawn looks the same to the seat, and tells it nothing."""

from __future__ import annotations

from random import Random

import pytest

from bots.algorithms.greedy import GreedyBot
from bots.algorithms.search import SearchBot
from bots.algorithms.uniform import RandomBot
from bots.offline import play_offline
from engine import registry
from engine.chance import ScriptedChance, SeededChance
from engine.core import AbilityError
from engine.openspiel import family
from engine.openspiel.game import OpenSpielGame
from engine.playout import positions


def game_of(name: str) -> OpenSpielGame:
    game = family.get(name)
    assert isinstance(game, OpenSpielGame)
    return game


SEARCHED = [name for name in family.names() if game_of(name).facts.can_guess]


def test_the_card_games_in_which_openspiel_can_draw_hidden_cards_are_searched() -> None:
    assert {"openspiel_kuhn_poker", "openspiel_leduc_poker", "openspiel_universal_poker"} <= set(SEARCHED)
    # What it draws there keeps a part of what is hidden, or could not have been played.
    assert not {"openspiel_bargaining", "openspiel_euchre", "openspiel_gin_rummy", "openspiel_hearts"} & set(SEARCHED)


@pytest.mark.parametrize("name", SEARCHED)
def test_what_a_seat_is_sent_is_the_same_whatever_is_hidden_from_it(name: str) -> None:
    game, random = game_of(name), Random(1)
    playable = game.playable
    assert playable is not None
    others = 0
    for state in positions(game, game.seats[0], 5):
        for seat in range(game.seats[0]) if state.seat() is not None else ():
            other = playable.redraw(state, seat, random)
            others += other.to_json() != state.to_json()
            assert game.encode_observation(other, seat) == game.encode_observation(state, seat)
    assert others, "no other position was drawn, so that nothing was compared"


def test_two_deals_that_look_the_same_to_a_seat_are_sent_as_the_same_bytes() -> None:
    game = game_of("openspiel_leduc_poker")
    sent = {
        (own, other): game.encode_observation(game.new_state(2, chance=ScriptedChance([[own], [other]])), 0)
        for own, other in [(0, 1), (0, 2), (3, 1), (3, 2)]
    }
    assert sent[0, 1] == sent[0, 2] != sent[3, 1] == sent[3, 2]


@pytest.mark.parametrize(
    "name", ["openspiel_leduc_poker", "openspiel_leduc_poker:players=3", "openspiel_universal_poker"]
)
def test_the_samples_search_it(name: str) -> None:
    seats = game_of(name).seats[0]
    bots = [GreedyBot(), SearchBot(playouts=4), *(RandomBot() for _ in range(seats - 2))]
    played = play_offline(bots, name, chance_seed=3)
    assert len(played.ranks) == seats


def test_a_game_whose_hidden_parts_nobody_can_draw_is_not_searched() -> None:
    assert registry.get("openspiel_phantom_ttt").playable is None


def test_what_a_seat_sees_has_no_value_of_its_own() -> None:
    game = game_of("openspiel_leduc_poker")
    seen = game.observed(game.encode_observation(game.new_state(2, chance=SeededChance(1)), 0)[1]).state
    assert game.playable is not None
    with pytest.raises(AbilityError, match="only a whole position has a value"):
        game.playable.evaluate_all(seen)
