"""Keeps logs, replays and archives within the limits of the settings: announced first, removed a day later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from arena.hosting.store import VersionStore
from arena.service.home import Home
from arena.service.maintenance.backup import need_book
from arena.service.settings import RetentionSection, load_settings
from engine.translatable import Text, text_from_json
from ratings.ledger.retention import RetentionLedger
from ratings.read.bots import is_held
from ratings.read.retention import DAY_US, Limits, Planned, planned_removals, removable_versions, removals
from ratings.store.database import Database, open_database
from ratings.store.identifiers import now_us
from ratings.store.service import RemovalRecord
from ratings.values.states import RemovalKind

NOTICE_US = DAY_US
"""How long before it happens a removal is told."""
_REST_US = 7 * DAY_US
"""How long after an announcement what has only become too old waits for the next one, so that nobody is told daily."""
_MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class RetentionResult:
    """What came of one look at the limits."""

    done: tuple[RemovalRecord, ...]
    announced: tuple[RemovalRecord, ...]


def limits_of(section: RetentionSection) -> Limits:
    """Return the limits as the book of record counts them."""
    return Limits(
        section.logs_days,
        section.logs_mb * _MEGA,
        section.replays_days,
        section.replays_mb * _MEGA,
        section.archives_days,
    )


def enforce_limits(
    database: Database, limits: Limits, *, at_us: int | None = None, is_stopping: Callable[[], bool] = lambda: False
) -> RetentionResult:
    """Carry out what was announced and is due, and announce what else the limits want removed.

    What is announced is told to all owners, or, for files of versions, to those whose versions they are. A removal that
    is stopped between two pieces goes on the next time. A kind whose limits were all set to 0 meanwhile is kept.
    """
    instant = now_us() if at_us is None else at_us
    carried_out = set()
    for removal in removals(database, pending=True):
        if removal.due_at_us <= instant and not is_stopping():
            _carry_out(database, removal, limits, instant, is_stopping)
            carried_out.add(removal.id)
    recent = removals(database)
    done = tuple(removal for removal in recent if removal.id in carried_out)
    if is_stopping():
        return RetentionResult(done, ())
    wanted = [planned for planned in planned_removals(database, limits, instant) if _is_time(planned, recent, instant)]
    return RetentionResult(done, tuple(_announce(database, planned, instant) for planned in wanted))


def _carry_out(
    database: Database, removal: RemovalRecord, limits: Limits, at_us: int, is_stopping: Callable[[], bool]
) -> None:
    ledger, after = RetentionLedger(database), ""
    has_limit = {
        RemovalKind.LOGS: limits.logs_days or limits.logs_bytes,
        RemovalKind.REPLAYS: limits.replays_days or limits.replays_bytes,
        RemovalKind.ARCHIVES: limits.archives_days,
    }
    if not has_limit[removal.kind]:
        ledger.give_up(removal.id, at_us)
        return
    while not is_stopping():
        piece = ledger.remove_piece(removal.id, after, at_us)
        if piece.last is None:
            return
        after = piece.last


def _is_time(planned: Planned, recent: Iterable[RemovalRecord], at_us: int) -> bool:
    """Return whether something is to be announced now: nothing of its kind is, and the last time was long ago."""
    same = [removal for removal in recent if removal.kind is planned.kind]
    if any(removal.done_at_us is None for removal in same):
        return False
    return planned.is_by_size or all(at_us - removal.announced_at_us >= _REST_US for removal in same)


def _announce(database: Database, planned: Planned, at_us: int) -> RemovalRecord:
    due_at_us = at_us + NOTICE_US
    notices = (
        list(_notices_of_versions(database, planned, due_at_us))
        if planned.kind is RemovalKind.ARCHIVES
        else [
            (
                None,
                Text(
                    "{what} will be removed after {time}; download before what you want to keep",
                    what=_subject_and_why(planned),
                    time=instant_text(due_at_us),
                ),
            )
        ]
    )
    return RetentionLedger(database).announce(
        planned.kind, before_us=planned.before_us, why=planned.why, due_at_us=due_at_us, notices=notices, at_us=at_us
    )


def _notices_of_versions(database: Database, planned: Planned, due_at_us: int) -> Iterable[tuple[str | None, str]]:
    """Yield what each owner is told of the files of his versions; the operator's own bots have nobody to tell."""
    owned = [row for row in removable_versions(database, planned.before_us) if row.bot.owner_id is not None]
    owned.sort(key=lambda row: str(row.bot.owner_id))
    for owner_id, rows in groupby(owned, key=lambda row: row.bot.owner_id):
        names = ", ".join(f"{row.bot.name} version {row.version.number}" for row in rows)
        yield (
            owner_id,
            Text(
                "the files of {what} will be removed after {time}",
                what=Text("{what} ({why})", what=names, why=planned.why),
                time=instant_text(due_at_us),
            ),
        )


