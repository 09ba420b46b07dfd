"""A game for tests whose course is an option: every decision is written down beforehand.

The option `script` is a text of steps such as `0:3 0:1 1:2d`: seat 0 chooses among 3 actions, then has one, then
seat 1 chooses among 2 and a die is thrown. Seats are counted round the table, so that a script fits every number of
them; the word `shuffle` before the steps draws who sits where. Action n gives its seat n points; more points rank
better.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, Observation, OptionsError, Outcome, PositionError, Reveal, State
from engine.kit.field_codecs import distinct, read_int, read_ints, read_list, read_object
from engine.kit.options import DeclaredOptions, option

MOST_ACTIONS = 8
MOST_POINTS = 10**6
SHUFFLE = "shuffle"
KEYS = ("script", "order", "scores", "at")
STEP = re.compile(rf"(\d{{1,3}}):([1-{MOST_ACTIONS}])(d?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: the place at the table that makes it, its number of actions, and whether a die follows."""

    place: int
    actions: int
    throws: bool


@cache
def parse_script(text: str) -> tuple[Step, ...]:
    """Return the steps of a script. Raises OptionsError naming the word that is none."""
    return tuple(parse_step(word) for word in text.removeprefix(SHUFFLE).split())


def parse_step(word: str) -> Step:
    found = STEP.fullmatch(word)
    if found is None:
        raise OptionsError(f"option script takes steps such as 0:3 or 1:2d, not {word!r}")
    place, actions, die = found.groups()
    return Step(int(place), int(actions), bool(die))


@dataclass(frozen=True, slots=True)
class Script:
    """The kind of an option whose value is a script."""

    first: str

    def read(self, path: str, value: Any, default: Any) -> str:
        del default
        if not isinstance(value, str):
            raise OptionsError(f"option {path} takes a text, not {value!r}")
        parse_script(value)
        return value

    def write(self, value: str) -> str:
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    """What can be chosen for a match."""

    script: str = option(Script("0:2 1:2d 0:2 1:2"), "the steps")


class ScriptState(State):
    """Points by seat, who sits where, and how many steps are over."""

    __slots__ = ("at", "chance", "last", "order", "scores", "script", "steps")

    def __init__(self, script: str, order: list[int], chance: Chance) -> None:
        self.script = script
        self.steps = parse_script(script)
        self.order = order
        self.scores = [0] * len(order)
        self.at = 0
        self.chance = chance
        self.last: tuple[Reveal, ...] = ()

    def seat(self) -> int | None:
        return self.order[self.steps[self.at].place % len(self.order)] if self.at < len(self.steps) else None

    def legal_actions(self) -> Sequence[int]:
        return range(self.steps[self.at].actions) if self.at < len(self.steps) else ()

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        step = self.steps[self.at]
        self.scores[self.order[step.place % len(self.order)]] += action
        self.at += 1
        self.last = (Reveal("d6", (self.chance.d6(),)),) if step.throws else ()

    def clone(self, chance: Chance | None = None) -> Self:
        twin = type(self)(self.script, list(self.order), chance or SeededChance(0))
        twin.scores, twin.at, twin.last = list(self.scores), self.at, self.last
        return twin

    def outcome(self) -> Outcome | None:
        if self.at < len(self.steps):
            return None
        ranks = tuple(1 + sum(other > score for other in self.scores) for score in self.scores)
        return Outcome(ranks, {"scores": list(self.scores)})

    def caretaker_action(self) -> int:
        return 0

    def to_json(self) -> dict[str, Any]:
        return {"script": self.script, "order": list(self.order), "scores": list(self.scores), "at": self.at}

    def revealed(self) -> Sequence[Reveal]:
        return self.last


class ScriptGame(Game):
    """The game as the registry hands it out; it has no evaluation and no picture."""

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
        script = (options or ScriptOptions()).script
        chance = chance or SeededChance(None)
        order = chance.permutation(seats) if script.startswith(SHUFFLE) else list(range(seats))
        return ScriptState(script, order, chance)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> ScriptState:
        read_object(data, "the position", KEYS)
        try:
            script = self.parse_options({"script": data["script"]}).script
        except OptionsError as error:
            raise PositionError(str(error)) from error
        seats = read_int(len(read_list(data["order"], "order")), "order", self.seats[0], self.seats[-1])
        order = distinct(read_ints(data["order"], "order", seats, seats - 1), "order")
        state = ScriptState(script, order, chance or SeededChance(None))
        state.scores = read_ints(data["scores"], "scores", seats, MOST_POINTS)
        state.at = read_int(data["at"], "at", 0, len(state.steps))
        return state

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "arena.tests.Script", json.dumps({**state.observation_json(seat), "you": seat}).encode()

    def observed(self, message: bytes) -> Observation:
        try:
            data = json.loads(message)
        except ValueError as error:
            raise PositionError(f"no observation of a script: {error}") from error
        read_object(data, "the observation", (*KEYS, "you"))
        state = self.state_from_json({key: data[key] for key in KEYS})
        return Observation(state, read_int(data["you"], "you", 0, len(state.order) - 1))


GAME = ScriptGame()
