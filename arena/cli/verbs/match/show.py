"""`arena match show` and `log`: a match with its seats, times and faults, and what bots wrote in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import MatchId, format_instant, printable, short_match_id
from arena.cli.shared.connect import ArenaConnection, connect, next_command
from arena.cli.shared.language import named, say, translated
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json, print_lines, print_table
from arena.cli.shared.rating_pools import describe_pool
from arena.model.matches import LOG_STAYS_AT_HOME, AttemptFact, MatchDetail, MatchSeat, MatchTimes, SeatTime
from arena.model.table_columns import MATCH_SEATS, Column, ColumnKind
from ratings.values.states import AttemptState, MatchState

if TYPE_CHECKING:  # it names every value that crosses the interface
    from arena.model.port import Matches

app = typer.Typer()

_SHOWN_DIGITS = 12
_MOST_LINES = 20
_FIGURES = ("wall_us", "cpu_us", "queue_wait_us", "referee_lag_us", "charged_us")
_UNKNOWN = {"cpu_us": None, "queue_wait_us": None, "referee_lag_us": None}


@app.command(epilog=example("arena match show 3f9a01c2", "arena match show 3f9a01c2 --times --json"))
def show(
    match: MatchId,
    times: Annotated[bool, typer.Option("--times")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show a match: its results, and its faults with evidence."""
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
    state = named("search.state_", detail.shown_state)
    facts = {
        "match": detail.match_id,
        "tournament": say(
            "cli_match.of_tournament", tournament=detail.tournament, block=detail.block, rotation=detail.rotation
        ),
        "pool": describe_pool(detail.pool),
        "state": state if detail.void_reason is None else f"{state}: {translated(detail.void_reason)}",
        "started": format_instant(detail.started_at_us),
        "length": _length(detail),
    }
    removed = {"replay": detail.replay_removed_at_us, "logs": detail.logs_removed_at_us}
    print_facts(
        {
            **facts,
            **({"annulled": detail.annulled} if detail.annulled else {}),
            **{name: say("cli_match.removed", at=format_instant(at)) for name, at in removed.items() if at is not None},
        }
    )
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


def _length(detail: MatchDetail) -> str:
    if detail.hidden:
        return translated(detail.why_hidden)
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


