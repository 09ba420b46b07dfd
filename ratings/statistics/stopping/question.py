"""The question that a tournament is played until, as text and as a value. No I/O, no NumPy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ratings.statistics.errors import ResultsError

_FORM = re.compile(
    r"(?:top ([1-9][0-9]{0,3})|(winner)) known at ([0-9]{1,2}(?:\.[0-9]{1,3})?)%"
    r"(?: within ([0-9]{1,3}(?:\.[0-9]{1,3})?) elo)?",
    re.ASCII,
)
MOST_WITHIN = 400.0
"""The widest zone that may be asked for; in a match of two 400 Elo are odds of 10 to 1."""


@dataclass(frozen=True, slots=True)
class StoppingQuestion:
    """The question which are the best `places` versions, in any order.

    It is answered when that set is right with such a `confidence`: when none in it is weaker by more than `within` Elo
    than the best who is not in it. A question with such a zone, be it 0, pays for being asked after every wave; one
    without is of a tournament from before there were zones, and neither pays nor has a zone.
    """

    places: int
    confidence: float
    within: float | None = None


def parse_question(text: str) -> StoppingQuestion:
    """Return the question in text such as "top 3 known at 95% within 10 Elo" or "winner known at 99%".

    Raises ResultsError.
    """
    found = _FORM.fullmatch(" ".join(text.split()).lower())
    if found is None:
        raise ResultsError(f"{text!r} is no question; write for example: top 3 known at 95%")
    within = None if found[4] is None else float(found[4])
    if within is not None and within > MOST_WITHIN:
        raise ResultsError(f"{text!r}: the zone must be at least 0 and at most {MOST_WITHIN:g} Elo")
    confidence = float(found[3]) / 100
    if not 0.5 <= confidence < 1:
        raise ResultsError(f"{text!r}: the confidence must be at least 50% and less than 100%")
    return StoppingQuestion(int(found[1] or 1), confidence, within)


def check_question(question: StoppingQuestion, entrants: int) -> None:
    """Raise ResultsError if the question has no answer among so many entrants."""
    if question.places >= entrants:
        raise ResultsError(
            f"top {question.places} of {entrants} entrants is known before the first match; ask for fewer, or name more"
        )
