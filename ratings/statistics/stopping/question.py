"""The question that a tournament is played until, as text and as a value. No I/O, no NumPy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ratings.statistics.errors import ResultsError

_FORM = re.compile(r"(?:top ([1-9][0-9]{0,3})|(winner)) known at ([0-9]{1,2}(?:\.[0-9]{1,3})?)%", re.ASCII)


@dataclass(frozen=True, slots=True)
class Question:
    """The question which are the best `places` versions, in any order.

    It is answered when that set is right with such a `confidence`.
    """

    places: int
    confidence: float


def parse_question(text: str) -> Question:
    """Return the question in text such as "top 3 known at 95%" or "winner known at 99%". Raises ResultsError."""
    found = _FORM.fullmatch(" ".join(text.split()).lower())
    if found is None:
        raise ResultsError(f"{text!r} is no question; write for example: top 3 known at 95%")
    confidence = float(found[3]) / 100
    if not 0.5 <= confidence < 1:
        raise ResultsError(f"{text!r}: the confidence must be at least 50% and less than 100%")
    return Question(int(found[1] or 1), confidence)


def check_question(question: Question, entrants: int) -> None:
    """Raise ResultsError if the question has no answer among so many entrants."""
    if question.places >= entrants:
        raise ResultsError(
            f"top {question.places} of {entrants} entrants is known before the first match; ask for fewer, or name more"
        )
