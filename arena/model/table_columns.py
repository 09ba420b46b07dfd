"""The columns of tables, declared once: the field of a row, its titles by id, its kind, and how it is sorted.

Each medium writes a kind in a way of its own, by one table: the terminal in `arena/cli/shared/cells.py`, pages in
`arena/web/shared/formatting.py`, downloads in `arena/web/pages/exports.py`, notebooks in `arena/scripting/tables.py`.
Views pick columns by their titles or leave some out. A table that one view alone has is declared there.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal


class ColumnKind(enum.Enum):
    """What stands in a column, from which follows how each medium aligns and writes it."""

    TEXT = enum.auto()
    WORDS = enum.auto()
    """Several texts."""
    NAME = enum.auto()
    """A word of the program, which the catalogue has below the `names` of the column."""
    SENTENCE = enum.auto()
    """A sentence that the program keeps in English."""
    MATCH = enum.auto()
    """The id of a match."""
    HASH = enum.auto()
    VERSION = enum.auto()
    """The hash of a version, and what its author calls it."""
    INSTANT = enum.auto()
    """Microseconds since 1970."""
    PLAYERS = enum.auto()
    """The seats of a match: bots, ranks, faults."""
    SEAT_RANKS = enum.auto()
    """Of these the ranks alone."""
    SEAT_FAULTS = enum.auto()
    """Of these the faults alone."""
    PROCESS = enum.auto()
    """The process that plays a tournament."""
    COUNT = enum.auto()
    """A number, or several, without digits behind the point."""
    SEAT = enum.auto()
    """The number of a seat, from 0."""
    PLACE = enum.auto()
    """A place in a table; 0 for none."""
    PART = enum.auto()
    """In how many of the matches of the row."""
    SHARE = enum.auto()
    """A part of 1."""
    CHANCE = enum.auto()
    """How probable something is: 1 is certain."""
    RATING = enum.auto()
    """A rating, mu or sigma."""
    CHANGE = enum.auto()
    """What was added to a rating."""
    ELO = enum.auto()
    ELO_BELOW = enum.auto()
    """An Elo against the best that there is: 0 or less."""
    INTERVAL = enum.auto()
    """Within which bounds an Elo lies, or that it is fixed."""


_K = ColumnKind
_LEFT: Final = frozenset({
    _K.TEXT, _K.WORDS, _K.NAME, _K.SENTENCE, _K.MATCH, _K.HASH, _K.VERSION, _K.INSTANT,
    _K.PLAYERS, _K.SEAT_RANKS, _K.SEAT_FAULTS, _K.PROCESS,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    key: str
    """The field of the rows that it shows, or what that is called which `of` makes of them."""
    title: str
    """What it is called in its table: the heading `cli_heading.<title>` of the catalogue."""
    kind: ColumnKind = ColumnKind.TEXT
    on_page: str = ""
    """The id of what stands above it on pages; empty if it is no column there."""
    order: Literal["ascending", "descending"] | None = None
    """The order of a table that is sorted by it, until it is turned; `None` if none can be."""
    names: str = ""
    """Below what the catalogue has the values of a NAME, such as `search.state_`."""
    of: Callable[[Any], Any] | None = None
    """What it shows of a row, if that is no field."""
    write: Callable[[Any], str] | None = None
    """How the only view that has it writes it, if no kind says it."""
    is_name: bool = False
    """Whether its title is a name, which no catalogue knows."""

    @property
    def right(self) -> bool:
        """Return whether it is aligned on the right."""
        return self.kind not in _LEFT

    def value(self, row: Any) -> Any:
        """Return what it shows of a row: of a value, or of a mapping in which everything stands by its key."""
        if isinstance(row, Mapping):
            return row[self.key]
        return getattr(row, self.key) if self.of is None else self.of(row)


def pick(columns: Iterable[Column], *titles: str) -> tuple[Column, ...]:
    """Return the columns with these titles, in their order. Raises KeyError."""
    found = {column.title: column for column in columns}
    return tuple(found[title] for title in titles)


def without(columns: Iterable[Column], *titles: str) -> tuple[Column, ...]:
    """Return the columns but those with these titles."""
    return tuple(column for column in columns if column.title not in titles)


TOGETHER: Final = ("shared", "draws")
"""The titles of the columns of first ranks that were not alone: shared with some of the others, level with all."""


def without_empty(columns: Iterable[Column], rows: Sequence[Any]) -> tuple[Column, ...]:
    """Return the columns but those TOGETHER that count nothing in any of the rows.

    There are no draws in most games, and with two seats nothing is shared but a draw.
    """
    return tuple(
        column
        for column in columns
        if column.title not in TOGETHER or not rows or any(column.value(row) for row in rows)
    )


def _firsts(kind: ColumnKind, won: str) -> tuple[Column, ...]:
    """Return the columns of first ranks, of which a match counts in one at most."""
    return (
        Column("wins", "wins", kind, won, order="descending"),
        Column("shared", "shared", kind, "leaderboard.first_shared"),
        Column("draws", "draws", kind, "leaderboard.first_draws"),
    )


def _yes_or_no(value: object) -> str:
    return "no" if value is None else "yes"


LEADERBOARD: Final = (
    Column("rank", "rank", _K.PLACE, "leaderboard.rank"),
    Column("bot", "bot", on_page="leaderboard.bot", order="ascending"),
    Column("number", "version", _K.COUNT),
    Column("owner", "owner"),
    Column("exposure", "rating", _K.RATING, "leaderboard.rating", order="descending"),
    Column("mu", "mu", _K.RATING, "leaderboard.strength", order="descending"),
    Column("sigma", "sigma", _K.RATING, order="ascending"),
    Column("matches", "matches", _K.COUNT, "leaderboard.played", order="descending"),
    *_firsts(_K.PART, "leaderboard.won"),
    Column("score", "score", _K.SHARE, "leaderboard.score", order="descending"),
)
"""`LeaderboardRow`; what it can be sorted by is in `ratings/read/leaderboard.py`."""

PLACES: Final = (
    Column("pool", "pool", on_page="bot.pool"),
    Column("number", "version", _K.COUNT, "bot.version"),
    *pick(LEADERBOARD, "rank", "rating"),
    Column("mu", "mu", _K.RATING, "bot.strength"),
    *pick(LEADERBOARD, "matches", "wins", *TOGETHER, "score"),
)
"""`Standing`: a line of a leaderboard among those of other pools."""

OFFICIAL: Final = (
    Column("rank", "rank", _K.PLACE, "leaderboard.rank"),
    Column("ranks", "ranks", _K.COUNT, "leaderboard.ranks", of=lambda row: f"{row.best_rank}-{row.worst_rank}"),
    Column("group", "group", _K.COUNT),
    Column("bot", "bot", on_page="leaderboard.bot"),
    Column("mixture_share", "mixture_share", _K.SHARE),
    Column("mixture_elo", "mixture_elo", _K.ELO_BELOW),
    Column("elo", "elo", _K.ELO, order="descending"),
    Column(
        "interval",
        "interval",
        _K.INTERVAL,
        "leaderboard.interval",
        of=lambda row: "fixed" if row.is_anchor else row.elo_interval,
    ),
    Column("above_next", "above_next", _K.CHANCE),
    Column("matches", "matches", _K.COUNT),
)
"""`OfficialRow`; the group tells something only where there are several."""
MIXTURE: Final = ("mixture_share", "mixture_elo")
"""The titles of those columns of it that need circles to be looked for."""

OVERALL: Final = (
    *pick(OFFICIAL, "rank", "ranks"),
    Column("bot", "bot", on_page="leaderboard.bot"),
    Column("strength", "strength", _K.CHANGE, "overall.strength"),
    Column("interval", "interval", _K.COUNT, "leaderboard.interval", of=lambda row: f"{row.low:+.2f}..{row.high:+.2f}"),
    Column("above_next", "above_next", _K.CHANCE, "overall.above_next"),
    Column("games", "pools", _K.COUNT, "overall.pools"),
    Column("met", "met", _K.CHANCE, "overall.met"),
    Column("known", "known", _K.CHANCE, "overall.known"),
    Column("matches", "matches", _K.COUNT, "leaderboard.matches"),
)
"""`OverallRow`; the ranks by other methods stand behind it."""

STANDINGS: Final = (
    Column("place", "place", _K.PLACE, "leaderboard.rank"),
    Column("bot", "bot", on_page="leaderboard.bot"),
    Column("number", "version", _K.COUNT),
    Column("matches", "matches", _K.COUNT, "leaderboard.matches"),
    *_firsts(_K.COUNT, "tournament.wins"),
    Column("blocks", "blocks", _K.COUNT, "tournament.blocks"),
    Column("points", "points", _K.COUNT, "tournament.points"),
    Column("score", "score", _K.SHARE, "tournament.score"),
    Column("forfeits", "forfeits", _K.COUNT, "tournament.forfeits"),
    Column("status", "note", _K.SENTENCE, "tournament.status"),
)
"""`StandingRow`: blocks, points and score count whole blocks only; matches, firsts and forfeits all that was played."""

TOURNAMENTS: Final = (
    Column("name", "tournament", on_page="tournament.name"),
    Column("format", "format", _K.NAME, "tournament.format", names="format."),
    Column("game", "game", on_page="tournament.game"),
    Column("seats", "seats", _K.COUNT),
    Column("time_control", "time"),
    Column("finished", "played", _K.COUNT),
    Column("total", "matches", _K.COUNT),
    Column("progress", "progress", _K.COUNT, "tournament.progress", of=lambda one: f"{one.finished}/{one.total}"),
    Column("status", "status", _K.NAME, "tournament.status", names="tournament.status_"),
    Column("created_at_us", "planned_utc", _K.INSTANT, "tournament.created"),
    Column("played_by", "played_by", _K.PROCESS),
)
"""`TournamentSummary`."""

BOT_FAULTS: Final = (
    Column("bot", "bot", on_page="leaderboard.bot"),
    Column("version", "version", _K.COUNT),
    Column("cause", "fault", _K.NAME, "tournament.fault_cause", names="fault."),
    Column("matches", "matches", _K.COUNT, "leaderboard.matches"),
    Column("match_id", "one_of_them", _K.MATCH, "tournament.fault_shown"),
)
"""`BotFaults`."""

LEAK_FINDINGS: Final = (
    Column("match_id", "match", _K.MATCH, "search.match"),
    Column("seat", "seat", _K.SEAT),
    Column("bot", "bot", on_page="leaderboard.bot"),
    Column("version", "version", _K.COUNT),
    Column("verdict", "verdict", _K.NAME, "tournament.verdict", names="check.verdict_"),
    Column("sentence", "finding", _K.SENTENCE),
)
"""`LeakFinding`."""

MATCHES: Final = (
    Column("id", "match", _K.MATCH, "search.match"),
    Column("tournament", "tournament", on_page="search.tournament"),
    Column("position", "no", _K.COUNT),
    Column("block", "block", _K.COUNT),
    Column("rotation", "rotation", _K.COUNT),
    Column("seats", "seats_rank", _K.PLAYERS, "search.seats"),
    Column("seats", "ranks", _K.SEAT_RANKS),
    Column("attempt", "attempts", _K.COUNT),
    Column("sandbox", "sandbox", _K.NAME, names="cli_state.sandbox_"),
    Column("plies", "plies", _K.COUNT, "search.plies"),
    Column("state", "state", _K.NAME, "search.state", names="search.state_", of=lambda match: match.shown_state),
    Column("void_reason", "reason", _K.SENTENCE),
    Column("ended_at_us", "ended", _K.INSTANT, "search.ended"),
    Column("seats", "faults", _K.SEAT_FAULTS),
)
"""`MatchSummary`."""

MATCH_SEATS: Final = (
    Column("seat", "seat", _K.SEAT),
    Column("bot", "bot", on_page="leaderboard.bot"),
    Column("version", "version", _K.COUNT),
    Column("rank", "rank", _K.PLACE, "leaderboard.rank"),
    Column("ended", "ended", _K.NAME, "match.ended", names="cli_state."),
    Column(
        "sandbox", "sandbox", _K.NAME, "match.sandbox", names="cli_state.sandbox_", of=lambda seat: seat.shown_sandbox
    ),
    Column("runtime", "runtime"),
    Column("rating_change", "rating", _K.CHANGE, "match.change"),
)
"""`MatchSeat`."""

BOTS: Final = (
    Column("name", "bot", on_page="leaderboard.bot"),
    Column("owner", "owner", on_page="leaderboard.owner"),
    Column("remote", "kind", _K.NAME, names="cli_shared.", of=lambda bot: "remote" if bot.remote else "hosted"),
    Column("versions", "versions", _K.COUNT, "bot.versions"),
    Column("newest", "newest", _K.VERSION, "bot.newest", of=lambda bot: (bot.content_hash, bot.named)),
    Column("games", "games", _K.WORDS, "bot.games"),
    Column("disabled_at_us", "disabled", _K.NAME, names="cli_shared.", of=lambda bot: _yes_or_no(bot.disabled_at_us)),
)
"""`BotSummary`."""

OPPONENTS: Final = (
    Column("bot", "bot", on_page="leaderboard.bot"),
    Column("opponent", "opponent"),
    Column("matches", "matches", _K.COUNT, "leaderboard.matches"),
    Column("wins", "wins", _K.COUNT),
    Column("ties", "ties", _K.COUNT),
    Column("losses", "losses", _K.COUNT),
    Column("score", "score", _K.SHARE, "leaderboard.score"),
)
"""`Meeting`; of these columns pages have those of `Opponent`."""

SEATS: Final = (
    Column("seat", "seat", _K.SEAT, "bot.seat"),
    Column("matches", "matches", _K.COUNT, "leaderboard.matches"),
    *_firsts(_K.PART, "leaderboard.won"),
    Column("score", "score", _K.SHARE, "leaderboard.score"),
    Column("forfeits", "forfeits", _K.COUNT, "bot.forfeits"),
)
"""`SeatResult`."""


def format_duration(seconds: float, space: str = " ") -> str:
    """Return a duration in its two largest units, such as `120 ms`, `8.5 s`, `2 min 5 s`, `3 h 2 min`, `2 d 4 h`."""
    if 0 < seconds < 1:
        return f"{1000 * seconds:.0f}{space}ms"
    if round(seconds, 1) < 60:
        return f"{round(max(seconds, 0), 1):g}{space}s"
    minutes, hours = round(seconds) // 60, round(seconds / 60) // 60
    if minutes < 60:
        whole, large, rest, small = minutes, "min", round(seconds) % 60, "s"
    elif hours < 24:
        whole, large, rest, small = hours, "h", round(seconds / 60) % 60, "min"
    else:
        whole, large, rest, small = round(seconds / 3600) // 24, "d", round(seconds / 3600) % 24, "h"
    return f"{whole}{space}{large}" + (f" {rest}{space}{small}" if rest else "")
