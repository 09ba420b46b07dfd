"""Many playings at once: they are the games' own, they go on for ever, and equal seeds give equal arrays."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from game_connect_four import GAME as CONNECT_FOUR

from arena.adapters.batch import Batch, rewards_of
from engine import registry
from engine.core import Game, IllegalActionError, SeatsError
from engine.games.foreign_king import GAME as FOREIGN_KING
from engine.games.rex_romanorum import GAME as REX

GAMES: list[tuple[Game, int, dict[str, Any]]] = [
    (CONNECT_FOUR, 2, {}),
    (FOREIGN_KING, 2, {"max_rounds": 4}),
    (FOREIGN_KING, 4, {"max_rounds": 3}),
    (REX, 2, {"round_limit": 3}),
    (REX, 5, {"round_limit": 2, "variant": "short"}),
]


def named(case: object) -> str:
    return case.name if isinstance(case, Game) else str(case)


def begun(game: Game, seats: int, values: dict[str, Any], count: int = 6, seed: int = 1, dtype: Any = None) -> Batch:
    return Batch(game, count, seats, game.parse_options(values), seed, dtype or np.float32)


@pytest.mark.parametrize(("game", "seats", "values"), GAMES, ids=named)
def test_its_arrays_are_what_the_positions_are(game: Game, seats: int, values: dict[str, Any]) -> None:
    batch, generator = begun(game, seats, values), np.random.default_rng(5)
    ended = 0
    for _ in range(160):
        for index, state in enumerate(batch.states):
            assert state.seat() == batch.seats[index]
            assert np.flatnonzero(batch.legal[index]).tolist() == list(state.legal_actions())
            assert (batch.observations[index] == batch.features.planes(state, int(batch.seats[index]))).all()
        chosen = batch.random_actions(generator)
        expected = [state.clone() for state in batch.states]
        for state, action in zip(expected, chosen.tolist(), strict=True):
            if not game.has_chance:
                state.apply(action)
        step = batch.step(chosen)
        ended += int(step.ended.sum())
        assert step.rewards.shape == (6, seats)
        assert not step.rewards[~step.ended].any()
        assert np.allclose(step.rewards.sum(axis=1), 0, atol=1e-6)
        if not game.has_chance:
            for index, state in enumerate(expected):
                outcome = state.outcome()
                assert step.ended[index] == (outcome is not None)
                assert outcome is None or step.rewards[index].tolist() == pytest.approx(rewards_of(outcome.ranks))
                assert outcome is not None or batch.states[index] == state
    assert ended > 3


@pytest.mark.parametrize(("game", "seats", "values"), GAMES, ids=named)
def test_equal_seeds_give_equal_arrays_and_others_do_not(game: Game, seats: int, values: dict[str, Any]) -> None:
    def played(seed: int) -> list[bytes]:
        batch, generator = begun(game, seats, values, count=3, seed=seed, dtype=np.int16), np.random.default_rng(2)
        digests = []
        for _ in range(200):
            step = batch.step(batch.random_actions(generator))
            arrays = (batch.observations, batch.legal, batch.seats, step.rewards, step.ended)
            digests.append(sha256(b"".join(array.tobytes() for array in arrays)).digest())
        return digests

    assert played(1) == played(1)
    assert (played(1) == played(2)) != game.has_chance


def test_the_playings_of_a_batch_have_chance_of_their_own() -> None:
    batch = begun(REX, 2, {}, count=2)
    batch.step(np.zeros(2, np.int64))  # both draw three cards
    assert batch.states[0] != batch.states[1]


def test_a_playing_that_begins_anew_has_other_chance() -> None:
    batch, generator = begun(REX, 2, {"round_limit": 1}, count=1), np.random.default_rng(3)
    piles: set[tuple[str, ...]] = set()
    while len(piles) < 3:
        if batch.states[0].to_json()["round"] == 1 and batch.states[0].to_json()["drawn"]:
            piles.add(tuple(batch.states[0].to_json()["drawn"]))
        batch.step(batch.random_actions(generator))


def test_an_illegal_action_is_refused_and_nothing_is_applied() -> None:
    batch = begun(CONNECT_FOUR, 2, {}, count=3)
    for other in (1, 1, 1, 2, 2, 2):  # fills column 0 of playing 1, and of no other
        batch.step(np.array([other, 0, other]))
    before = [state.to_json() for state in batch.states]
    for actions, message in (
        ([7, 1, 0], r"action 7 is not legal in playing 0; legal are \[0, 1, 2, 3, 4, 5, 6\]"),
        ([0, 0, 0], r"action 0 is not legal in playing 1; legal are \[1, 2, 3, 4, 5, 6\]"),
        ([0, 1, -1], "action -1 is not legal in playing 2"),
    ):
        with pytest.raises(IllegalActionError, match=message):
            batch.step(np.array(actions))
    assert [state.to_json() for state in batch.states] == before


@pytest.mark.parametrize("actions", [np.zeros(2, np.int64), np.zeros((3, 1), np.int64), np.zeros(3), np.zeros(3, bool)])
def test_an_array_of_another_shape_or_type_is_refused(actions: Any) -> None:
    with pytest.raises(ValueError, match="a step takes an array of 3 whole numbers"):
        begun(CONNECT_FOUR, 2, {}, count=3).step(actions)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one playing, not 0"):
        begun(CONNECT_FOUR, 2, {}, count=0)
    with pytest.raises(ValueError, match="a seed is a whole number from 0 on, not -1"):
        begun(CONNECT_FOUR, 2, {}, seed=-1)
    with pytest.raises(ValueError, match="int8 holds 127"):
        begun(REX, 2, {}, dtype=np.int8)
    with pytest.raises(SeatsError, match="not 3"):
        begun(CONNECT_FOUR, 3, {})


def test_random_actions_are_legal_and_all_come() -> None:
    batch, generator = begun(FOREIGN_KING, 3, {}, count=5), np.random.default_rng(4)
    drawn = [batch.random_actions(generator) for _ in range(300)]
    for index in range(5):
        assert {int(actions[index]) for actions in drawn} == set(np.flatnonzero(batch.legal[index]).tolist())


@pytest.mark.parametrize(
    ("ranks", "rewards"),
    [((1, 2), (1, -1)), ((1, 1), (0, 0)), ((1, 3, 2), (1, -1, 0)), ((1, 1, 3), (0.5, 0.5, -1)), ((1, 1, 1), (0, 0, 0))],
)
def test_rewards_are_the_share_of_the_others_that_a_seat_is_better_than(ranks: Any, rewards: Any) -> None:
    assert rewards_of(ranks) == rewards


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"count": True}, "at least one playing, not True"),
        ({"count": None}, "at least one playing, not None"),
        ({"count": 2.0}, "at least one playing, not 2.0"),
        ({"seed": None}, "a whole number from 0 on, not None"),
        ({"seed": 1.5}, "a whole number from 0 on, not 1.5"),
        ({"game": "foreign_king"}, "game is one of engine.registry"),
        ({"options": {"max_rounds": 3}}, "game.parse_options"),
        ({"dtype": np.bool_}, "take int16, or float32"),
        ({"dtype": np.complex64}, "take int16, or float32"),
        ({"dtype": object}, "take int16, or float32"),
    ],
)
def test_arguments_of_another_type_are_told_in_a_line(wrong: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"game": registry.get("foreign_king"), "count": 2, "seats": 2, **wrong}
    with pytest.raises(ValueError, match=said):
        Batch(**given)
