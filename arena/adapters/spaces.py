"""The spaces of observations and actions, which PettingZoo and Gymnasium both know by Gymnasium's classes.

An observation is a dict: `observation`, the feature planes of the game (float32, of the shape of its `Features`), and
`action_mask`, one int8 for each action of the game, 1 where it is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.adapters.features import Features, features_of
from arena.adapters.library import load
from arena.adapters.setting import GameSetting
from engine.core import Observation, State

Seen = dict[str, npt.NDArray[Any]]
"""An observation."""


class Looking:
    """Makes the observations of one setting, and their spaces. Raises AbilityError for a game without planes."""

    def __init__(self, setting: GameSetting) -> None:
        self.features: Features = features_of(setting.game, setting.seats, setting.options)
        self._actions = len(setting.game.actions)

    def look(self, seen: State | Observation, seat: int, legal: Sequence[int]) -> Seen:
        """Return what a seat sees of a position, with what is legal for it there."""
        mask = np.zeros(self._actions, np.int8)
        mask[list(legal)] = 1
        return {"observation": self.features.planes(seen, seat), "action_mask": mask}

    def observation_space(self) -> Any:
        """Return a new space of observations."""
        bounds = (self._spread(of) for of in (self.features.low, self.features.high))
        spaces = load("gymnasium").spaces
        planes = spaces.Box(*bounds, dtype=np.float32)
        return spaces.Dict({"observation": planes, "action_mask": spaces.Box(0, 1, (self._actions,), np.int8)})

    def action_space(self) -> Any:
        """Return a new space of actions: the ids of the game."""
        return load("gymnasium").spaces.Discrete(self._actions)

    def _spread(self, numbers: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return a number for each place of each plane, from one for each plane."""
        shape = self.features.shape
        return np.broadcast_to(numbers.reshape(-1, *(1 for _ in shape[1:])), shape).astype(np.float32)
