"""Compares lines by playing them out: the search for games of chance or hidden parts. Reads no clock, does no I/O.

Tree search spreads itself too thin where a turn is many small decisions with dice in between. This search compares a
few lines of its own turn (move_sequences.py): `Playable.quick_action` plays each on for everybody, for a number of
turns, and `Playable.evaluate` values the end. All lines meet the same hidden cards and the same stream of dice (common
random numbers). As the budget is used up, the worst lines are dropped one by one (after sequential halving, Karnin,
Koren and Somekh 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from random import Random

from bots.algorithms.move_sequences import ActionLine, play_line, spread, value_line
from engine.abilities import Playable
from engine.chance import SeededChance
from engine.core import State
from engine.playout import TurnCounter, play_turns

_SAMPLES = 0.3
_FIRST_LOOK = 0.5  # the parts of the budget after which no further line is looked at: capricious ones, and any


@dataclass(frozen=True, slots=True)
class Horizon:
    """What the lookahead is tuned by; the defaults were found with benchmarks/strength.py."""

    lines: int = 8
    """How many lines are played out."""
    samples: int = 24
    """How many lines with capricious decisions are looked at, besides one for each action."""
    caprice: float = 0.15
    """The probability with which a decision in such a line is drawn uniformly."""
    rounds: float = 0.5
    """How many turns of each seat a line is played on; the better the evaluation, the less is won by going far."""
    prior: float = 1.0
    """For how many playouts the first look at a line counts."""


@dataclass(slots=True)
class _Candidate:
    line: ActionLine
    total: float = 0.0
    playouts: int = 0

    def mean(self, prior: float) -> float:
        return (self.total + prior * self.line.value) / (self.playouts + prior)


@dataclass(slots=True)
class Lookahead:
    """The search of one match of `seats` seats; it draws only from `random`."""

    game: Playable
    seats: int
    random: Random
    horizon: Horizon = field(default_factory=Horizon)

    def best_line(
        self, sample: Callable[[], State], progress: Callable[[int], float], incumbent: Sequence[int] = ()
    ) -> tuple[int, ...]:
        """Return the line to play; `best` tells what is asked."""
        return self.best(sample, progress, incumbent).actions

    def best(
        self, sample: Callable[[], State], progress: Callable[[int], float], incumbent: Sequence[int] = ()
    ) -> ActionLine:
        """Return the line to play, with its value on average over everything that was looked at.

        `sample()` returns a position consistent with what was seen, which is not changed. `progress(positions valued)`
        returns which part of the budget is used; the search ends when it reaches 1. `incumbent` is a line planned
        earlier, which is compared with the others.
        """
        found = self._first_look(sample(), incumbent, progress)
        valued = len(found)
        alive = self._sorted([_Candidate(line) for line in {line.actions: line for line in found}.values()])
        alive = alive[: self.horizon.lines]
        lines = len(alive)
        while len(alive) > 1 and progress(valued) < 1:
            seed, state = self.random.getrandbits(53), sample()
            for candidate in alive:
                if progress(valued) >= 1:
                    break
                seat = state.seat()
                assert seat is not None
                random = Random(seed)
                copy = state.clone(SeededChance(seed))
                turns = TurnCounter(self.game, copy)
                play_line(self.game, copy, candidate.line.actions, random)
                play_turns(self.game, copy, turns, round(self.horizon.rounds * self.seats), random)
                candidate.total += self.game.evaluate(copy, seat)
                candidate.playouts += 1
                valued += 1
            alive = self._sorted(alive)[: max(1, ceil(lines * (1 - progress(valued))))]
        best = self._sorted(alive)[0]
        return ActionLine(best.line.actions, best.mean(self.horizon.prior))

    def _sorted(self, candidates: list[_Candidate]) -> list[_Candidate]:
        return sorted(candidates, key=lambda candidate: candidate.mean(self.horizon.prior), reverse=True)

    def _first_look(self, state: State, incumbent: Sequence[int], progress: Callable[[int], float]) -> list[ActionLine]:
        """Return the incumbent, a line for each action, and capricious ones; at least one, however short the time."""
        seed = self.random.getrandbits(53)
        found: list[ActionLine] = []
        # What is likely to be good comes first, then the rest in a drawn order.
        plans: list[Sequence[int]] = [[self.game.quick_action(state, self.random)]]
        if incumbent and state.is_legal(incumbent[0]):
            plans.insert(0, incumbent)
        others = [[action] for action in spread(state.legal_actions())]
        self.random.shuffle(others)
        for plan in [*plans, *others]:
            if found and progress(len(found)) > _FIRST_LOOK:
                break
            found.append(value_line(self.game, state, plan, seed))
        actions = state.legal_actions()
        for _ in range(self.horizon.samples):
            if progress(len(found)) > _SAMPLES:
                break
            plan, seed = [self.random.choice(actions)], self.random.getrandbits(53)
            found.append(value_line(self.game, state, plan, seed, self.horizon.caprice))
        return found
