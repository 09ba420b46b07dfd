"""The evaluation prefers what is plainly better, and is exact at the end."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.foreign_king.evaluation import PLAYABLE
from tests.engine.games.foreign_king.table import lay


@pytest.mark.parametrize(
    "better",
    [
        {"scores": [6, 0, 0]},
        {"francs": [9, 6, 7]},
        {"discs": {"LIE": [3]}},
        {"discs": {"LIE": [2, 1]}, "factories": {"LIE": "M"}},
        {"factories": {"LIE": "m"}},
        {"congress": [2, 0, 0]},
    ],
)
def test_having_more_is_better(better: dict[str, Any]) -> None:
    assert PLAYABLE.evaluate(lay(3, **better), 0) > PLAYABLE.evaluate(lay(3), 0)
    assert PLAYABLE.evaluate(lay(3, **better), 1) < PLAYABLE.evaluate(lay(3), 1)


def test_an_open_loan_is_worse_than_its_francs() -> None:
    owing = lay(3, factories={"LIE": "m"}, loans=[1, 0, 0], francs=[3, 6, 7])
    assert PLAYABLE.evaluate(owing, 0) < PLAYABLE.evaluate(lay(3, factories={"LIE": "m"}, francs=[3, 6, 7]), 0)


def test_a_scoring_under_way_is_seen_to_its_end() -> None:
    state = lay(
        3,
        phase="CONGRESS_ASK",
        seat=1,
        pawns={0: "KING"},
        king="LIE",
        discs={"LIE": [1]},
        congress=[0, 2, 0],
        factories={"LIE": "M"},
        pending={"asked": [1]},
    )
    before = state.to_json()
    assert PLAYABLE.evaluate(state, 1) > PLAYABLE.evaluate(state, 2)
    assert state.to_json() == before


def test_the_end_is_exact() -> None:
    state = lay(4, phase="END", seat=None, marker=0, scores=[9, 9, 1, 0], francs=[0, 0, 0, 0])
    assert list(PLAYABLE.evaluate_all(state)) == pytest.approx([5 / 6, 5 / 6, 1 / 3, 0])
