"""Every game of OpenSpiel that is listed is what the catalogue says, and games of every kind keep the contract."""

from __future__ import annotations

from random import Random

import pytest

from engine.chance import SeededChance
from engine.conformance import check_game
from engine.openspiel import family
from engine.openspiel.facts import Facts, find_out

LOOKED_AT_EVERY = 10
SLOW = {
    *("bridge", "chinese_checkers", "gin_rummy", "go", "go:board_size=13", "gomoku", "havannah", "hive"),
    *("maedn:players=4:twoPlayersOpposite=false", "mnk", "shogi", "universal_poker", "xiangqi", "y", "yacht"),
}
"""Games of which it takes long to find out the facts: others have the same of every kind of fact."""


def kind_of(facts: Facts) -> tuple[object, ...]:
    """Everything of a game that the adapter looks at."""
    table = (facts.seats > 2, facts.opening > 0, facts.has_chance, facts.is_hidden, facts.can_guess)
    return (*table, facts.has_fixed_words, facts.board is not None, facts.clicks)


def shortest_of_each_kind() -> list[str]:
    """Return of each kind of game the one with the fewest actions and decisions."""
    games = sorted(family._catalogue().values(), key=lambda facts: (facts.decisions * facts.actions, facts.name))
    return list({kind_of(facts): facts.name for facts in reversed(games)}.values())


@pytest.mark.parametrize("name", shortest_of_each_kind())
def test_a_game_keeps_the_contract(name: str) -> None:
    check_game(family.get(name))


def test_the_catalogue_says_what_openspiel_says() -> None:
    catalogue = family._catalogue()
    slow = {f"openspiel_{name}{more}" for name in SLOW for more in ("", ":players=3", ":oklahoma=true")}
    asked = catalogue.keys() - slow
    alone = {"openspiel_chinese_checkers:players=3"}
    assert {kind_of(catalogue[name]) for name in asked} == {
        kind_of(catalogue[name]) for name in catalogue.keys() - alone
    }
    wrong = [name for name in asked if catalogue[name] != find_out(name)]
    assert wrong == [], "run `python -m engine.openspiel.catalogue`"


def played(name: str) -> str:
    """Play a game at random, reading now and then what a seat sees; what went otherwise than the catalogue says."""
    game, facts, random, plies = family.get(name), family._catalogue()[name], Random(1), 0
    state = game.new_state(facts.seats, chance=SeededChance(1))
    while (seat := state.seat()) is not None:
        legal = list(state.legal_actions())
        if plies % LOOKED_AT_EVERY == 0:
            seen = game.observed(game.encode_observation(state, seat)[1]).state
            assert list(seen.legal_actions()) == legal, name
        state.apply(random.choice(legal))
        plies += 1
    outcome = state.outcome()
    is_right = outcome is not None and len(outcome.ranks) == facts.seats and plies <= facts.max_plies
    return "" if is_right and len(game.actions) == facts.actions else f"{name}: {plies} plies, {outcome}"


def test_every_game_is_played_to_its_end() -> None:
    assert [told for name in family.names() if (told := played(name))] == []
