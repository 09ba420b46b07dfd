"""`arena demo`: a first rated tournament of every game, from nothing to leaderboards in about a minute."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Annotated

import typer

from arena.app.bot_store import add_bot
from arena.cli.shared import settings
from arena.cli.shared.cells import short_match_id
from arena.cli.shared.connect import ArenaConnection, connect, need_here, read_place
from arena.cli.shared.errors import CliError
from arena.cli.shared.hosting import build_added, read_hosting
from arena.cli.shared.language import say
from arena.cli.shared.match_order import MatchTerms, TimeText, check_machine, tournament_request
from arena.cli.shared.options import Workers, example, get_game, worker_count
from arena.cli.shared.output import print_table
from arena.cli.shared.play_tournament import play
from arena.cli.shared.rating_pools import describe_pool
from arena.cli.shared.settings import WEB_ADDRESS
from arena.hosting.sample_bots import sample_directory
from arena.match.time_control import TimeControl, parse_time_control
from arena.model.table_columns import LEADERBOARD, format_duration, without, without_empty
from arena.model.tournament_requests import PlannedTournament
from arena.model.tournaments import TournamentDetail
from arena.tournament.formats.roundrobin import RoundRobin
from engine import registry
from engine.abilities import need_playable
from engine.core import Game
from engine.translatable import Text

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
class DemoGame:
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
    game: Annotated[str | None, typer.Option("--game", metavar="GAME")] = None,
    blocks: Annotated[int | None, typer.Option(min=1, metavar="N")] = None,
    time: TimeText = TIME,
    workers: Workers = 0,
    db: Annotated[str | None, typer.Option("--db", metavar="FILE", callback=read_place, help=DATABASE)] = None,
) -> None:
    """Play a first rated tournament of every game."""
    games = [get_game(game)] if game else _searchable_games()
    parts = [plan_game(each, parse_time_control(time), BUDGET_S / len(games), blocks) for each in games]
    place = need_here(db or os.environ.get(settings.DB.variable) or DATABASE)
    with connect(place, makes=True) as connection:
        assert connection.storage is not None
        check_machine(connection, 1, workers)
        for name in BOTS:  # nothing changes if that version is there
            programs = connection.storage.programs
            add_bot(connection.storage.database, programs, sample_directory(name), None, build_added)
        tournaments = [_plan(connection, part, time) for part in parts]
        _announce(parts, time, worker_count(workers))
        for tournament in _play_all(connection, parts, tournaments, workers):
            found = connection.arena.leaderboards.list_leaderboards(pool=tournament.pool.pool_id)
            typer.echo("\n" + say("cli_demo.leaderboard", pool=describe_pool(tournament.pool)) + "\n")
            for board in found.boards:
                print_table(without_empty(without(LEADERBOARD, "owner"), board.table), board.table, as_json=False)
        last_planned = tournaments[-1]
        (newest,) = connection.arena.matches.list_matches(last_planned.id, limit=1).items
        last = short_match_id(newest.id)
        typer.echo("\n" + say("cli_demo.next"))
        for words in (
            ["tournament", "show", last_planned.name, "--matches"],
            ["replay", "show", last],
            ["replay", "verify", "--all"],
            ["leaderboard"],
        ):
            typer.echo(f"  {connection.command(*words)}")
        typer.echo(say("cli_demo.browser", command=connection.command("web"), address=WEB_ADDRESS))
        typer.echo(say("cli_demo.docs"))


def _play_all(
    connection: ArenaConnection, parts: Sequence[DemoGame], tournaments: Sequence[PlannedTournament], workers: int
) -> list[TournamentDetail]:
    played = []
    for part, tournament in zip(parts, tournaments, strict=True):
        if len(parts) > 1:
            typer.echo(f"\n== {part.game.title}", err=True)
        played.append(play(connection, tournament.id, read_hosting(workers=workers)))
    return played


def _searchable_games() -> list[Game]:
    """Return the games that evaluate their positions: without that, the sample bots have nothing to search by."""
    games = [found for found in map(get_game, registry.single_names()) if found.playable]
    if not games:
        raise CliError(Text("no installed game evaluates its positions, so the sample bots cannot search any"))
    return games


def plan_game(game: Game, clock: TimeControl, budget_s: float, blocks: int | None = None) -> DemoGame:
    """Return as many blocks of a game as fit into `budget_s` seconds of thinking, at least one; or as many as asked."""
    seats = min(len(BOTS), game.seats[-1])
    thinking = need_playable(game).usual_decisions(seats) / seats  # decisions of one seat
    match_seconds = clock.bank_us / 1e6 + thinking * (clock.decision_limit_us + clock.increment_us) / 1e6 * SHARE_USED
    fitting = round(budget_s / max(match_seconds, 0.1) / _matches_a_block(seats))
    return DemoGame(game, seats, blocks or max(1, fitting), match_seconds)


def _matches_a_block(seats: int) -> int:
    return comb(len(BOTS), seats) * seats


def _plan(connection: ArenaConnection, part: DemoGame, time: str) -> PlannedTournament:
    form = RoundRobin(part.seats, part.blocks)
    game = part.game.name
    order = tournament_request(MatchTerms(time=time), form, game, BOTS, kind=f"demo-{game}")
    return connection.arena.tournaments.create_tournament(order)


def _announce(parts: Sequence[DemoGame], time: str, workers: int) -> None:
    seconds = sum(SECONDS_TO_START + part.matches * part.match_seconds / workers for part in parts)
    played = say("cli_demo.and").join(
        say("cli_demo.matches_of", matches=part.matches, game=part.game.title, seats=part.seats) for part in parts
    )
    typer.echo(
        say(
            "cli_demo.plan",
            bots=", ".join(BOTS),
            matches=played,
            time=time,
            workers=workers,
            duration=format_duration(round(seconds)),
        )
    )