def sentence(planned: Planned, due_at_us: int) -> str:
    """Return in a sentence what will be removed, why and when."""
    return Text("{what} will be removed after {time}", what=_subject_and_why(planned), time=instant_text(due_at_us))


def _subject_and_why(planned: Planned) -> Text:
    return Text("{what} ({why})", what=subject(planned), why=planned.why)


def subject(planned: Planned) -> str:
    """Return in words what a removal is about."""
    if planned.kind is RemovalKind.ARCHIVES:
        return Text("the files of {count} versions", count=planned.items)
    what = (
        Text("logs of {count} matches", count=planned.items)
        if planned.kind is RemovalKind.LOGS
        else Text("replays of {count} matches", count=planned.items)
    )
    return Text(
        "{what}, {size} MB, that ended before {time}",
        what=what,
        size=f"{planned.size_bytes / _MEGA:.1f}",
        time=instant_text(planned.before_us),
    )


def instant_text(at_us: int) -> str:
    """Return an instant as people write it: UTC, to the minute."""
    return f"{datetime.fromtimestamp(at_us / _MEGA, UTC):%Y-%m-%d %H:%M} UTC"


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
        done: list[str] = [Text("removed: {why}", why=_kind_and_why(one)) for one in self.kept.done]
        if self.collected:
            done.append(Text("removed: the files of {count} versions", count=self.collected))
        announced = {one.kind for one in self.pending}
        told = [
            Text(
                "announced: {what} will be removed after {time}",
                what=_kind_and_why(one),
                time=instant_text(one.due_at_us),
            )
            for one in self.pending
        ]
        rest = [
            Text("to be announced: {what}, a day after owners are told", what=sentence(one, self.at_us))
            for one in self.planned
            if one.kind not in announced
        ]
        return [*done, *told, *rest] or [
            Text("nothing is to be removed: everything is within the limits of [retention]")
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
            return Text("logs ({why})", why=why)
        case RemovalKind.REPLAYS:
            return Text("replays ({why})", why=why)
        case RemovalKind.ARCHIVES:
            return Text("archives ({why})", why=why)


def _removal_json(removal: RemovalRecord) -> dict[str, Any]:
    return {"kind": removal.kind.value, "why": removal.why, "due_at_us": removal.due_at_us, "items": removal.items}


def retention_report(home: Home, environ: Mapping[str, str], *, applies: bool) -> RetentionReport:
    """Return what the limits want removed; if it `applies`, after announcing that and doing what is due.

    Raises HomeArchiveError if there is no home, SettingsError, and the errors of `open_database`.
    """
    need_book(home)
    limits = limits_of(load_settings(home.settings_file, {}, environ).values.retention)
    database = open_database(home.book, makes=False)
    try:
        kept, collected, at_us = RetentionResult((), ()), 0, now_us()
        if applies:
            kept = enforce_limits(database, limits, at_us=at_us)
            if any(one.kind is RemovalKind.ARCHIVES for one in kept.done):
                collected = len(VersionStore(home.store).collect(lambda name: is_held(database, name)))
        pending = tuple(removals(database, pending=True))
        return RetentionReport(pending, tuple(planned_removals(database, limits, at_us)), kept, collected, at_us)
    finally:
        database.close()
