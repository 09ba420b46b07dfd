"""Chance that is answered from outside: every outcome can be reached, and has its probability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from arena.adapters.spiel_chance import AnsweredChance, Unanswered
from engine.chance import Chance


def outcomes(ask: Callable[[Chance], Any], answers: tuple[int, ...] = ()) -> dict[Any, float]:
    """The probability of each outcome of a question, found by giving every answer."""
    try:
        return {ask(AnsweredChance(answers)): 1.0}
    except Unanswered as asked:
        found: defaultdict[Any, float] = defaultdict(float)
        for answer, probability in asked.odds:
            assert probability > 0
            for outcome, part in outcomes(ask, (*answers, answer)).items():
                found[outcome] += probability * part
        return found


def test_a_die_has_six_faces() -> None:
    assert outcomes(lambda chance: chance.d6()) == pytest.approx(dict.fromkeys(range(1, 7), 1 / 6))


@pytest.mark.parametrize(("size", "orders"), [(0, 1), (1, 1), (4, 24)])
def test_a_shuffle_has_every_order_with_the_same_probability(size: int, orders: int) -> None:
    found = outcomes(lambda chance: tuple(chance.permutation(size)))
    assert found == pytest.approx(dict.fromkeys(found, 1 / orders))
    assert len(found) == orders


def test_a_draw_follows_its_weights_and_never_draws_what_has_none() -> None:
    assert outcomes(lambda chance: chance.draw([2, 0, 1, 1])) == pytest.approx({0: 0.5, 2: 0.25, 3: 0.25})


def test_questions_are_answered_one_after_another() -> None:
    found = outcomes(lambda chance: (chance.d6(), chance.draw([1, 3])))
    assert found == pytest.approx({(face, i): w / 24 for face in range(1, 7) for i, w in enumerate((1, 3))})


def test_a_question_with_more_outcomes_than_were_told_of_is_refused() -> None:
    with pytest.raises(ValueError, match="chance has 2000 outcomes here; OpenSpiel was told of at most 1024"):
        AnsweredChance(()).draw([1] * 2000)
