"""Computes how long a bot waited for a processor from how long each of its threads did. Pure.

A question reaches a bot through several of its threads, one after the other, and so does its answer; between them
mostly one thread works. On a busy host each of them waits for a processor. To add the waits of all threads would give
back the naps of idle helpers too, so that a bot with a dozen of them could overrun; to count the longest alone takes
from an honest bot what its messengers waited one after the other (measured: 1 of 7 decisions at half the limit lost on
a host with 8 busy programs on 2 cores). So from look to look there count

- of the threads that work, the longest wait; and nobody's waits are more than so many times what he computed;
- of the threads that run seldom, the messengers, all waits together: a few a decision, and who wakes more often than
  that is no messenger, in later decisions either.

It is placed just before the look, and what overlaps counts once.
"""

from __future__ import annotations

from collections.abc import Iterable

MESSENGER_TURNS = 16
"""How often a messenger may be scheduled in one decision; threads of gRPC in Python are 2 to 12 times."""
MOST_TURNS, MOST_DEBT = 32, -1000
FAIR_WAIT = 16
"""The longest waits that count for a working thread, as a multiple of its own CPU: those of an extremely busy host."""


class ThreadWait:
    """One thread, given by its readings: time in the run queue, CPU time, and how often it was scheduled, in all."""

    __slots__ = ("_credit_ns", "_ran_ns", "_turns", "_turns_left", "_uncounted_ns", "_waited_ns")

    def __init__(self, waited_ns: int = 0, ran_ns: int = 0, turns: int = 0) -> None:
        self._waited_ns, self._ran_ns, self._turns = waited_ns, ran_ns, turns
        self._turns_left = MESSENGER_TURNS
        self._credit_ns = self._uncounted_ns = 0

    def begin(self, decisions: int) -> None:
        """Start counting anew; `decisions` have begun since the last call."""
        self._turns_left = min(self._turns_left + MESSENGER_TURNS * decisions, MOST_TURNS)
        self._credit_ns = self._uncounted_ns = 0

    def count(self, waited_ns: int, ran_ns: int, turns: int) -> tuple[int, bool]:
        """Return how much of its waiting counts now, and whether as a messenger's."""
        grown_ns = max(waited_ns - self._waited_ns, 0)
        self._credit_ns += FAIR_WAIT * (ran_ns - self._ran_ns)
        is_messenger = self._turns_left > 0
        self._turns_left = max(self._turns_left - (turns - self._turns), MOST_DEBT)
        self._ran_ns, self._turns = ran_ns, turns
        self._waited_ns += grown_ns
        if is_messenger:
            return grown_ns, True
        self._uncounted_ns += grown_ns  # it counts as soon as the thread has computed enough
        counted_ns = min(self._uncounted_ns, self._credit_ns)
        self._uncounted_ns -= counted_ns
        self._credit_ns -= counted_ns
        return counted_ns, False


class RunQueueWait:
    """How long a bot waited during one decision."""

    __slots__ = ("_began_ns", "_covered", "_looked_ns", "total_ns")

    def __init__(self) -> None:
        self._covered: list[tuple[int, int]] = []
        self.begin(0)

    def begin(self, now_ns: int) -> None:
        """Start a decision."""
        self._covered.clear()
        self._began_ns = self._looked_ns = now_ns
        self.total_ns = 0
        """How long the bot waited up to the last look; at most the time since `begin`."""

    def add(self, now_ns: int, waits: Iterable[tuple[int, bool]]) -> None:
        """Add for each thread the nanoseconds that count since the last look, and whether it is a messenger."""
        span_ns, self._looked_ns = now_ns - self._looked_ns, now_ns
        of_workers = of_messengers = longest = 0
        for wait_ns, is_messenger in waits:
            longest = max(longest, wait_ns)
            if is_messenger:
                of_messengers += wait_ns
            else:
                of_workers = max(of_workers, wait_ns)
        counted_ns = max(longest, min(of_workers + of_messengers, span_ns))
        if counted_ns > 0:
            self._cover(max(now_ns - counted_ns, self._began_ns), now_ns)

    def _cover(self, start_ns: int, end_ns: int) -> None:
        """Add an interval that ends now; where it overlaps earlier ones, the time counts once."""
        while self._covered and self._covered[-1][1] > start_ns:
            other_start_ns, other_end_ns = self._covered.pop()
            self.total_ns -= other_end_ns - other_start_ns
            start_ns = min(start_ns, other_start_ns)
        self._covered.append((start_ns, end_ns))
        self.total_ns += end_ns - start_ns
