"""A game for tests in which nothing is hidden or drawn, and the right move is known: built with the kit, as games are.

A heap of counters; each turn takes 1 to 3. Whoever takes the last one wins, the next to have moved is last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.abilities import Playable
from engine.chance import Chance
from engine.core import ActionTable, Game, Observation, Outcome, PositionError, State
from engine.kit.fields import PositionForm, stated, unstated
from engine.kit.forms import Name, Number, Optional, OptionsForm, Seat
from engine.kit.options import DeclaredOptions, option
from engine.kit.options import Number as NumberOption
from engine.kit.phases import OVER, Phase, PhasedState, PhaseTable

MOST_COUNTERS = 99
PHASES = ("TAKE", "END")
TAKE, END = range(2)


@dataclass(frozen=True, slots=True)
class Options:
    heap: int = option(NumberOption(1, MOST_COUNTERS), "counters on the heap", 21)


OPTIONS: Final = DeclaredOptions("nim", Options)


@dataclass(slots=True, init=False, eq=False, repr=False)
class NimState(PhasedState):
    seats: int = stated(Number(2, 4))
    options: Options = stated(OptionsForm(OPTIONS))
    phase: int = stated(Name(PHASES), start=TAKE)
    decider: int | None = stated(Optional(Seat()), key="seat", start=0)
    active: int = stated(Seat(), start=0)
    heap: int = stated(Number(0, MOST_COUNTERS), start=lambda state: state.options.heap)
    legal: Sequence[int] | None = unstated(None, derived=False)

    def clone(self, chance: Chance | None = None) -> NimState:
        del chance
        copy = NimState()
        for name in ("seats", "options", "phase", "decider", "active", "heap", "legal"):
            setattr(copy, name, getattr(self, name))
        return copy

    def to_json(self) -> dict[str, Any]:
        return POSITION.write(self)


POSITION: Final = PositionForm(NimState, "nim", version=1)


def nim(seats: int, heap: int) -> NimState:
    """The start of a game with that heap; an empty one is over, won by the last seat."""
    state = POSITION.start(seats, Options(max(heap, 1)))
    state.heap = heap
    if not heap:
        state.phase, state.decider, state.active = END, None, seats - 1
    return state


def _legal(state: NimState) -> Sequence[int]:
    return list(range(min(state.heap, 3)))


def _is_legal(state: NimState, action: int) -> bool:
    return 0 <= action < min(state.heap, 3)


def _take(state: NimState, action: int) -> None:
    state.heap -= action + 1
    if state.heap:
        state.active = (state.active + 1) % state.seats
        state.decider = state.active
    else:
        state.phase, state.decider = END, None


def _check_take(state: NimState) -> None:
    if not state.heap:
        raise PositionError("phase TAKE: the heap is empty")


def _outcome(state: NimState) -> Outcome:
    ranks = tuple((state.active - seat) % state.seats + 1 for seat in range(state.seats))
    return Outcome(ranks, {"last": state.active})


PhaseTable(
    NimState,
    PHASES,
    {TAKE: Phase(_legal, _is_legal, _take, check=_check_take), END: OVER},
    actions=3,
    outcome=_outcome,
)


def value(state: NimState) -> list[float]:
    """Exact at the end; nothing is known before."""
    outcome = state.outcome()
    if outcome is None:
        return [0.5] * state.seats
    return [(state.seats - rank) / (state.seats - 1) for rank in outcome.ranks]


class Nim(Game):
    name = "nim"
    title = "Nim"
    rules_version = "1"
    seats = range(2, 5)
    actions = ActionTable(["TAKE:1", "TAKE:2", "TAKE:3"])
    options = OPTIONS
    max_plies = 100

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> NimState:
        del chance
        self.check_seats(seats)
        return POSITION.start(seats, options or Options())

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> NimState:
        return POSITION.read(data, chance)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        return "tests.Nim", json.dumps(state.observation_json(seat)).encode()

    def observed(self, message: bytes) -> Observation:
        try:
            return Observation(POSITION.read(json.loads(message)), seat=0)
        except ValueError as error:
            raise PositionError(f"not a position of Nim: {error}") from error

    @property
    def playable(self) -> Playable:
        return Playable(evaluate_all=value, usual_decisions=lambda seats: 3 * seats)


GAME: Final = Nim()
