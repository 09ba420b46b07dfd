"""The golden files: counts of decision sequences, and whole playings replayed line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.games.rex_romanorum import GAME, golden
from engine.games.rex_romanorum.golden import perft_counts, playthrough_lines
from engine.playthrough import actions_in

assert golden.__file__ is not None
HERE = Path(golden.__file__).parent
COUNTS = json.loads((HERE / "perft.json").read_text(encoding="utf-8"))


def written(seats: int) -> list[str]:
    return (HERE / f"playthrough_{seats}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("seats", GAME.seats)
def test_sequences_of_decisions(seats: int) -> None:
    assert perft_counts(seats) == COUNTS[str(seats)]


@pytest.mark.parametrize("seats", GAME.seats)
def test_a_whole_playing_line_by_line(seats: int) -> None:
    expected = written(seats)
    actions = actions_in(GAME.actions, expected)
    found = playthrough_lines(seats, lambda _: next(actions))
    for number, (line, expected_line) in enumerate(zip(found, expected, strict=True), start=1):
        assert line == expected_line, f"line {number}"


def test_every_kind_of_action_is_taken_in_the_playings() -> None:
    taken = {action for seats in GAME.seats for action in actions_in(GAME.actions, written(seats))}
    verbs = {GAME.actions.format(action).partition(":")[0] for action in taken}
    assert verbs == {name.partition(":")[0] for name in GAME.actions.names}


def test_the_start_has_two_actions_and_drawing_eight() -> None:
    # ACT_ACQUIRE with KEEP:0 to KEEP:7, and ACT_HARVEST before the next seat's two.
    assert COUNTS["5"]["start"][:2] == [2, 8 + 2]
