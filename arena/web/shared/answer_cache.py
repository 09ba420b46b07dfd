"""Answers of the arena that take long: the table of a very large tournament, what is counted over a million matches.

No page waits for them. They are made in the background, by processes of their own, and kept. An answer is given again
for as long as nothing at all was written to the database. Where something was, it rests for many times as long as
making it took, so that those who look, however many, take a small part of a core; then it is made anew, and until that
is done the one before is given, with its age. Where there is none yet, AnswerPendingError says so.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from arena.model.port import ShownArena
from arena.model.ratings import Form, Record
from arena.web.shared.helper_process import HelperProcess, WorkQueue, call_of
from engine.translatable import Text
from ratings.values.leaderboards import LeaderboardRow, Standing

T = TypeVar("T")
Rated = LeaderboardRow | Standing
Ask = Callable[..., Any]
_Key = tuple[str, str, int, float, float]
PATIENCE_S: Final = 0.01
"""So long a page waits for an answer that may come at once."""
_PATIENCE_SMALL_S: Final = 0.03
"""So long for one over not so many matches, which is there by then unless the machine is busy."""
_PATIENCE_SOON_S: Final = 30.0
_LEAST_REST_S: Final = 1.0
_MOST_REST_S: Final = 60.0
_MOST_REST_SOON_S: Final = 5.0
"""What is played now is news on a front page: it is never older, however busy the machine was."""
_REST_PER_WORK: Final = 30.0
_OLDEST_S: Final = 600.0
"""An answer that nobody asked for in so long is not given any more while the next one is made."""
_MOST_KEPT: Final = 100
_FEW: Final = 100
"""What is counted over no more matches than that is done at once: to have it done elsewhere would take longer."""
_MANY: Final = 1000
"""What is counted over more matches than that is counted apart from what is soon done."""
_LEAST_AGAIN_S: Final = 0.2
_MOST_AGAIN_S: Final = 5.0
_AGAIN_PER_WAITED: Final = 0.5
"""Whoever has waited for long asks again less often: asking takes time from making."""
_MOST_FORMS: Final = 5000
_MOST_RECORDS: Final = 300
_LONG_RECORD: Final = 500
"""The record of a version with more matches than that is not read while a page waits."""
_MANY_TOGETHER: Final = 50_000
"""So are the faults in more matches than that, and what so many versions did."""
_MOST_VERSIONS: Final = 100
_BEING_MADE: Final = Text("it takes a while to work this out; ask again in a second")


class AnswerPendingError(Exception):
    """An answer is being worked out, and will be there soon; the message says so.

    `again_s` is after how many seconds it is well to ask again, given for how many it has been worked on.
    """

    def __init__(self, worked_s: float = 0.0) -> None:
        super().__init__(_BEING_MADE)
        self.again_s = min(_MOST_AGAIN_S, max(_LEAST_AGAIN_S, _AGAIN_PER_WAITED * worked_s))


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer, and how many seconds old it is; 0 if nothing was written since."""

    answer: Any
    age_s: float = 0.0


