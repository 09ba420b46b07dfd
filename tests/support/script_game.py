"""A game for tests whose course is an option: every decision is written down beforehand.

The option `script` is a text of steps such as `0:3 0:1 1:2d`: seat 0 chooses among 3 actions, then has one, then
seat 1 chooses among 2 and a die is thrown. Action n gives its seat n points; more points rank better.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Self

from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, OptionsError, Outcome, Reveal, State

MOST_ACTIONS = 8


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    script: str = "0:2 1:2 0:2 1:2"


@dataclass(frozen=True, slots=True)
class Step:
    seat: int
    actions: int
    throws: bool


def parse_script(text: str) -> tuple[Step, ...]:
    steps = []
    for word in text.split():
        seat, _, rest = word.partition(":")
        steps.append(Step(int(seat), int(rest.rstrip("d")), rest.endswith("d")))
    return tuple(steps)


class ScriptState(State):
    def __init__(self, seats: int, script: tuple[Step, ...], chance: Chance) -> None:
        self.scores = [0] * seats
        self.script = script
        self.at = 0
        self.chance = chance
        self.last: tuple[Reveal, ...] = ()

    def seat(self) -> int | None:
        return self.script[self.at].seat if self.at < len(self.script) else None

    def legal_actions(self) -> Sequence[int]:
        return range(self.script[self.at].actions) if self.at < len(self.script) else ()

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        step = self.script[self.at]
        self.scores[step.seat] += action
        self.at += 1
        self.last = (Reveal("d6", (self.chance.d6(),)),) if step.throws else ()

    def clone(self, chance: Chance | None = None) -> Self:
        twin = type(self)(len(self.scores), self.script, chance or SeededChance(0))
        twin.scores, twin.at, twin.last = list(self.scores), self.at, self.last
        return twin

    def outcome(self) -> Outcome | None:
        if self.at < len(self.script):
            return None
        ranks = tuple(1 + sum(other > score for other in self.scores) for score in self.scores)
        return Outcome(ranks, {"scores": list(self.scores)})

    def caretaker_action(self) -> int:
        return 0

    def to_json(self) -> dict[str, Any]:
        return {"scores": list(self.scores), "at": self.at}

    def observation_json(self, seat: int) -> dict[str, Any]:
        return {**self.to_json(), "you": seat}

    def revealed(self) -> Sequence[Reveal]:
        return self.last


class ScriptGame(Game):
    name = "script"
    title = "Script"
    rules_version = "1"
    seats = range(1, 9)
    actions = ActionTable([f"ADD:{points}" for points in range(MOST_ACTIONS)])
    options_type = ScriptOptions
    max_plies = 1000
    has_chance = True
    has_hidden_information = False

    def parse_options(self, values: Mapping[str, Any]) -> ScriptOptions:
        if unknown := set(values) - {"script"}:
            raise OptionsError(f"unknown option {min(unknown)!r}; there is: script")
        return ScriptOptions(**values)

    def options_json(self, options: ScriptOptions) -> dict[str, Any]:
        return {"script": options.script}

    def options_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {"script": {"type": "string"}}}

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> ScriptState:
        self.check_seats(seats)
        return ScriptState(seats, parse_script((options or ScriptOptions()).script), chance or SeededChance(0))

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> ScriptState:
        raise NotImplementedError

    def evaluate(self, state: State, seat: int) -> float:
        raise NotImplementedError

    def determinize(self, observation: Mapping[str, Any], rng: Random) -> ScriptState:
        raise NotImplementedError

    def opening_plies(self, seats: int) -> int:  # noqa: ARG002 - the contract's name
        return 0

    def labels(self, language: str) -> Mapping[str, str]:  # noqa: ARG002 - the contract's name
        return {}

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "arena.tests.Script", json.dumps(state.observation_json(seat)).encode()

    def decode_observation(self, message: bytes) -> dict[str, Any]:
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def render_text(self, state: State, seat: int | None = None, language: str = "en") -> str:
        raise NotImplementedError

    def render_svg(self, state: State, seat: int | None = None, language: str = "en") -> str:
        raise NotImplementedError


GAME = ScriptGame()
