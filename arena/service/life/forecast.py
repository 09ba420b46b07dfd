"""What the disk will hold in a year, from what a match takes and how many are played a day."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.service.home import Home
from ratings.read.volume import Volume

DOCUMENTED_BYTES_A_MATCH = 8192
"""What a match takes with replay and logs, as docs/deploy.md says; for a database with too few to tell."""
FEWEST_TO_TELL = 200
DAYS = 365


@dataclass(frozen=True, slots=True)
class Forecast:
    """What lies on the disk now, and what will in a year."""

    database_bytes: int
    archives_bytes: int
    free_bytes: int
    bytes_a_match: int
    is_measured: bool
    """Whether `bytes_a_match` is that of this database, and not the documented figure."""
    matches_a_day: int
    """The matches of the last 24 hours or, before there were any, what the open ladders may play."""
    most_a_day: int | None
    """What the open ladders may play a day; `None` if one of them may play as fast as the machine does."""

    @property
    def in_a_year_bytes(self) -> int:
        """Return what the database will hold in a year at the present pace."""
        return self.database_bytes + DAYS * self.matches_a_day * self.bytes_a_match

    @property
    def fits(self) -> bool:
        """Return whether that fits on the disk as it is."""
        return self.in_a_year_bytes - self.database_bytes <= self.free_bytes

    def lines(self) -> list[str]:
        """Return the forecast in sentences."""
        source = "measured here" if self.is_measured else "the documented figure"
        most = "no limit" if self.most_a_day is None else f"at most {self.most_a_day} a day by the ladders' pace"
        held = f"the database holds {_megabytes(self.database_bytes)}, bots {_megabytes(self.archives_bytes)}"
        remedy = "" if self.fits else "; that is more than is free: lower matches_per_day or the days of [retention]"
        return [
            f"disk: {held}; {_megabytes(self.free_bytes)} are free",
            f"disk: a match takes {self.bytes_a_match} bytes ({source}); {self.matches_a_day} a day now, {most}",
            f"disk: in a year the database will hold {_megabytes(self.in_a_year_bytes)}{remedy}",
        ]


def forecast(home: Home, volume: Volume, paces: Iterable[int]) -> Forecast:
    """Return what the disk will hold, given the matches so far and the pace of each open ladder (0: no limit)."""
    limits = list(paces)
    most_a_day = None if 0 in limits else sum(limits)
    database_bytes = sum(_size(Path(f"{home.database}{suffix}")) for suffix in ("", "-wal"))
    is_measured = volume.finished >= FEWEST_TO_TELL
    return Forecast(
        database_bytes=database_bytes,
        archives_bytes=sum(_size(path) for path in home.store.rglob("*")),
        free_bytes=shutil.disk_usage(home.directory).free,
        bytes_a_match=database_bytes // volume.finished if is_measured else DOCUMENTED_BYTES_A_MATCH,
        is_measured=is_measured,
        matches_a_day=volume.last_day or most_a_day or 0,
        most_a_day=most_a_day,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0  # it was removed meanwhile


def _megabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
