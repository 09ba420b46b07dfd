"""The line of a comparison that people follow while it plays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.model.answers import ComparisonResult, comparison_note, elo_text

FOUND = ComparisonResult(
    answer=None,
    log_ratio=-1.25,
    bounds=(-3.0, 3.0),
    mean=-0.03,
    error=0.02,
    pairs=40,
    answered_after=None,
    games=80,
    identical_games=0,
    identical_pairs=0,
    wins=30,
    ties=4,
    losses=46,
    low=-0.07,
    high=0.01,
    superiority=0.0668,
)


def test_it_tells_outcomes_gain_superiority_and_ratio() -> None:
    assert comparison_note(FOUND) == "W/D/L 30/4/46, -21 Elo (-49..+7), LOS 6.7%, log ratio -1.25 (-3.00..3.00)"


@pytest.mark.parametrize("forfeits", [(68, 0), (0, 3)])
def test_forfeits_are_told_where_there_are_any(forfeits: tuple[int, int]) -> None:
    new, old = forfeits
    note = comparison_note(replace(FOUND, new_forfeits=new, old_forfeits=old))
    assert note.endswith(f", forfeits NEW {new}, OLD {old}")


@pytest.mark.parametrize(("gain", "told"), [(0.5, ">+800"), (-0.5, "<-800"), (0.0, "+0"), (0.249, "+190")])
def test_an_elo_is_told_as_far_as_a_score_shows_it(gain: float, told: str) -> None:
    assert elo_text(gain) == told
