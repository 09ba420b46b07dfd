from __future__ import annotations

import pytest

from ratings.statistics.firsts import Firsts, match_firsts

NONE, WIN, SHARED, DRAW = Firsts(), Firsts(1, 0, 0), Firsts(0, 1, 0), Firsts(0, 0, 1)


@pytest.mark.parametrize(
    ("ranks", "kinds"),
    [
        ((2, 1), [NONE, WIN]),
        ((1, 1), [DRAW, DRAW]),
        ((1, 1, 3), [SHARED, SHARED, NONE]),
        ((2, 2, 1), [NONE, NONE, WIN]),
        ((1, 1, 1, 1), [DRAW] * 4),
        ((1,), [WIN]),
    ],
)
def test_a_first_rank_is_a_win_alone_a_draw_of_all_or_shared_with_some(
    ranks: tuple[int, ...], kinds: list[Firsts]
) -> None:
    assert match_firsts(ranks) == kinds
