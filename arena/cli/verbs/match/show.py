"""`arena match`: single matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from arena.cli.nouns.leaderboard import describe_pool
from arena.cli.shared import settings
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.hosting_options import AllowReduced, Sandbox
from arena.cli.shared.options import AsJson, Database, GameOptions, example
from arena.cli.shared.output import Column, format_instant, print_facts, print_json, print_table
from arena.cli.shared.play import play, read_keeping
from arena.cli.shared.request import (
    BotNames,
    GameOption,
    OpeningPlies,
    Order,
    Seed,
    StartLimit,
    TimeText,
    TournamentName,
    add_match,
    find_tournament,
)
from arena.cli.shared.storage import open_book, open_existing_book
from arena.cli.shared.suggestions import next_command, program
from arena.cli.verbs.match.problems import evidence_facts, print_evidence
from arena.cli.verbs.match.times import find_times, print_times
from ratings.read import queries
from ratings.read.queries import MatchDetail, MatchRow
from ratings.store.database import read
from ratings.store.models import Match, MatchSeat, MatchState

app = typer.Typer(epilog=example("arena match show 3f9a01c2"))

MatchId = Annotated[
    str, typer.Argument(metavar="MATCH", help="Its id, or a beginning or end of it with 4 characters or more.")
]

SHORT = 8
"""How many digits of an id people are shown: its end, because ids of one moment begin alike."""


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
    keeping = read_keeping(sandbox, allow_reduced=allow_reduced)
    order = Order(game, bots, time, start_limit, option, opening_plies, seed, rated=rated, name=name)
    with open_book(db) as book:
        tournament = add_match(book, order)
        play(book, tournament, workers=1, keeping=keeping)
        with read(book.engine) as session:
            (row,) = queries.list_matches(session, tournament.id)
            detail = queries.match_detail(session, row.match.id)
    _print_match(detail, db, as_json=as_json)
    if detail.match.state is MatchState.VOID:
        raise CliError(f"the match is void: {detail.match.void_reason}; `{program()} doctor` looks for the cause")


@app.command(epilog=example("arena match show 3f9a01c2", "arena match show 3f9a01c2 --times --json"))
def show(
    match: MatchId,
    times: Annotated[bool, typer.Option("--times", help="Show also what each decision took, and why.")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a match: the results, and the faults with evidence."""
    with open_existing_book(db) as book, read(book.engine) as session:
        detail = queries.match_detail(session, queries.resolve_match(session, match).id)
        spent = find_times(queries.replay_of(session, detail.match.id)) if times else None
    _print_match(detail, db, as_json=as_json, times=spent)


def _seats_text(seats: list[dict[str, Any]]) -> str:
    return " ".join(f"{seat['bot']}({seat['rank'] or '-'})" for seat in seats)


_LIST = (
    Column("id", "MATCH", write=lambda id_: str(id_)[-SHORT:]),
    Column("tournament", "TOURNAMENT"),
    Column("block", "BLOCK", right=True),
    Column("seats", "SEATS (RANK)", write=_seats_text),
    Column("attempt", "ATTEMPTS", right=True),
    Column("sandbox", "SANDBOX"),
    Column("state", "STATE"),
    Column("void_reason", "REASON"),
)


@app.command("list", epilog=example("arena match list monday", "arena match list --state void --json"))
def list_matches(
    tournament: Annotated[
        str | None, typer.Argument(metavar="TOURNAMENT", help="Its name or id; all tournaments by default.")
    ] = None,
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="Only matches in it: planned, leased, finished or void.")
    ] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List matches: seats, attempts, why one is void."""
    wanted = _parse_state(state)
    with open_existing_book(db) as book, read(book.engine) as session:
        if tournament is None:
            found = [row.tournament for row in queries.list_tournaments(session)]
        else:
            found = [find_tournament(session, tournament)]
        rows = [
            _list_row(one.name, row) for one in found for row in queries.list_matches(session, one.id, state=wanted)
        ]
    print_table(_LIST, rows, as_json=as_json, empty="no such matches")


def _parse_state(text: str | None) -> MatchState | None:
    try:
        return None if text is None else MatchState(text)
    except ValueError:
        states = ", ".join(state.value for state in MatchState)
        raise MisuseError(f"--state {text!r} is no state of a match; there are {states}") from None


def _list_row(tournament: str, row: MatchRow) -> dict[str, Any]:
    match = row.match
    return {
        "id": match.id,
        "tournament": tournament,
        "block": row.block_index,
        "rotation": match.rotation,
        "seats": [{"bot": bot, "rank": rank} for bot, rank in row.seats],
        "attempt": match.attempt,
        "sandbox": match.sandbox,
        "state": match.state.value,
        "void_reason": match.void_reason,
    }


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
        "sandbox": match.sandbox,
    }


def _print_match(detail: MatchDetail, db: str, *, as_json: bool, times: Mapping[str, Any] | None = None) -> None:
    if as_json:
        print_json(
            {
                **_facts(detail),
                "seats": _seat_rows(detail),
                **evidence_facts(detail),
                **({"times": times} if times else {}),
            }
        )
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
            "sandbox": match.sandbox,
        }
    )
    typer.echo()
    print_table(_SEATS, _seat_rows(detail), as_json=False)
    print_evidence(detail)
    if times:
        print_times(times)
    if match.plies is not None:
        typer.echo(f"\n`{next_command('replay', 'show', match.id[-SHORT:], db=db)}` shows how it was played")


def _length(detail: MatchDetail) -> str:
    match = detail.match
    if match.plies is None or match.duration_us is None:
        return "not played"
    ended = "ended by the rules" if match.by_rules else "ended by forfeit"
    return f"{match.plies} plies, {match.decisions} decisions, {match.duration_us / 1e6:.2f} s, {ended}"
