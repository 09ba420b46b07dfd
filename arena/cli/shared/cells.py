"""How values and matches are written in tables and lines for people: one writer for each kind of column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.shared.language import named, say, translated
from arena.i18n.sanitize import plain
from arena.model.table_columns import Column, ColumnKind

if TYPE_CHECKING:
    from arena.model.accounts import OwnerUsage
    from arena.model.matches import SeatSummary
    from ratings.values.tournament_incidents import LockHolder


_HASH_DIGITS = 12
MatchId = Annotated[str, typer.Argument(metavar="MATCH")]

_ID_DIGITS = 8


def printable(text: str) -> str:
    """Return the text, which a bot may have written, as one line that cannot steer a terminal."""
    return plain(text)


def cell_text(value: Any) -> str:
    """Return a value as one line for people, or `-` if it is `None`."""
    return "-" if value is None else printable(str(value))


def heading_of(column: Column) -> str:
    """Return the heading of a column, in the language of this process."""
    return printable(column.title) if column.is_name else say(f"cli_heading.{column.title}")


def write_cell(column: Column, row: Any) -> str:
    """Return the text of a row's cell in a column."""
    value = column.value(row)
    if column.kind is ColumnKind.NAME:
        return write_named(column.names)(value)
    return printable((column.write or _WRITERS[column.kind])(value))


def write_translated(sentence: str | None) -> str:
    """Write a sentence that the program keeps in English, in the language of this process."""
    return cell_text(None if sentence is None else translated(sentence))


def write_named(family: str) -> Callable[[str | None], str]:
    """Return a writer for values that the catalogue names below `family`, such as `search.state_`."""
    return lambda value: cell_text(None if value is None else named(family, value))


def yes_or_no(value: Any) -> str:
    """Write a truth value as yes or no, the way options of games are written; write anything else as it is."""
    return ("yes" if value else "no") if isinstance(value, bool) else cell_text(value)


def format_percent(value: float | None) -> str:
    """Write a share of 1 as a percentage, or `-` if it is not known."""
    return "-" if value is None else f"{100 * value:.1f}%"


def format_runner(player: LockHolder | None) -> str:
    """Write who plays a tournament: `HOST:PID`, or `-` if nobody does."""
    return "-" if player is None else f"{player.host}:{player.pid or '?'}"


def short_hash(content_hash: str | None) -> str:
    """Return the first digits of a hash, which people are shown, or `-` if there is none."""
    return "-" if content_hash is None else content_hash[:_HASH_DIGITS]


def format_instant(microseconds: int | None) -> str:
    """Write an instant for people: UTC, to the second, or `-` if there is none."""
    if microseconds is None:
        return "-"
    from datetime import UTC, datetime

    return datetime.fromtimestamp(microseconds / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _version_text(version: Sequence[str | None]) -> str:
    """Write a version as people know it: a remote one by its author's word, any other by its hash."""
    content_hash, named = version
    return named or short_hash(content_hash)


def short_match_id(match_id: str) -> str:
    """Return the last digits of a match's id, which people are shown. Ids of one moment begin alike."""
    return match_id[-_ID_DIGITS:]


def format_note_limit(usage: OwnerUsage) -> str:
    """Write how much of the notes of an owner's bots is kept, on a line; nothing if there is no limit."""
    if not usage.limits.notes_mb:
        return ""
    used = f"{usage.note_bytes / (1 << 20):.1f}"
    return say("cli_bot.notes_limit", owner=usage.owner, most=usage.limits.notes_mb, used=used) + "\n"


def format_seats(seats: Sequence[SeatSummary]) -> str:
    """Write who sat where, with the rank in brackets and a mark at a fault, for a table: `greedy(1) random(2)!`."""
    return " ".join(f"{seat.bot}({seat.rank or '-'}){'!' if seat.fault else ''}" for seat in seats)


def format_faults(seats: Sequence[SeatSummary]) -> str:
    """Write which bots were at fault and why, for a table: `random: TIMEOUT`."""
    return ", ".join(f"{seat.bot}: {named('fault.', seat.fault)}" for seat in seats if seat.fault)


_WRITERS: Final[Mapping[ColumnKind, Callable[[Any], str]]] = {
    ColumnKind.TEXT: cell_text,
    ColumnKind.WORDS: " ".join,
    ColumnKind.SENTENCE: write_translated,
    ColumnKind.MATCH: short_match_id,
    ColumnKind.HASH: short_hash,
    ColumnKind.VERSION: _version_text,
    ColumnKind.INSTANT: format_instant,
    ColumnKind.PLAYERS: format_seats,
    ColumnKind.SEAT_FAULTS: format_faults,
    ColumnKind.PROCESS: format_runner,
    ColumnKind.COUNT: cell_text,
    ColumnKind.SEAT: cell_text,
    ColumnKind.PLACE: lambda place: cell_text(place or None),
    ColumnKind.PART: cell_text,
    ColumnKind.SHARE: format_percent,
    ColumnKind.CHANCE: format_percent,
    ColumnKind.RATING: "{:.2f}".format,
    ColumnKind.CHANGE: lambda value: "-" if value is None else f"{value:+.2f}",
    ColumnKind.ELO: "{:.0f}".format,
    ColumnKind.ELO_BELOW: lambda elo: "-" if elo is None else f"{round(elo):d}",  # never -0
    ColumnKind.INTERVAL: lambda bounds: say("cli_rating.fixed") if bounds == "fixed" else bounds,
}
