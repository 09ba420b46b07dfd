"""Two games small enough to know the right answer: Nim (nothing hidden, no chance), and Pig with a hidden card."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import tanh
from random import Random
from typing import Any

from engine.abilities import Playable
from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, Observation, Outcome, Reveal, State
from engine.kit.options import DeclaredOptions, Number, no_options, option


@dataclass(frozen=True, slots=True)
class NimOptions:
    size: int = option(Number(1, 99), "counters on the heap", 21)


class ToyGame(Game):
    """What both have in common: JSON for an observation."""

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "toy.Observation", json.dumps({**state.observation_json(seat), "to": seat}).encode()


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
    options = DeclaredOptions("nim", NimOptions)
    max_plies = 100

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> State:
        self.check_seats(seats)
        return NimState(seats, (options or NimOptions()).size)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> State:
        return NimState(data["seats"], data["heap"], data["turn"])

    def observed(self, message: bytes) -> Observation:
        seen = json.loads(message)
        return Observation(self.state_from_json(seen), seen["to"])

    @property
    def playable(self) -> Playable:
        return Playable(evaluate_all=value_nim)


def value_nim(state: NimState) -> list[float]:
    outcome = state.outcome()
    return [0.5 if outcome is None else float(outcome.ranks[seat] == 1) for seat in range(state.seats)]


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
    options = no_options("pig")

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> State:
        self.check_seats(seats)
        chance = chance or SeededChance(0)
        return PigState(chance.permutation(seats), chance)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> State:
        state = PigState(list(data["cards"]), chance or SeededChance(0))
        state.points, state.turn, state.thrown = list(data["points"]), data["turn"], list(data["thrown"])
        return state

    def observed(self, message: bytes) -> Observation:
        """The cards that are not seen stand in ascending order."""
        seen = json.loads(message)
        unseen = [card for card in range(len(seen["cards"])) if card not in seen["cards"]]
        cards = [unseen.pop(0) if card is None else card for card in seen["cards"]]
        return Observation(self.state_from_json({**seen, "cards": cards}), seen["to"])

    @property
    def playable(self) -> Playable:
        return Playable(evaluate_all=value_pig, redraw=redraw_pig)


def value_pig(state: PigState) -> list[float]:
    """By points, a seat that has not thrown yet counting as 6."""
    outcome = state.outcome()
    if outcome is not None:
        return [float(rank == 1) for rank in outcome.ranks]
    totals = state.totals()
    for other in range(state.turn, len(totals)):
        totals[other] += sum(state.thrown) if other == state.turn and state.thrown else 6
    return [
        0.5 + tanh((mine - max(total for other, total in enumerate(totals) if other != seat)) / 4) / 2
        for seat, mine in enumerate(totals)
    ]


def redraw_pig(state: PigState, seat: int, random: Random) -> PigState:
    unseen = sorted(card for owner, card in enumerate(state.cards) if owner != seat)
    random.shuffle(unseen)
    copy = state.clone(SeededChance(random.getrandbits(32)))
    copy.cards = [card if owner == seat else unseen.pop() for owner, card in enumerate(state.cards)]
    return copy


NIM = Nim()
PIG = Pig()
