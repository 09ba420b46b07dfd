"""Truncating a difference by a win or a tie: V and W of TrueSkill, and the normal distribution that they need.

The formulas, and the order of their operations, are those of the `trueskill` package 0.4.5 (BSD licence, Heungsub Lee)
without SciPy; its complementary error function is an approximation, good to 1.2e-7 of the value.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt

_ROOT_2 = sqrt(2)
_PEAK = 1 / sqrt(2 * pi)


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
    """Return the complementary error function."""
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
