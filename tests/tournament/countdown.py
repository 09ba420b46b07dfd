"""A game for tests: seats take 1 to 3 tokens in turn, whoever takes the last wins, the next to have moved is last."""

# ruff: noqa: ARG002 - a game this small needs few of its arguments

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.chance import Chance
from engine.core import ActionTable, Game, Observation, Outcome, State
from engine.kit.options import DeclaredOptions, Number, option


@dataclass(frozen=True, slots=True)
class Options:
    tokens: int = option(Number(1, 99), "how many there are to take", 9)


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
    options = DeclaredOptions("countdown", Options)
    max_plies = 100

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> CountdownState:
        self.check_seats(seats)
        return CountdownState(seats, (options or Options()).tokens)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> CountdownState:
        return CountdownState(**data)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        raise NotImplementedError

    def observed(self, message: bytes) -> Observation:
        raise NotImplementedError


GAME = Countdown()
