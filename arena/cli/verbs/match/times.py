"""What `arena match show --times` prints: how each decision spent its time, and how each seat did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from arena.cli.shared.errors import CliError
from arena.cli.shared.output import Column, print_table
from arena.match.replay import ReplayError, load, read_figures, timed_entries
from arena.match.timing import TimingError

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


def find_times(stored: bytes) -> dict[str, Any]:
    """Return the `decisions` of a stored replay and the `totals` of each seat, as rows. Raise CliError."""
    try:
        document = load(stored)
        decisions = _decisions(document)
    except (ReplayError, TimingError) as error:
        raise CliError(f"the replay cannot be read: {error}") from error
    names = [seat["name"] for seat in document["seats"]]
    return {"decisions": decisions, "totals": [_total(seat, name, decisions) for seat, name in enumerate(names)]}


def _decisions(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each decision; CPU, waiting and lag are `None` if it was too short or could not be measured."""
    rows = []
    for entry, figures in zip(timed_entries(document), read_figures(document), strict=True):
        was_read = figures.looks > 0 and figures.is_readable
        rows.append(
            {
                "ply": entry["ply"],
                "seat": entry["seat"],
                "bot": document["seats"][entry["seat"]]["name"],
                "wall_us": figures.wall_us,
                "cpu_us": figures.cpu_us if was_read else None,
                "queue_wait_us": figures.queue_wait_us if was_read else None,
                "referee_lag_us": figures.referee_lag_us if was_read else None,
                "charged_us": entry["charged_us"],
                "looks": figures.looks,
                "readable": figures.is_readable,
            }
        )
    return rows


def _total(seat: int, name: str, decisions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    own = [row for row in decisions if row["seat"] == seat]
    sums = {key: sum(row[key] or 0 for row in own) for key in _FIGURES}
    longest_us = max((row["charged_us"] for row in own), default=0)
    return {"seat": seat, "bot": name, "decisions": len(own), **sums, "longest_us": longest_us}


def print_times(times: Mapping[str, Any]) -> None:
    """Print the table of decisions and the table of totals, for people."""
    typer.echo()
    print_table(_DECISIONS, times["decisions"], as_json=False, empty="no decisions: nobody was asked anything")
    typer.echo()
    print_table(_TOTALS, times["totals"], as_json=False)
    if any(row["cpu_us"] is None for row in times["decisions"]):
        typer.echo("\n-: not read, and charged wall; decisions under 20 ms are not looked at")
    if any(not row["readable"] for row in times["decisions"]):
        typer.echo("some decisions could not be read; `arena doctor` may tell why")
