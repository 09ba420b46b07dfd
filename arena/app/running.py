"""How far a tournament is, and who may stop it."""

from __future__ import annotations

import time
from collections.abc import Iterator

from arena.app.answers import comparison_of
from arena.app.place import Place
from arena.app.rights import need_competitor
from arena.app.tournament_values import standing_of
from arena.model.answers import ComparisonResult, comparison_note
from arena.model.errors import ForbiddenError
from arena.model.operations import Operation, OperationKind, OperationState
from arena.tournament.formats.compare import Compare
from ratings.read.tournaments import entrant_bots, tournament_row
from ratings.store.models import Tournament

LOOK_EVERY_S = 0.5
_STATES = {
    "planned": OperationState.QUEUED,
    "running": OperationState.RUNNING,
    "stopped": OperationState.QUEUED,
    "finished": OperationState.DONE,
    "cancelled": OperationState.CANCELLED,
}
OVER = (OperationState.DONE, OperationState.CANCELLED)


def progress_of(place: Place, tournament_id: str) -> Operation:
    """Return how far a tournament is; what a cancelled one did not play is not done."""
    row = tournament_row(place.database, tournament_id)
    progress, (status, _) = row.progress, standing_of(place, row)
    return Operation(
        id=f"tournaments/{tournament_id}",
        kind=OperationKind.TOURNAMENT,
        state=_STATES[status],
        done=progress.finished + (0 if row.tournament.cancelled_at_us else progress.void),
        total=progress.total,
        sentence=note_of(place, row.tournament),
        started_at_us=row.tournament.created_at_us,
        ended_at_us=row.tournament.cancelled_at_us,
    )


def note_of(place: Place, tournament: Tournament) -> str:
    """Return what there is to say of a comparison that goes on: how near it is to an answer. It is empty for others."""
    found: ComparisonResult | None = None
    if tournament.format == Compare.name:
        found = comparison_of(place.database, tournament.id)
    return "" if found is None else comparison_note(found)


def watch(place: Place, tournament_id: str) -> Iterator[Operation]:
    """Yield how far a tournament is whenever that changed, until it is over. It sleeps in the caller's thread."""
    last = None
    while True:
        found = progress_of(place, tournament_id)
        if found != last:
            yield found
        if found.state in OVER:
            return
        last = found
        time.sleep(LOOK_EVERY_S)


def need_canceller(place: Place, tournament: Tournament) -> None:
    """Raise ForbiddenError unless the viewer may cancel it: an organiser, or who asked for it to try out his bot."""
    viewer = place.viewer
    if viewer.is_organiser:
        return
    need_competitor(viewer, "cancel tournaments")
    first = entrant_bots(place.database, tournament.id)[0]
    if tournament.rated or not viewer.owns(first.owner_id):
        raise ForbiddenError(
            f"only an organiser may cancel {tournament.name!r}; you may cancel an unrated tournament whose first bot "
            "is yours"
        )


def need_entry(place: Place, tournament: Tournament) -> None:
    """Raise ForbiddenError if another owner asked for the tournament, to try out his own bots."""
    viewer = place.viewer
    entered = entrant_bots(place.database, tournament.id)  # a ladder may have none yet
    owner_id = None if tournament.rated or not entered else entered[0].owner_id
    if owner_id is not None and not viewer.owns(owner_id):
        raise ForbiddenError(
            f"{tournament.name!r} is an unrated tournament of another owner, so you may not enter it; create your own"
        )
