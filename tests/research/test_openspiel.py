"""OpenSpiel's own tests and algorithms on games of ours."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability, ismcts, mcts

import arena.adapters.openspiel
from arena.adapters.library import AdapterError
from arena.adapters.openspiel import GameEvaluator, class_of
from engine import registry
from engine.core import EngineError
from tests.support.nim import Nim

GAMES: list[tuple[str, Mapping[str, Any]]] = [
    ("python_foreign_king", {}),
    ("python_foreign_king", {"players": 4, "max_rounds": 5, "rulebook": "de"}),
    ("python_rex_romanorum", {"players": 3, "round_limit": 3, "variant": "short"}),
    ("python_rex_romanorum", {"players": 2, "round_limit": 2, "harvest": '{"cap": 50}'}),
    ("python_connect_four", {}),
]
SMALLEST = "python_foreign_king(players=2,max_rounds=1)"
"""The cut-down option for whole trees: 9,628 histories."""


@pytest.fixture(scope="module", autouse=True)
def _small_games() -> None:
    """Register games that are no installed ones: the example, and the small ones of the tests."""
    from game_connect_four import GAME as CONNECT_FOUR  # its package is not installed in this environment

    there = pyspiel.registered_names()
    for game in (CONNECT_FOUR, Nim("nim", "Nim", is_lucky=False), Nim("lucky_nim", "Lucky Nim", is_lucky=True)):
        found = class_of(game)
        if found.kind.short_name not in there:
            pyspiel.register_game(found.kind, found)


def play(game: Any, bots: Mapping[int, Any], seed: int) -> Any:
    """Play a game to its end, chance drawn, and return the last state."""
    random, state = np.random.RandomState(seed), game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            assert sum(odds) == pytest.approx(1)
            state.apply_action(random.choice(outcomes, p=odds))
        elif (seat := state.current_player()) in bots:
            state.apply_action(bots[seat].step(state))
        else:
            state.apply_action(random.choice(state.legal_actions()))
    return state


def test_every_game_that_stands_alone_is_registered_once() -> None:
    names = [name for name in pyspiel.registered_names() if name.startswith("python_")]
    assert {f"python_{name}" for name in registry.single_names()} <= set(names)
    arena.adapters.openspiel._register()
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("name", "parameters"), GAMES, ids=str)
def test_it_passes_the_random_simulation(name: str, parameters: Mapping[str, Any]) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name, parameters), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["python_lucky_nim", "python_nim"])
def test_a_game_without_planes_passes_it_too(name: str) -> None:
    game = pyspiel.load_game(name, {"players": 3, "size": 6})
    assert not game.get_type().provides_observation_tensor
    pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)


def test_a_tensor_is_the_planes_of_the_position() -> None:
    game = pyspiel.load_game("python_foreign_king(players=3)")
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    tensor = np.array(state.observation_tensor(1)).reshape(game.observation_tensor_shape())
    from arena.adapters.features import features_of  # beside what it is compared with

    assert np.array_equal(tensor, features_of(registry.get("foreign_king"), 3).planes(state.position, 1))


def test_mcts_plays_a_whole_game_by_playouts_and_by_our_evaluation() -> None:
    game = pyspiel.load_game("python_foreign_king(players=3,max_rounds=4)")
    random = np.random.RandomState(1)
    by_playouts = mcts.MCTSBot(game, 1.4, 8, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    by_value = mcts.MCTSBot(game, 1.4, 20, GameEvaluator(game), random_state=random)
    state = play(game, {0: by_playouts, 1: by_value, 2: by_value}, 1)
    assert sum(state.returns()) == pytest.approx(0)
    assert max(state.returns()) > 0 or set(state.returns()) == {0}


def test_mcts_beats_random_play() -> None:
    game = pyspiel.load_game("python_connect_four")
    won = 0.0
    for seed in range(6):
        random = np.random.RandomState(seed)
        bot = mcts.MCTSBot(game, 1.4, 60, mcts.RandomRolloutEvaluator(1, random), random_state=random, solve=True)
        won += play(game, {seed % 2: bot}, seed).returns()[seed % 2]
    assert won >= 2  # of 6; by chance alone it is as often below 0 as above


def test_ismcts_plays_a_game_that_hides_its_pile() -> None:
    game = pyspiel.load_game("python_rex_romanorum(players=2,round_limit=2,variant=short)")
    random = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random), 1.4, 4, random_state=random)
    assert sum(play(game, {0: bot, 1: bot}, 2).returns()) == pytest.approx(0)


def test_what_is_resampled_looks_the_same_to_who_decides_and_differs_in_what_is_hidden() -> None:
    game = pyspiel.load_game("python_rex_romanorum(players=2)")
    state, random = game.new_initial_state(), np.random.RandomState(3)
    while state.is_chance_node():
        state.apply_action(random.choice([outcome for outcome, _ in state.chance_outcomes()]))
    seat = state.current_player()
    drawn = [state.resample_from_infostate(seat, random.rand) for _ in range(3)]
    assert {one.information_state_string(seat) for one in drawn} == {state.information_state_string(seat)}
    assert len({str(one) for one in (state, *drawn)}) == 4


def test_exploitability_is_computed_on_the_smallest_option() -> None:
    game = pyspiel.load_game(SMALLEST)
    uniform = policy.UniformRandomPolicy(game)
    assert exploitability.exploitability(game, uniform) == pytest.approx(0.9333, abs=5e-5), "as the guide says"


def test_exploitability_of_perfect_play_is_nothing() -> None:
    # Nim is known: who leaves a multiple of 4 wins.
    game = pyspiel.load_game("python_nim", {"players": 2, "size": 7})

    class Perfect(policy.Policy):  # type: ignore[misc]
        def action_probabilities(self, state: Any, player_id: Any = None) -> dict[int, float]:  # noqa: ARG002
            best = (state.position.heap % 4 or 1) - 1
            return {action: float(action == best) for action in state.legal_actions()}

    assert exploitability.exploitability(game, Perfect(game, [0, 1])) == pytest.approx(0)
    uniform = policy.UniformRandomPolicy(game)
    found = exploitability.exploitability(game, uniform)
    assert found > 0.1
    for use_cpp_br in (False, True):
        assert exploitability.nash_conv(game, uniform, use_cpp_br=use_cpp_br) == pytest.approx(2 * found)


def test_exploitability_with_chance_and_hidden_cards() -> None:
    game = pyspiel.load_game("python_lucky_nim", {"players": 2, "size": 1})

    class Takes(policy.Policy):  # type: ignore[misc]
        def action_probabilities(self, state: Any, player_id: Any = None) -> dict[int, float]:  # noqa: ARG002
            return {action: float(action == 0) for action in state.legal_actions()}

    state = game.new_initial_state()
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)], "the two cards are dealt"
    first, second = state.child(0), state.child(1)
    assert first.information_state_string(0) != second.information_state_string(0), "one's own card is seen"
    # Who begins takes the counter, and with it a point: with the lesser card it ties, with the better one it wins.
    value = expected_game_score.policy_value(state, [Takes(game, [0, 1])] * 2)
    assert list(value) == pytest.approx([0.5, -0.5])


def test_a_seat_cannot_tell_apart_what_is_hidden_from_it() -> None:
    game = pyspiel.load_game("python_lucky_nim", {"players": 3, "size": 4})

    def deal(*answers: int) -> Any:
        state = game.new_initial_state()
        for answer in answers:
            state.apply_action(answer)
        return state

    deals = [deal(one, other) for one in range(3) for other in range(2)]
    cards = [tuple(state.position.cards) for state in deals]
    assert sorted(cards) == [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    for state, dealt in zip(deals, cards, strict=True):
        for other, others in zip(deals, cards, strict=True):
            same = state.information_state_string(0) == other.information_state_string(0)
            assert same == (dealt[0] == others[0])


def test_dice_fall_as_often_as_they_should() -> None:
    game = pyspiel.load_game("python_lucky_nim", {"players": 2, "size": 5})
    state = game.new_initial_state()
    state.apply_action(0)
    state.apply_action(3)  # throw
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(face, pytest.approx(1 / 6)) for face in range(6)]
    thrown = Counter(tuple(state.child(face).position.thrown) for face in range(6))
    assert thrown == Counter([(), *((face,) for face in range(2, 7))])
    with pytest.raises(ValueError, match="chance cannot do 6 here"):
        state.apply_action(6)


@pytest.mark.parametrize(
    ("name", "parameters", "told"),
    [
        ("python_foreign_king", {"players": 7}, "foreign_king is played by 2 to 4 seats, not 7"),
        ("python_foreign_king", {"max_rounds": 0}, "option max_rounds takes 1 to 1000, not 0"),
        ("python_foreign_king", {"bank": "38"}, "option bank takes"),
        ("python_foreign_king", {"bunk": 1}, "Unknown parameter 'bunk'"),
        ("python_rex_romanorum", {"harvest": "{cap}"}, "option harvest"),
    ],
)
def test_a_wrong_parameter_is_told(name: str, parameters: Mapping[str, Any], told: str) -> None:
    with pytest.raises((EngineError, pyspiel.SpielError)) as raised:
        pyspiel.load_game(name, parameters)
    assert str(raised.value).startswith(told)


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    state = pyspiel.load_game(SMALLEST).new_initial_state()
    before, illegal = str(state), next(action for action in range(99) if action not in state.legal_actions())
    with pytest.raises(EngineError, match="is not legal here"):
        state.apply_action(illegal)
    assert str(state) == before


def test_a_search_with_perfect_information_is_refused_where_something_is_hidden() -> None:
    with pytest.raises(AdapterError) as told:
        GameEvaluator(pyspiel.load_game("python_rex_romanorum"))
    assert str(told.value) == (
        "rex_romanorum hides something from its seats, and a search with perfect information would look at it; use "
        "OpenSpiel's ISMCTSBot, which draws the hidden part anew"
    )
    with pytest.raises(AdapterError, match="the evaluator values the games of this adapter"):
        GameEvaluator(pyspiel.load_game("tic_tac_toe"))


def test_a_game_is_pickled_by_its_name_and_parameters_and_read_by_a_process_that_knows_none() -> None:
    game = pyspiel.load_game("python_rex_romanorum", {"players": 3, "harvest": '{"cap": 50}'})
    assert str(pickle.loads(pickle.dumps(game))) == str(copy.deepcopy(game)) == str(game)
    program = f"import pickle, sys; sys.stdout.write(str(pickle.loads({pickle.dumps(game)!r})))"
    read = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert read.stdout == str(game)


def test_nothing_is_drawn_anew_for_chance_or_for_a_seat_that_is_not_there() -> None:
    state = pyspiel.load_game("python_rex_romanorum(players=2,round_limit=1)").new_initial_state()
    with pytest.raises(AdapterError, match=r"while chance is asked; apply one of chance_outcomes\(\) first"):
        state.resample_from_infostate(0, lambda: 0.5)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    with pytest.raises(AdapterError, match="there is no seat 2; there are 0 to 1"):
        state.resample_from_infostate(2, lambda: 0.5)
