"""What versions have behind them, kept for as long as it is true.

All of it follows from the rated matches of a version, and so does its rating to the last digit: as long as that is the
same, nothing was added to them and nothing taken away.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from arena.model.overview import Form, Record
from arena.model.port import ShownArena
from ratings.values.leaderboards import LeaderboardRow, Standing

T = TypeVar("T")
Rated = LeaderboardRow | Standing
Ask = Callable[..., Any]
_Key = tuple[str, str, int, float, float]
_MOST_FORMS: Final = 5000
_MOST_RECORDS: Final = 300
_MANY: Final = 500
"""The record of a version with more matches than that is not read while a page waits."""
_MANY_TOGETHER: Final = 50_000
"""So are the faults in more matches than that, and what so many versions did."""
_MOST_VERSIONS: Final = 100


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


class VersionRecords:
    """Keeps forms and records of versions; `ask` asks for what takes long, as `RequestAnswers.ask` does."""

    def __init__(self) -> None:
        self._forms: _Lru[Form] = _Lru(_MOST_FORMS)
        self._records: _Lru[Record] = _Lru(_MOST_RECORDS)

    def forms(self, arena: ShownArena, pool: str, rows: Sequence[LeaderboardRow], ask: Ask) -> Mapping[str, Form]:
        """Return how the versions of these lines did lately, by version id. Raises AnswerPendingError."""
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
        if chosen.matches > _MANY:
            asked: Record = ask(arena, "overview.get_record", pool, version, points)
            return asked
        found = arena.overview.get_record(pool, version, points)
        self._records.put(_key(pool, chosen), found)
        return found


def _key(pool: str, row: Rated) -> _Key:
    return pool, row.version_id, row.matches, row.mu, row.sigma
