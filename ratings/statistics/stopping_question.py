"""The question that a tournament is played until, as text and as a value. No I/O, no NumPy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.translatable import Text
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
        raise ResultsError(Text("{text} is no question; write for example: top 3 known at 95%", text=repr(text)))
    within = None if found[4] is None else float(found[4])
    if within is not None and within > MOST_WITHIN:
        raise ResultsError(
            Text("{text}: the zone must be at least 0 and at most {most} Elo", text=repr(text), most=f"{MOST_WITHIN:g}")
        )
    confidence = float(found[3]) / 100
    if not 0.5 <= confidence < 1:
        raise ResultsError(Text("{text}: the confidence must be at least 50% and less than 100%", text=repr(text)))
    return StoppingQuestion(int(found[1] or 1), confidence, within)


def question_in_words(text: str) -> str:
    """Return the sentence that the text of a question is; a text that is none stays as it is."""
    found = _FORM.fullmatch(text.lower())
    if found is None:
        return text
    places, _, confidence, zone = found.groups()
    if zone is None:
        if places is None:
            return Text("winner known at {confidence}%", confidence=confidence)
        return Text("top {places} known at {confidence}%", places=places, confidence=confidence)
    if places is None:
        return Text("winner known at {confidence}% within {zone} Elo", confidence=confidence, zone=zone)
    return Text(
        "top {places} known at {confidence}% within {zone} Elo", places=places, confidence=confidence, zone=zone
    )


def check_question(question: StoppingQuestion, entrants: int) -> None:
    """Raise ResultsError if the question has no answer among so many entrants."""
    if question.places >= entrants:
        raise ResultsError(
            Text(
                "top {places} of {count} entrants is known before the first match; ask for fewer, or name more",
                places=question.places,
                count=entrants,
            )
        )
