"""What owners have and may have, counted in a database and the store of its bots."""

from __future__ import annotations

from arena.hosting.store import VersionStore
from arena.model.accounts import OwnerUsage
from ratings.read import accounts
from ratings.store.database import Database
from ratings.store.limits import LIMITS, OwnerLimits


class StoredUsage:
    """Counts what owners have. Sizes are remembered, for a version never changes; several threads may share it."""

    def __init__(self, database: Database, store: VersionStore, common: OwnerLimits | None = None) -> None:
        """`common` are the limits that all owners have."""
        self._database = database
        self._store = store
        self._common = common or OwnerLimits()
        self._sizes: dict[str, int] = {}

    def limits_of(self, owner: str) -> OwnerLimits:
        """Return what an owner may have. Raises NotFoundError."""
        return self._common.with_own(accounts.find_owner(self._database, owner).limits)

    def sizes_of(self, owner: str) -> dict[str, int]:
        """Return the bytes of each version of an owner that is kept, by content hash. Raises NotFoundError."""
        hashes = accounts.stored_versions(self._database, accounts.find_owner(self._database, owner).id)
        return {content_hash: self.size(content_hash) for content_hash in hashes}

    def size(self, content_hash: str) -> int:
        """Return the bytes of a version; 0 if it is not in the store. Raises StoreError."""
        known = self._sizes.get(content_hash) or self._store.stored_bytes(content_hash)
        self._sizes[content_hash] = known
        return known

    def usage(self, owner: str) -> OwnerUsage:
        """Return what an owner has and may have. Raises NotFoundError."""
        row = accounts.owner_row(self._database, owner)
        own = row.owner.limits or {}
        return OwnerUsage(
            owner=row.owner.name,
            limits=self._common.with_own(own),
            own=tuple(name for name in LIMITS if name in own),
            bots=row.bots,
            versions=row.versions,
            stored_bytes=sum(self.sizes_of(owner).values()),
        )
