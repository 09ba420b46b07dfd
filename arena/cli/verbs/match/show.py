"""The command `arena match show`, and how a match is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.matches import MatchId, short_match_id
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, format_instant, print_facts, print_json, print_table
from arena.cli.shared.pools import describe_pool
from arena.cli.shared.storage import Storage, open_existing_storage
from arena.cli.shared.suggestions import next_command
from arena.cli.verbs.match.problems import print_problems, problem_facts
from arena.cli.verbs.match.times import find_times, print_times
from ratings.read.matches import MatchDetail, find_match, match_detail, replay_of
from ratings.store.models import Match, MatchSeat, RatingChange
from ratings.store.states import MatchState

app = typer.Typer()

_SHOWN_DIGITS = 12

_SEATS = (
    Column("seat", "SEAT", right=True),
    Column("bot", "BOT"),
    Column("version", "VERSION", right=True),
    Column("rank", "RANK", right=True),
    Column("ended", "ENDED"),
    Column("runtime", "RUNTIME"),
    Column("rating_change", "RATING", right=True, write=lambda value: "-" if value is None else f"{value:+.2f}"),
)


@app.command(epilog=example("arena match show 3f9a01c2", "arena match show 3f9a01c2 --times --json"))
def show(
    match: MatchId,
    times: Annotated[bool, typer.Option("--times", help="Show also what each decision took, and why.")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a match: the results, and the faults with evidence."""
    with open_existing_storage(db) as storage:
        detail, replay = _read_match(storage, match, with_replay=times)
    print_match(detail, db, as_json=as_json, times=None if replay is None else find_times(replay))


def _read_match(storage: Storage, match: str, *, with_replay: bool) -> tuple[MatchDetail, bytes | None]:
    detail = match_detail(storage.database, find_match(storage.database, match).id)
    return detail, replay_of(storage.database, detail.match.id) if with_replay else None


def print_match(detail: MatchDetail, db: str, *, as_json: bool, times: Mapping[str, Any] | None = None) -> None:
    """Print a match of the database `db`; with `times`, which `find_times` returns, also how time was spent."""
    if as_json:
        spent = {} if times is None else {"times": times}
        print_json({**_facts(detail), "seats": _seat_rows(detail), **problem_facts(detail), **spent})
        return
    print_facts(_people_facts(detail))
    typer.echo()
    print_table(_SEATS, [{**row, "runtime": _runtime(row)} for row in _seat_rows(detail)], as_json=False)
    print_problems(detail)
    if times is not None:
        print_times(times)
    if detail.match.plies is not None:
        show = next_command("replay", "show", short_match_id(detail.match.id), db=db)
        typer.echo(f"\n`{show}` shows how it was played")


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
            "runtime": row.seat.runtime,
            "runtime_name": detail.runtime_names.get(row.seat.runtime or ""),
            "rating_change": None if row.change is None else _exposure_change(row.change),
        }
        for row in detail.seats
    ]


def _runtime(row: Mapping[str, Any]) -> str | None:
    """Return name and beginning of the hash of what a seat ran in."""
    return None if row["runtime"] is None else f"{row['runtime_name'] or ''} {row['runtime'][:_SHOWN_DIGITS]}".strip()


def _ending(match: Match, seat: MatchSeat) -> str | None:
    if match.state is not MatchState.FINISHED:
        return None
    if seat.resigned:
        return "resigned"
    return "played" if seat.forfeit is None else "forfeited"


def _exposure_change(change: RatingChange) -> float:
    before = change.mu_before - 3 * change.sigma_before
    return change.mu_after - 3 * change.sigma_after - before


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


def _people_facts(detail: MatchDetail) -> dict[str, Any]:
    match = detail.match
    return {
        "match": match.id,
        "tournament": f"{detail.tournament.name}, block {detail.block.index}, rotation {match.rotation}",
        "pool": describe_pool(detail.pool),
        "state": match.state.value if match.void_reason is None else f"{match.state.value}: {match.void_reason}",
        "started": format_instant(match.started_at_us),
        "length": _length(match),
        "sandbox": match.sandbox,
    }


def _length(match: Match) -> str:
    if match.plies is None or match.duration_us is None:
        return "not played"
    ended = "ended by the rules" if match.by_rules else "ended by forfeit"
    return f"{match.plies} plies, {match.decisions} decisions, {match.duration_us / 1e6:.2f} s, {ended}"
