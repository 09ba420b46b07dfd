"""The command `arena match log`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.matches import MatchId, short_match_id
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json, print_lines
from arena.cli.shared.saying import named, say, told
from arena.cli.verbs.match.problems import print_problems
from arena.cli.verbs.match.times import print_totals
from arena.model.matches import LOG_STAYS_AT_HOME, MatchDetail, MatchTimes, SeatLog
from arena.model.port import Matches
from ratings.values.states import MatchState

app = typer.Typer()


@app.command(epilog=example("arena match log 3f9a01c2", "arena --server club match log 3f9a01c2 --seat 0"))
def log(
    match: MatchId,
    seat: Annotated[
        int | None,
        typer.Option("--seat", min=0, metavar="SEAT"),
    ] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show what your bots wrote in a match that is over."""
    with connect(db) as connection:
        matches = connection.arena.matches
        logs = matches.get_logs(match, seat)
        detail = _of_seats(matches.get_match(match), {one.seat for one in logs})
        times = _times_of(matches, detail, {one.seat for one in logs})
    if as_json:
        _print_json(detail, logs, times)
    else:
        _print(detail, logs, times, connection)


def _of_seats(detail: MatchDetail, seats: Collection[int]) -> MatchDetail:
    """Return a match with the faults and the leak checks of these seats only."""
    return replace(
        detail,
        faults=tuple(fault for fault in detail.faults if fault.seat in seats),
        leak_checks=tuple(check for check in detail.leak_checks if check.seat in seats),
        attempts=(),
    )


def _times_of(matches: Matches, detail: MatchDetail, seats: Collection[int]) -> MatchTimes:
    """Return the times of these seats; none of a match without a replay, where they stand."""
    if detail.plies is None or detail.replay_removed_at_us is not None:
        return MatchTimes()
    times = matches.get_times(detail.match_id)
    return MatchTimes((), tuple(one for one in times.totals if one.seat in seats))


def _print_json(detail: MatchDetail, logs: Collection[SeatLog], times: MatchTimes) -> None:
    print_json(
        {
            "match_id": detail.match_id,
            "state": detail.state,
            "logs_removed_at_us": detail.logs_removed_at_us,
            "replay_removed_at_us": detail.replay_removed_at_us,
            "logs": [asdict(one) for one in logs],
            "times": [asdict(one) for one in times.totals],
            "faults": [asdict(one) for one in detail.faults],
            "leak_checks": [asdict(one) for one in detail.leak_checks],
        }
    )


def _print(detail: MatchDetail, logs: Collection[SeatLog], times: MatchTimes, connection: ArenaConnection) -> None:
    if times.totals:
        print_totals(times.totals, [seat.seat for seat in detail.seats if seat.remote])
    elif detail.replay_removed_at_us is not None:
        typer.echo(say("cli_match.times_removed", at=format_instant(detail.replay_removed_at_us)))

    print_problems(detail)
    if detail.logs_removed_at_us is not None:
        typer.echo("\n" + say("cli_match.logs_removed", at=format_instant(detail.logs_removed_at_us)))
        return
    for one in logs:
        head = say("cli_match.wrote") if one.text else _why_nothing(detail, one.seat, connection)
        typer.echo("\n" + say("cli_match.seat_log", seat=one.seat, bot=one.bot, head=head))
        print_lines(one.text)


def _why_nothing(detail: MatchDetail, seat: int, connection: ArenaConnection) -> str:
    if detail.seats[seat].remote:
        return told(LOG_STAYS_AT_HOME)
    name = short_match_id(detail.match_id)
    if detail.state in (MatchState.PLANNED, MatchState.LEASED):
        meanwhile = connection.command("match", "watch", name, "--log", str(seat))
        return say("cli_match.not_over", match=name, command=meanwhile)
    if detail.plies is None:
        return say("cli_match.no_log", match=name, state=named("search.state_", detail.state.value))
    return say("cli_match.wrote_nothing")
