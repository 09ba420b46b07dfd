"""A game for tests: seats take 1 to 3 tokens in turn, whoever takes the last wins, the next to have moved is last."""

# ruff: noqa: ARG002 - a game this small needs few of its arguments

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.chance import Chance
from engine.core import ActionTable, Game, OptionsError, Outcome, State


@dataclass(frozen=True, slots=True)
class Options:
    tokens: int = 9


class CountdownState(State):
    __slots__ = ("mover", "seats", "tokens")

    def __init__(self, seats: int, tokens: int, mover: int = 0) -> None:
        self.seats, self.tokens, self.mover = seats, tokens, mover

    def seat(self) -> int | None:
        return self.mover if self.tokens else None

    def legal_actions(self) -> Sequence[int]:
        return range(min(3, self.tokens))

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        self.tokens -= action + 1
        self.mover = (self.mover + 1) % self.seats

    def clone(self, chance: Chance | None = None) -> CountdownState:
        return CountdownState(self.seats, self.tokens, self.mover)

    def outcome(self) -> Outcome | None:
        if self.tokens:
            return None
        winner = (self.mover - 1) % self.seats
        return Outcome(tuple((winner - seat) % self.seats + 1 for seat in range(self.seats)))

    def caretaker_action(self) -> int:
        return 0

    def to_json(self) -> dict[str, Any]:
        return {"seats": self.seats, "tokens": self.tokens, "mover": self.mover}

    def observation_json(self, seat: int) -> dict[str, Any]:
        return self.to_json()


class Countdown(Game):
    name = "countdown"
    title = "Countdown"
    rules_version = "1"
    seats = range(2, 5)
    actions = ActionTable(["TAKE:1", "TAKE:2", "TAKE:3"])
    options_type = Options
    max_plies = 100
    has_chance = False
    has_hidden_information = False

    def parse_options(self, values: Mapping[str, Any]) -> Options:
        unknown = set(values) - {"tokens"}
        if unknown:
            raise OptionsError(f"unknown option {min(unknown)!r}; the options are: tokens")
        return Options(int(values.get("tokens", 9)))

    def options_json(self, options: Any) -> dict[str, Any]:
        return {"tokens": options.tokens}

    def options_schema(self) -> dict[str, Any]:
        return {}

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> CountdownState:
        self.check_seats(seats)
        return CountdownState(seats, (options or Options()).tokens)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> CountdownState:
        return CountdownState(**data)

    def evaluate(self, state: State, seat: int) -> float:
        return 0.5

    def determinize(self, observation: Mapping[str, Any], rng: Random) -> State:
        return self.state_from_json(observation)

    def opening_plies(self, seats: int) -> int:
        return seats

    def labels(self, language: str) -> Mapping[str, str]:
        return {}

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        raise NotImplementedError

    def decode_observation(self, message: bytes) -> dict[str, Any]:
        raise NotImplementedError

    def render_text(self, state: State, seat: int | None = None, language: str = "en") -> str:
        raise NotImplementedError

    def render_svg(self, state: State, seat: int | None = None, language: str = "en") -> str:
        raise NotImplementedError


GAME = Countdown()
