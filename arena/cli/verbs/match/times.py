"""What `arena match show --times` prints: how each decision spent its time, and how each seat did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import typer

from arena.cli.shared.output import Column, print_table
from arena.client.values.matches import MatchTimes, SeatTime

_FIGURES = ("wall_us", "cpu_us", "queue_wait_us", "referee_lag_us", "charged_us")


def _milliseconds(us: int | None) -> str:
    return "-" if us is None else f"{us / 1000:.1f} ms"


_TIMES = tuple(
    Column(key, title, right=True, write=_milliseconds)
    for key, title in zip(_FIGURES, ("WALL", "CPU", "WAIT", "LAG", "CHARGE"), strict=True)
)
_DECISIONS = (Column("ply", "PLY", right=True), Column("seat", "SEAT", right=True), Column("bot", "BOT"), *_TIMES)
_TOTALS = (
    Column("seat", "SEAT", right=True),
    Column("bot", "BOT"),
    Column("decisions", "DECISIONS", right=True),
    *_TIMES,
    Column("longest_us", "LONGEST", right=True, write=_milliseconds),
)


def print_times(times: MatchTimes) -> None:
    """Print the table of decisions and the table of totals, for people."""
    typer.echo()
    decisions = [asdict(one) for one in times.decisions]
    print_table(_DECISIONS, decisions, as_json=False, empty="no decisions: nobody was asked anything")
    typer.echo()
    print_totals(times.totals)
    if any(one.cpu_us is None for one in times.decisions):
        typer.echo("\n-: not read, and charged wall; decisions under 20 ms are not looked at")
    if any(not one.readable for one in times.decisions):
        typer.echo("some decisions could not be read; `arena doctor` may tell why")


def print_totals(totals: Sequence[SeatTime]) -> None:
    """Print for people how these seats spent their time in all."""
    print_table(_TOTALS, [asdict(one) for one in totals], as_json=False)
