"""`arena demo`: a first rated tournament of every game, from nothing to leaderboards in about a minute."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import CliError
from arena.cli.shared.games import get_game
from arena.cli.shared.hosting_options import read_hosting
from arena.cli.shared.matches import short_match_id
from arena.cli.shared.options import Workers, example, worker_count
from arena.cli.shared.output import format_duration, print_table
from arena.cli.shared.play import play
from arena.cli.shared.pools import LEADERBOARD_COLUMNS, describe_pool
from arena.cli.shared.request import Request, TimeText, plan_tournament
from arena.cli.shared.storage import Storage, open_storage
from arena.cli.shared.suggestions import next_command
from arena.match.time_control import TimeControl, parse_time_control
from arena.tournament.formats.roundrobin import RoundRobin
from engine import registry
from engine.abilities import need_playable
from engine.core import Game
from ratings.ledger.ledger import Ledger
from ratings.read.leaderboard import table
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.tournaments import tournament_row
from ratings.store.models import Tournament

app = typer.Typer()

DATABASE = "demo.db"
BOTS = ("random", "greedy", "search")
TIME = "50ms"
BUDGET_S = 110.0
"""The thinking time of all matches together, shared by the games: about a minute of play on two cores."""
SHARE_USED = 0.8
"""The share of a decision's limit that the one thinking bot uses; measured, only the announcement depends on it."""
SECONDS_TO_START = 2.0


@dataclass(frozen=True, slots=True)
class Part:
    """What the demo plays of one game."""

    game: Game
    seats: int
    blocks: int
    match_seconds: float
    """How long one match is expected to take."""

    @property
    def matches(self) -> int:
        """Return the number of matches: every combination of bots plays its blocks in all rotations of the seats."""
        return _matches_a_block(self.seats) * self.blocks


@app.command(epilog=example("arena demo", "arena demo --db my.db"))
def demo(
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Play only this one.")] = None,
    blocks: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Blocks of each game; by default what takes about a minute.")
    ] = None,
    time: TimeText = TIME,
    workers: Workers = 0,
    db: Annotated[
        str | None, typer.Option("--db", metavar="FILE", help=f"The database; {DATABASE} by default.")
    ] = None,
) -> None:
    """Play a first rated tournament of every game."""
    games = [get_game(game)] if game else _searchable_games()
    parts = [plan_part(each, parse_time_control(time), BUDGET_S / len(games), blocks) for each in games]
    place = db or os.environ.get(settings.DB.variable) or DATABASE
    with open_storage(place) as storage:
        for name in BOTS:
            _add_sample(storage, name)
        tournaments = [_plan(storage, part, time) for part in parts]
        _announce(parts, time, worker_count(workers))
        _play_all(storage, parts, tournaments, workers)
        for tournament in tournaments:
            _print_table(storage, tournament)
        _print_next(storage, tournaments[-1])


def _play_all(storage: Storage, parts: Sequence[Part], tournaments: Sequence[Tournament], workers: int) -> None:
    for part, tournament in zip(parts, tournaments, strict=True):
        if len(parts) > 1:
            typer.echo(f"\n== {part.game.title}", err=True)
        play(storage, tournament, read_hosting(workers=workers))


def _searchable_games() -> list[Game]:
    """Return the games that evaluate their positions: without that, the sample bots have nothing to search by."""
    games = [found for found in map(get_game, registry.names()) if found.playable]
    if not games:
        raise CliError("no installed game evaluates its positions, so the sample bots cannot search any")
    return games


def plan_part(game: Game, clock: TimeControl, budget_s: float, blocks: int | None = None) -> Part:
    """Return as many blocks of a game as fit into `budget_s` seconds of thinking, at least one; or as many as asked."""
    seats = min(len(BOTS), game.seats[-1])
    thinking = need_playable(game).usual_decisions(seats) / seats  # decisions of one seat
    match_seconds = clock.bank_us / 1e6 + thinking * (clock.decision_limit_us + clock.increment_us) / 1e6 * SHARE_USED
    fitting = round(budget_s / max(match_seconds, 0.1) / _matches_a_block(seats))
    return Part(game, seats, blocks or max(1, fitting), match_seconds)


def _matches_a_block(seats: int) -> int:
    return comb(len(BOTS), seats) * seats


def _sample_directory(name: str) -> Path:
    """Return the directory of a sample bot in the installed package `bots`. Raise CliError if it is missing."""
    package = importlib.util.find_spec("bots")
    for place in (package and package.submodule_search_locations) or ():
        if (Path(place) / name / "bot.toml").is_file():
            return Path(place) / name
    raise CliError(f"the sample bot {name!r} is not installed; install kingmaker-arena again")


def _add_sample(storage: Storage, name: str) -> None:
    """Add a sample bot to the database; nothing changes if that version is there."""
    stored = storage.store.add(_sample_directory(name))
    Ledger(storage.database).add_version(bot=name, content_hash=stored.hash, manifest=stored.manifest.to_json())


def _plan(storage: Storage, part: Part, time: str) -> Tournament:
    request = Request(game=part.game.name, time=time)
    return plan_tournament(storage, request, RoundRobin(part.seats, part.blocks), BOTS, kind=f"demo-{part.game.name}")


def _announce(parts: Sequence[Part], time: str, workers: int) -> None:
    seconds = sum(SECONDS_TO_START + part.matches * part.match_seconds / workers for part in parts)
    played = " and ".join(f"{part.matches} matches of {part.game.title} ({part.seats} seats)" for part in parts)
    typer.echo(
        f"{', '.join(BOTS)} play {played}, {time} a decision, {workers} at a time: about {format_duration(seconds)}"
    )


def _print_table(storage: Storage, tournament: Tournament) -> None:
    pool = tournament_row(storage.database, tournament.id).pool
    rows = table(storage.database, pool_id=pool.id)
    typer.echo(f"\nLeaderboard: {describe_pool(pool)}\n")
    print_table(LEADERBOARD_COLUMNS, [asdict(row) for row in rows], as_json=False)


def _print_next(storage: Storage, tournament: Tournament) -> None:
    (newest,) = list_matches(storage.database, MatchFilter(tournament.id), limit=1).items
    last = short_match_id(newest.match.id)
    typer.echo("\nrating = mu - 3 sigma: it rises with results and with their number. Look next:")
    for words in (
        ["tournament", "show", tournament.name, "--matches"],
        ["replay", "show", last],
        ["replay", "verify", "--all"],
        ["leaderboard"],
    ):
        typer.echo(f"  {next_command(*words, db=storage.place)}")
    typer.echo("docs/quick-start.md goes on from here, docs/write-a-bot.md with a bot of your own")
