"""The Foreign King as a game of one seat that decides for everybody, so that one stream is always busy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self
from unittest import mock

from engine import registry
from engine.chance import Chance
from engine.core import Outcome, State
from engine.games.foreign_king import GAME

NAME = "solo"
SEATS_INSIDE = 3


class SoloState(State):
    """Passes everything on; whoever decides is seat 0."""

    __slots__ = ("inner",)

    def __init__(self, inner: State) -> None:
        self.inner = inner

    def seat(self) -> int | None:
        return None if self.inner.seat() is None else 0

    def legal_actions(self) -> Sequence[int]:
        return self.inner.legal_actions()

    def is_legal(self, action: int) -> bool:
        return self.inner.is_legal(action)

    def apply_unchecked(self, action: int) -> None:
        self.inner.apply_unchecked(action)

    def clone(self, chance: Chance | None = None) -> Self:
        return type(self)(self.inner.clone(chance))

    def outcome(self) -> Outcome | None:
        outcome = self.inner.outcome()
        return Outcome((1,), outcome.details) if outcome else None

    def caretaker_action(self) -> int:
        return self.inner.caretaker_action()

    def to_json(self) -> dict[str, Any]:
        return self.inner.to_json()

    def observation_json(self, seat: int) -> dict[str, Any]:
        return self.inner.observation_json(seat)


class SoloGame(type(GAME)):  # type: ignore[misc] # the class of the game, whatever it is called
    """The rules, for one seat."""

    name = NAME
    seats = range(1, 2)

    def new_state(self, seats: int, options: Any = None, chance: Chance | None = None) -> SoloState:
        self.check_seats(seats)
        return SoloState(GAME.new_state(SEATS_INSIDE, options, chance))

    def encode_observation(self, state: State, _seat: int) -> tuple[str, bytes]:
        assert isinstance(state, SoloState)
        return GAME.encode_observation(state.inner, state.inner.seat() or 0)


SOLO = SoloGame(type(GAME).__module__)


@contextmanager
def installed() -> Iterator[None]:
    """`registry.get("solo")` is this game as long as this is open."""
    get = registry.get
    with (
        mock.patch.object(registry, "get", lambda name: SOLO if name == NAME else get(name)),
        # Bots are told of it when they join.
        mock.patch.object(registry, "single_names", return_value=(*registry.single_names(), NAME)),
    ):
        yield
