"""`arena demo`: a first rated tournament, from nothing to a leaderboard in under a minute."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import settings
from arena.cli.book import Book, open_book
from arena.cli.errors import CliError
from arena.cli.hints import next_command
from arena.cli.leaderboard import COLUMNS, describe_pool
from arena.cli.match import SHORT
from arena.cli.options import Workers, example, worker_count
from arena.cli.order import Order, add_round_robin, next_name
from arena.cli.output import format_duration, print_table
from arena.cli.play import play
from ratings import bots, leaderboard, queries
from ratings.database import read, write
from ratings.models import Tournament

app = typer.Typer()

DATABASE = "demo.db"
BOTS = ("random", "greedy", "search")
GAME = "foreign_king"
SEATS = 3
TIME = "50ms"
START_LIMIT = "10s"
BLOCKS = 12
MATCHES_A_BLOCK = 3
SECONDS_A_MATCH = 1.5
SECONDS_TO_START = 2.0
"""Measured on a 2-core machine; only the announcement depends on them."""


@app.command(epilog=example("arena demo", "arena demo --db my.db"))
def demo(
    blocks: Annotated[int, typer.Option(min=1, metavar="N", help="How much is played: 3 matches a block.")] = BLOCKS,
    workers: Workers = 0,
    db: Annotated[
        str | None, typer.Option("--db", metavar="FILE", help=f"The database; {DATABASE} by default.")
    ] = None,
) -> None:
    """Play a first rated tournament between the three sample bots."""
    place = db or os.environ.get(settings.DB.variable) or DATABASE
    with open_book(place) as book:
        for name in BOTS:
            add_sample(book, name)
        tournament = _plan(book, blocks)
        _announce(blocks, worker_count(workers))
        play(book, tournament, workers=workers)
        _print_end(book, tournament)


def sample_directory(name: str) -> Path:
    """Where a sample bot lies: in the installed package `bots`."""
    package = importlib.util.find_spec("bots")
    for place in (package and package.submodule_search_locations) or ():
        if (Path(place) / name / "bot.toml").is_file():
            return Path(place) / name
    raise CliError(f"the sample bot {name!r} is not installed; install kingmaker-arena again")


def add_sample(book: Book, name: str) -> None:
    """Add a sample bot; nothing changes when that version is there."""
    stored = book.store.add(sample_directory(name))
    with write(book.engine) as session:
        bots.add_version(session, bot=name, content_hash=stored.hash, manifest=stored.manifest.to_json())


def _plan(book: Book, blocks: int) -> Tournament:
    with read(book.engine) as session:
        name = next_name("demo", {row.tournament.name for row in queries.list_tournaments(session)})
    order = Order(GAME, ",".join(BOTS), TIME, START_LIMIT, None, None, None, rated=True, name=name)
    return add_round_robin(book, order, seats=SEATS, blocks=blocks)


def _announce(blocks: int, workers: int) -> None:
    matches = blocks * MATCHES_A_BLOCK
    seconds = SECONDS_TO_START + matches * SECONDS_A_MATCH / workers
    typer.echo(
        f"{', '.join(BOTS)} play {matches} matches of The Foreign King, {SEATS} seats, {TIME} a decision, "
        f"{workers} at a time: about {format_duration(seconds)}"
    )


def _print_end(book: Book, tournament: Tournament) -> None:
    with read(book.engine) as session:
        row = queries.tournament_row(session, tournament.id)
        table = leaderboard.table(session, pool_id=row.pool.id)
        last = queries.list_matches(session, tournament.id)[-1].match.id[-SHORT:]
    typer.echo(f"\nLeaderboard: {describe_pool(row.pool)}\n")
    print_table(COLUMNS, [asdict(line) for line in table], as_json=False)
    typer.echo("\nrating = mu - 3 sigma: it rises with results and with their number. Look next:")
    for words in (
        ["tournament", "show", tournament.name, "--matches"],
        ["replay", "show", last],
        ["replay", "verify", "--all"],
        ["leaderboard"],
    ):
        typer.echo(f"  {next_command(*words, db=book.place)}")
    typer.echo("docs/quick-start.md goes on from here, docs/write-a-bot.md with a bot of your own")
