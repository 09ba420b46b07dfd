"""The long jobs of a database, by their ids."""

from __future__ import annotations

import time
from collections.abc import Iterator

from arena.client.errors import UnknownError
from arena.client.here.admissions import AdmissionsHere
from arena.client.here.place import Place
from arena.client.here.running import LOOK_EVERY_S, OVER, progress_of
from arena.client.values.operations import Operation
from ratings.read.tournaments import find_tournament


class OperationsHere:
    """Implements the interface `arena.client.port.Operations`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def get_operation(self, operation: str) -> Operation:
        kind, _, target = operation.partition("/")
        if kind == "tournaments":
            return progress_of(self._place, find_tournament(self._place.database, target).id)
        if kind == "admissions":
            return AdmissionsHere(self._place).get_progress(target)
        raise UnknownError(f"there is no operation {operation!r}; their ids begin with tournaments/ or admissions/")

    def watch_operation(self, operation: str) -> Iterator[Operation]:
        last = None
        while True:
            found = self.get_operation(operation)
            if found != last:
                yield found
            if found.state in OVER:
                return
            last = found
            time.sleep(LOOK_EVERY_S)
