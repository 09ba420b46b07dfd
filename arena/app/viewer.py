"""Who asks: what may be seen and done follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.store.states import Scope


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whoever asks an arena. By default it is the organiser: who can open the database may see everything."""

    scope: Scope = Scope.ORGANISER
    owner_id: str | None = None
    owner_name: str | None = None
    token: str | None = None
    """The name of the token that was shown."""
    expires_at_us: int | None = None

    @property
    def is_organiser(self) -> bool:
        """Return whether everything may be seen and done."""
        return self.scope is Scope.ORGANISER

    def owns(self, owner_id: str | None) -> bool:
        """Return whether the viewer may see what is only for the owner of a bot."""
        return self.is_organiser or (owner_id is not None and owner_id == self.owner_id)
