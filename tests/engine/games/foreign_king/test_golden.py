"""What the golden files of The Foreign King are made of; that they still hold is looked at for every game at once."""

from __future__ import annotations

import json

import pytest

from engine import golden
from engine.games.foreign_king import GAME
from engine.games.foreign_king.state import PHASES
from engine.golden import actions_in
from engine.perft import breakdown

COUNTS: dict[str, list[int]] = json.loads(golden.read(GAME.name, golden.PERFT))

# Section 9 of the rules, from an independent implementation.
INDEPENDENT = {2: [5, 41, 167], 3: [6, 47, 222], 4: [7, 55, 295]}


@pytest.mark.parametrize("seats", GAME.seats)
def test_sequences_of_decisions_as_an_independent_implementation_counts_them(seats: int) -> None:
    assert COUNTS[str(seats)][:3] == INDEPENDENT[seats]


def test_the_breakdown_adds_up() -> None:
    assert sum(breakdown(GAME.new_state(4), 4).values()) == COUNTS["4"][3]


def test_the_playings_come_through_every_phase() -> None:
    phases = set()
    for seats in GAME.seats:
        state = GAME.new_state(seats)
        for action in actions_in(GAME.actions, golden.read(GAME.name, golden.playthrough_file(seats)).splitlines()):
            phases.add(PHASES[state.phase])
            state.apply(action)
        phases.add(PHASES[state.phase])
    assert phases == set(PHASES)
