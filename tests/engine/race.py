"""The smallest game with chance: in turn, STOP or THROW a die and go on by it; once past the goal, the game is over."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, OptionsError, Outcome, PositionError, Reveal, State

STOP, THROW = 0, 1


@dataclass(frozen=True, slots=True)
class RaceOptions:
    goal: int = 10


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
    options_type = RaceOptions
    max_plies = 100
    has_chance = True
    has_hidden_information = False

    def parse_options(self, values: Mapping[str, Any]) -> RaceOptions:
        if set(values) - {"goal"}:
            raise OptionsError(f"the options are: goal; not {sorted(values)}")
        return RaceOptions(**values)

    def options_json(self, options: RaceOptions) -> dict[str, Any]:
        return {"goal": options.goal}

    def options_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {"goal": {"type": "integer", "default": 10}}}

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> RaceState:
        self.check_seats(seats)
        return RaceState(seats, (options or RaceOptions()).goal, chance or SeededChance(0))

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> RaceState:
        raise PositionError("a race is only run from its start")

    def evaluate(self, state: State, seat: int) -> float:
        return 0.25 * seat

    def determinize(self, observation: Mapping[str, Any], rng: Random) -> RaceState:
        return self.state_from_json(observation)

    def opening_plies(self, seats: int) -> int:
        return 0

    def labels(self, language: str) -> Mapping[str, str]:
        return {name: name for name in self.actions.names}

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "race.State", json.dumps(state.observation_json(seat)).encode()

    def decode_observation(self, message: bytes) -> dict[str, Any]:
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def render_text(self, state: State, seat: int | None = None, language: str = "en") -> str:
        return str(state.to_json())

    def render_svg(self, state: State, seat: int | None = None, language: str = "en") -> str:
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"


GAME = Race()
