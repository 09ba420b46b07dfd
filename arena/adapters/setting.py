"""What is played: a game, its number of seats and its options, checked once; and what its end is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from random import Random
from typing import Any

from arena.adapters.library import AdapterError
from arena.tournament.formats.openings import draw_opening
from engine import registry
from engine.chance import SeededChance
from engine.core import Game, State

_MOST_OPENING = 200
USUAL_SEATS = 3


@dataclass(frozen=True, slots=True)
class GameSetting:
    """A game as it is set up for every playing."""

    game: Game
    seats: int
    options: Any
    """The validated options of the game."""
    opening_plies: int = 0
    """How many uniformly random actions begin a playing."""

    def read_action(self, action: Any) -> int:
        """Return the id of an action. Raises AdapterError for what is none."""
        chosen, count = _whole("an action", action), len(self.game.actions)
        if chosen not in range(count):
            raise AdapterError(f"no action has the id {chosen}; ids are 0 to {count - 1}")
        return chosen

    def start(self, random: Random) -> State:
        """Return the first position of a new playing, its chance and its opening drawn from `random`."""
        chance_seed = random.getrandbits(53)
        state = self.game.new_state(self.seats, self.options, SeededChance(chance_seed))
        for action in self.draw_opening(chance_seed, random):
            state.apply_unchecked(action)
        return state

    def draw_opening(self, chance_seed: int, random: Random) -> tuple[int, ...]:
        """Return random actions that begin a playing with this chance; after them somebody still has a choice."""
        if not self.opening_plies:
            return ()
        return draw_opening(
            self.game,
            seats=self.seats,
            options=self.options,
            chance_seed=chance_seed,
            seed=random.getrandbits(53),
            plies=self.opening_plies,
        )


def setting_of(
    game: str | Game, seats: int | None, options: Mapping[str, Any] | None = None, opening_plies: int = 0
) -> GameSetting:
    """Return what is played; without `seats`, the only number that the game permits, or else USUAL_SEATS.

    Raises AdapterError, or UnknownGameError, SeatsError and OptionsError of the engine.
    """
    if isinstance(game, str):
        game = registry.get(game)
    elif not isinstance(game, Game):
        raise AdapterError(f"game is the name of a game, such as 'foreign_king', not {game!r:.60}")
    count = _whole("seats", game.only_seats or USUAL_SEATS if seats is None else seats)
    game.check_seats(count)
    if options is not None and not isinstance(options, Mapping):
        raise AdapterError(f"options is a dict of the game's options by name, not {options!r:.60}")
    plies = _whole("opening_plies", opening_plies)
    if not 0 <= plies <= _MOST_OPENING:
        raise AdapterError(f"opening_plies is from 0 to {_MOST_OPENING}, not {plies}")
    if plies and game.has_chance:
        raise AdapterError(f"{game.name} begins differently by its own chance; leave opening_plies at 0")
    return GameSetting(game, count, game.parse_options(options or {}), plies)


def random_of(seed: int | None) -> Random:
    """Return what all chance is drawn from; without a seed another one each time. Raises AdapterError."""
    return Random(None if seed is None else _whole("seed", seed))


def _whole(name: str, value: Any) -> int:
    try:
        return index(value)
    except TypeError:
        raise AdapterError(f"{name} is a whole number, not {value!r:.60}") from None


def utilities(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return a number for each seat from 1 (first alone) to -1 (last alone), evenly spaced; their sum is 0.

    Seats that tie share what their places are worth: ranks 1, 1, 3 are 0.5, 0.5, -1. It needs two seats at least.
    """
    step = 1 / (len(ranks) - 1)
    return tuple((len(ranks) - 2 * rank + 1 - (ranks.count(rank) - 1)) * step for rank in ranks)
