"""One match of two seats by the messages of TrueSkill's factor graph, written out: one line for each message.

The operations are those of `several`, which says what each is, in the same order, so that the floats are the same.
Where a precision vanishes, whose mean is not to be asked for, it gives up, and `several` has to do it.
"""

from __future__ import annotations

from math import sqrt

from ratings.statistics.passing.constants import ROUNDS, STANDS, Constants
from ratings.statistics.passing.truncation import after_tie, after_win

_INFINITE = float("inf")


def pass_two(
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
    cut_pi, cut_tau = _cut(pi, tau, margin, is_tie)
    # and up again: to the better seat, and then to the other, which is told what the better one has heard
    pi, tau = cut_pi - pi, cut_tau - tau
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
    return (
        pi * (tau_0 / pi_0) / pi,
        sqrt(1 / pi),
        other_pi * (tau_1 / pi_1) / other_pi,
        sqrt(1 / other_pi),
    )


def _cut(pi: float, tau: float, margin: float, is_tie: bool) -> tuple[float, float]:
    """Return the difference of two performances, which is to be `pi` and `tau`, once the result is known.

    The result tells its message until nothing changes; it is told the same each time, but for the last digits.
    """
    cut_pi, cut_tau, told_pi, told_tau = pi, tau, 0.0, 0.0
    for _ in range(ROUNDS):
        before_pi, before_tau = cut_pi - pi + pi, cut_tau - tau + tau
        heard_pi, heard_tau = before_pi - told_pi, before_tau - told_tau
        root = sqrt(heard_pi)
        if is_tie:
            v, w = after_tie(heard_tau / root, margin * root)
        else:
            v, w = after_win(heard_tau / root - margin * root)
        rest = 1.0 - w
        cut_pi, cut_tau = heard_pi / rest, (heard_tau + root * v) / rest
        told_pi, told_tau = cut_pi + told_pi - before_pi, cut_tau + told_tau - before_tau
        change = abs(before_pi - cut_pi)
        if change == _INFINITE or max(abs(before_tau - cut_tau), sqrt(change)) <= STANDS:
            break
    return cut_pi, cut_tau
