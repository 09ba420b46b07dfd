"""Prints where time went: the processor time of a decision by part, the wall time of a match, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import typer

from arena.cli.shared.output import print_json, print_table
from arena.cli.shared.saying import say
from arena.hosting.procfs.machine import count_cores
from arena.model.columns import Column, ColumnKind
from arena.profiling.split import PartCost, Split
from engine.core import Game

FULL = 0.9
"""The share of the cores that compute, from which on cores are what is short."""
_PARTS = (
    Column("part", "what", ColumnKind.NAME, names="cli_doctor.part_"),
    Column("cost", "cost", ColumnKind.COUNT),
    Column("share", "share", ColumnKind.SHARE),
    Column("to_do", "to_do", ColumnKind.SENTENCE),
)
_WALLS = (
    Column("stretch", "what", ColumnKind.NAME, names="cli_doctor.stretch_"),
    Column("cost", "cost", ColumnKind.COUNT),
    Column("share", "share", ColumnKind.SHARE),
    Column("to_do", "to_do", ColumnKind.SENTENCE),
)


def print_profile_json(game: Game, split: Split) -> None:
    """Print all of it for programs."""
    figures = {"decisions_per_s": split.decisions_per_s, "cpu_us": split.cpu_us, "busy_cores": split.busy_cores}
    print_json({"game": game.name, "cores": count_cores(), **figures, **asdict(split)}, table="parts")


def print_profile(split: Split) -> None:
    """Print two tables, and after each what it says."""
    typer.echo(say("cli_doctor.cpu_title") + "\n")
    rows = [_part_row(cost) for cost in sorted(split.parts, key=lambda cost: -cost.cpu_us)]
    total = {"part": "all", "cost": f"{split.cpu_us:.0f} us", "share": 1.0, "to_do": ""}
    print_table(_PARTS, [*rows, total], as_json=False)
    typer.echo("\n" + _rate(split))
    typer.echo(_busy(split))
    typer.echo("\n" + say("cli_doctor.wall_title") + "\n")
    walls = [
        {
            "stretch": wall.stretch,
            "cost": f"{wall.wall_ms:.1f} ms",
            "share": wall.share,
            "to_do": say(f"cli_doctor.mend_{wall.stretch}"),
        }
        for wall in split.walls
    ]
    print_table(_WALLS, walls, as_json=False)
    if split.recording_ms is not None:
        typer.echo("\n" + say("cli_doctor.recorded", time=f"{split.recording_ms:.1f}"))


def _part_row(cost: PartCost) -> Mapping[str, Any]:
    margin = f" ± {cost.margin_us:.0f}" if cost.margin_us else ""
    return {
        "part": cost.part,
        "cost": f"{cost.cpu_us:.0f}{margin} us",
        "share": cost.share,
        "to_do": say(f"cli_doctor.mend_{cost.part}"),
    }


def _rate(split: Split) -> str:
    return say(
        "cli_doctor.rate",
        decisions=f"{split.decisions:,}",
        matches=split.matches,
        seconds=f"{split.seconds:.1f}",
        rate=f"{split.decisions_per_s:,.0f}",
        samples=f"{split.samples:,}",
    )


def _busy(split: Split) -> str:
    """Return what limits this run: cores, workers, or what is waited for."""
    cores = count_cores()
    if split.busy_cores >= FULL * cores:
        advice = "cli_doctor.busy_full"
    elif split.workers < cores:
        advice = "cli_doctor.busy_workers"
    else:
        advice = "cli_doctor.busy_free"
    return say(advice, busy=f"{split.busy_cores:.1f}", cores=cores)
