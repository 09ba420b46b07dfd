"""Forecasts how full the disk will be in a year, from the size of a match and the number played a day."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.service.home import Home
from arena.service.settings import RetentionSection
from engine.translatable import Text
from ratings.read.retention import Volume

DOCUMENTED_BYTES_A_MATCH = 8192
"""What a match takes with replay and logs, as docs/deploy.md says; for a database with too few to tell."""
FEWEST_TO_TELL = 200
DAYS = 365
_MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class DailyMatches:
    """How many matches are played a day, and who says so."""

    matches_a_day: int
    source: str


@dataclass(frozen=True, slots=True)
class DiskForecast:
    """What lies on the disk now, and what will in a year."""

    database_bytes: int
    archives_bytes: int
    free_bytes: int
    bytes_a_match: int
    """With its replay and logs."""
    is_measured: bool
    """Whether `bytes_a_match` is that of this database, and not the documented figure."""
    pace: DailyMatches
    in_a_year_bytes: int
    """What the home will hold in a year: database and archives."""
    keeps_replays: bool
    """Whether replays have a limit that does not count, because those of open seasons are kept."""

    @property
    def fits(self) -> bool:
        """Return whether what will come fits on the disk as it is."""
        return self.in_a_year_bytes - self.database_bytes - self.archives_bytes <= self.free_bytes

    def lines(self) -> list[str]:
        """Return the forecast in sentences."""
        source = Text("measured here") if self.is_measured else Text("the documented figure")
        held = Text(
            "the database holds {database}, bots {bots}",
            database=_size_text(self.database_bytes),
            bots=_size_text(self.archives_bytes),
        )
        lines: list[str] = [
            Text(
                "disk: {why}; a match takes {bytes} bytes ({what})",
                why=held,
                bytes=f"{self.bytes_a_match:,}",
                what=source,
            ),
            Text(
                "disk: at {pace} matches a day ({what}) this home will hold about {size} in a year; {free} are free",
                pace=f"{self.pace.matches_a_day:,}",
                what=self.pace.source,
                size=_size_text(self.in_a_year_bytes),
                free=_size_text(self.free_bytes),
            ),
        ]
        if self.keeps_replays:
            lines.append(
                Text("disk: replays of an open season are kept; the limits of [retention] count after it is closed")
            )
        if not self.fits:
            lines.append(
                Text("warning: that does not fit; lower matches_per_day, set the limits of [retention], or make room")
            )
        return lines


def forecast(
    home: Home, volume: Volume, paces: Sequence[int], default_pace: int, kept: RetentionSection
) -> DiskForecast:
    """Return what the disk will hold, given what is there and the pace of each open ladder (0: no limit)."""
    database_bytes = sum(_size(Path(f"{home.database}{suffix}")) for suffix in ("", "-wal"))
    archives_bytes = sum(_size(path) for place in (home.store, home.builds) for path in place.rglob("*"))
    if paces and 0 not in paces:
        pace = DailyMatches(sum(paces), Text("the pace of the open ladders"))
    elif volume.last_week:
        pace = DailyMatches(-(-volume.last_week // 7), Text("as in the last week"))
    else:
        pace = DailyMatches(default_pace, Text("matches_per_day, before there are any"))
    parts = _Parts.of(database_bytes, volume)
    grown = parts.in_a_year(database_bytes, volume, pace.matches_a_day, kept, has_open_seasons=bool(paces))
    return DiskForecast(
        database_bytes=database_bytes,
        archives_bytes=archives_bytes,
        free_bytes=shutil.disk_usage(home.directory).free,
        bytes_a_match=round(parts.facts + parts.replay + parts.logs),
        is_measured=volume.finished >= FEWEST_TO_TELL,
        pace=pace,
        in_a_year_bytes=round(grown) + archives_bytes,
        keeps_replays=bool(paces) and bool(kept.replays_days or kept.replays_mb),
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a match takes in the database, in bytes, by what retention tells apart."""

    facts: float
    replay: float
    logs: float

    @classmethod
    def of(cls, database_bytes: int, volume: Volume) -> _Parts:
        """Return the parts as measured, or, for a database with too few matches, the documented figure."""
        if volume.finished < FEWEST_TO_TELL:
            return cls(DOCUMENTED_BYTES_A_MATCH / 2, DOCUMENTED_BYTES_A_MATCH / 2, 0.0)
        replays, logs = volume.replays * volume.replay_bytes, volume.logs * volume.log_bytes
        facts = max(0.0, database_bytes - replays - logs) / volume.finished
        # Not every seat writes, and logs go first: as many for each match as there are for those with a replay.
        return cls(facts, volume.replay_bytes, logs / max(volume.replays, 1))

    def in_a_year(
        self, database_bytes: int, volume: Volume, a_day: int, kept: RetentionSection, *, has_open_seasons: bool
    ) -> float:
        """Return what the database will hold in a year, with what retention removes until then taken off."""
        replays_now, logs_now = volume.replays * volume.replay_bytes, volume.logs * volume.log_bytes
        facts = database_bytes - min(replays_now + logs_now, database_bytes) + DAYS * a_day * self.facts
        limits = (0, 0) if has_open_seasons else (kept.replays_days, kept.replays_mb)
        replays = _limited(replays_now, a_day * self.replay, *limits)
        logs = _limited(logs_now, a_day * self.logs, kept.logs_days, kept.logs_mb)
        # A file does not shrink: what is removed only makes room for what comes.
        return max(database_bytes, facts + replays + logs)


def _limited(now: float, a_day: float, most_days: int, most_mb: int) -> float:
    """Return what there will be of something in a year that is kept for so many days, and no more than so much."""
    held = now + DAYS * a_day if not most_days or most_days >= DAYS else most_days * a_day
    return min(held, most_mb * _MEGA) if most_mb else held


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0  # it was removed meanwhile


def _size_text(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
