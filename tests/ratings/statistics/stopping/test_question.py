"""The question that a tournament is played until."""

from __future__ import annotations

import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.stopping.question import StoppingQuestion, check_question, parse_question


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("top 3 known at 95%", StoppingQuestion(3, 0.95)),
        ("  Top 10   known at 99.5% ", StoppingQuestion(10, 0.995)),
        ("winner known at 90%", StoppingQuestion(1, 0.9)),
        ("winner known at 90% within 10 Elo", StoppingQuestion(1, 0.9, 10.0)),
        ("top 3 known at 95% WITHIN 2.5 elo", StoppingQuestion(3, 0.95, 2.5)),
        ("top 3 known at 95% within 0 Elo", StoppingQuestion(3, 0.95, 0.0)),
    ],
)
def test_questions_are_read(text: str, question: StoppingQuestion) -> None:
    assert parse_question(text) == question


@pytest.mark.parametrize(
    "text",
    [
        "",
        "top 3",
        "top 0 known at 95%",
        "top 3 known at 100%",
        "top 3 known at 40%",
        "top 3 known at 95",
        "top -1 known at 95%",
        "top 3 known at 95% within 10",
        "top 3 known at 95% within -1 Elo",
    ],
)
def test_other_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ResultsError, match=r"write for example|confidence"):
        parse_question(text)


def test_too_wide_a_zone_is_refused() -> None:
    with pytest.raises(ResultsError, match="at most 400 Elo"):
        parse_question("winner known at 95% within 401 Elo")


def test_a_question_without_an_answer_is_refused() -> None:
    check_question(StoppingQuestion(3, 0.95), 4)
    with pytest.raises(ResultsError, match="top 3 of 3"):
        check_question(StoppingQuestion(3, 0.95), 3)
