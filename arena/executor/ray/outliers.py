"""Judges whether a machine does far worse than the others: whether more of its matches are void, or slow. Pure.

Of each machine it is counted how many of its matches were bad. Whether one has more than chance explains, if all were
alike, is told by the exact test of R. A. Fisher (Statistical Methods for Research Workers, 5th edition, 1934, section
21.02: the hypergeometric tail), one-sided, its matches against those of all others. That there are several machines,
and that each is looked at again and again, is paid for as C. E. Bonferroni has it: the looks are at 20, 40, 80 ...
matches, and each machine gets an equal part of ALPHA at each look. As with many matches any small difference is beyond
chance, the part of bad ones must besides be several times that of the others.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import exp, lgamma
from statistics import median

ALPHA = 0.001
"""How likely it may be, in a whole run, that any machine is told to be worse by chance alone."""
MOST_LOOKS = 20
FEWEST = 20
"""Nothing is said of a machine that has played fewer matches, or whose others have."""
TIMES_WORSE = 3.0
TIMES_SLOWER = 2.0
"""A match is slow that took so many times as long for each decision as the middle one of its kind, ..."""
LEAST_EXTRA_S = 0.5
"""... and so much longer in all: what bots need to start, and what passes, is no fault of a machine."""
FEWEST_OF_KIND = 8
KEPT_OF_KIND = 200


@dataclass(frozen=True, slots=True)
class BadMatchCounts:
    """How many matches of a machine were looked at, and how many of them were bad."""

    bad: int
    all: int


def tail(bad: int, drawn: int, all_bad: int, total: int) -> float:
    """Return how likely so many bad ones or more are among those drawn from a total that holds `all_bad` of them."""
    most = min(drawn, all_bad)
    return min(1.0, sum(exp(_log_chance(k, drawn, all_bad, total)) for k in range(bad, most + 1)))


def is_far_worse(one: BadMatchCounts, others: BadMatchCounts, machines: int) -> bool:
    """Return whether a machine does far worse than the others together, of so many machines in all."""
    if one.all < FEWEST or others.all < FEWEST or not one.bad:
        return False
    if one.bad * others.all < TIMES_WORSE * others.bad * one.all:
        return False
    chance = tail(one.bad, one.all, one.bad + others.bad, one.all + others.all)
    return chance < ALPHA / (MOST_LOOKS * max(machines, 1))


def far_worse(counts: Mapping[str, BadMatchCounts]) -> list[str]:
    """Return the machines that do far worse than the others."""
    bad, total = sum(one.bad for one in counts.values()), sum(one.all for one in counts.values())
    return [
        name
        for name, one in counts.items()
        if is_far_worse(one, BadMatchCounts(bad - one.bad, total - one.all), len(counts))
    ]


class SlowMatches:
    """Tells which matches are slow for their kind, whoever played it."""

    def __init__(self) -> None:
        self._seconds: defaultdict[Hashable, deque[float]] = defaultdict(lambda: deque(maxlen=KEPT_OF_KIND))

    def judge(self, kind: Hashable, seconds: float, decisions: int) -> bool | None:
        """Note a match of a kind, and return whether it was slow; `None` as long as too few of the kind are known."""
        decisions = max(decisions, 1)
        known = self._seconds[kind]
        verdict = None
        if len(known) >= FEWEST_OF_KIND:
            usual_s = median(known) * decisions
            verdict = seconds > max(TIMES_SLOWER * usual_s, usual_s + LEAST_EXTRA_S)
        known.append(seconds / decisions)
        return verdict


def is_time_to_look(matches: int) -> bool:
    """Return whether so many matches of a machine are one of the numbers at which it is looked at."""
    return matches >= FEWEST and matches % FEWEST == 0 and (matches // FEWEST).bit_count() == 1


def _log_chance(k: int, drawn: int, bad: int, total: int) -> float:
    if drawn - k > total - bad:
        return float("-inf")
    return _log_choose(bad, k) + _log_choose(total - bad, drawn - k) - _log_choose(total, drawn)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
