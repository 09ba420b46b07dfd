"""How much a look at fair play could have seen: questions asked, the smallest deal, the matches it lacks. No I/O."""

from __future__ import annotations

from math import atanh, ceil
from statistics import NormalDist, median

from ratings.statistics.fairplay.null import Null
from ratings.statistics.fairplay.questions import (
    LEAST_INFORMATION,
    FairPlayFit,
    PairQuestion,
    PairQuestionKind,
    kinds_of,
)
from ratings.statistics.official.table import ELO_PER_UNIT
from ratings.values.statistics import FairPlayAsked

POWER = 0.8
"""How surely a deal must be found to count as one that could have been seen."""
_LARGEST = 1.95
"""A gain is measured by its score, which grows like 2 tanh(gain / 2) between two that are even, and never reaches 2."""


def reach_of(kind: PairQuestionKind, look: FairPlayFit, null: Null, alarm: float) -> FairPlayAsked:
    """Return what a look could have seen of one kind, given what is usual in its field."""
    asked = look.asked
    mine = [one for one in asked if one.kind is kind]
    return FairPlayAsked(
        kind.value,
        len(mine),
        _possible(kind, look),
        null.spread,
        _least_elo(mine, look, null, alarm / len(asked)) if mine else None,
    )


def _possible(kind: PairQuestionKind, look: FairPlayFit) -> int:
    versions = len(look.counts.versions)
    return versions * (versions - 1) // (2 if kind is PairQuestionKind.TOGETHER else 1)


def _least_elo(asked: list[PairQuestion], look: FairPlayFit, null: Null, level: float) -> float | None:
    """Return the gain whose answer lies above the level with the probability POWER, in the median of the questions."""
    normal = NormalDist()
    least = null.least(normal.inv_cdf(1 - level) + normal.inv_cdf(POWER))
    gain = median(least * (look.dispersion / one.information) ** 0.5 for one in asked)
    return ELO_PER_UNIT * 2 * atanh(gain / 2) if gain < _LARGEST else None


def more_matches(look: FairPlayFit) -> int | None:
    """Return about how many more matches like those there are it takes until half of all questions can be asked.

    It is 0 if they can, and `None` where no number is enough, because all sit at every table: what one does to another
    cannot be told from their strengths then. Pairs that never met are taken for pairs that will meet as often as the
    others.
    """
    if len(look.counts.versions) <= look.fitted.shape.seats:
        return None
    met = [one.evidence for one in look.questions]
    if 2 * len(look.asked) >= sum(_possible(kind, look) for kind in kinds_of(look.fitted.shape.seats)):
        return 0
    typical = median(met)
    return max(1, ceil(look.counts.matches * (LEAST_INFORMATION / typical - 1))) if typical > 0 else None
