"""What people are told of the retention of a home: what goes when and why, and what just went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.hosting.store import VersionStore
from arena.service.backup.errors import HomeArchiveError
from arena.service.home import Home
from arena.service.retention.removals import RetentionResult, enforce_limits, instant_text, limits_of, sentence
from arena.service.settings.reading import load_settings
from engine.text import Text, text_from_json
from ratings.read.bots import is_held
from ratings.read.retention import Limits, Planned, planned_removals, removals
from ratings.store.database import Database, open_database
from ratings.store.identifiers import now_us
from ratings.store.service import RemovalRecord
from ratings.values.states import RemovalKind


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """How a home stands to the limits of its settings."""

    pending: tuple[RemovalRecord, ...]
    """What is announced."""
    planned: tuple[Planned, ...]
    """What the limits want removed now."""
    kept: RetentionResult
    """What was done and announced just now."""
    collected: int
    """How many versions' files were removed just now."""
    at_us: int

    def lines(self) -> list[str]:
        """Return it in sentences."""
        done: list[str] = [Text("service.removed", "removed: {why}", why=_kind_and_why(one)) for one in self.kept.done]
        if self.collected:
            done.append(
                Text("service.removed_files_versions", "removed: the files of {count} versions", count=self.collected)
            )
        announced = {one.kind for one in self.pending}
        told = [
            Text(
                "service.announced_will_removed_after",
                "announced: {what} will be removed after {time}",
                what=_kind_and_why(one),
                time=instant_text(one.due_at_us),
            )
            for one in self.pending
        ]
        rest = [
            Text(
                "service.announced_day_after_owners_told",
                "to be announced: {what}, a day after owners are told",
                what=sentence(one, self.at_us),
            )
            for one in self.planned
            if one.kind not in announced
        ]
        return [*done, *told, *rest] or [
            Text(
                "service.nothing_removed_everything_within_limits",
                "nothing is to be removed: everything is within the limits of [retention]",
            )
        ]

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "removed": [_removal_json(one) for one in self.kept.done],
            "announced": [_removal_json(one) for one in self.pending],
            "wanted": [
                {"kind": one.kind.value, "why": one.why, "items": one.items, "bytes": one.size_bytes}
                for one in self.planned
            ],
        }


def _kind_and_why(removal: RemovalRecord) -> str:
    why = text_from_json(removal.why, removal.why_text)
    match removal.kind:
        case RemovalKind.LOGS:
            return Text("service.logs", "logs ({why})", why=why)
        case RemovalKind.REPLAYS:
            return Text("service.replays", "replays ({why})", why=why)
        case RemovalKind.ARCHIVES:
            return Text("service.archives", "archives ({why})", why=why)


def _removal_json(removal: RemovalRecord) -> dict[str, Any]:
    return {"kind": removal.kind.value, "why": removal.why, "due_at_us": removal.due_at_us, "items": removal.items}


def retention_report(home: Home, environ: Mapping[str, str], *, applies: bool) -> RetentionReport:
    """Return what the limits want removed; if it `applies`, after announcing that and doing what is due.

    Raises HomeArchiveError if there is no home, SettingsError, and the errors of `open_database`.
    """
    if not home.has_book:
        raise HomeArchiveError(
            Text(
                "service.no_home_no_give_service",
                "{directory} is no home: it has no {name}; give that of a service",
                directory=home.directory,
                name=home.database.name,
            )
        )
    limits = limits_of(load_settings(home.settings_file, {}, environ).values.retention)
    database = open_database(home.book, makes=False)
    try:
        return _look(home, database, limits, applies=applies)
    finally:
        database.close()


def _look(home: Home, database: Database, limits: Limits, *, applies: bool) -> RetentionReport:
    kept, collected, at_us = RetentionResult((), ()), 0, now_us()
    if applies:
        kept = enforce_limits(database, limits, at_us=at_us)
        if any(one.kind is RemovalKind.ARCHIVES for one in kept.done):
            collected = len(VersionStore(home.store).collect(lambda name: is_held(database, name)))
    pending = tuple(removals(database, pending=True))
    return RetentionReport(pending, tuple(planned_removals(database, limits, at_us)), kept, collected, at_us)
