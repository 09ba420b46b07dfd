"""Bets against a mean: the capital of a gambler whom the mean gives no advantage tells what speaks against it. No I/O.

Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting" (JRSS B 86, 2024):
before each value x of [0, 1] the gambler puts a stake s >= 0, chosen from what was seen before, on x being above
`null`, and the capital becomes 1 + s (x - null) times what it was. As long as no value has a mean above `null`,
whatever its distribution and whatever came before it, the capital is a non-negative supermartingale: the chance that
it ever reaches 1 / alpha is at most alpha (Ville 1939), however often one looks.

The stake that grows fastest at a mean m is about (m - null) / (variance + (m - null)^2). One part of the capital takes
for m the mean that is asked about, or what the values seen show beyond doubt to lie above it: where the truth is near
the mean that is asked about it needs what a likelihood ratio of the two means needs. A small part bets on `BIG_GAIN`
from the start, and ends the test soon where the truth is that large.

Nothing is gained by a capital beyond the one that ends the test. So no more is staked than a value that is as high as
is likely needs to reach it: what would go beyond it (overshoot) is not risked, and the promise is used up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, log1p, sqrt

SHARE_ON_BIG = 0.25
"""The part of the capital that bets on a big gain; the other part pays for it with log(1 / 0.75) = 0.29 of the 3 that a
test at 5 % needs. That is a tenth of the steps, and of many steps too much for the few that it may save: where the gain
that is asked about is below `FINE_GAIN`, the part is less in proportion."""
FINE_GAIN = 0.0144
"""10 Elo."""
BIG_GAIN = 0.25
"""190 Elo."""
DOUBT = 1.75
"""How many standard errors below the mean seen a gain is believed."""
PRIOR_VALUES = 3.0
"""For how many values the prior counts: a mean half-way between the two, and the variance below."""
PRIOR_VARIANCE = 0.1
MOST_RISKED = 0.95
"""How much of the capital may be lost by one value."""
LEAST_OF_STAKE = 0.5
_ROUNDING = 1e-9


def share_on_big(null: float, asked: float) -> float:
    """Return the part of the capital that bets on a big gain, given what is asked about."""
    return SHARE_ON_BIG * min((asked - null) / FINE_GAIN, 1.0)


@dataclass(frozen=True, slots=True)
class Capital:
    """What betting on values above `null` has made of 1; a value, of which `after` gives the next.

    `asked` is the mean above `null` that the test must find out about. Both lie in (0, 1). `goal` is the logarithm of
    the capital at which the test ends.
    """

    null: float
    asked: float
    goal: float
    careful: float
    """The logarithms of the two parts."""
    bold: float
    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def begin(cls, null: float, asked: float, goal: float) -> Capital:
        """Return the capital of 1 before the first value."""
        share = share_on_big(null, asked)
        return cls(null, asked, goal, log1p(-share), log(share))

    @property
    def logarithm(self) -> float:
        """Return the natural logarithm of the whole capital."""
        high, low = max(self.careful, self.bold), min(self.careful, self.bold)
        return high + log1p(exp(low - high))

    def after(self, value: float) -> Capital:
        """Return the capital after one more value, which lies in [0, 1]."""
        mean, variance = self._expected()
        believed = mean - DOUBT * sqrt(variance / (self.count + PRIOR_VALUES)) - self.null
        careful = self._stake(max(self.asked - self.null, believed), variance)
        bold = self._stake(BIG_GAIN, variance)
        likely = min(mean + sqrt(variance), 1.0) - self.null
        gained = (value - self.null) * self._needed(careful * likely, bold * likely)
        return replace(
            self,
            count=self.count + 1,
            total=self.total + value,
            squares=self.squares + value * value,
            careful=self.careful + log1p(careful * gained),
            bold=self.bold + log1p(bold * gained),
        )

    def _needed(self, careful: float, bold: float) -> float:
        """Return the part of both stakes that reaches the goal, given what both would win; all of them at most.

        At least half of them, since the value that wins so much may never come.
        """
        now, goal = exp(self.logarithm), exp(self.goal) * (1 + _ROUNDING)
        most = now + exp(self.careful) * careful + exp(self.bold) * bold
        return max((goal - now) / (most - now), LEAST_OF_STAKE) if now < goal < most else 1.0

    def _expected(self) -> tuple[float, float]:
        """Return mean and variance of the values seen and of the prior."""
        middle, weight = (self.null + self.asked) / 2, self.count + PRIOR_VALUES
        mean = (self.total + PRIOR_VALUES * middle) / weight
        return mean, (self.squares + PRIOR_VALUES * (PRIOR_VARIANCE + middle * middle)) / weight - mean * mean

    def _stake(self, gain: float, variance: float) -> float:
        return min(gain / (variance + gain * gain), MOST_RISKED / self.null)
