"""The smallest game with chance: in turn, STOP or THROW a die and go on by it; once past the goal, the game is over."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, Observation, Outcome, PositionError, Reveal, State
from engine.kit.options import DeclaredOptions, Number, option

STOP, THROW = 0, 1


@dataclass(frozen=True, slots=True)
class RaceOptions:
    goal: int = option(Number(1, 99), "where the race ends", 10)


class RaceState(State):
    """The start order is shuffled; a seat that stopped may only stop."""

    __slots__ = ("_chance", "_last", "goal", "order", "places", "stopped", "turn")

    def __init__(self, seats: int, goal: int, chance: Chance) -> None:
        self.goal = goal
        self.order = list(range(seats))
        chance.shuffle(self.order)
        self.places = [0] * seats
        self.stopped = [False] * seats
        self.turn = 0
        self._chance = chance
        self._last: tuple[Reveal, ...] = ()

    def seat(self) -> int | None:
        over = max(self.places) >= self.goal or all(self.stopped)
        return None if over else self.order[self.turn % len(self.order)]

    def legal_actions(self) -> Sequence[int]:
        seat = self.seat()
        if seat is None:
            return ()
        return (STOP,) if self.stopped[seat] else (STOP, THROW)

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        seat = self.seat()
        assert seat is not None
        self._last = ()
        if action == THROW:
            face = self._chance.d6()
            self.places[seat] += face
            self._last = (Reveal("d6", (face,)),)
        else:
            self.stopped[seat] = True
        self.turn += 1

    def clone(self, chance: Chance | None = None) -> RaceState:
        twin = RaceState(len(self.order), self.goal, chance or SeededChance(0))
        twin.order, twin.places, twin.stopped = self.order[:], self.places[:], self.stopped[:]
        twin.turn, twin._last = self.turn, self._last
        return twin

    def outcome(self) -> Outcome | None:
        if self.seat() is not None:
            return None
        return Outcome(tuple(1 + sum(other > place for other in self.places) for place in self.places))

    def caretaker_action(self) -> int:
        return STOP

    def to_json(self) -> dict[str, Any]:
        return {
            "order": self.order,
            "places": self.places[:],
            "stopped": self.stopped[:],
            "turn": self.turn,
            "goal": self.goal,
        }

    def observation_json(self, seat: int) -> dict[str, Any]:
        return self.to_json()

    def revealed(self) -> Sequence[Reveal]:
        return self._last


class Race(Game):
    name = "race"
    title = "Race"
    rules_version = "3"
    seats = range(1, 4)
    actions = ActionTable(["STOP", "THROW"])
    options = DeclaredOptions("race", RaceOptions)
    max_plies = 100
    has_chance = True

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> RaceState:
        self.check_seats(seats)
        return RaceState(seats, (options or RaceOptions()).goal, chance or SeededChance(0))

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> RaceState:
        raise PositionError("a race is only run from its start")

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "race.State", json.dumps(state.observation_json(seat)).encode()

    def observed(self, message: bytes) -> Observation:
        raise PositionError("a race is only run from its start")


GAME = Race()
