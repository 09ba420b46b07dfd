"""A game for tests whose course is an option: every decision is written down beforehand.

The option `script` is a text of steps such as `0:3 0:1 1:2d`: seat 0 chooses among 3 actions, then has one, then
seat 1 chooses among 2 and a die is thrown. Action n gives its seat n points; more points rank better.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, Observation, OptionsError, Outcome, Reveal, State
from engine.kit.options import DeclaredOptions, option

MOST_ACTIONS = 8


@dataclass(frozen=True, slots=True)
class Text:
    """Any text."""

    first: str

    def read(self, path: str, value: Any, default: Any) -> str:
        del default
        if not isinstance(value, str):
            raise OptionsError(f"option {path} takes a text, not {value!r}")
        return value

    def write(self, value: str) -> str:
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    script: str = option(Text("0:2 1:2 0:2 1:2"), "the steps")


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
    options = DeclaredOptions("script", ScriptOptions)
    max_plies = 1000
    has_chance = True

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> ScriptState:
        self.check_seats(seats)
        return ScriptState(seats, parse_script((options or ScriptOptions()).script), chance or SeededChance(0))

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> ScriptState:
        raise NotImplementedError

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "arena.tests.Script", json.dumps(state.observation_json(seat)).encode()

    def observed(self, message: bytes) -> Observation:
        raise NotImplementedError


GAME = ScriptGame()
