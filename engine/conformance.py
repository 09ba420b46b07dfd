"""What every game owes to whoever plays it, as checks for the author of a game. Standard library only.

    import pytest
    from engine.conformance import cases
    from my_game import GAME

    @pytest.mark.parametrize("case", cases(GAME), ids=str)
    def test_the_game_keeps_the_contract(case):
        case()

or `check_game(GAME)` for all of them in one call. What fails raises ConformanceError. Positions come from random
playings with fixed seeds, so a failure comes again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from engine import conformance_abilities, conformance_core
from engine.core import Game


@dataclass(frozen=True, slots=True)
class Case:
    """One check of one game, with one number of seats where that matters."""

    name: str
    check: Callable[[], None]

    def __call__(self) -> None:
        """Check. Raises ConformanceError saying what does not hold."""
        self.check()

    def __str__(self) -> str:
        return self.name


def cases(game: Game) -> list[Case]:
    """Return every check of the game; what it does not offer needs nothing."""
    once = (*conformance_core.GAME_CHECKS, *conformance_abilities.GAME_CHECKS)
    per_table = (*conformance_core.TABLE_CHECKS, *conformance_abilities.TABLE_CHECKS)
    found = [Case(f"{game.name}-{check.__name__}", partial(check, game)) for check in once]
    for check in per_table:
        found += [Case(f"{game.name}-{seats}-{check.__name__}", partial(check, game, seats)) for seats in game.seats]
    return found


def check_game(game: Game) -> None:
    """Run every check of the game. Raises ConformanceError saying what does not hold."""
    for case in cases(game):
        case()
