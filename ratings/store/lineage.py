"""Which version of a bot is active, and which were before it, as its events tell. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ratings.values.states import BotEventKind

_ENDS = (BotEventKind.REFUSED, BotEventKind.WITHDRAWN, BotEventKind.ANNULLED)
"""After these a version is not active any more, and nobody can go back to it."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The active version of a bot by id, and those to which it can be rolled back, the latest last."""

    active: str | None = None
    before: tuple[str, ...] = ()

    def after(self, kind: BotEventKind, version_id: str | None) -> Lineage:
        """Return the lineage after an event: a rollback drops what came after the version it goes back to."""
        if version_id is None:
            return self
        if kind in _ENDS:
            active = None if self.active == version_id else self.active
            return Lineage(active, tuple(one for one in self.before if one != version_id))
        if kind is BotEventKind.PROMOTED and version_id != self.active:
            earlier = self.before if self.active is None else (*self.before, self.active)
            return Lineage(version_id, tuple(one for one in earlier if one != version_id))
        if kind is BotEventKind.ROLLED_BACK and version_id in self.before:
            return Lineage(version_id, self.before[: self.before.index(version_id)])
        return self


def lineage_of(events: Iterable[tuple[BotEventKind, str | None]]) -> Lineage:
    """Return the lineage of a bot from the kinds and versions of all its events, in order."""
    lineage = Lineage()
    for kind, version_id in events:
        lineage = lineage.after(kind, version_id)
    return lineage
