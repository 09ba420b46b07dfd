"""Tells how well a table answers a question. No I/O.

A question with a zone is answered by those of whom none is weaker than another by more than the zone, and it pays for
being asked after every wave. Matches add up like a Brownian motion, so that the lead of one over another, in units of
its standard deviation, is asked again and again of the same walk, and once goes too far by chance. A boundary of one
height at every look spends the error evenly over the logarithm of the matches (an alpha spending after Pocock; K. K. G.
Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", 1983); what it spends in all is the chance
that the walk ever crosses it (D. Siegmund, "Sequential Analysis", 1985, section 4.3, here for one side).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from ratings.statistics.official.results import Floats
from ratings.statistics.official.table import ELO_PER_UNIT, FittedTable, error_function
from ratings.statistics.stopping.question import StoppingQuestion, check_question


@dataclass(frozen=True, slots=True)
class QuestionStatus:
    """The best so far, and how sure that is.

    `leaders` are the best so far, best first; `contenders` are the others that may belong among them, likeliest first.
    `confidence` is a lower bound of the probability that the leaders are the right ones (Bonferroni over all pairs of a
    leader and another), less what the looks cost: it is 0 before everybody has played, and at least the question's once
    `is_known`.
    """

    is_known: bool
    confidence: float
    leaders: tuple[str, ...]
    contenders: tuple[str, ...]


def question_status(
    table: FittedTable, question: StoppingQuestion, entrants: Collection[str], span: float = 1.0
) -> QuestionStatus:
    """Return what the table says among these entrants; others in the table are passed over.

    `span` is how many times as many blocks there may be at the last look as at the first. Raises ResultsError if the
    question asks for all of them.
    """
    check_question(question, len(entrants))
    places = [place for place, row in enumerate(table.rows) if row.version in entrants]
    doubts = doubts_of(table, places, question)
    missing = sorted(set(entrants) - {table.rows[place].version for place in places})
    doubt = float(doubts.sum()) if question.within is None else paid(float(doubts.sum()), span)
    confidence = 0.0 if missing else max(0.0, 1.0 - doubt)
    names = [table.rows[place].version for place in places]
    leaders, others = names[: question.places], names[question.places :]
    share = (1 - question.confidence) / max(len(others), 1)
    worst = doubts.max(axis=0, initial=0.0)
    order = np.argsort(-worst, kind="stable").tolist()
    contenders = [others[index] for index in order if worst[index] > share]
    return QuestionStatus(confidence >= question.confidence, confidence, tuple(leaders), (*contenders, *missing))


def paid(doubt: float, span: float) -> float:
    """Return the chance that looks over such a `span` of blocks ever show so little doubt where it is unfounded.

    At least `doubt`, at most 1, and the greater the greater `doubt` is; with one look it is `doubt`.
    """
    if doubt >= 0.5:
        return 1.0
    if doubt <= 0.0 or span <= 1.0:
        return max(doubt, 0.0)
    height = NormalDist().inv_cdf(1 - doubt)
    # Below a height of 2 the approximation is poor; there the doubt is too great for any answer.
    steep = max(height, 2.0)
    density = NormalDist().pdf(steep)
    crossed = 0.5 * (steep - 1 / steep) * density * log(span) + 2 * density / steep
    return min(1.0, crossed + max(doubt - NormalDist().cdf(-steep), 0.0))


def doubts_of(table: FittedTable, places: list[int], question: StoppingQuestion) -> Floats:
    """Return P(the other is stronger than the leader by more than the zone) for the rows at `places`.

    Shape (leaders, others). It is 1/2 where the table does not compare the two.
    """
    leaders, others = places[: question.places], places[question.places :]
    pairs = np.ix_(leaders, others)
    stronger = table.stronger[np.ix_(others, leaders)].T
    if question.within:
        strengths = np.array([row.strength for row in table.rows])
        lead = strengths[leaders][:, None] - strengths[others][None, :] + question.within / ELO_PER_UNIT
        beyond = 0.5 * (1 - error_function(lead / np.maximum(table.spread[pairs], 1e-12) / sqrt(2)))
        stronger = np.where(np.isnan(stronger), stronger, beyond)
    return np.asarray(np.nan_to_num(stronger, nan=0.5))
