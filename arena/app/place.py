"""What every part of the adapter works with: the database, the bots' programs, and who asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from arena.app.viewer import Viewer
from ratings.store.database import Database
from ratings.store.limits import ChallengeLimits

if TYPE_CHECKING:  # whoever only looks at the database keeps and starts no bots
    from arena.hosting.sandbox.programs import StoredPrograms
    from arena.hosting.uploads.area import UploadArea
    from arena.model.accounts import OwnerUsage


def _unknown() -> None:
    """Return that nothing is known."""


class UsageReader(Protocol):
    """Knows what owners have and may have."""

    def usage(self, owner: str) -> OwnerUsage:
        """Return it for the owner of that name. Raises NotFoundError."""


@dataclass(frozen=True, slots=True)
class Place:
    """A database with the store of its bots, as one viewer may see it; several threads may share it."""

    database: Database
    find_programs: Callable[[], StoredPrograms]
    """Returns the programs of the bots."""
    viewer: Viewer
    usage: UsageReader | None = None
    """That of the service; without one only what the database and the store tell is known."""
    uploads: UploadArea | None = None
    """Where archives arrive; `None` where nobody hands anything in."""
    matches_per_day: Callable[[], int | None] = _unknown
    """Returns the pace of ladders that have none of their own, or `None` if no service tells."""
    play_port: Callable[[], int] = int
    """Returns the port where remote bots connect, 0 if there is none."""
    is_connected: Callable[[str], bool] | None = None
    """Returns whether the remote version with that hash is connected; `None` where nothing plays with remote bots."""
    challenges: ChallengeLimits = field(default_factory=ChallengeLimits)

    @property
    def programs(self) -> StoredPrograms:
        """The programs of the bots."""
        return self.find_programs()
