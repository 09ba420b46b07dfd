"""What every part of the adapter works with: the database, the bots' programs, and who asks."""

from __future__ import annotations

from dataclasses import dataclass

from arena.client.here.viewer import Viewer
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.uploads.area import UploadArea
from ratings.store.database import Database


@dataclass(frozen=True, slots=True)
class Place:
    """A database with the store of its bots, as one viewer may see it; several threads may share it."""

    database: Database
    programs: StoredPrograms
    viewer: Viewer
    uploads: UploadArea | None = None
    """Where archives arrive; `None` where nobody hands anything in."""
