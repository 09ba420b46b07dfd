"""Says how much an archive of a bot may hold."""

from __future__ import annotations

from dataclasses import dataclass

from arena.hosting.content import VersionLimits


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The most that an archive may hold; sizes are those of the archive before any compression for the way."""

    archive_bytes: int = 544 << 20
    file_bytes: int = 512 << 20
    total_bytes: int = 512 << 20
    """All files together, without headers."""
    files: int = 10_000
    """Files, and as many directories."""

    def of_version(self) -> VersionLimits:
        """Return the same limits for the directory that is packed."""
        return VersionLimits(self.files, self.total_bytes)
