"""How the sample bots and the habits play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from bots.algorithms.move_sequences import best_of_lines
from bots.algorithms.rollouts import Lookahead
from engine.chance import SeededChance
from engine.core import Observation
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.checks import CHECKS
from engine.games.rex_romanorum.evaluation.playable import PLAYABLE
from engine.games.rex_romanorum.state import RexState
from tests.engine.games.rex_romanorum.table import lay, play

Chooser = Callable[[RexState, int], str]


def decider_of(state: RexState) -> int:
    assert state.decider is not None
    return state.decider


def greedy(state: RexState, seed: int) -> str:
    """The first action of the greedy line."""
    random = Random(seed)
    seen = Observation(state, decider_of(state))
    sampled = best_of_lines(PLAYABLE, lambda: PLAYABLE.determinize(seen, random), random, 200)
    return GAME.actions.format(sampled[0])


def search(state: RexState, seed: int) -> str:
    """The first action of the line that the lookahead finds."""
    random = Random(seed)
    seen = Observation(state, decider_of(state))
    lookahead = Lookahead(PLAYABLE, state.seats, random)
    line = lookahead.best_line(lambda: PLAYABLE.determinize(seen, random), lambda valued: valued / 120)
    return GAME.actions.format(line[0])


BOTS = pytest.mark.parametrize("choose", [greedy, search])


@BOTS
def test_the_richest_with_four_titles_calls_the_royal_election(choose: Chooser) -> None:
    state = lay(
        2,
        land={0: "kurpfalz mainz koeln trier hessen", 1: "baden elsass"},
        titles={"mainz": 0, "koeln": 0, "trier": 0},
        gold=[60, 10],
    )
    assert {choose(state, seed) for seed in range(3)} == {"ACT_KING"}


@BOTS
def test_undefended_land_is_taken(choose: Chooser) -> None:
    state = lay(
        2,
        land={0: "hessen", 1: "westfalen thueringen wuerzburg koeln"},
        figures={"hessen": "4F"},
        gold=[4, 0],
    )
    assert {choose(state, seed) for seed in range(3)} == {"ACT_ATTACK"}


@BOTS
def test_a_bribe_that_crowns_nobody_is_taken(choose: Chooser) -> None:
    state = lay(
        3,
        land={0: "trier hessen", 1: "mainz baden", 2: "kurpfalz elsass"},
        titles={"mainz": 1, "koeln": 0, "trier": 0},
        gold=[30, 5, 5],
    )
    play(state, "ACT_KING STAND DECLINE DECLINE OFFER:20")
    assert {choose(state, seed) for seed in range(3)} == {"VOTE:0"}


def test_who_can_become_bishop_stands() -> None:
    state = lay(3, land={0: "hessen trier", 1: "mainz", 2: "baden"}, gold=[30, 30, 30], active=1)
    play(state, "ACT_BISHOP:mainz")
    assert GAME.actions.format(PLAYABLE.quick_action(state, Random(0))) == "STAND"


def test_the_vote_that_is_missing_is_bought() -> None:
    state = lay(
        3,
        land={0: "kurpfalz mainz trier", 1: "koeln baden", 2: "elsass"},
        titles={"mainz": 0, "koeln": 1, "trier": 0},
        gold=[80, 5, 5],
    )
    play(state, "ACT_KING STAND DECLINE DECLINE VOTE:0")
    offer = GAME.actions.format(PLAYABLE.quick_action(state, Random(0)))
    assert offer.startswith("OFFER:")
    assert int(offer.partition(":")[2]) >= 5


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
