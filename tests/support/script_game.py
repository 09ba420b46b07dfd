"""A game for tests whose course is an option: every decision is written down beforehand. It offers as little as can be.

The option `script` is a text of steps such as `0:3 0:1 1:2d`: seat 0 chooses among 3 actions, then has one, then seat 1
chooses among 2 and a die is thrown. Action n gives its seat n points; more points rank better. In a step like `0:p` the
seat plays a turn of Pig: it throws (0) as often as it likes and then keeps (1) the sum; a 1 ends the turn with nothing,
a 6 is followed by a forced throw. If the script begins with `cards`, each seat first draws a card that it alone sees,
worth 0, 1, 2, ... points.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import tanh
from random import Random
from typing import Any, Final

from engine.abilities import Playable
from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, Observation, OptionsError, Outcome, PositionError, Reveal, State
from engine.kit.options import DeclaredOptions, option

MOST_ACTIONS = 8
THROW, KEEP = 0, 1
MOST_THROWS = 20
PIG = "cards 0:p 1:p"
"""Two seats play one turn of Pig each, with hidden cards."""


@dataclass(frozen=True, slots=True)
class Text:
    """What an option takes: any text."""

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
    is_pig: bool


@cache
def parse_script(text: str) -> tuple[Step, ...]:
    steps = []
    for word in text.split():
        seat, _, rest = word.partition(":")
        if rest:
            steps.append(Step(int(seat), int(rest.rstrip("dp") or 2), rest.endswith("d"), rest == "p"))
    return tuple(steps)


class ScriptState(State):
    """A position; `cards` are points of their seats that only they see."""

    def __init__(self, script: str, cards: Sequence[int], chance: Chance) -> None:
        self.script, self.steps, self.chance = script, parse_script(script), chance
        self.cards = list(cards)
        self.scores = [0] * len(cards)
        self.at = 0
        self.thrown: list[int] = []
        self.last: tuple[Reveal, ...] = ()

    def seat(self) -> int | None:
        return self.steps[self.at].seat if self.at < len(self.steps) else None

    def legal_actions(self) -> Sequence[int]:
        if self.seat() is None:
            return ()
        step = self.steps[self.at]
        if step.is_pig:
            return [THROW] if not self.thrown or self.thrown[-1] == 6 else [THROW, KEEP]
        return range(step.actions)

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        step, self.last = self.steps[self.at], ()
        if step.is_pig:
            self._play_pig(step, action)
            return
        self.scores[step.seat] += action
        self.at += 1
        if step.throws:
            self._throw()

    def _play_pig(self, step: Step, action: int) -> None:
        if action == KEEP:
            self.scores[step.seat] += sum(self.thrown)
        else:
            self.thrown.append(self._throw())
            if self.thrown[-1] != 1 and len(self.thrown) < MOST_THROWS:
                return
        self.at, self.thrown = self.at + 1, []

    def _throw(self) -> int:
        face = self.chance.d6()
        self.last = (Reveal("d6", (face,)),)
        return face

    def revealed(self) -> Sequence[Reveal]:
        return self.last

    def clone(self, chance: Chance | None = None) -> ScriptState:
        twin = ScriptState(self.script, self.cards, chance or SeededChance(0))
        twin.scores, twin.at, twin.thrown, twin.last = list(self.scores), self.at, list(self.thrown), self.last
        return twin

    def totals(self) -> list[int]:
        return [score + card for score, card in zip(self.scores, self.cards, strict=True)]

    def outcome(self) -> Outcome | None:
        if self.seat() is not None:
            return None
        totals = self.totals()
        return Outcome(tuple(1 + sum(other > total for other in totals) for total in totals), {"scores": totals})

    def caretaker_action(self) -> int:
        return self.legal_actions()[-1] if self.steps[self.at].is_pig else 0

    def to_json(self) -> dict[str, Any]:
        return {
            "script": self.script,
            "cards": list(self.cards),
            "scores": list(self.scores),
            "at": self.at,
            "thrown": list(self.thrown),
        }

    def observation_json(self, seat: int) -> dict[str, Any]:
        is_hidden = self.script.startswith("cards")
        cards = [None if is_hidden and owner != seat else card for owner, card in enumerate(self.cards)]
        return {**self.to_json(), "cards": cards, "you": seat}


def value(state: ScriptState) -> list[float]:
    """By points, a seat with a turn of Pig to come counting as 6."""
    totals = state.totals()
    for place, step in enumerate(state.steps[state.at :]):
        if step.is_pig:
            totals[step.seat] += sum(state.thrown) if place == 0 and state.thrown else 6
    seats = range(len(totals))
    others = [max((totals[other] for other in seats if other != seat), default=0) for seat in seats]
    if state.seat() is None:
        return [float(total >= best) for total, best in zip(totals, others, strict=True)]
    return [0.5 + tanh((total - best) / 4) / 2 for total, best in zip(totals, others, strict=True)]


def redraw(state: ScriptState, seat: int, random: Random) -> ScriptState:
    copy = state.clone(SeededChance(random.getrandbits(32)))
    if state.script.startswith("cards"):
        unseen = sorted(card for owner, card in enumerate(state.cards) if owner != seat)
        random.shuffle(unseen)
        copy.cards = [card if owner == seat else unseen.pop() for owner, card in enumerate(state.cards)]
    return copy


class ScriptGame(Game):
    name = "script"
    title = "Script"
    rules_version = "1"
    seats = range(1, 9)
    actions = ActionTable([f"ADD:{points}" for points in range(MOST_ACTIONS)])
    options = DeclaredOptions("script", ScriptOptions)
    max_plies = 1000
    has_chance = True
    has_hidden_information = True

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> ScriptState:
        self.check_seats(seats)
        script, chance = (options or ScriptOptions()).script, chance or SeededChance(0)
        return ScriptState(script, chance.permutation(seats) if script.startswith("cards") else [0] * seats, chance)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> ScriptState:
        try:
            state = ScriptState(data["script"], data["cards"], chance or SeededChance(0))
            state.scores, state.at, state.thrown = list(data["scores"]), data["at"], list(data["thrown"])
        except (KeyError, TypeError) as error:
            raise PositionError(f"not a position of a script: {error!r}") from error
        return state

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "arena.tests.Script", json.dumps(state.observation_json(seat)).encode()

    def observed(self, message: bytes) -> Observation:
        """The cards that are not seen stand in ascending order."""
        seen = json.loads(message)
        unseen = [card for card in range(len(seen["cards"])) if card not in seen["cards"]]
        cards = [unseen.pop(0) if card is None else card for card in seen["cards"]]
        return Observation(self.state_from_json({**seen, "cards": cards}), seen["you"])

    @property
    def playable(self) -> Playable:
        return Playable(evaluate_all=value, redraw=redraw)


GAME: Final = ScriptGame()
