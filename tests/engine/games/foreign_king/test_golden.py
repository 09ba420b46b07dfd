"""What the golden files of The Foreign King are made of; that they still hold is looked at for every game at once."""

from __future__ import annotations

import json

import pytest

from engine import golden
from engine.games.foreign_king import GAME as FOREIGN_KING
from engine.games.foreign_king.state import PHASES
from engine.golden import actions_in
from engine.perft import breakdown

FOREIGN_KING_COUNTS: dict[str, list[int]] = json.loads(golden.read(FOREIGN_KING.name, golden.PERFT))

# Section 9 of the rules, from an independent implementation.
FOREIGN_KING_INDEPENDENTLY = {2: [5, 41, 167], 3: [6, 47, 222], 4: [7, 55, 295]}


@pytest.mark.parametrize("seats", FOREIGN_KING.seats)
def test_sequences_of_decisions_as_an_independent_implementation_counts_them(seats: int) -> None:
    assert FOREIGN_KING_COUNTS[str(seats)][:3] == FOREIGN_KING_INDEPENDENTLY[seats]


def test_the_breakdown_adds_up() -> None:
    assert sum(breakdown(FOREIGN_KING.new_state(4), 4).values()) == FOREIGN_KING_COUNTS["4"][3]


def test_the_playings_come_through_every_phase() -> None:
    phases = set()
    for seats in FOREIGN_KING.seats:
        state = FOREIGN_KING.new_state(seats)
        for action in actions_in(
            FOREIGN_KING.actions, golden.read(FOREIGN_KING.name, golden.playthrough_file(seats)).splitlines()
        ):
            phases.add(PHASES[state.phase])
            state.apply(action)
        phases.add(PHASES[state.phase])
    assert phases == set(PHASES)
