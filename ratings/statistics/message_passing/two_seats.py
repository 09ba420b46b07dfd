"""One match of two seats by the messages of TrueSkill's factor graph, written out: one line for each message.

The operations are those of `many_seats`, which says what each is, in the same order, so that the floats are the same.
Where a precision vanishes, whose mean is not to be asked for, it gives up, and `many_seats` has to do it.
"""

from __future__ import annotations

from math import sqrt

from ratings.statistics.message_passing.constants import CONVERGED, MOST_SWEEPS, Constants
from ratings.statistics.message_passing.truncation import tie_v_w, win_v_w

_INFINITE = float("inf")


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
    return (
        pi * (tau_0 / pi_0) / pi,
        sqrt(1 / pi),
        other_pi * (tau_1 / pi_1) / other_pi,
        sqrt(1 / other_pi),
    )


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
