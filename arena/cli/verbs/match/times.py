"""What `arena match show --times` prints: how each decision spent its time, and how each seat did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict

import typer

from arena.cli.shared.output import print_table
from arena.cli.shared.saying import say
from arena.model.columns import Column, ColumnKind
from arena.model.matches import MatchTimes, SeatTime

_FIGURES = ("wall_us", "cpu_us", "queue_wait_us", "referee_lag_us", "charged_us")


_UNKNOWN = {"cpu_us": None, "queue_wait_us": None, "referee_lag_us": None}


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
