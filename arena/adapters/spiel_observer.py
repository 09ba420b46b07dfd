"""What a seat sees of a state, as OpenSpiel asks for it: texts, and the feature planes where the game gives some."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from arena.adapters.features import features_of
from arena.adapters.setting import GameSetting


class SpielObserver:
    """Observes one state at a time; OpenSpiel reads `tensor` and `dict` after `set_from`."""

    def __init__(self, setting: GameSetting, *, recalls: bool) -> None:
        """With `recalls`, the text tells all that a seat was told so far, and not only what it sees now."""
        self._features = features_of(setting.game, setting.seats, setting.options) if setting.game.featured else None
        self._recalls = recalls
        shape = self._features.shape if self._features else (0,)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        """The planes, one after another; all 0 while chance sets up the first position."""
        self.dict = {"observation": self.tensor.reshape(shape)}
        """The same with its shape."""

    def set_from(self, state: Any, player: int) -> None:
        """Look at a state as a seat."""
        if self._features and state.position is None:
            self.tensor.fill(0)
        elif self._features:
            self._features.write(state.position, player, self.dict["observation"])

    def string_from(self, state: Any, player: int) -> str:
        """Return what a seat sees, as text; the same text means that it cannot tell the states apart."""
        if self._recalls and not state.hides:
            return str(state.history_str())
        position = state.position
        now = "" if position is None else json.dumps(position.observation_json(player), sort_keys=True)
        return "\n".join((f"seat {player}", *state.memory(player), now)) if self._recalls else now
