"""What an engine is told of its time: a fixed search, or the clock of the match as UCI spells it. No I/O."""

from __future__ import annotations

from arena.v1 import match_pb2
from bots.kit import Decision

_USED = 0.9
"""The share of a decision's limit that an engine is given: the rest is for the way there and back."""
_UNTIMED_MS = 1000
"""For a match without a clock."""


def go_by_clock(decision: Decision) -> str:
    """Return the `go` of a decision under the clock of its match.

    Only the own bank is known, so the other side is said to have as much.
    """
    clock = decision.match.clock
    if clock.bank_us or clock.increment_us:
        return _by_bank(decision, clock)
    left_s = decision.seconds_left()
    return f"go movetime {_UNTIMED_MS if left_s is None else _share_ms(left_s * 1e6)}"


def _by_bank(decision: Decision, clock: match_pb2.Clock) -> str:
    left, more = max(decision.bank_us // 1000, 1), clock.increment_us // 1000
    go = f"go wtime {left} btime {left} winc {more} binc {more}"
    return f"{go} movetime {_share_ms(decision.time_limit_us)}" if clock.decision_limit_us else go


def _share_ms(limit_us: float) -> int:
    """Return the milliseconds of thinking within a limit, at least 1."""
    return max(int(limit_us * _USED) // 1000, 1)
