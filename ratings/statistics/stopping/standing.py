"""Tells how well a table answers a question. No I/O."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ratings.statistics.official.results import Floats
from ratings.statistics.official.table import OfficialTable
from ratings.statistics.stopping.question import Question, check_question


@dataclass(frozen=True, slots=True)
class Standing:
    """The best so far, and how sure that is.

    `leaders` are the best so far, best first; `contenders` are the others that may belong among them, likeliest first.
    `confidence` is a lower bound of the probability that the leaders are the right ones (Bonferroni over all pairs of a
    leader and another): it is 0 before everybody has played, and at least the question's once `is_known`.
    """

    is_known: bool
    confidence: float
    leaders: tuple[str, ...]
    contenders: tuple[str, ...]


def standing(table: OfficialTable, question: Question, entrants: Collection[str]) -> Standing:
    """Return what the table says among these entrants; others in the table are passed over.

    Raises ResultsError if the question asks for all of them.
    """
    check_question(question, len(entrants))
    places = [place for place, row in enumerate(table.rows) if row.version in entrants]
    doubts = doubts_of(table, places, question)
    missing = sorted(set(entrants) - {table.rows[place].version for place in places})
    confidence = 0.0 if missing else max(0.0, 1.0 - float(doubts.sum()))
    names = [table.rows[place].version for place in places]
    leaders, others = names[: question.places], names[question.places :]
    share = (1 - question.confidence) / max(len(others), 1)
    worst = doubts.max(axis=0, initial=0.0)
    order = np.argsort(-worst, kind="stable").tolist()
    contenders = [others[index] for index in order if worst[index] > share]
    return Standing(confidence >= question.confidence, confidence, tuple(leaders), (*contenders, *missing))


def doubts_of(table: OfficialTable, places: list[int], question: Question) -> Floats:
    """Return P(the other is stronger than the leader) for the rows at `places`, shape (leaders, others).

    It is 1/2 where the table does not compare the two.
    """
    leaders, others = places[: question.places], places[question.places :]
    return np.nan_to_num(table.stronger[np.ix_(others, leaders)].T, nan=0.5)
