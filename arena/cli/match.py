"""`arena match`: single matches."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.cli import settings
from arena.cli.book import open_book, open_existing_book
from arena.cli.errors import CliError
from arena.cli.hints import next_command, program
from arena.cli.leaderboard import describe_pool
from arena.cli.options import AsJson, Database, GameOptions, example
from arena.cli.order import (
    BotNames,
    GameOption,
    OpeningPlies,
    Order,
    Seed,
    StartLimit,
    TimeText,
    TournamentName,
    add_match,
)
from arena.cli.output import Column, format_instant, print_facts, print_json, print_table, printable
from arena.cli.play import play
from arena.cli.sandbox import AllowReduced, Sandbox, read_policy
from ratings import queries
from ratings.database import read
from ratings.models import Match, MatchSeat, MatchState
from ratings.queries import MatchDetail

app = typer.Typer(epilog=example("arena match show 3f9a01c2"))

MatchId = Annotated[
    str, typer.Argument(metavar="MATCH", help="Its id, or a beginning or end of it with 4 characters or more.")
]

SHORT = 8
"""How many digits of an id people are shown: its end, because ids of one moment begin alike."""

STDERR_LINES = 20


@app.command(
    epilog=example(
        "arena match run --game foreign_king --bots greedy,search,random --time 100ms",
        "arena match run --game foreign_king --bots greedy,random --seed 7 --option virtual_discs=16",
    )
)
def run(
    game: GameOption,
    bots: BotNames,
    time: TimeText = "100ms",
    start_limit: StartLimit = "10s",
    option: GameOptions = None,
    opening_plies: OpeningPlies = None,
    seed: Seed = None,
    rated: Annotated[bool, typer.Option("--rated", help="Let the match count for the ratings.")] = False,
    name: TournamentName = None,
    sandbox: Sandbox = settings.SANDBOX.default,
    allow_reduced: AllowReduced = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Play one match: the first bot in seat 0, and so on."""
    policy = read_policy(sandbox, allow_reduced=allow_reduced)
    order = Order(game, bots, time, start_limit, option, opening_plies, seed, rated=rated, name=name)
    with open_book(db) as book:
        tournament = add_match(book, order)
        play(book, tournament, workers=1, policy=policy)
        with read(book.engine) as session:
            (row,) = queries.list_matches(session, tournament.id)
            detail = queries.match_detail(session, row.match.id)
    _print_match(detail, db, as_json=as_json)
    if detail.match.state is MatchState.VOID:
        raise CliError(f"the match is void: {detail.match.void_reason}; `{program()} doctor` looks for the cause")


@app.command(epilog=example("arena match show 3f9a01c2", "arena match show 3f9a01c2 --db demo.db --json"))
def show(match: MatchId, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Show a match: the results, and the faults with evidence."""
    with open_existing_book(db) as book, read(book.engine) as session:
        detail = queries.match_detail(session, queries.resolve_match(session, match).id)
    _print_match(detail, db, as_json=as_json)


_SEATS = (
    Column("seat", "SEAT", right=True),
    Column("bot", "BOT"),
    Column("version", "VERSION", right=True),
    Column("rank", "RANK", right=True),
    Column("ended", "ENDED"),
    Column("rating_change", "RATING", right=True, write=lambda value: "-" if value is None else f"{value:+.2f}"),
)


def _seat_rows(detail: MatchDetail) -> list[dict[str, Any]]:
    return [
        {
            "seat": row.seat.seat,
            "bot": row.bot,
            "version": row.version.number,
            "content_hash": row.version.content_hash,
            "rank": row.seat.rank,
            "forfeit": row.seat.forfeit,
            "resigned": row.seat.resigned,
            "ended": _ending(detail.match, row.seat),
            "rating_change": None if row.change is None else _exposure_change(row.change),
        }
        for row in detail.seats
    ]


def _ending(match: Match, seat: MatchSeat) -> str | None:
    if match.state is not MatchState.FINISHED:
        return None
    if seat.resigned:
        return "resigned"
    return "played" if seat.forfeit is None else "forfeited"


def _exposure_change(change: Any) -> float:
    before = change.mu_before - 3 * change.sigma_before
    return float(change.mu_after - 3 * change.sigma_after - before)


def _facts(detail: MatchDetail) -> dict[str, Any]:
    match = detail.match
    return {
        "match_id": match.id,
        "tournament": detail.tournament.name,
        "tournament_id": detail.tournament.id,
        "block": detail.block.index,
        "rotation": match.rotation,
        "state": match.state.value,
        "void_reason": match.void_reason,
        "attempt": match.attempt,
        "rated": match.rated and detail.tournament.rated,
        "by_rules": match.by_rules,
        "plies": match.plies,
        "decisions": match.decisions,
        "started_at_us": match.started_at_us,
        "duration_us": match.duration_us,
        "game_digest": match.game_digest,
        "record_digest": match.record_digest,
        "details": match.details,
    }


def _fault_facts(detail: MatchDetail) -> list[dict[str, Any]]:
    return [
        {
            "seat": fault.seat,
            "bot": detail.seats[fault.seat].bot,
            "cause": fault.cause,
            "ply": fault.ply,
            "explanation": fault.explanation,
            "evidence": fault.evidence,
        }
        for fault in detail.faults
    ]


def _attempt_facts(detail: MatchDetail) -> list[dict[str, Any]]:
    return [
        {"number": attempt.number, "worker": attempt.worker, "state": attempt.state.value, "reason": attempt.reason}
        for attempt in detail.attempts
    ]


def _print_match(detail: MatchDetail, db: str, *, as_json: bool) -> None:
    if as_json:
        lists = {"seats": _seat_rows(detail), "faults": _fault_facts(detail), "attempts": _attempt_facts(detail)}
        print_json({**_facts(detail), **lists})
        return
    match = detail.match
    print_facts(
        {
            "match": match.id,
            "tournament": f"{detail.tournament.name}, block {detail.block.index}, rotation {match.rotation}",
            "pool": describe_pool(detail.pool),
            "state": match.state.value if match.void_reason is None else f"{match.state.value}: {match.void_reason}",
            "started": format_instant(match.started_at_us),
            "length": _length(detail),
        }
    )
    typer.echo()
    print_table(_SEATS, _seat_rows(detail), as_json=False)
    for fault in _fault_facts(detail):
        _print_fault(fault)
    if match.plies is not None:
        typer.echo(f"\n`{next_command('replay', 'show', match.id[-SHORT:], db=db)}` shows how it was played")


def _length(detail: MatchDetail) -> str:
    match = detail.match
    if match.plies is None or match.duration_us is None:
        return "not played"
    ended = "ended by the rules" if match.by_rules else "ended by forfeit"
    return f"{match.plies} plies, {match.decisions} decisions, {match.duration_us / 1e6:.2f} s, {ended}"


def _print_fault(fault: dict[str, Any]) -> None:
    place = f"seat {fault['seat']} ({fault['bot']}), ply {fault['ply']}"
    typer.echo(f"\n{place}: {fault['cause']}: {printable(fault['explanation'])}")
    for name, value in fault["evidence"].items():
        lines = [printable(line) for line in str(value).splitlines()] or [""]
        if len(lines) == 1:
            typer.echo(f"  {name}: {lines[0]}")
        else:
            typer.echo(f"  {name} (last lines):")
            for line in lines[-STDERR_LINES:]:
                typer.echo(f"    {line}")
