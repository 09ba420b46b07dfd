"""One match by the messages of TrueSkill's factor graph. No I/O.

A message is two floats: precision, and precision times mean. The factors have their names in the paper (Herbrich, Minka
and Graepel, 2006): a prior factor for the skill of each seat, a likelihood factor from its skill to its performance,
sum factors for the performances of teams and for the differences of neighbours, and a truncation factor for each of
these differences, by a win or a tie, with the functions V and W. The operations are those of the `trueskill` package,
in its order. For two seats they are written out, one line for each message.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from math import exp, log, sqrt
from typing import NamedTuple

MOST_SWEEPS = 10
"""How often messages are passed back and forth at most until they have converged."""
CONVERGED = 0.0001
"""By how much they may still change when they have converged."""
_ROOT_2 = sqrt(2)
_PEAK = 1 / sqrt(2 * math.pi)
_INFINITE = float("inf")
_UNIFORM = (0.0, 0.0)
Message = tuple[float, float]


class Constants(NamedTuple):
    """The constants of one pool."""

    beta_squared: float
    tau_squared: float
    margin: float
    """How near two performances must be for a tie."""


@lru_cache(maxsize=64)
def constants_of(beta: float, tau: float, draw_probability: float) -> Constants:
    """Return what follows from TrueSkill's own constants; it is the same for all matches. Raises ArithmeticError."""
    return Constants(beta**2, tau**2, draw_margin(draw_probability, beta))


def win_v_w(x: float) -> tuple[float, float]:
    """Return V and W of a win, `x` being the difference beyond the margin of a tie, in standard deviations.

    Raises ArithmeticError if double precision cannot bear it.
    """
    below = 0.5 * _erfc(-x / _ROOT_2)
    v = _PEAK * exp(-(x**2 / 2)) / below if below else -x
    w = v * (v + x)
    if 0 < w < 1:
        return v, w
    raise FloatingPointError("the upset is beyond double precision")


def tie_v_w(difference: float, margin: float) -> tuple[float, float]:
    """Return V and W of a tie; difference and margin in standard deviations.

    Raises ArithmeticError if double precision cannot bear it.
    """
    distance = abs(difference)
    a, b = margin - distance, -margin - distance
    inside = 0.5 * _erfc(-a / _ROOT_2) - 0.5 * _erfc(-b / _ROOT_2)
    if not inside:
        raise FloatingPointError("the tie is beyond double precision")
    at_a, at_b = _PEAK * exp(-(a**2 / 2)), _PEAK * exp(-(b**2 / 2))
    v = (at_b - at_a) / inside
    w = v**2 + (a * at_a - b * at_b) / inside
    return (-v if difference < 0 else v), w


def draw_margin(draw_probability: float, beta: float) -> float:
    """Return how near two performances must be for a tie, so that two equal seats tie with that probability."""
    below = (draw_probability + 1) / 2.0
    return (0 - _ROOT_2 * _erfc_inverse(2 * below)) * _ROOT_2 * beta


def _erfc(x: float) -> float:
    z = abs(x)
    t = 1.0 / (1.0 + z / 2.0)
    # From the inside out, as Horner's rule nests it.
    inner = t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))
    inner = t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 + inner))))
    r = t * exp(-z * z - 1.26551223 + inner)
    return 2.0 - r if x < 0 else r


def _erfc_inverse(y: float) -> float:
    """Return where the complementary error function is `y`, by two steps of Newton's method; 100 beyond its ends."""
    if y >= 2:
        return -100.0
    if y <= 0:
        return 100.0
    mirrored = y >= 1
    if mirrored:
        y = 2 - y
    t = sqrt(-2 * log(y / 2.0))
    x = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t)
    for _ in range(2):
        error = _erfc(x) - y
        x += error / (1.12837916709551257 * exp(-(x**2)) - x * error)
    return -x if mirrored else x


