"""What a machine must have in common with the coordinator, and how far its clock may be off."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.executor.ray.facts import (
    MOST_OFFSET_S,
    ClockSample,
    NodeFacts,
    best_sample,
    clock_problem,
    differences,
    own_facts,
)

OURS = NodeFacts("1.0", "abc", "3.11.7", "x86_64", {"chess": "2", "go": "1"}, "2.60.0")
SECONDS = st.floats(0, 1e4)


def sample(offset_s: float, there_s: float, back_s: float, asked_s: float = 1e6) -> ClockSample:
    """What is seen of a clock that is so far ahead, when question and answer take so long."""
    return ClockSample(asked_s, asked_s + there_s + offset_s, asked_s + there_s + back_s)


def test_a_machine_is_like_itself_and_knows_every_game_that_is_installed() -> None:
    ours = own_facts()
    assert differences(ours, own_facts(), ours.games) == []
    assert {"foreign_king", "rex_romanorum"} <= set(ours.games)
    assert NodeFacts(**ours.to_json()) == ours


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ({"arena": "1.1"}, "it has version 1.1 of the arena, and 1.0 is here"),
        ({"code": "abd"}, "its arena is another one of the same version 1.0"),
        ({"python": "3.12.1"}, "it has Python 3.12.1, and 3.11.7 is here"),
        ({"ray": "2.9.0"}, "it has Ray 2.9.0, and 2.60.0 is here"),
        ({"games": {"chess": "3", "go": "1"}}, "it has rules version 3 of chess, and 2 is here"),
        ({"games": {"go": "1"}}, "it has rules version none of chess, and 2 is here"),
    ],
)
def test_each_difference_is_told_with_its_remedy(theirs: dict[str, object], said: str) -> None:
    (found,) = differences(OURS, replace(OURS, **theirs), OURS.games)  # type: ignore[arg-type]
    assert found == f"{said}; install the same version on every machine"


def test_neither_another_patch_of_python_nor_a_game_that_is_not_played_matters() -> None:
    assert differences(OURS, replace(OURS, python="3.11.9", games={"go": "1"}), ["go"]) == []


@given(st.floats(-1e5, 1e5), st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=8))
def test_the_sample_with_the_shortest_way_is_wrong_by_no_more_than_half_of_it(
    offset_s: float, ways: list[tuple[float, float]]
) -> None:
    best = best_sample([sample(offset_s, *way) for way in ways])
    assert best.trip_s <= min(sum(way) for way in ways) + 1e-6
    assert abs(best.offset_s - offset_s) <= best.trip_s / 2 + 1e-6


@given(st.floats(-MOST_OFFSET_S, MOST_OFFSET_S), SECONDS, SECONDS)
def test_no_clock_is_refused_that_may_be_right_enough(offset_s: float, there_s: float, back_s: float) -> None:
    seen = sample(offset_s * 0.999, there_s, back_s)
    assert clock_problem(seen) == ""


@pytest.mark.parametrize(("offset_s", "said"), [(7200, "7200 s ahead of ours"), (-90.4, "90 s behind ours")])
def test_a_clock_that_is_off_is_refused_with_the_seconds(offset_s: float, said: str) -> None:
    assert said in clock_problem(sample(offset_s, 0.01, 0.02))
