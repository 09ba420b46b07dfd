"""The long jobs of a database, by their ids."""

from __future__ import annotations

import time
from collections.abc import Iterator

from arena.app.admissions import ADMISSIONS, UPLOADS, admission_progress, upload_progress
from arena.app.policy import AppContext
from arena.app.tournaments import progress_of
from arena.model.errors import UnknownError
from arena.model.operations import Operation, OperationState
from engine.translatable import Text
from ratings.read.tournaments import find_tournament

_TOURNAMENTS = "tournaments/"
_LOOK_EVERY_S = 0.5
_UNDER_WAY = (OperationState.QUEUED, OperationState.RUNNING)


class LocalOperations:
    """Implements the interface `arena.model.port.Operations`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def get_operation(self, operation: str) -> Operation:
        if operation.startswith(ADMISSIONS):
            return admission_progress(self._context, operation)
        if operation.startswith(UPLOADS):
            return upload_progress(self._context, operation)
        if not operation.startswith(_TOURNAMENTS):
            known = f"{_TOURNAMENTS}, {ADMISSIONS} or {UPLOADS}"
            raise UnknownError(
                Text(
                    "there is no operation {operation}; their ids begin with {known}",
                    operation=repr(operation),
                    known=known,
                )
            )
        found = find_tournament(self._context.database, operation.removeprefix(_TOURNAMENTS))
        return progress_of(self._context, found.id)

    def watch_operation(self, operation: str) -> Iterator[Operation]:
        last = None
        while True:
            found = self.get_operation(operation)
            if found != last:
                yield found
            if found.state not in _UNDER_WAY:
                return
            last = found
            time.sleep(_LOOK_EVERY_S)
