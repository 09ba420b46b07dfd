"""What the losses of a run, or of a service, say of the machine: when a match is tried again, and when all stops. Pure.

A match that is lost again and again is given up, but not on a machine that can play nothing: a loss counts against its
match only if the machine is seen to play others meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from arena.match.result import HostCause, MatchLostError
from arena.tournament.errors import HostFailingError
from engine.translatable import Text

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
"""How long a match rests that was lost once; twice as long after each further loss."""
SICK = (HostCause.HOSTING_FAILED, HostCause.SANDBOX_FAILED, HostCause.STORAGE_FAILED)
"""What no match brings about: the machine has no room, no sandbox or no storage."""
_MOST_SICK_IN_A_ROW = 2
"""A start that fails for want of room has waited a minute for it by then."""
# Some matches may end their worker whenever they are played. So many different ones in a row, and none finished, mean
# that the host is broken, and going on would make the whole tournament void.
_LOST_IN_A_ROW_PER_MATCH_IN_FLIGHT = 2
_MOST_OF_ONE_IN_A_ROW = 6
"""So often one match is lost while none is finished, and none in flight that could be."""


class HostWatch:
    """Watches the matches of one run, or of all of a service; every instant is one of the same clock."""

    def __init__(self, most_in_flight: int) -> None:
        """Judge a run that has so many matches in flight at most."""
        self._most_lost = _LOST_IN_A_ROW_PER_MATCH_IN_FLIGHT * most_in_flight
        self._finished = 0
        self._finished_before: dict[str, int] = {}
        """By match in flight, how many others were finished when it was handed out."""
        self._losses: Counter[str] = Counter()
        """How often each match was lost that is still to be played."""
        self._due: dict[str, float] = {}
        """When a match may be tried again."""
        self._lost_in_a_row: Counter[str] = Counter()
        self._sick_in_a_row = 0

    def hand_out(self, match_id: str) -> None:
        """Note that a match begins."""
        self._finished_before[match_id] = self._finished

    def finish(self, match_id: str) -> None:
        """Note that a match has a result."""
        self._finished += 1
        self._sick_in_a_row = 0
        self._lost_in_a_row.clear()
        self.forget(match_id)

    def lose(self, match_id: str, cause: HostCause, *, still_open: int, now_s: float) -> bool:
        """Note that a match was lost, which rests now, and return whether that counts against it.

        It does if another was finished meanwhile. If none was, the machine may be sick: then only what a match can
        bring about counts, and only if each of the matches that are `still_open` was lost before, so that none of them
        could show more.
        """
        has_played = self._finished > self._finished_before.pop(match_id, self._finished)
        self._losses[match_id] += 1
        self._lost_in_a_row[match_id] += 1
        self._sick_in_a_row = self._sick_in_a_row + 1 if cause in SICK else 0
        self._due[match_id] = now_s + min(FIRST_PAUSE_S * 2.0 ** (self._losses[match_id] - 1), LONGEST_PAUSE_S)
        return has_played or (cause not in SICK and still_open <= len(self._losses))

    def forget(self, match_id: str) -> None:
        """Note that a match is over."""
        for known in (self._finished_before, self._losses, self._due):
            known.pop(match_id, None)

    @property
    def has_resting(self) -> bool:
        """Whether a match rests, or has rested and was not asked for since."""
        return bool(self._due)

    def resting(self, now_s: float) -> frozenset[str]:
        """Return the matches that are not to be tried yet; whoever asks takes the others."""
        self._due = {match_id: due_s for match_id, due_s in self._due.items() if due_s > now_s}
        return frozenset(self._due)

    def rest_s(self, now_s: float) -> float | None:
        """Return how long it is until the next match has rested, or `None` if none rests."""
        return max(min(self._due.values()) - now_s, 0.0) if self._due else None

    def begin_anew(self) -> None:
        """Forget what was lost in a row, since the machine was given a pause; what rests goes on resting."""
        self._lost_in_a_row.clear()
        self._sick_in_a_row = 0

    def check(self, reason: MatchLostError | None, in_flight: Collection[str]) -> None:
        """Raise HostFailingError, with the last `reason`, on a machine that goes on failing."""
        if lost := self.count_failures(in_flight):
            raise HostFailingError(
                Text(
                    "the host lost {count} matches in a row, the run stopped; last reason: {why}; `arena doctor` "
                    "checks this machine, then resume",
                    count=lost,
                    why=reason or "unknown",
                )
            )

    def count_failures(self, in_flight: Collection[str]) -> int:
        """Return how often a machine has failed in a row that goes on failing; 0 if it does not."""
        most_of_one = max(self._lost_in_a_row.values(), default=0)
        is_alone = all(match_id in self._losses for match_id in in_flight)
        lost = max(len(self._lost_in_a_row), self._sick_in_a_row)
        if most_of_one >= _MOST_OF_ONE_IN_A_ROW and is_alone:
            lost = max(lost, most_of_one)
        elif self._sick_in_a_row < _MOST_SICK_IN_A_ROW and lost < self._most_lost:
            return 0
        return lost
