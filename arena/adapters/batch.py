"""Many playings at once, as arrays of NumPy: observations, masks of legal actions, who decides.

    batch = Batch(registry.get("foreign_king"), count=256, seats=3, seed=1)
    generator = np.random.default_rng(1)
    for _ in range(1000):
        step = batch.step(choose(batch.observations, batch.legal))
        learn(step.rewards, step.ended)

Every playing waits for one decision of one seat. One that ends gives its rewards and begins anew at once, with chance
of its own, so that all arrays have the same shapes for ever. Equal seeds and actions give equal arrays, on every
machine. All runs in the calling thread: take a process for each core.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.adapters.features import features_of
from engine.chance import SeededChance
from engine.core import Game, IllegalActionError, State


@dataclass(frozen=True, slots=True)
class BatchStep:
    """What came of the actions of a step."""

    rewards: npt.NDArray[np.float32]
    """(N, seats): 0 while a playing goes on; at its end from -1 to 1, the sum of a playing being 0: the share of the
    other seats that a seat is better than, less the share that is better than it."""
    ended: npt.NDArray[np.bool_]
    """(N,): which playings have ended, and begun anew."""


class Batch:
    """N playings of a game. Its arrays are written anew by each step: copy what you keep.

    `options` are those of the game, or None for its defaults. `dtype` is the type of the observations; int16 takes half
    the room of float32. Raises what `arena.adapters.features.features_of` raises, and ValueError for another count or
    type.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        seats: int | None = None,
        options: Any = None,
        seed: int = 0,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        if not isinstance(game, Game):
            raise ValueError(f"game is one of engine.registry, such as registry.get('foreign_king'), not {game!r:.60}")
        if not _is_whole(count, 1):
            raise ValueError(f"a batch has at least one playing, not {count!r:.60}")
        if not _is_whole(seed, 0):
            raise ValueError(f"a seed is a whole number from 0 on, not {seed!r:.60}")
        if isinstance(options, Mapping):
            raise ValueError("options are those of the game; give game.parse_options({...})")
        count, seed = int(count), int(seed)
        self.features = features_of(game, seats, options)
        self.features.check_type(np.dtype(dtype))
        self._game, self._seed = game, seed
        self._records = np.zeros(count, self.features.record)
        self._buffer = self._records.view(np.uint8)
        self._first_of = np.arange(count) * len(game.actions)
        self._playings = [0] * count
        self.observations: npt.NDArray[Any] = np.zeros((count, *self.features.shape), dtype)
        """(N, planes, board): what the seat that decides sees, as `features` says."""
        self.legal: npt.NDArray[np.bool_] = np.zeros((count, len(game.actions)), np.bool_)
        """(N, actions): what it may do."""
        self.seats: npt.NDArray[np.int8] = np.zeros(count, np.int8)
        """(N,): the seat that decides."""
        self._planes = self.observations.reshape(count, self.features.shape[0], -1)
        self._known = self.features.expansion.known(count)
        self._choices = np.zeros(0, np.int64)
        self._counts = np.zeros(count, np.int64)
        self.states: list[State] = [self._begin(index) for index in range(count)]
        """The positions. Look at them, and leave them as they are."""
        self._look()

    def step(self, actions: npt.NDArray[np.integer[Any]]) -> BatchStep:
        """Apply one action to each playing: an array of N whole numbers.

        Raises ValueError for another shape or type, and IllegalActionError naming the playing; then nothing is applied.
        """
        given = np.asarray(actions)
        if given.shape != self.seats.shape or given.dtype.kind not in "iu":
            raise ValueError(
                f"a step takes an array of {len(self.seats)} whole numbers, not of {given.dtype} and {given.shape}"
            )
        known = (given >= 0) & (given < self.legal.shape[1])
        bad = np.flatnonzero(~(known & self.legal[np.arange(len(given)), np.where(known, given, 0)]))
        if bad.size:
            at = int(bad[0])
            legal = np.flatnonzero(self.legal[at]).tolist()
            raise IllegalActionError(f"action {given[at]} is not legal in playing {at}; legal are {legal}")
        chosen = given.tolist()
        states, ended, rewards = self.states, [], []
        for index, state in enumerate(states):
            state.apply_unchecked(chosen[index])
            if state.seat() is None:
                outcome = state.outcome()
                assert outcome is not None
                ended.append(index)
                rewards.append(rewards_of(outcome.ranks))
                states[index] = self._begin(index)
        self._look()
        step = BatchStep(np.zeros((len(states), self.features.seats), np.float32), np.zeros(len(states), np.bool_))
        if ended:
            step.rewards[ended], step.ended[ended] = rewards, True
        return step

    def random_actions(self, generator: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return a legal action for each playing, each as probable as another."""
        behind = np.cumsum(self._counts)
        drawn = (generator.random(len(behind)) * self._counts).astype(np.int64)
        chosen: npt.NDArray[np.int64] = self._choices[behind - self._counts + drawn]
        return chosen

    def _begin(self, index: int) -> State:
        """Return a new playing; what chance will bring follows from the seed, the index, and how many were before."""
        chance = None
        if self._game.has_chance:
            entropy = (self._seed, index, self._playings[index])
            chance = SeededChance(int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0]))
        self._playings[index] += 1
        return self._game.new_state(self.features.seats, self.features.options, chance)

    def _look(self) -> None:
        pack, buffer, size, offset = self.features.pack, self._buffer, self._records.itemsize, 0
        seats: list[int] = []
        choices: list[int] = []
        counts: list[int] = []
        for state in self.states:
            seat = state.seat()
            assert seat is not None
            seats.append(seat)
            pack(state, seat, buffer, offset)
            offset += size
            legal = state.legal_actions()
            choices += legal
            counts.append(len(legal))
        self.seats[:] = seats
        self._counts[:] = counts
        self._choices = np.frombuffer(array("q", choices), np.int64)
        self.legal.fill(False)
        self.legal.reshape(-1)[np.repeat(self._first_of, self._counts) + self._choices] = True
        self.features.expansion.spread_changes(self._records, self._planes, self._known)


def _is_whole(number: Any, least: int) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool) and int(number) >= least


@lru_cache(maxsize=1024)
def rewards_of(ranks: tuple[int, ...]) -> tuple[float, ...]:
    """Return, for each seat, the share of the others that it is better than, less the share that is better than it."""
    others = len(ranks) - 1
    return tuple(sum((own < rank) - (own > rank) for rank in ranks) / others for own in ranks)
