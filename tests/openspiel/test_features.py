"""What programs that learn see of a game of OpenSpiel: the tensor that OpenSpiel itself gives."""

from __future__ import annotations

import numpy as np
import pytest

from arena.adapters.batch import Batch
from arena.adapters.features import features_of
from engine.chance import SeededChance
from engine.core import AbilityError, State
from engine.openspiel import family
from engine.openspiel.state import OpenSpielState


def tensor_of(state: State) -> list[float]:
    """What OpenSpiel itself says of the position to seat 1."""
    assert isinstance(state, OpenSpielState)
    found: list[float] = state.inner.observation_tensor(1)
    return found


def test_the_planes_are_openspiels_tensor() -> None:
    game = family.get("openspiel_tic_tac_toe")
    features, state = features_of(game, 2), game.new_state(2)
    state.apply(4)
    assert features.shape == (3, 3, 3)
    assert features.planes(state, 1).reshape(-1).tolist() == tensor_of(state)


def test_a_tensor_without_planes_is_one() -> None:
    game = family.get("openspiel_kuhn_poker")
    features = features_of(game, 2)
    state = game.new_state(2, chance=SeededChance(1))
    assert features.shape == (1, len(tensor_of(state)))
    seen = game.observed(game.encode_observation(state, 1)[1])
    assert (features.planes(seen, 1) == features.planes(state, 1)).all()


def test_what_a_seat_saw_of_the_end_has_none() -> None:
    game = family.get("openspiel_kuhn_poker")
    features, state = features_of(game, 2), game.new_state(2, chance=SeededChance(1))
    while state.seat() is not None:
        state.apply(0)
    seen = game.observed(game.encode_observation(state, 1)[1])
    with pytest.raises(AbilityError, match="of the end of openspiel_kuhn_poker has no tensor"):
        features.planes(seen, 1)
    features.planes(state, 1)


def test_a_game_that_hides_what_cannot_be_drawn_gives_no_planes() -> None:
    with pytest.raises(AbilityError, match=r"openspiel_bridge gives no feature planes \(Game.featured\)"):
        features_of(family.get("openspiel_bridge"), 4)


def test_they_are_played_in_batches() -> None:
    batch = Batch(family.get("openspiel_leduc_poker"), 4, 2, seed=3)
    generator = np.random.default_rng(1)
    ended = 0
    for _ in range(40):
        ended += int(batch.step(batch.random_actions(generator)).ended.sum())
    assert ended > 4
