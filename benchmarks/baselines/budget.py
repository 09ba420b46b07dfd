"""Decides how long a search may think. Reads no clock but that of the decision."""

from __future__ import annotations

from bots.kit import Decision

UNLIMITED_S = 0.5
"""How long to think if the match has no clock."""
SHARE = 0.7
"""The part of the limit that is used; the rest is for waking up on a busy machine and for the way to the arena."""
WAKE_UP_S = 0.004
LONGEST_S = 2.0
"""More thinking hardly makes a search stronger, and people wait for it at tables whose clock is made for them."""
DECISIONS_TO_COME = 40
"""The number of decisions over which a bank is spread."""


def thinking_seconds(decision: Decision) -> float:
    """Return how many seconds to think from now on: at least 0, at most LONGEST_S."""
    left = decision.seconds_left()
    if left is None:
        return UNLIMITED_S
    clock = decision.match.clock
    allowance = SHARE * left
    if clock.bank_us or clock.increment_us:
        pace = decision.bank_us / DECISIONS_TO_COME + 0.8 * clock.increment_us
        allowance = min(allowance, pace / 1e6)
    return min(max(allowance - WAKE_UP_S, 0.0), LONGEST_S)
