"""The long jobs of a database, by their ids."""

from __future__ import annotations

from collections.abc import Iterator

from arena.client.errors import UnknownError
from arena.client.here.place import Place
from arena.client.here.running import progress_of, watch
from arena.client.values.operations import Operation
from ratings.read.tournaments import find_tournament

_TOURNAMENTS = "tournaments/"


class OperationsHere:
    """Implements the interface `arena.client.port.Operations`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def get_operation(self, operation: str) -> Operation:
        return progress_of(self._place, self._tournament(operation))

    def watch_operation(self, operation: str) -> Iterator[Operation]:
        return watch(self._place, self._tournament(operation))

    def _tournament(self, operation: str) -> str:
        if not operation.startswith(_TOURNAMENTS):
            raise UnknownError(f"there is no operation {operation!r}; their ids begin with {_TOURNAMENTS}")
        return find_tournament(self._place.database, operation.removeprefix(_TOURNAMENTS)).id
