"""Random games whose positions are held to the invariants of their rules (`Checks.check_invariants`).

`python -m benchmarks.invariants` plays 10,000 of each game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from engine import registry
from engine.chance import SeededChance
from engine.core import Game, InvariantError, Outcome, State

LOOKED_AT_EVERY = 10


@dataclass(frozen=True, slots=True)
class End:
    """How a random game went."""

    seats: int
    plies: int
    outcome: Outcome


def new_game(game: Game, index: int) -> tuple[State, int]:
    """The start of one of the games, and its number of seats: seats and variants go round."""
    seats = game.seats[index % len(game.seats)]
    variants = registry.checks(game.name).variants
    variant = variants[index // len(game.seats) % len(variants)]
    return game.new_state(seats, game.parse_options(variant), SeededChance(index)), seats


def play(game: Game, index: int, every: int = 1) -> End:
    """Play game `index` to its end, checking every so many positions and the last. Raises InvariantError."""
    state, seats = new_game(game, index)
    ply = 0
    for ply in positions(state, Random(index)):
        if ply % every == 0:
            check_at(game, state, index, ply)
    check_at(game, state, index, ply)
    outcome = state.outcome()
    if outcome is None or ply > game.max_plies:
        raise InvariantError(f"{game.name}, game {index}: a game ends within {game.max_plies} plies")
    return End(seats, ply, outcome)


def positions(state: State, random: Random) -> Iterator[int]:
    """Play on uniformly at random; after each action its ply plus 1."""
    ply = 0
    while state.seat() is not None:
        state.apply_unchecked(random.choice(state.legal_actions()))
        ply += 1
        yield ply


def check_at(game: Game, state: State, index: int, ply: int) -> None:
    """Check one position; the error says where it is."""
    try:
        registry.checks(game.name).check_invariants(state)
    except InvariantError as error:
        raise InvariantError(f"{game.name}, game {index}, ply {ply}: {error}") from error
