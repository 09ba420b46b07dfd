"""One match of two seats or more by the messages of TrueSkill's factor graph, each of which is two floats.

A message, and what is known of a variable, is a normal distribution: its precision `pi`, and `tau`, which is the
precision times the mean. A seat has its skill, a performance, and a team of one with the same performance; between two
neighbours in the ranking is the difference of their performances, which the result cuts. Herbrich, Minka and Graepel,
"TrueSkill: A Bayesian Skill Rating System" (2006), figure 1; the order in which messages go is that of the `trueskill`
package, and so is every operation, also where it seems to change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from ratings.statistics.passing.constants import ROUNDS, STANDS, Constants
from ratings.statistics.passing.truncation import after_tie, after_win

_INFINITE = float("inf")
_NOTHING = (0.0, 0.0)

Message = tuple[float, float]


def pass_several(
    constants: Constants, skills: Sequence[tuple[float, float]], ties: Sequence[bool]
) -> list[tuple[float, float]]:
    """Return mu and sigma of every seat after a match, in the order of `skills`, which is from best to worst.

    `ties[i]` tells whether seats i and i + 1 tie. Raises ArithmeticError or ValueError where double precision cannot
    bear it.
    """
    beta_squared = constants.beta_squared
    priors = [_prior(*skill, constants.tau_squared) for skill in skills]
    downs = [_through(pi, tau, beta_squared) for pi, tau in priors]
    teams = [_of_one(pi, tau + 0.0) for pi, tau in downs]
    after = []
    for prior, down, team, known in zip(priors, downs, teams, _settled(constants.margin, teams, ties), strict=True):
        pi, tau = _of_one(known[0] - team[0], known[1] - team[1])
        pi, tau = _through(down[0] + pi - down[0], down[1] + 0.0 + tau - down[1], beta_squared)
        # The package makes a rating of the mean and the deviation, and takes them from its precision again.
        mean, deviation = _told(prior[0] + pi, prior[1] + tau)
        pi = deviation**-2
        after.append(_told(pi, pi * mean))
    return after


def _prior(mu: float, sigma: float, tau_squared: float) -> Message:
    pi = sigma**-2
    mean, deviation = _told(pi, pi * mu)
    pi = sqrt(deviation**2 + tau_squared) ** -2
    return pi, pi * mean


def _told(pi: float, tau: float) -> tuple[float, float]:
    """Return mean and standard deviation."""
    return (tau / pi, sqrt(1 / pi)) if pi else (pi, _INFINITE)


def _through(pi: float, tau: float, variance: float) -> Message:
    """Return a message after it has gone between a skill and its performance, which varies so much about it."""
    a = 1.0 / (1.0 + variance * pi)
    return a * pi, a * tau


def _of_one(pi: float, tau: float) -> Message:
    """Return a message after it has gone between the performance of a seat and that of its team of one."""
    mean = 0.0 + (tau / pi if pi else pi)
    pi = 1.0 / (1 / pi if pi else _INFINITE)
    return pi, pi * mean


def _sum(one: Message, other: Message, sign: int) -> Message:
    """Return what is known of the sum of two independent variables, the second of which is multiplied by `sign`."""
    pi, tau = one
    mean = 0.0 + (tau / pi if pi else pi)
    variance = 1 / pi if pi else _INFINITE
    pi, tau = other
    mean += sign * (tau / pi if pi else pi)
    if variance != _INFINITE:
        variance += 1 / pi if pi else _INFINITE
    pi = 1.0 / variance
    return pi, pi * mean


def _settled(margin: float, teams: Sequence[Message], ties: Sequence[bool]) -> list[Message]:
    """Return what is known of the performance of each team once its neighbours have told each other all."""
    differences = [_Difference(margin, is_tie) for is_tie in ties]
    known = [(pi + 0.0, tau + 0.0) for pi, tau in teams]
    last = len(differences) - 1
    for _ in range(ROUNDS):
        if last == 0:
            change = differences[0].cut(known, 0)
        else:
            change = 0.0
            for place in range(last):
                change = max(change, differences[place].cut(known, place))
                differences[place].tell_worse(known, place)
            for place in range(last, 0, -1):
                change = max(change, differences[place].cut(known, place))
                differences[place].tell_better(known, place)
        if change <= STANDS:
            break
    differences[0].tell_better(known, 0)
    differences[last].tell_worse(known, last)
    return known


class _Difference:
    """The difference of the performances of two neighbours, the better one's minus the other's, and its messages."""

    __slots__ = ("_better", "_cut", "_down", "_is_tie", "_known", "_margin", "_worse")

    def __init__(self, margin: float, is_tie: bool) -> None:
        self._margin, self._is_tie = margin, is_tie
        self._known = self._down = self._cut = self._better = self._worse = _NOTHING

    def cut(self, known: Sequence[Message], place: int) -> float:
        """Take in what is known of the two, cut it by the result, and return by how much that changes it."""
        down = _sum(_without(known[place], self._better), _without(known[place + 1], self._worse), -1)
        before_pi, before_tau = _with(_without(self._known, self._down), down)
        self._down = down
        pi, tau = _without((before_pi, before_tau), self._cut)
        root = sqrt(pi)
        if self._is_tie:
            v, w = after_tie(tau / root, self._margin * root)
        else:
            v, w = after_win(tau / root - self._margin * root)
        rest = 1.0 - w
        pi, tau = self._known = pi / rest, (tau + root * v) / rest
        self._cut = pi + self._cut[0] - before_pi, tau + self._cut[1] - before_tau
        change = abs(before_pi - pi)
        return 0.0 if change == _INFINITE else max(abs(before_tau - tau), sqrt(change))

    def tell_better(self, known: list[Message], place: int) -> None:
        """Tell the better of the two what is known of the difference and of the other."""
        told = _sum(_without(self._known, self._down), _without(known[place + 1], self._worse), 1)
        known[place] = _with(_without(known[place], self._better), told)
        self._better = told

    def tell_worse(self, known: list[Message], place: int) -> None:
        """Tell the worse of the two what is known of the difference and of the other."""
        told = _sum(_without(known[place], self._better), _without(self._known, self._down), -1)
        known[place + 1] = _with(_without(known[place + 1], self._worse), told)
        self._worse = told


def _with(one: Message, other: Message) -> Message:
    return one[0] + other[0], one[1] + other[1]


def _without(one: Message, other: Message) -> Message:
    return one[0] - other[0], one[1] - other[1]
