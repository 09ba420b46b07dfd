"""The command `arena rating official`: what all matches of a pool say together, in whatever order they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.lookup import find_pool_id, find_version
from arena.cli.shared.options import AsCsv, AsJson, Database, PoolOption, example, parse_style
from arena.cli.shared.output import Column, Style, format_percent, print_json, print_rows, print_table
from arena.cli.shared.pools import describe_pool, short_pool_id
from arena.cli.shared.storage import Storage, open_existing_storage
from ratings.read.crosstable import names as names_of
from ratings.read.pools import find_pool
from ratings.store.models import Pool

if TYPE_CHECKING:  # NumPy is only imported by who needs it
    from ratings.statistics.official.table import OfficialTable, SeatRow

app = typer.Typer()

_SHOWN_IN_A_ROW = 12


_ROWS = (
    Column("rank", "RANK", right=True),
    Column("ranks", "RANKS", right=True),
    Column("bot", "BOT"),
    Column("elo", "ELO", right=True, write="{:.0f}".format),
    Column("interval", "INTERVAL", right=True),
    Column("above_next", "ABOVE NEXT", right=True, write=format_percent),
    Column("matches", "MATCHES", right=True),
)


@app.command(
    epilog=example("arena rating official --pool 3f2a --anchor greedy=1500", "arena rating official --stronger --json")
)
def official(
    pool: PoolOption = None,
    anchor: Annotated[
        list[str] | None,
        typer.Option("--anchor", metavar="BOT=ELO", help="Fix the number of a bot; may be repeated. The mean is 1500."),
    ] = None,
    confidence: Annotated[
        float, typer.Option(min=50, max=99.9, metavar="%", help="How sure intervals and ranges of ranks are.")
    ] = 95.0,
    stronger: Annotated[
        bool, typer.Option("--stronger", help="Also show how sure it is that one is stronger than another.")
    ] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the official table: one joint fit of all matches of a pool.

    Order does not matter to it; ties, seats and any number of players do. Same matches, same table.
    """
    style = parse_style(as_json=as_json, as_csv=as_csv)
    anchors = _parse_anchors(anchor)
    with open_existing_storage(db) as storage:
        fit = _read_fit(storage, pool, anchors, confidence / 100)
    rows = [_row(fit, index) for index in range(len(fit.table.rows))]
    if style is Style.PEOPLE:
        _print_fit(fit, rows, stronger=stronger)
    elif style is Style.JSON:
        print_json(_facts(fit, rows))
    else:
        print_rows(_ROWS, rows, style, empty="")


@dataclass(frozen=True, slots=True)
class _Fit:
    """The official table of a pool, and what people call the versions in it."""

    pool: Pool
    table: OfficialTable
    names: Mapping[str, str]


def _read_fit(storage: Storage, pool: str | None, anchors: Mapping[str, float], confidence: float) -> _Fit:
    from ratings.read.loading import load_results
    from ratings.statistics.official.table import official_table

    database = storage.database
    found = find_pool(database, find_pool_id(database, pool))
    fixed = {find_version(database, bot).version.id: elo for bot, elo in anchors.items()}
    table = official_table(load_results(database, found.id), fixed, confidence)
    return _Fit(found, table, names_of(database, [row.version for row in table.rows]))


def _parse_anchors(texts: Sequence[str] | None) -> dict[str, float]:
    """Return the Elo of every bot named by `--anchor`, by the name as it was written. Raise MisuseError."""
    anchors: dict[str, float] = {}
    for text in texts or ():
        bot, _, elo = text.rpartition("=")
        try:
            value = float(elo)
        except ValueError:
            value = float("nan")
        if not bot or isnan(value):
            raise MisuseError(f"--anchor {text!r} is not BOT=ELO; write for example --anchor greedy=1500")
        anchors[bot] = value
    return anchors


def _row(fit: _Fit, index: int) -> dict[str, Any]:
    row = fit.table.rows[index]
    return {
        **asdict(row),
        "bot": fit.names[row.version],
        "ranks": f"{row.best_rank}-{row.worst_rank}",
        "interval": "fixed" if row.is_anchor else f"{row.elo_low:.0f}..{row.elo_high:.0f}",
        "above_next": _chance(fit.table, index, index + 1) if index + 1 < len(fit.table.rows) else None,
    }


def _chance(table: OfficialTable, row: int, other: int) -> float | None:
    """Return the probability that one row's bot is stronger than another's, or `None` if they cannot be compared."""
    chance = float(table.stronger[row, other])
    return None if isnan(chance) else chance


def _print_fit(fit: _Fit, rows: Sequence[dict[str, Any]], *, stronger: bool) -> None:
    table, pool = fit.table, fit.pool
    counts = f"{table.matches} matches in {table.blocks} blocks"
    typer.echo(f"{describe_pool(pool)}: {counts} (pool {short_pool_id(pool.id)})")
    print_table(_ROWS, rows, as_json=False, empty="no whole block was rated yet")
    _print_notes(table)
    if stronger:
        _print_stronger(fit)


def _print_notes(table: OfficialTable) -> None:
    if not table.rows:
        return
    sure = f"{100 * table.confidence:g}%"
    typer.echo(f"ranks and intervals: {sure} sure; above next: how sure it is that the bot is stronger than the next")
    if len(table.seats) > 1:
        typer.echo(f"advantage of the seats in Elo: {', '.join(map(_seat_text, table.seats))}")
    if table.repeats:
        typer.echo(f"{table.repeats} matches repeated another move by move and count once")
    if not table.is_connected:
        typer.echo(f"the bots fall into {table.groups} groups that never met; only bots of one group can be compared")


def _seat_text(seat: SeatRow) -> str:
    from ratings.statistics.official.table import ELO_PER_UNIT

    mean, low, high = (value * ELO_PER_UNIT for value in (seat.advantage, seat.low, seat.high))
    return f"{seat.seat}: {mean:+.0f} ({low:+.0f}..{high:+.0f})"


def _print_stronger(fit: _Fit) -> None:
    shown = fit.table.rows[:_SHOWN_IN_A_ROW]
    columns = [Column("", "STRONGER THAN")]
    columns += [Column(row.version, fit.names[row.version], right=True, write=format_percent) for row in shown]
    rows = []
    for i, mine in enumerate(fit.table.rows):
        chances = {row.version: None if i == j else _chance(fit.table, i, j) for j, row in enumerate(shown)}
        rows.append({"": fit.names[mine.version], **chances})
    typer.echo()
    print_table(columns, rows, as_json=False)


def _facts(fit: _Fit, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    table, only_for_people = fit.table, {"ranks", "interval"}
    return {
        "pool_id": fit.pool.id,
        "confidence": table.confidence,
        "matches": table.matches,
        "blocks": table.blocks,
        "repeats": table.repeats,
        "groups": table.groups,
        "dispersion": table.dispersion,
        "rows": [{key: value for key, value in row.items() if key not in only_for_people} for row in rows],
        "seats": [asdict(seat) for seat in table.seats],
        "stronger": {fit.names[row.version]: _chances(fit, index) for index, row in enumerate(table.rows)},
    }


def _chances(fit: _Fit, index: int) -> dict[str, float | None]:
    """Return how sure it is, by name, that the bot of this row is stronger than each other one."""
    others = enumerate(fit.table.rows)
    return {fit.names[row.version]: _chance(fit.table, index, other) for other, row in others if other != index}