@app.command(epilog=example("arena match log 3f9a01c2", "arena --server club match log 3f9a01c2 --seat 0"))
def log(
    match: MatchId,
    seat: Annotated[int | None, typer.Option("--seat", min=0, metavar="SEAT")] = None,
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
    else:
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


def _of_seats(detail: MatchDetail, seats: Collection[int]) -> MatchDetail:
    return replace(
        detail,
        faults=tuple(fault for fault in detail.faults if fault.seat in seats),
        leak_checks=tuple(check for check in detail.leak_checks if check.seat in seats),
        attempts=(),
    )


def _times_of(matches: Matches, detail: MatchDetail, seats: Collection[int]) -> MatchTimes:
    if detail.plies is None or detail.replay_removed_at_us is not None:
        return MatchTimes()
    times = matches.get_times(detail.match_id)
    return MatchTimes((), tuple(one for one in times.totals if one.seat in seats))


def _why_nothing(detail: MatchDetail, seat: int, connection: ArenaConnection) -> str:
    if detail.seats[seat].remote:
        return translated(LOG_STAYS_AT_HOME)
    name = short_match_id(detail.match_id)
    if detail.state in (MatchState.PLANNED, MatchState.LEASED):
        meanwhile = connection.command("match", "watch", name, "--log", str(seat))
        return say("cli_match.not_over", match=name, command=meanwhile)
    if detail.plies is None:
        return say("cli_match.no_log", match=name, state=named("search.state_", detail.state.value))
    return say("cli_match.wrote_nothing")


def print_problems(detail: MatchDetail) -> None:
    """Print for people what went wrong, and what leak checks found; of attempts that went well, what is to be known."""
    for attempt in detail.attempts:
        if attempt.cause is not None or attempt.state in (AttemptState.FAILED, AttemptState.EXPIRED):
            _print_host_fault(attempt)
        elif attempt.state is AttemptState.FINISHED and attempt.reason:
            reason = printable(translated(attempt.reason))
            typer.echo("\n" + say("cli_match.attempt_noted", attempt=attempt.number, reason=reason))
            _print_evidence(attempt.evidence or {})
    for fault in detail.faults:
        place = say("cli_match.seat_ply", seat=fault.seat, bot=fault.bot, ply=fault.ply)
        typer.echo(f"\n{place}: {named('fault.', fault.cause)}: {printable(translated(fault.explanation))}")
        _print_evidence(fault.evidence)
    for seat in detail.seats:
        if seat.notes_left_out:
            typer.echo("\n" + say("cli_match.notes_left_out", seat=seat.seat, bot=seat.bot))
    for check in detail.leak_checks:
        text_id = "cli_match.seat" if check.ply is None else "cli_match.seat_ply"
        place = say(text_id, seat=check.seat, bot=check.bot, ply=check.ply)
        typer.echo(
            "\n"
            + say(
                "cli_match.leak_check",
                place=place,
                verdict=named("check.verdict_", check.verdict),
                what=printable(translated(check.sentence)),
            )
        )
        _print_evidence(check.evidence)


def _print_host_fault(attempt: AttemptFact) -> None:
    cause = named("cli_state.", attempt.cause) if attempt.cause else say("cli_match.host_failed")
    when = format_instant(attempt.ended_at_us)
    typer.echo(
        "\n"
        + say(
            "cli_match.attempt_failed",
            attempt=attempt.number,
            cause=cause,
            reason=printable(translated(attempt.reason or "") or say("cli_match.unknown")),
        )
    )
    _print_evidence(
        {say("cli_match.tried_by"): attempt.worker, say("cli_match.ended_utc"): when, **(attempt.evidence or {})}
    )


def _print_evidence(evidence: Mapping[str, Any]) -> None:
    for name, value in evidence.items():
        lines = [printable(line) for line in str(value).splitlines()] or [""]
        if len(lines) == 1:
            typer.echo(f"  {name}: {lines[0]}")
        else:
            typer.echo("  " + say("cli_match.last_lines", name=name))
            for line in lines[-_MOST_LINES:]:
                typer.echo(f"    {line}")


def _milliseconds(us: int | None) -> str:
    return "-" if us is None else f"{us / 1000:.1f} ms"


_TIMES = tuple(
    Column(key, title, ColumnKind.COUNT, write=_milliseconds)
    for key, title in zip(_FIGURES, ("wall", "cpu", "wait", "lag", "charge"), strict=True)
)


_DECISIONS = (
    Column("ply", "ply", ColumnKind.COUNT),
    Column("seat", "seat", ColumnKind.COUNT),
    Column("bot", "bot"),
    *_TIMES,
)


_TOTALS = (
    Column("seat", "seat", ColumnKind.COUNT),
    Column("bot", "bot"),
    Column("decisions", "decisions", ColumnKind.COUNT),
    *_TIMES,
    Column("longest_us", "longest", ColumnKind.COUNT, write=_milliseconds),
)


def print_times(times: MatchTimes, remote: Collection[int] = ()) -> None:
    """Print the table of decisions and the table of totals, for people; `remote` are the seats of remote bots."""
    typer.echo()
    print_table(_DECISIONS, times.decisions, as_json=False, empty=say("cli_match.no_decisions"))
    typer.echo()
    print_totals(times.totals, remote)
    hosted = [one for one in times.decisions if one.seat not in remote]
    if any(one.cpu_us is None for one in hosted):
        typer.echo("\n" + say("cli_match.not_read"))
    if any(not one.readable for one in hosted):
        typer.echo(say("cli_match.some_not_read"))


def print_totals(totals: Sequence[SeatTime], remote: Collection[int] = ()) -> None:
    """Print for people how these seats spent their time in all; `remote` are the seats of remote bots."""
    rows = [asdict(one) | (_UNKNOWN if one.seat in remote else {}) for one in totals]
    print_table(_TOTALS, rows, as_json=False)
    if any(one.seat in remote for one in totals):
        typer.echo("\n" + say("cli_match.remote_wall"))
