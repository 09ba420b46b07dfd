"""Who was loud while another got no processor."""

import pytest

from arena.referee.neighbours import loudest


@pytest.mark.parametrize(
    ("computed_us", "found"),
    [
        ({}, None),
        ({1: 200_000, 2: 0}, None),
        ({1: 200_001, 2: 0}, (1, 0.200001)),
        ({0: 300_000, 3: 400_000}, (3, 0.4)),
    ],
)
def test_who_computed_more_than_a_fifth_of_a_second_is_loud(
    computed_us: dict[int, int], found: tuple[int, float] | None
) -> None:
    assert loudest(computed_us) == found
