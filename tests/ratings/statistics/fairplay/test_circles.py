"""Circles of styles are told from gifts that stay where they are brought."""

from __future__ import annotations

import pytest

from ratings.statistics.fairplay.circles import beyond_usual, comes_back
from ratings.statistics.fairplay.questions import PairFlow

BOTS = "abcdefghij"


def flows(*strong: tuple[str, float]) -> dict[tuple[str, str], PairFlow]:
    """All flows between the bots are nothing, but these, each a pair of letters with its Elo."""
    found = {(one, other): PairFlow(0.0, 0.0) for one in BOTS for other in BOTS if one != other}
    for pair, elo in strong:
        found[pair[0], pair[1]], found[pair[1], pair[0]] = PairFlow(elo, elo / 20), PairFlow(-elo, -elo / 20)
    return found


@pytest.mark.parametrize(
    ("strong", "is_back"),
    [
        ([("ab", 100), ("bc", 100), ("ca", 100)], True),
        ([("ab", 100), ("bc", 90), ("cd", 80), ("de", 120), ("ea", 70)], True),
        ([("ab", 200), ("bc", 60), ("ca", 100)], False),
        ([("ab", 100)], False),
        ([("ab", 100), ("bc", 100), ("ac", 100)], False),
    ],
    ids=["three", "five", "less than a third comes back", "a gift", "gifts upwards"],
)
def test_what_comes_back(strong: list[tuple[str, float]], *, is_back: bool) -> None:
    assert comes_back(flows(*strong), "a", "b") is is_back


def test_a_small_flow_that_may_be_chance_closes_no_circle() -> None:
    found = flows(("ab", 30), ("bc", 30), ("ca", 30))
    assert not comes_back(found, "a", "b")
    assert not comes_back({}, "a", "b")
    assert not comes_back(flows(("ba", 100)), "a", "b")


def test_what_a_deal_seems_to_give_to_all_others_is_taken_off() -> None:
    shadow = [(f"b{other}", 50.0) for other in "cdefghij"] + [(f"{other}a", 50.0) for other in "cdefghij"]
    found = flows(("ab", 120), *shadow)
    assert comes_back(found, "a", "b")
    left = beyond_usual(found)
    assert not comes_back(left, "a", "b")
    assert left["a", "b"].elo == pytest.approx(220)
    assert left["b", "c"].elo == pytest.approx(0)
