"""Whether stored matches are sound, found out when somebody asks, one match at a time, and remembered."""

from __future__ import annotations

from collections import OrderedDict

from arena.model.matches import MatchDetail, ReplayCheck
from arena.model.port import ArenaPort
from arena.web.viewer.semaphore import QueueingSemaphore

_MOST = 10_000
_MOST_WAITING = 12


class ReplayChecks:
    """The checks of matches. A check plays a match again, so that two at once would take a core more."""

    def __init__(self) -> None:
        self._semaphore = QueueingSemaphore(1, _MOST_WAITING)
        self._known: OrderedDict[tuple[str, str | None], ReplayCheck] = OrderedDict()

    def of(self, arena: ArenaPort, match: MatchDetail) -> ReplayCheck:
        """Return the check of a match. Raises what `Replays.verify_match` does, and TooManyWaitingError."""
        key = (match.match_id, match.record_digest)
        known = self._known.get(key)
        if known is not None:
            return known
        with self._semaphore.acquired():
            found = self._known.get(key) or arena.replays.verify_match(match.match_id)
            self._known[key] = found
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return found