class AnswerCache:
    """Asks the arena, or the helpers for what takes long, and keeps the answers that were asked for last.

    `helper` does what is soon done, `counter` what may take many seconds. Without them everything is made at once,
    while the page waits.
    """

    def __init__(
        self,
        helper: HelperProcess | None = None,
        counter: HelperProcess | None = None,
        clock: Callable[[], float] = time.monotonic,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._clock, self._patience_s = clock, patience_s
        self._soon = None if helper is None else WorkQueue(helper, "soon done")
        self._late = self._soon if counter is None else WorkQueue(counter, "counting")
        self._places: OrderedDict[object, _Place] = OrderedDict()
        self._lock = threading.Lock()

    def of_tournament(self, arena: ShownArena, tournament: str, question: str, **more: Any) -> CachedAnswer:
        """Return the answer to a question whose argument `tournament` is that one, by name or id.

        Raises what that does, and AnswerPendingError.
        """
        place = self._place((question, tournament, *more.items()))
        given = self._still_good(arena, place)
        if given is not None:
            return given
        matches = 0 if self._late is None else arena.overview.count_matches(tournament)
        asked = _Question(question, (), {"tournament": tournament, **more})
        if matches > _MANY:
            return self._made(arena, place, asked, self._late, self._patience_s)
        if matches <= _FEW:
            return self._made_here(arena, place, asked)
        patience_s = self._patience_s if place.kept is not None else max(self._patience_s, _PATIENCE_SMALL_S)
        return self._made(arena, place, asked, self._soon, patience_s)

    def ask(self, arena: ShownArena, question: str, *arguments: Any, **more: Any) -> CachedAnswer:
        """Return the answer to a question that takes long, such as `statistics.list_lengths`; the same errors."""
        place = self._place((question, *arguments, *more.items()))
        given = self._still_good(arena, place)
        return given or self._made(arena, place, _Question(question, arguments, more), self._late, self._patience_s)

    def ask_soon(self, arena: ShownArena, question: str, *arguments: Any) -> CachedAnswer:
        """Return the answer to a quick question, for which pages wait.

        Raises what it does, and AnswerPendingError if it takes very long all the same.
        """
        place = self._place((question, *arguments))
        given = self._still_good(arena, place)
        if given is not None:
            return given
        patience_s = _PATIENCE_SOON_S if place.kept is None else self._patience_s
        return self._made(arena, place, _soon(question, arguments), self._soon, patience_s)

    def prepare(self, arena: ShownArena, question: str, *arguments: Any, waits: bool) -> None:
        """Have an answer for `ask_soon` ready: at once, or soon in the background if there is a helper."""
        place, asked = self._place((question, *arguments)), _soon(question, arguments)
        if waits:
            place.kept = self._answered(arena, asked, None)
        elif self._soon is not None:
            self._begun(arena, place, asked, self._soon)

    def _place(self, key: object) -> _Place:
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            if len(self._places) > _MOST_KEPT:
                self._places.popitem(last=False)
            return place

    def _still_good(self, arena: ShownArena, place: _Place) -> CachedAnswer | None:
        kept = place.kept
        if kept is None:
            return None
        if kept.mark is not None and kept.mark == arena.overview.mark():
            return kept.given(0.0)
        now = self._clock()
        return kept.given(now - kept.asked_s) if now < kept.until_s else None

    def _made(
        self, arena: ShownArena, place: _Place, question: _Question, queue: WorkQueue | None, patience_s: float
    ) -> CachedAnswer:
        if queue is None:
            return self._made_here(arena, place, question)
        if self._begun(arena, place, question, queue).wait(patience_s) and place.kept is not None:
            return place.kept.given(0.0)
        kept, now = place.kept, self._clock()
        if kept is None or now - kept.asked_s > _OLDEST_S:
            raise AnswerPendingError(now - place.since_s)
        return kept.given(now - kept.asked_s)

    def _made_here(self, arena: ShownArena, place: _Place, question: _Question) -> CachedAnswer:
        with place.changing:
            given = self._still_good(arena, place)
            if given is not None:
                return given
            place.kept = self._answered(arena, question, None)
        return place.kept.given(0.0)

    def _begun(self, arena: ShownArena, place: _Place, question: _Question, queue: WorkQueue) -> threading.Event:
        """Begin to make an answer unless that is under way; return the event that is set when it is there."""
        with place.changing:
            if place.making is not None:
                return place.making
            place.making, place.since_s = (made := threading.Event()), self._clock()

        def make(helper: HelperProcess) -> None:
            place.kept = self._answered(arena, question, helper)
            place.making = None
            made.set()

        if not queue.put(make):
            place.making = None
        return made

    def _answered(self, arena: ShownArena, question: _Question, helper: HelperProcess | None) -> _Made:
        start, mark, answer, error = self._clock(), None, None, None
        try:
            mark = arena.overview.mark()
            answer = question.put_to(arena) if helper is None else question.put_to_helper(arena, helper)
        except Exception as found:  # it is raised where the answer is asked for
            error = found
        end = self._clock()
        rest = min(question.most_rest_s, max(_LEAST_REST_S, _REST_PER_WORK * (end - start)))
        return _Made(answer, error, mark, start, end + rest)


@dataclass(frozen=True, slots=True)
class _Made:
    """The outcome of making an answer: the answer, or its error."""

    answer: Any
    error: Exception | None
    mark: int | None
    """That of the database before it was asked."""
    asked_s: float
    until_s: float
    """So long it rests."""

    def given(self, age_s: float) -> CachedAnswer:
        """Return the answer. Raises its error."""
        if self.error is not None:
            raise self.error.with_traceback(None)
        return CachedAnswer(self.answer, age_s)


@dataclass(frozen=True, slots=True)
class _Question:
    """A question as `arena.web.shared.helper_process` knows them, with its arguments."""

    question: str
    arguments: tuple[Any, ...]
    more: Mapping[str, Any]
    most_rest_s: float = _MOST_REST_S

    def put_to(self, arena: ShownArena) -> Any:
        """Return the arena's answer."""
        return call_of(arena, self.question)(*self.arguments, **self.more)

    def put_to_helper(self, arena: ShownArena, helper: HelperProcess) -> Any:
        """Return the answer of a helper; the arena's, or its error, if that has none."""
        return helper.ask(partial(self.put_to, arena), self.question, *self.arguments, **self.more)


def _soon(question: str, arguments: tuple[Any, ...]) -> _Question:
    return _Question(question, arguments, {}, _MOST_REST_SOON_S)


@dataclass(slots=True)
class _Place:
    kept: _Made | None = None
    making: threading.Event | None = None
    """It is set when the one that is being made is there."""
    since_s: float = 0.0
    """When that was begun."""
    changing: threading.Lock = field(default_factory=threading.Lock)


class VersionRecords:
    """Keeps forms and records of versions; `ask` asks for what takes long, as `RequestAnswers.ask` does.

    All of it follows from the rated matches of a version, and so does its rating to the last digit: as long as that is
    the same, no match was added and none taken away.
    """

    def __init__(self) -> None:
        self._forms: _Lru[Form] = _Lru(_MOST_FORMS)
        self._records: _Lru[Record] = _Lru(_MOST_RECORDS)

    def forms(self, arena: ShownArena, pool: str, rows: Sequence[LeaderboardRow], ask: Ask) -> Mapping[str, Form]:
        """Return the recent form of the versions in these lines, by version id. Raises AnswerPendingError."""
        keys = {row.version_id: _key(pool, row) for row in rows}
        known = {version: form for version, key in keys.items() if (form := self._forms.get(key)) is not None}
        missing = [version for version in keys if version not in known]
        matches = sum(row.matches for row in rows if row.version_id in missing)
        found: Mapping[str, Form] = {}
        if matches > _MANY_TOGETHER or len(missing) > _MOST_VERSIONS:
            found = ask(arena, "overview.list_forms", pool, tuple(missing))
        elif missing:
            found = arena.overview.list_forms(pool, missing)
        for version, form in found.items():
            self._forms.put(keys[version], form)
        return {**known, **found}

    def record(self, arena: ShownArena, chosen: Standing, points: int, ask: Ask) -> Record:
        """Return the record of the version that stands there, its curve thinned to about so many points.

        Raises AnswerPendingError.
        """
        pool, version = chosen.pool.pool_id, chosen.version_id
        found = self._records.get(_key(pool, chosen))
        if found is not None:
            return found
        if chosen.matches > _LONG_RECORD:
            asked: Record = ask(arena, "overview.get_record", pool, version, points)
            return asked
        found = arena.overview.get_record(pool, version, points)
        self._records.put(_key(pool, chosen), found)
        return found


def _key(pool: str, row: Rated) -> _Key:
    return pool, row.version_id, row.matches, row.mu, row.sigma


class _Lru(Generic[T]):
    """Values by key, of which those that were used last are kept. Safe for threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[_Key, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: _Key) -> T | None:
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
            return found

    def put(self, key: _Key, value: T) -> None:
        with self._lock:
            self._found[key] = value
            while len(self._found) > self._most:
                self._found.popitem(last=False)
