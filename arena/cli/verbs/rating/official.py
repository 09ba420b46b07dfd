"""`arena rating official` and `fairplay`: what all matches of a pool say together, in whatever order they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.nouns.leaderboard import describe_pool
from arena.cli.nouns.stats import pool_id
from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.options import AsCsv, AsJson, Database, PoolOption, example, parse_style
from arena.cli.shared.output import Column, Style, print_json, print_rows, print_table
from arena.cli.shared.storage import find_version, open_existing_book
from ratings.read.crosstable import names as names_of
from ratings.store.database import Session, read
from ratings.store.models import Pool

if TYPE_CHECKING:  # NumPy is only imported by who needs it
    from ratings.statistics.official.table import OfficialTable, SeatRow

_SHOWN_IN_A_ROW = 12


def _whole(value: float) -> str:
    return f"{value:.0f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


_ROWS = (
    Column("rank", "RANK", right=True),
    Column("ranks", "RANKS", right=True),
    Column("bot", "BOT"),
    Column("elo", "ELO", right=True, write=_whole),
    Column("interval", "INTERVAL", right=True),
    Column("above_next", "ABOVE NEXT", right=True, write=_percent),
    Column("matches", "MATCHES", right=True),
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
    from ratings.read.loading import load_results
    from ratings.statistics.official.table import official_table

    with open_existing_book(db) as book, read(book.engine) as session:
        found = session.get_one(Pool, pool_id(session, pool))
        table = official_table(load_results(session, found.id), _anchors(session, anchor), confidence / 100)
        names = names_of(session, [row.version for row in table.rows])
    rows = [_row(table, index, names) for index in range(len(table.rows))]
    if style is Style.PEOPLE:
        typer.echo(f"{describe_pool(found)}: {table.matches} matches in {table.blocks} blocks (pool {found.id[:12]})")
        print_table(_ROWS, rows, as_json=False, empty="no whole block was rated yet")
        _print_notes(table)
        if stronger:
            _print_stronger(table, names)
    elif style is Style.JSON:
        print_json(_facts(table, found, rows, names))
    else:
        print_rows(_ROWS, rows, style, empty="")


def _anchors(session: Session, texts: Sequence[str] | None) -> dict[str, float]:
    anchors: dict[str, float] = {}
    for text in texts or ():
        bot, _, elo = text.rpartition("=")
        try:
            value = float(elo)
        except ValueError:
            value = float("nan")
        if not bot or isnan(value):
            raise MisuseError(f"--anchor {text!r} is not BOT=ELO; write for example --anchor greedy=1500")
        anchors[find_version(session, bot).id] = value
    return anchors


def _row(table: OfficialTable, index: int, names: dict[str, str]) -> dict[str, Any]:
    row = table.rows[index]
    following = float(table.stronger[index, index + 1]) if index + 1 < len(table.rows) else None
    return {
        **asdict(row),
        "bot": names[row.version],
        "ranks": f"{row.best_rank}-{row.worst_rank}",
        "interval": "fixed" if row.is_anchor else f"{row.elo_low:.0f}..{row.elo_high:.0f}",
        "above_next": None if following is None or isnan(following) else following,
    }


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


def _print_stronger(table: OfficialTable, names: dict[str, str]) -> None:
    shown = table.rows[:_SHOWN_IN_A_ROW]
    columns = [Column("", "STRONGER THAN")]
    columns += [Column(row.version, names[row.version], right=True, write=_percent) for row in shown]
    rows = []
    for i, mine in enumerate(table.rows):
        chances = {row.version: None if i == j else _known(table, i, j) for j, row in enumerate(shown)}
        rows.append({"": names[mine.version], **chances})
    typer.echo()
    print_table(columns, rows, as_json=False)


def _known(table: OfficialTable, i: int, j: int) -> float | None:
    chance = float(table.stronger[i, j])
    return None if isnan(chance) else chance


def _facts(table: OfficialTable, pool: Pool, rows: list[dict[str, Any]], names: dict[str, str]) -> dict[str, Any]:
    shown = {"ranks", "interval"}
    return {
        "pool_id": pool.id,
        "confidence": table.confidence,
        "matches": table.matches,
        "blocks": table.blocks,
        "repeats": table.repeats,
        "groups": table.groups,
        "dispersion": table.dispersion,
        "rows": [{key: value for key, value in row.items() if key not in shown} for row in rows],
        "seats": [asdict(seat) for seat in table.seats],
        "stronger": {
            names[mine.version]: {
                names[other.version]: _known(table, i, j) for j, other in enumerate(table.rows) if i != j
            }
            for i, mine in enumerate(table.rows)
        },
    }


_SUSPICIONS = (
    Column("sentence", "SUSPICION"),
    Column("elo", "ELO", right=True, write=_whole),
    Column("z", "Z", right=True, write=lambda value: f"{value:.1f}"),
    Column("chance", "BY CHANCE", right=True, write=lambda value: f"{value:.1g}"),
    Column("matches", "MATCHES", right=True),
)


def fairplay(
    pool: PoolOption = None,
    alarm: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Chance of any alarm in an honest field, at most.")
    ] = 0.005,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Look for pairs of bots that help one another.

    Pairs that do better at common tables than chance allows; false alarms are rare.

    An alarm is a reason to look at matches, not a proof.
    """
    style = parse_style(as_json=as_json, as_csv=as_csv)
    from ratings.read.loading import load_results
    from ratings.statistics.fairplay.pairs import Kind, suspicious_pairs

    with open_existing_book(db) as book, read(book.engine) as session:
        found = suspicious_pairs(load_results(session, pool_id(session, pool)), alarm)
        names = names_of(session, sorted({id_ for one in found for id_ in (one.first, one.second)}))
    rows = []
    for one in found:
        first, second = names[one.first], names[one.second]
        together = one.kind is Kind.TOGETHER
        sentence = f"{first} and {second} do better together" if together else f"{second} does better beside {first}"
        rows.append({"sentence": sentence, **asdict(one), "first": first, "second": second, "kind": one.kind.value})
    print_rows(_SUSPICIONS, rows, style, empty="no pair does better at common tables than chance allows")


def add_to(app: typer.Typer) -> None:
    """Give the noun its two verbs."""
    lines = ("arena rating official --pool 3f2a --anchor greedy=1500", "arena rating official --stronger --json")
    app.command("official", epilog=example(*lines))(official)
    app.command("fairplay", epilog=example("arena rating fairplay --pool 3f2a"))(fairplay)
