"""One match of two seats or more by the messages of TrueSkill's factor graph, each of which is two floats.

A message, and the marginal of a variable, is a normal distribution: its precision `pi`, and `tau`, which is the
precision times the mean. A seat has its skill, a performance, and a team of one with the same performance; between two
neighbours in the ranking is the difference of their performances, which the result truncates. Herbrich, Minka and
Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006), figure 1; the order in which messages go is that of the
`trueskill` package, and so is every operation, also where it seems to change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from ratings.statistics.message_passing.constants import CONVERGED, MOST_SWEEPS, Constants
from ratings.statistics.message_passing.truncation import tie_v_w, win_v_w

_INFINITE = float("inf")
_UNIFORM = (0.0, 0.0)

Message = tuple[float, float]


def rate_many_seats(
    constants: Constants, skills: Sequence[tuple[float, float]], ties: Sequence[bool]
) -> list[tuple[float, float]]:
    """Return mu and sigma of every seat after a match, in the order of `skills`, which is from best to worst.

    `ties[i]` tells whether seats i and i + 1 tie. Raises ArithmeticError or ValueError where double precision cannot
    bear it.
    """
    beta_squared = constants.beta_squared
    priors = [_prior_message(*skill, constants.tau_squared) for skill in skills]
    to_performances = [_likelihood_message(pi, tau, beta_squared) for pi, tau in priors]
    to_teams = [_team_message(pi, tau + 0.0) for pi, tau in to_performances]
    after = []
    marginals = _pass_until_converged(constants.margin, to_teams, ties)
    for prior, down, team, marginal in zip(priors, to_performances, to_teams, marginals, strict=True):
        pi, tau = _team_message(marginal[0] - team[0], marginal[1] - team[1])
        pi, tau = _likelihood_message(down[0] + pi - down[0], down[1] + 0.0 + tau - down[1], beta_squared)
        # The package makes a rating of the mean and the deviation, and takes them from its precision again.
        mean, deviation = _mean_and_deviation(prior[0] + pi, prior[1] + tau)
        pi = deviation**-2
        after.append(_mean_and_deviation(pi, pi * mean))
    return after


def _prior_message(mu: float, sigma: float, tau_squared: float) -> Message:
    pi = sigma**-2
    mean, deviation = _mean_and_deviation(pi, pi * mu)
    pi = sqrt(deviation**2 + tau_squared) ** -2
    return pi, pi * mean


def _mean_and_deviation(pi: float, tau: float) -> tuple[float, float]:
    """Return mean and standard deviation."""
    return (tau / pi, sqrt(1 / pi)) if pi else (pi, _INFINITE)


def _likelihood_message(pi: float, tau: float, variance: float) -> Message:
    """Return a message that has passed the likelihood factor N(performance; skill, variance), in either direction."""
    a = 1.0 / (1.0 + variance * pi)
    return a * pi, a * tau


def _team_message(pi: float, tau: float) -> Message:
    """Return a message that has passed the sum factor between the performance of a seat and of its team of one."""
    mean = 0.0 + (tau / pi if pi else pi)
    pi = 1.0 / (1 / pi if pi else _INFINITE)
    return pi, pi * mean


def _sum_message(one: Message, other: Message, sign: int) -> Message:
    """Return the message of a sum factor: two independent variables, the second of which is multiplied by `sign`."""
    pi, tau = one
    mean = 0.0 + (tau / pi if pi else pi)
    variance = 1 / pi if pi else _INFINITE
    pi, tau = other
    mean += sign * (tau / pi if pi else pi)
    if variance != _INFINITE:
        variance += 1 / pi if pi else _INFINITE
    pi = 1.0 / variance
    return pi, pi * mean


def _pass_until_converged(margin: float, to_teams: Sequence[Message], ties: Sequence[bool]) -> list[Message]:
    """Return the marginal of each team's performance once the messages between neighbours have converged."""
    differences = [_DifferenceFactors(margin, is_tie) for is_tie in ties]
    marginals = [(pi + 0.0, tau + 0.0) for pi, tau in to_teams]
    last = len(differences) - 1
    for _ in range(MOST_SWEEPS):
        if last == 0:
            change = differences[0].truncate(marginals, 0)
        else:
            change = 0.0
            for place in range(last):
                change = max(change, differences[place].truncate(marginals, place))
                differences[place].send_to_worse(marginals, place)
            for place in range(last, 0, -1):
                change = max(change, differences[place].truncate(marginals, place))
                differences[place].send_to_better(marginals, place)
        if change <= CONVERGED:
            break
    differences[0].send_to_better(marginals, 0)
    differences[last].send_to_worse(marginals, last)
    return marginals


class _DifferenceFactors:
    """The difference of two neighbours' performances, better minus worse, with its sum and truncation factors."""

    __slots__ = ("_better", "_down", "_is_tie", "_margin", "_marginal", "_truncation", "_worse")

    def __init__(self, margin: float, is_tie: bool) -> None:
        self._margin, self._is_tie = margin, is_tie
        self._marginal = self._down = self._truncation = self._better = self._worse = _UNIFORM

    def truncate(self, marginals: Sequence[Message], place: int) -> float:
        """Receive the messages of the two, truncate the marginal by the result, and return how much that changes it."""
        down = _sum_message(_divide(marginals[place], self._better), _divide(marginals[place + 1], self._worse), -1)
        before_pi, before_tau = _multiply(_divide(self._marginal, self._down), down)
        self._down = down
        pi, tau = _divide((before_pi, before_tau), self._truncation)
        root = sqrt(pi)
        if self._is_tie:
            v, w = tie_v_w(tau / root, self._margin * root)
        else:
            v, w = win_v_w(tau / root - self._margin * root)
        rest = 1.0 - w
        pi, tau = self._marginal = pi / rest, (tau + root * v) / rest
        self._truncation = pi + self._truncation[0] - before_pi, tau + self._truncation[1] - before_tau
        change = abs(before_pi - pi)
        return 0.0 if change == _INFINITE else max(abs(before_tau - tau), sqrt(change))

    def send_to_better(self, marginals: list[Message], place: int) -> None:
        """Send the sum factor's message to the better of the two."""
        message = _sum_message(_divide(self._marginal, self._down), _divide(marginals[place + 1], self._worse), 1)
        marginals[place] = _multiply(_divide(marginals[place], self._better), message)
        self._better = message

    def send_to_worse(self, marginals: list[Message], place: int) -> None:
        """Send the sum factor's message to the worse of the two."""
        message = _sum_message(_divide(marginals[place], self._better), _divide(self._marginal, self._down), -1)
        marginals[place + 1] = _multiply(_divide(marginals[place + 1], self._worse), message)
        self._worse = message


def _multiply(one: Message, other: Message) -> Message:
    """Return the product of two normal distributions, but for its scale."""
    return one[0] + other[0], one[1] + other[1]


def _divide(one: Message, other: Message) -> Message:
    """Return the quotient of two normal distributions, but for its scale."""
    return one[0] - other[0], one[1] - other[1]
