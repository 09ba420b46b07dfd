"""A game for tests that is small enough to know the right answer: Nim, and the same with dice and a hidden card.

Nim: a heap of counters; each turn takes 1 to 3, who takes the last one wins, all others are second. Nothing is hidden
and there is no chance.

Lucky Nim: points win. Each seat is dealt a card it alone sees, worth 0, 1, 2, ...; it counts at the end. Before
it takes counters, a seat may throw a die as often as it likes: a 6 is followed by a forced throw, a 1 ends the turn,
loses what was thrown in it and removes a counter. Taking ends the turn too; counters and throws are points then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import tanh
from random import Random
from typing import Any

from engine.abilities import Playable
from engine.chance import Chance, SeededChance
from engine.core import ActionTable, Game, Observation, Outcome, PositionError, Reveal, State
from engine.kit.field_codecs import need, read_int, read_ints, read_list, read_object
from engine.kit.options import DeclaredOptions, IntegerOption, option

MOST_TAKEN = 3
MOST_COUNTERS = 100
MOST_THROWS = 20
MOST_POINTS = MOST_COUNTERS * (MOST_TAKEN + 6 * MOST_THROWS)
THROW = MOST_TAKEN
KEYS = ("seats", "heap", "turn", "points", "cards", "thrown")


@dataclass(frozen=True, slots=True)
class NimOptions:
    """What can be chosen for a match."""

    size: int = option(IntegerOption(1, MOST_COUNTERS), "counters on the heap", 30)
    left: int = option(IntegerOption(0, MOST_COUNTERS), "how many of them are left at the start; 0 for all", 0)


class NimTable(DeclaredOptions[NimOptions]):
    """The options, of which a position alone sets how many counters are left."""

    def to_json(self, options: NimOptions) -> dict[str, Any]:
        return {name: value for name, value in super().to_json(options).items() if name != "left" or value}

    def schema(self) -> dict[str, Any]:
        listed = DeclaredOptions(self._game, NimOptions).schema()
        del listed["properties"]["left"]
        return listed


class NimState(State):
    """The heap, and what luck gave: no cards are dealt, and no die is thrown, in a plain game."""

    __slots__ = ("cards", "chance", "heap", "last", "points", "seats", "thrown", "turn")

    def __init__(self, seats: int, heap: int, cards: Sequence[int] = (), chance: Chance | None = None) -> None:
        self.seats, self.heap, self.turn = seats, heap, 0
        self.cards = list(cards)
        self.points = [0] * seats
        self.thrown: list[int] = []
        self.chance = chance or SeededChance(None)
        self.last: tuple[Reveal, ...] = ()

    @property
    def is_lucky(self) -> bool:
        return bool(self.cards)

    def seat(self) -> int | None:
        return self.turn % self.seats if self.heap else None

    def legal_actions(self) -> Sequence[int]:
        takes = list(range(min(self.heap, MOST_TAKEN)))
        if not self.heap or not self.is_lucky or len(self.thrown) == MOST_THROWS:
            return takes
        return [THROW] if self.thrown[-1:] == [6] else [*takes, THROW]

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        self.last = ()
        if action == THROW:
            self.throw()
            return
        taken = action + 1
        self.points[self.turn % self.seats] += self.worth(taken) + sum(self.thrown)
        self.end_turn(taken)

    def worth(self, taken: int) -> int:
        """Return the points of taking so many counters; in a plain game only the last one counts."""
        return taken if self.is_lucky else int(taken == self.heap)

    def throw(self) -> None:
        face = self.chance.d6()
        self.last = (Reveal("d6", (face,)),)
        if face == 1:
            self.end_turn(1)
        else:
            self.thrown.append(face)

    def end_turn(self, removed: int) -> None:
        self.heap -= removed
        self.turn += 1
        self.thrown = []

    def clone(self, chance: Chance | None = None) -> NimState:
        copy = NimState(self.seats, self.heap, self.cards, chance)
        copy.turn, copy.points, copy.thrown, copy.last = self.turn, list(self.points), list(self.thrown), self.last
        return copy

    def totals(self) -> list[int]:
        """Return the points of each seat, its card among them."""
        cards = self.cards or [0] * self.seats
        return [points + card for points, card in zip(self.points, cards, strict=True)]

    def outcome(self) -> Outcome | None:
        if self.heap:
            return None
        totals = self.totals()
        ranks = tuple(1 + sum(other > total for other in totals) for total in totals)
        return Outcome(ranks, {"turns": self.turn, "totals": totals} if self.is_lucky else {"turns": self.turn})

    def caretaker_action(self) -> int:
        return self.legal_actions()[0]

    def to_json(self) -> dict[str, Any]:
        lists = {"points": list(self.points), "cards": list(self.cards), "thrown": list(self.thrown)}
        return {"seats": self.seats, "heap": self.heap, "turn": self.turn, **lists}

    def observation_json(self, seat: int) -> dict[str, Any]:
        seen = [card if owner == seat else None for owner, card in enumerate(self.cards)]
        return {**self.to_json(), "cards": seen}

    def revealed(self) -> Sequence[Reveal]:
        return self.last


class Nim(Game):
    """The game as the registry hands it out, with luck or without."""

    rules_version = "1"
    seats = range(2, 5)

    def __init__(self, name: str, title: str, *, is_lucky: bool) -> None:
        self.name, self.title = name, title
        self.options = NimTable(name, NimOptions)
        self.actions = ActionTable(["TAKE:1", "TAKE:2", "TAKE:3", "THROW"][: MOST_TAKEN + is_lucky])
        self.max_plies = MOST_COUNTERS * (1 + MOST_THROWS * is_lucky)
        self.has_chance = self.has_hidden_information = is_lucky

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> NimState:
        self.check_seats(seats)
        chance = chance or SeededChance(None)
        cards = chance.permutation(seats) if self.has_chance else ()
        chosen = options or NimOptions()
        return NimState(seats, chosen.left or chosen.size, cards, chance)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> NimState:
        read_object(data, "the position", KEYS)
        seats = read_int(data["seats"], "seats", self.seats[0], self.seats[-1])
        heap = read_int(data["heap"], "heap", 0, MOST_COUNTERS)
        cards = read_ints(data["cards"], "cards", seats * self.has_chance, seats - 1)
        need(len(set(cards)) == len(cards), "cards: two are equal")
        state = NimState(seats, heap, cards, chance)
        state.turn = read_int(data["turn"], "turn", 0, MOST_COUNTERS)
        state.points = read_ints(data["points"], "points", seats, MOST_POINTS)
        state.thrown = self.read_thrown(data["thrown"])
        return state

    def read_thrown(self, value: Any) -> list[int]:
        """Return the throws of the turn so far. Raises PositionError."""
        number = len(read_list(value, "thrown"))
        need(number <= MOST_THROWS * self.has_chance, "thrown: so often nobody throws")
        return [read_int(face, "thrown", 2, 6) for face in value]

    def begin_at(self, position: str | Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[int]] | None:
        """Return the options of a heap of so many counters; other positions are not set up."""
        if isinstance(position, str):
            return None
        return {"left": read_int(position.get("heap"), "heap", 1, MOST_COUNTERS)}, ()

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "arena.tests.Nim", json.dumps({**state.observation_json(seat), "you": seat}).encode()

    def observed(self, message: bytes) -> Observation:
        """Read what a seat saw; the cards that it did not see stand in ascending order."""
        try:
            data = json.loads(message)
        except ValueError as error:
            raise PositionError(f"no observation of {self.name}: {error}") from error
        read_object(data, "the observation", (*KEYS, "you"))
        seats = read_int(data["seats"], "seats", self.seats[0], self.seats[-1])
        seat = read_int(data["you"], "you", 0, seats - 1)
        seen = {key: data[key] for key in KEYS}
        state = self.state_from_json({**seen, "cards": fill_in(read_list(seen["cards"], "cards"), seat, seats)})
        need(state.observation_json(seat) == seen, "cards: others than one's own are seen")
        return Observation(state, seat)

    @property
    def playable(self) -> Playable:
        return Playable(evaluate_all=value, redraw=redraw, usual_decisions=lambda _: 30)


def fill_in(seen: list[Any], seat: int, seats: int) -> list[Any]:
    """Return the cards of all seats, those of the others ascending; none where none were dealt."""
    if not seen:
        return []
    need(len(seen) == seats, "cards: not one for each seat")
    own = read_int(seen[seat], "cards", 0, seats - 1)
    others = iter(sorted(set(range(seats)) - {own}))
    return [own if owner == seat else next(others) for owner in range(seats)]


def value(state: NimState) -> list[float]:
    """Return how good the position is for each seat: by points where they count, all alike in a plain game."""
    outcome = state.outcome()
    if outcome is not None:
        return [share(rank, outcome.ranks) for rank in outcome.ranks]
    if not state.is_lucky:
        return [0.5] * state.seats
    totals = state.totals()
    totals[state.turn % state.seats] += sum(state.thrown)
    return [
        0.5 + tanh((mine - max(total for other, total in enumerate(totals) if other != seat)) / 4) / 2
        for seat, mine in enumerate(totals)
    ]


def share(rank: int, ranks: Sequence[int]) -> float:
    """Return what a rank is worth at the end: 1 for the first alone, 0 for the last alone, ties their mean."""
    ahead = rank - 1 + (ranks.count(rank) - 1) / 2
    return 1 - ahead / (len(ranks) - 1)


def redraw(state: NimState, seat: int, random: Random) -> NimState:
    """Return a copy in which the cards of the others, and all throws to come, are drawn from `random`."""
    unseen = sorted(card for owner, card in enumerate(state.cards) if owner != seat)
    random.shuffle(unseen)
    copy = state.clone(SeededChance(random.getrandbits(32)))
    copy.cards = [card if owner == seat else unseen.pop() for owner, card in enumerate(state.cards)]
    return copy


NIM = Nim("nim", "Nim", is_lucky=False)
LUCKY_NIM = Nim("lucky_nim", "Lucky Nim", is_lucky=True)
GAME = NIM
