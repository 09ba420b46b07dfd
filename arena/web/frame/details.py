"""Tournaments as they were shown a moment ago: the table of one with very many entrants takes a while to make.

A tournament is read again after it has rested for many times as long as reading it took, so that those who look at it,
however many, take a small part of a core.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.client.arena import ArenaPort
from arena.client.values.tournaments import TournamentDetail

_LEAST_REST_S: Final = 1.0
_MOST_REST_S: Final = 60.0
_REST_PER_WORK: Final = 30.0
_MOST_KEPT: Final = 50


@dataclass(frozen=True, slots=True)
class _Kept:
    detail: TournamentDetail
    until_s: float


class TournamentDetails:
    """Reads tournaments and keeps those that were asked for last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, arena: ArenaPort, tournament: str) -> TournamentDetail:
        """Return a tournament by name or id as it is, or was a moment ago. Raises what `get_tournament` does."""
        start = self._clock()
        with self._lock:
            kept = self._kept.get(tournament)
        if kept is not None and start < kept.until_s:
            return kept.detail
        detail = arena.tournaments.get_tournament(tournament)
        end = self._clock()
        rest = min(_MOST_REST_S, max(_LEAST_REST_S, _REST_PER_WORK * (end - start)))
        with self._lock:
            self._kept[tournament] = _Kept(detail, end + rest)
            self._kept.move_to_end(tournament)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return detail
