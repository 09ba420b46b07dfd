"""The command `arena match show`, and how a match is printed."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import connect
from arena.cli.shared.matches import MatchId, short_match_id
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json, print_table
from arena.cli.shared.pools import describe_pool
from arena.cli.shared.saying import named, say, told
from arena.cli.shared.suggestions import next_command
from arena.cli.verbs.match.problems import print_problems
from arena.cli.verbs.match.times import print_times
from arena.model.columns import MATCH_SEATS
from arena.model.matches import MatchDetail, MatchSeat, MatchTimes

app = typer.Typer()

_SHOWN_DIGITS = 12


@app.command(epilog=example("arena match show 3f9a01c2", "arena match show 3f9a01c2 --times --json"))
def show(
    match: MatchId,
    times: Annotated[bool, typer.Option("--times")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a match: the results, and the faults with evidence."""
    with connect(db) as connection:
        detail = connection.arena.matches.get_match(match)
        spent = connection.arena.matches.get_times(detail.match_id) if times else None
    print_match(detail, db, as_json=as_json, times=spent)


def print_match(detail: MatchDetail, db: str, *, as_json: bool, times: MatchTimes | None = None) -> None:
    """Print a match of the arena at the place `db`; with `times` also how time was spent."""
    if as_json:
        spent = {} if times is None else {"times": asdict(times)}
        print_json({**asdict(detail), **spent}, table="seats")
        return
    print_facts(_people_facts(detail))
    typer.echo()
    print_table(MATCH_SEATS, [replace(seat, runtime=_runtime(seat)) for seat in detail.seats], as_json=False)
    print_problems(detail)
    if times is not None:
        print_times(times, [seat.seat for seat in detail.seats if seat.remote])
    if detail.plies is not None and detail.replay_removed_at_us is None:
        show = next_command("replay", "show", short_match_id(detail.match_id), db=db)
        typer.echo("\n" + say("cli_match.shows_play", command=show))


def _runtime(seat: MatchSeat) -> str | None:
    """Return name and beginning of the hash of what a seat ran in, which the arena does not know of a remote bot."""
    if seat.remote:
        return say("cli_shared.remote")
    return None if seat.runtime is None else f"{seat.runtime_name or ''} {seat.runtime[:_SHOWN_DIGITS]}".strip()


def _people_facts(detail: MatchDetail) -> dict[str, Any]:
    facts = {
        "match": detail.match_id,
        "tournament": say(
            "cli_match.of_tournament", tournament=detail.tournament, block=detail.block, rotation=detail.rotation
        ),
        "pool": describe_pool(detail.pool),
        "state": _state(detail),
        "started": format_instant(detail.started_at_us),
        "length": _length(detail),
        "sandbox": _sandbox(detail),
    }
    removed = {"replay": detail.replay_removed_at_us, "logs": detail.logs_removed_at_us}
    return {
        **facts,
        **({"annulled": detail.annulled} if detail.annulled else {}),
        **{name: say("cli_match.removed", at=format_instant(at)) for name, at in removed.items() if at is not None},
    }


def _state(detail: MatchDetail) -> str:
    state = named("search.state_", detail.state.value)
    return state if detail.void_reason is None else f"{state}: {told(detail.void_reason)}"


def _sandbox(detail: MatchDetail) -> str | None:
    elsewhere = say("cli_match.remote_elsewhere")
    if detail.sandbox is None or not any(seat.remote for seat in detail.seats):
        return None if detail.sandbox is None else named("cli_state.sandbox_", detail.sandbox)
    if all(seat.remote for seat in detail.seats):
        return say("cli_match.no_hosted", elsewhere=elsewhere)
    return say("cli_match.for_hosted", sandbox=named("cli_state.sandbox_", detail.sandbox), elsewhere=elsewhere)


def _length(detail: MatchDetail) -> str:
    if detail.hidden:
        return told(detail.why_hidden)
    if detail.plies is None or detail.duration_us is None:
        return say("cli_match.not_played")
    ended = say("cli_match.ended_by_rules") if detail.by_rules else say("cli_match.ended_by_forfeit")
    return say(
        "cli_match.length",
        plies=detail.plies,
        decisions=detail.decisions,
        seconds=f"{detail.duration_us / 1000000.0:.2f}",
        ended=ended,
    )
