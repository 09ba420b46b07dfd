"""Two games small enough to know the right answer: Nim (nothing hidden, no chance), and Pig with a hidden card."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import tanh
from random import Random
from typing import Any

from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, OptionsError, Outcome, Reveal, State


@dataclass(frozen=True, slots=True)
class ToyOptions:
    size: int


class ToyGame(Game):
    """What both have in common: one option, JSON for an observation."""

    options_type = ToyOptions
    default_size: int

    def parse_options(self, values: Mapping[str, Any]) -> ToyOptions:
        if set(values) - {"size"}:
            raise OptionsError(f"unknown option in {dict(values)}; there is: size")
        return ToyOptions(int(values.get("size", self.default_size)))

    def options_json(self, options: ToyOptions) -> dict[str, Any]:
        return {"size": options.size}

    def options_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {"size": {"type": "integer", "default": self.default_size}}}

    def opening_plies(self, seats: int) -> int:
        return 0

    def labels(self, language: str) -> Mapping[str, str]:
        return {}

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "toy.Observation", json.dumps(state.observation_json(seat)).encode()

    def decode_observation(self, message: bytes) -> dict[str, Any]:
        observation: dict[str, Any] = json.loads(message)
        return observation

    def render_text(self, state: State, seat: int | None = None, language: str = "en") -> str:
        return str(state.to_json())

    def render_svg(self, state: State, seat: int | None = None, language: str = "en") -> str:
        return "<svg/>"

    def evaluate(self, state: State, seat: int) -> float:
        outcome = state.outcome()
        return 0.5 if outcome is None else float(outcome.ranks[seat] == 1)


class NimState(State):
    """A heap; each turn takes 1 to 3; who takes the last one wins, all others are second."""

    def __init__(self, seats: int, heap: int, turn: int = 0) -> None:
        self.seats, self.heap, self.turn = seats, heap, turn

    def seat(self) -> int | None:
        return self.turn % self.seats if self.heap else None

    def legal_actions(self) -> Sequence[int]:
        return list(range(min(self.heap, 3)))

    def is_legal(self, action: int) -> bool:
        return 0 <= action < min(self.heap, 3)

    def apply_unchecked(self, action: int) -> None:
        self.heap -= action + 1
        self.turn += 1

    def clone(self, chance: Chance | None = None) -> NimState:
        return NimState(self.seats, self.heap, self.turn)

    def outcome(self) -> Outcome | None:
        if self.heap:
            return None
        winner = (self.turn - 1) % self.seats
        return Outcome(tuple(1 if seat == winner else 2 for seat in range(self.seats)), {"turns": self.turn})

    def caretaker_action(self) -> int:
        return 0

    def to_json(self) -> dict[str, Any]:
        return {"seats": self.seats, "heap": self.heap, "turn": self.turn}

    def observation_json(self, seat: int) -> dict[str, Any]:
        return self.to_json()


class Nim(ToyGame):
    name = "nim"
    title = "Nim"
    rules_version = "1"
    seats = range(2, 5)
    actions = ActionTable(["TAKE:1", "TAKE:2", "TAKE:3"])
    max_plies = 100
    has_chance = False
    has_hidden_information = False
    default_size = 21

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> State:
        self.check_seats(seats)
        return NimState(seats, options.size if options else self.default_size)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> State:
        return NimState(data["seats"], data["heap"], data["turn"])

    def determinize(self, observation: Mapping[str, Any], rng: Random) -> State:
        return self.state_from_json(observation)


ROLL, HOLD = 0, 1


class PigState(State):
    """Each seat once throws as often as it likes; a 1 loses what it threw, a 6 is followed by a forced throw.

    At the start each seat draws a card it alone sees, worth 0, 1, 2, ...; it counts at the end.
    """

    def __init__(self, cards: list[int], chance: Chance) -> None:
        self.cards, self.chance = cards, chance
        self.points = [0] * len(cards)
        self.turn = 0
        self.thrown: list[int] = []

    def seat(self) -> int | None:
        return self.turn if self.turn < len(self.cards) else None

    def legal_actions(self) -> Sequence[int]:
        if self.seat() is None:
            return []
        return [ROLL] if not self.thrown or self.thrown[-1] == 6 else [ROLL, HOLD]

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        if action == HOLD:
            self.points[self.turn] = sum(self.thrown)
            self.turn, self.thrown = self.turn + 1, []
            return
        self.thrown.append(self.chance.d6())
        if self.thrown[-1] == 1 or len(self.thrown) == 20:
            self.turn, self.thrown = self.turn + 1, []

    def revealed(self) -> Sequence[Reveal]:
        return (Reveal("d6", (self.thrown[-1],)),) if self.thrown else ()

    def clone(self, chance: Chance | None = None) -> PigState:
        copy = PigState(list(self.cards), chance or SeededChance(0))
        copy.points, copy.turn, copy.thrown = list(self.points), self.turn, list(self.thrown)
        return copy

    def totals(self) -> list[int]:
        return [points + card for points, card in zip(self.points, self.cards, strict=True)]

    def outcome(self) -> Outcome | None:
        if self.seat() is not None:
            return None
        totals = self.totals()
        return Outcome(tuple(1 + sum(other > total for other in totals) for total in totals), {"totals": totals})

    def caretaker_action(self) -> int:
        return self.legal_actions()[-1]

    def to_json(self) -> dict[str, Any]:
        return {"cards": self.cards, "points": self.points, "turn": self.turn, "thrown": self.thrown}

    def observation_json(self, seat: int) -> dict[str, Any]:
        hidden = [card if owner == seat else None for owner, card in enumerate(self.cards)]
        return {**self.to_json(), "cards": hidden}


class Pig(ToyGame):
    name = "pig"
    title = "Pig with a hidden card"
    rules_version = "1"
    seats = range(2, 4)
    actions = ActionTable(["ROLL", "HOLD"])
    max_plies = 100
    has_chance = True
    has_hidden_information = True
    default_size = 0

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> State:
        self.check_seats(seats)
        chance = chance or SeededChance(0)
        return PigState(chance.permutation(seats), chance)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> State:
        state = PigState(list(data["cards"]), chance or SeededChance(0))
        state.points, state.turn, state.thrown = list(data["points"]), data["turn"], list(data["thrown"])
        return state

    def evaluate(self, state: State, seat: int) -> float:
        """By points, a seat that has not thrown yet counting as 6."""
        assert isinstance(state, PigState)
        if state.outcome() is not None:
            return super().evaluate(state, seat)
        totals = state.totals()
        for other in range(state.turn, len(totals)):
            totals[other] += sum(state.thrown) if other == state.turn and state.thrown else 6
        best_other = max(total for other, total in enumerate(totals) if other != seat)
        return 0.5 + tanh((totals[seat] - best_other) / 4) / 2

    def determinize(self, observation: Mapping[str, Any], rng: Random) -> State:
        known = observation["cards"]
        unseen = [card for card in range(len(known)) if card not in known]
        rng.shuffle(unseen)
        cards = [unseen.pop() if card is None else card for card in known]
        return self.state_from_json({**observation, "cards": cards}, SeededChance(rng.getrandbits(32)))


NIM = Nim()
PIG = Pig()
