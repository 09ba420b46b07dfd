"""The golden files: counts of decision sequences, and whole playings replayed line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import engine.games.foreign_king.golden as golden
from engine.games.foreign_king import GAME
from engine.games.foreign_king.playthrough import actions_in, playthrough
from engine.perft import breakdown, perft

assert golden.__file__ is not None
HERE = Path(golden.__file__).parent
COUNTS: dict[str, list[int]] = json.loads((HERE / "perft.json").read_text(encoding="utf-8"))

# Section 9 of the rules, from an independent implementation.
INDEPENDENT = {2: [5, 41, 167], 3: [6, 47, 222], 4: [7, 55, 295]}


@pytest.mark.parametrize("seats", GAME.seats)
def test_sequences_of_decisions_as_an_independent_implementation_counts_them(seats: int) -> None:
    assert COUNTS[str(seats)][:3] == INDEPENDENT[seats]


@pytest.mark.parametrize("seats", GAME.seats)
def test_sequences_of_decisions(seats: int) -> None:
    state = GAME.new_state(seats)
    depths = range(1, len(COUNTS[str(seats)]) + 1)
    assert [perft(state, depth) for depth in depths] == COUNTS[str(seats)]


def test_the_breakdown_adds_up() -> None:
    state = GAME.new_state(4)
    assert sum(breakdown(state, 4).values()) == COUNTS["4"][3]


@pytest.mark.parametrize("seats", GAME.seats)
def test_a_whole_playing_line_by_line(seats: int) -> None:
    expected = (HERE / f"playthrough_{seats}.txt").read_text(encoding="utf-8").splitlines()
    actions = actions_in(expected)
    for number, (line, found) in enumerate(
        zip(expected, playthrough(seats, lambda _: next(actions)), strict=True), start=1
    ):
        assert found == line, f"line {number}"


def test_the_playings_come_through_every_phase() -> None:
    text = "".join((HERE / f"playthrough_{seats}.txt").read_text(encoding="utf-8") for seats in GAME.seats)
    from engine.games.foreign_king.position import PHASES

    assert all(f"· {phase} ·" in text for phase in PHASES)
