"""The uploads of a service, while they go on and for a while afterwards: an owner sees his own, an organiser all."""

from __future__ import annotations

from contextlib import suppress

from arena.app.place import Place
from arena.app.viewer import Viewer
from arena.hosting.uploads.disk import Upload
from arena.hosting.uploads.errors import UploadMissingError
from arena.hosting.uploads.history import PastUpload
from arena.model.errors import UnknownError
from arena.model.operations import Operation, OperationKind, OperationState
from ratings.store.states import Scope

PREFIX = "uploads/"
"""What the id of an operation begins with that is an upload."""
_SECOND_US = 1_000_000


def upload_progress(place: Place, operation: str) -> Operation:
    """Return how far an upload is, in bytes, or what became of it within the last hour.

    Raises UnknownError if there is none, also for one of somebody else: whether it exists is nobody else's business.
    """
    upload_id, area = operation.removeprefix(PREFIX), place.uploads
    if area is not None:
        owner = _whose(place.viewer)
        past = area.history.find(upload_id, owner)
        with suppress(UploadMissingError):
            found = area.get(upload_id)
            if owner in (None, found.owner):
                return _going_on(found, past)
        if past is not None and past.ended_s is not None:
            return _over(past)
    raise UnknownError(f"there is no upload {upload_id!r}; `arena bot submit` begins one")


def _whose(viewer: Viewer) -> str | None:
    """Return whose uploads a viewer may see, or `None` for everybody's."""
    if viewer.is_organiser:
        return None
    # No owner has an empty name, so nothing is found for whoever may hand nothing in.
    return viewer.owner_name or "" if viewer.scope is Scope.COMPETITOR else ""


def _going_on(upload: Upload, past: PastUpload | None) -> Operation:
    is_whole = upload.offset == upload.size_bytes
    return Operation(
        id=f"{PREFIX}{upload.id}",
        kind=OperationKind.UPLOAD,
        state=OperationState.RUNNING,
        done=upload.offset,
        total=upload.size_bytes,
        sentence="everything has arrived, and is to be submitted" if is_whole else "",
        started_at_us=None if past is None else int(past.begun_s * _SECOND_US),
    )


def _over(past: PastUpload) -> Operation:
    return Operation(
        id=f"{PREFIX}{past.id}",
        kind=OperationKind.UPLOAD,
        state=OperationState.DONE if past.error is None else OperationState.FAILED,
        done=past.size_bytes,
        total=past.size_bytes,
        sentence=past.sentence,
        started_at_us=int(past.begun_s * _SECOND_US),
        ended_at_us=None if past.ended_s is None else int(past.ended_s * _SECOND_US),
        error=past.error,
    )
