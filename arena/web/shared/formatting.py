"""How figures, pools and addresses are written on pages. Pure functions, known to all templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from arena.i18n.catalogue import words
from arena.model.pool_options import special_options
from arena.model.table_columns import TOGETHER, Column, ColumnKind, format_duration, pick, without, without_empty
from arena.model.tournaments import elo_text
from engine import registry
from ratings.values.pools import Pool

_THIN_SPACE: Final = "\u2009"
_NONE: Final = "\u2013"
"""What stands where there is no figure."""
FORMATS = ("adaptive", "compare", "final", "gauntlet", "knockout", "ladder", "match", "round-robin", "sample", "swiss")
"""Those that have a name in every language; another is called what it is called in the database."""


def format_count(number: int) -> str:
    """Return a whole number with a thin space between the thousands, which every language understands."""
    return f"{number:,}".replace(",", _THIN_SPACE)


def format_rating(value: float) -> str:
    """Return a rating, mu or sigma with two decimal places."""
    return f"{value:z.2f}".replace("-", "\u2212")


def format_change(value: float) -> str:
    """Return a change of a rating with its sign."""
    return f"{value:+z.2f}".replace("-", "\u2212")


def format_elo(value: float) -> str:
    """Return a number of the Elo scale without decimal places, which would mean nothing."""
    return f"{value:z.0f}".replace("-", "\u2212")


def format_share(value: float) -> str:
    """Return a part of 1 as a percentage with one decimal place."""
    return f"{100 * value:.1f}{_THIN_SPACE}%"


def format_instant(at_us: int) -> str:
    """Return an instant (UTC microseconds since 1970) to the minute."""
    return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M}"


def iso_instant(at_us: int) -> str:
    """Return an instant in ISO 8601."""
    return datetime.fromtimestamp(at_us / 1e6, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def format_time_ago(seconds: float) -> str:
    """Return the time of day (UTC) that it was so many seconds ago."""
    return f"{datetime.now(UTC) - timedelta(seconds=seconds):%H:%M:%S}"


def short_id(text: str) -> str:
    """Return the end of an id, which also names a match or tournament."""
    return text[-8:]


def seat_letter(seat: int) -> str:
    """Return the letter of a seat, A for the first, as boards write it."""
    return chr(ord("A") + seat) if seat < 26 else str(seat)


def mark_code(text: str) -> Markup:
    """Return a text as HTML, what stands between backticks as code."""
    parts = (
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(text.split("`"))
    )
    return Markup("").join(parts)


def tournament_address(name: str) -> str:
    """Return the address of a tournament that is known by its name: one that no path can hold is asked for."""
    is_plain = "/" not in name and name not in (".", "..")
    return f"/tournaments/{quote(name)}" if is_plain else f"/tournaments?name={quote(name, safe='')}"


def filled(columns: Iterable[Column], rows: Sequence[Any]) -> tuple[Column, ...]:
    """Return the columns, without those of shared firsts and draws if these rows have none."""
    return without_empty(columns, rows) if rows else without(columns, *TOGETHER)


def write_cell(row: Any, column: Column) -> str:
    """Return what a column shows of a row; nothing if there is nothing."""
    value = column.value(row)
    if column.kind is ColumnKind.PART:
        return format_share(value / row.matches) if row.matches else _NONE
    return "" if value is None else _WRITERS.get(column.kind, str)(value)


def format_words(name: str, language: str) -> str:
    """Return what people call a format of tournaments."""
    return words(language).say("format." + name.replace("-", "_")) if name in FORMATS else name


def game_title(name: str) -> str:
    """Return what people call a game; of one that is not installed its name."""
    return registry.get(name).title if name in registry.names() else name


def pool_details(pool: Pool, language: str) -> str:
    """Return a pool in words, without its game; only options that differ from the game's defaults are named."""
    say = words(language).say
    kind = [say("pool.remote")] if pool.remote else []
    usual = [say("pool.seats", count=pool.seats), say("pool.clock", clock=pool.time_control)]
    cores = [say("pool.cores", count=pool.cores)] if pool.cores > 1 else []
    special = [f"{name}={value}" for name, value in special_options(pool).items()]
    return " · ".join([*usual, *cores, *kind, *filter(None, [pool.own_method]), *special])


def address_of_page(path: str, **values: str | None) -> str:
    """Return the address of a page with the values that are not empty as its query."""
    given = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(given)}" if given else path


_WRITERS: Final[Mapping[ColumnKind, Callable[[Any], str]]] = {
    ColumnKind.COUNT: format_count,
    ColumnKind.SEAT: seat_letter,
    ColumnKind.PLACE: lambda place: str(place or _NONE),
    ColumnKind.SHARE: format_share,
    ColumnKind.CHANCE: format_share,
    ColumnKind.RATING: format_rating,
    ColumnKind.CHANGE: format_change,
    ColumnKind.ELO: format_elo,
    ColumnKind.INSTANT: format_instant,
}
"""How the kinds of columns are written that do not stand there as they are; richer cells are made by the templates."""
FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "count": format_count,
    "rating": format_rating,
    "change": format_change,
    "elo": format_elo,
    "gain_elo": elo_text,
    "share": format_share,
    "cell": write_cell,
    "filled": filled,
    "pick": pick,
    "without": without,
    "instant": format_instant,
    "iso": iso_instant,
    "duration": partial(format_duration, space=_THIN_SPACE),
    "time_ago": format_time_ago,
    "short_id": short_id,
    "seat_letter": seat_letter,
    "code": mark_code,
    "tournament_address": tournament_address,
}