def rate_two_seats(
    constants: Constants, mu_0: float, sigma_0: float, mu_1: float, sigma_1: float, is_tie: bool
) -> tuple[float, float, float, float]:
    """Return mu and sigma of the better seat (of either, in a tie), and mu and sigma of the other, after their match.

    Raises ArithmeticError or ValueError where a precision vanishes or double precision cannot bear it.
    """
    beta_squared, tau_squared, margin = constants
    pi = sigma_0**-2
    prior_pi_0 = sqrt(sqrt(1 / pi) ** 2 + tau_squared) ** -2
    prior_tau_0 = prior_pi_0 * (pi * mu_0 / pi)
    pi = sigma_1**-2
    prior_pi_1 = sqrt(sqrt(1 / pi) ** 2 + tau_squared) ** -2
    prior_tau_1 = prior_pi_1 * (pi * mu_1 / pi)
    # down to the performances, first of the seats and then of their teams of one
    a = 1.0 / (1.0 + beta_squared * prior_pi_0)
    down_pi_0, down_tau_0 = a * prior_pi_0, a * prior_tau_0
    a = 1.0 / (1.0 + beta_squared * prior_pi_1)
    down_pi_1, down_tau_1 = a * prior_pi_1, a * prior_tau_1
    team_pi_0 = 1.0 / (1 / down_pi_0)
    team_tau_0 = team_pi_0 * (down_tau_0 / down_pi_0)
    team_pi_1 = 1.0 / (1 / down_pi_1)
    team_tau_1 = team_pi_1 * (down_tau_1 / down_pi_1)
    # to their difference, and what the result makes of it
    mean_1, variance_1 = team_tau_1 / team_pi_1, 1 / team_pi_1
    pi = 1.0 / (1 / team_pi_0 + variance_1)
    tau = pi * (team_tau_0 / team_pi_0 - mean_1)
    truncated_pi, truncated_tau = _truncate(pi, tau, margin, is_tie)
    # and up again: to the better seat, and then to the other, with the message that the better one has received
    pi, tau = truncated_pi - pi, truncated_tau - tau
    mean, variance = tau / pi, 1.0 / pi
    up_pi = 1.0 / (variance + variance_1)
    up_tau = up_pi * (mean + mean_1)
    pi_0, tau_0 = team_pi_0 + up_pi, team_tau_0 + up_tau
    pi, tau = pi_0 - up_pi, tau_0 - up_tau
    up_pi = 1.0 / (1.0 / pi + variance)
    up_tau = up_pi * (tau / pi - mean)
    pi_1, tau_1 = team_pi_1 + up_pi, team_tau_1 + up_tau
    # from the teams to the seats
    pi, tau = pi_0 - team_pi_0, tau_0 - team_tau_0
    up_pi = 1.0 / (1.0 / pi)
    pi, tau = down_pi_0 + up_pi - down_pi_0, down_tau_0 + up_pi * (tau / pi) - down_tau_0
    a = 1.0 / (1.0 + beta_squared * pi)
    pi_0, tau_0 = prior_pi_0 + a * pi, prior_tau_0 + a * tau
    pi, tau = pi_1 - team_pi_1, tau_1 - team_tau_1
    up_pi = 1.0 / (1.0 / pi)
    pi, tau = down_pi_1 + up_pi - down_pi_1, down_tau_1 + up_pi * (tau / pi) - down_tau_1
    a = 1.0 / (1.0 + beta_squared * pi)
    pi_1, tau_1 = prior_pi_1 + a * pi, prior_tau_1 + a * tau
    # The package keeps precisions and tells means and deviations, so that both go forth and back once more.
    pi, other_pi = sqrt(1 / pi_0) ** -2, sqrt(1 / pi_1) ** -2
    return (pi * (tau_0 / pi_0) / pi, sqrt(1 / pi), other_pi * (tau_1 / pi_1) / other_pi, sqrt(1 / other_pi))


def _truncate(pi: float, tau: float, margin: float, is_tie: bool) -> tuple[float, float]:
    """Return the marginal of the difference of two performances, `pi` and `tau` before, truncated by the result.

    The truncation factor sends its message until nothing changes; it is the same each time, but for the last digits.
    """
    truncated_pi, truncated_tau, message_pi, message_tau = pi, tau, 0.0, 0.0
    for _ in range(MOST_SWEEPS):
        before_pi, before_tau = truncated_pi - pi + pi, truncated_tau - tau + tau
        received_pi, received_tau = before_pi - message_pi, before_tau - message_tau
        root = sqrt(received_pi)
        if is_tie:
            v, w = tie_v_w(received_tau / root, margin * root)
        else:
            v, w = win_v_w(received_tau / root - margin * root)
        rest = 1.0 - w
        truncated_pi, truncated_tau = received_pi / rest, (received_tau + root * v) / rest
        message_pi, message_tau = truncated_pi + message_pi - before_pi, truncated_tau + message_tau - before_tau
        change = abs(before_pi - truncated_pi)
        if change == _INFINITE or max(abs(before_tau - truncated_tau), sqrt(change)) <= CONVERGED:
            break
    return truncated_pi, truncated_tau


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
