"""Answers of the arena that take long, as they were given a moment ago: the table of a very large tournament, counts.

An answer is given again for as long as nothing at all was written to the database. Where something was, it rests for
many times as long as making it took, so that those who look, however many, take a small part of a core; only then it is
made anew. Whoever asks for the same meanwhile waits for that.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

from arena.client.overview import ShownArena
from arena.client.values.tournaments import TournamentDetail
from arena.web.helping.helper import Helper

_LEAST_REST_S: Final = 1.0
_MOST_REST_S: Final = 60.0
_REST_PER_WORK: Final = 30.0
_MOST_KEPT: Final = 100
_MANY: Final = 1000
"""What is counted over more matches than that is left to the helper."""


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: Any
    mark: int | None
    """That of the database before it was asked."""
    until_s: float


@dataclass(slots=True)
class _Place:
    """Where one answer is kept, and made by one at a time."""

    making: threading.Lock = field(default_factory=threading.Lock)
    kept: _Kept | None = None


class Answers:
    """Asks the arena, or the helper for what takes long, and keeps the answers that were asked for last."""

    def __init__(self, helper: Helper | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._helper = helper
        self._clock = clock
        self._places: OrderedDict[object, _Place] = OrderedDict()
        self._lock = threading.Lock()

    def get_tournament(self, arena: ShownArena, tournament: str) -> TournamentDetail:
        """Return a tournament by name or id. Raises what `Tournaments.get_tournament` does."""
        found: TournamentDetail = self.of_tournament(arena, tournament, "tournaments.get_tournament")
        return found

    def of_tournament(self, arena: ShownArena, tournament: str, question: str, **more: Any) -> Any:
        """Return the answer to a question whose argument `tournament` is that one. Raises what that does."""
        place = self._place((question, tournament, *more.items()))
        kept = self._still_good(arena, place)
        if kept is not None:
            return kept.answer
        is_long = self._helper is not None and arena.overview.count_matches(tournament) > _MANY
        return self._made(arena, place, is_long, question, (), {"tournament": tournament, **more})

    def ask(self, arena: ShownArena, question: str, *arguments: Any, **more: Any) -> Any:
        """Return the answer to a question that takes long, such as `tournaments.list_confidence`."""
        place = self._place((question, *arguments, *more.items()))
        kept = self._still_good(arena, place)
        return self._made(arena, place, True, question, arguments, more) if kept is None else kept.answer

    def _place(self, key: object) -> _Place:
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            if len(self._places) > _MOST_KEPT:
                self._places.popitem(last=False)
            return place

    def _still_good(self, arena: ShownArena, place: _Place) -> _Kept | None:
        kept = place.kept
        if kept is None or self._clock() < kept.until_s:
            return kept
        return kept if kept.mark is not None and kept.mark == arena.overview.mark() else None

    def _made(
        self,
        arena: ShownArena,
        place: _Place,
        is_long: bool,
        question: str,
        arguments: tuple[Any, ...],
        more: Mapping[str, Any],
    ) -> Any:
        def here() -> Any:
            call: Any = reduce(getattr, question.split("."), arena)
            return call(*arguments, **more)

        with place.making:
            kept = self._still_good(arena, place)
            if kept is not None:
                return kept.answer
            mark, start = arena.overview.mark(), self._clock()
            helper = self._helper if is_long else None
            answer = here() if helper is None else helper.ask(here, question, *arguments, **more)
            end = self._clock()
            rest = min(_MOST_REST_S, max(_LEAST_REST_S, _REST_PER_WORK * (end - start)))
            place.kept = _Kept(answer, mark, end + rest)
            return answer
