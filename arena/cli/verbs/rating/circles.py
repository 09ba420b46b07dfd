"""What `arena rating official` says of circles: when one number misleads, and who does best all the same."""

from __future__ import annotations

from typing import Any

import typer

from arena.cli.shared.cells import format_percent
from arena.cli.shared.output import print_table
from arena.cli.shared.saying import say
from arena.model.columns import Column, ColumnKind
from arena.model.ratings import OfficialTable
from ratings.values.statistics import Circle

_LEAST_CHANCE = 0.001


_CIRCLES = (
    Column("bots", "circle"),
    Column("shares", "shares", ColumnKind.COUNT),
    Column("elo", "elo", ColumnKind.ELO),
    Column("blocks", "blocks", ColumnKind.COUNT),
    Column("chance", "by_chance", ColumnKind.COUNT),
)


def print_warning(table: OfficialTable) -> None:
    """Say in one line that one number misleads, if there is a circle."""
    if table.circles:
        surest = table.circles[0]
        steps = ", ".join(_step(surest, place) for place in range(len(surest.bots)))
        chance, elo = _chance(surest), f"{surest.elo:.0f}"
        typer.echo(say("cli_rating.circle", count=table.circle_count, steps=steps, elo=elo, chance=chance))


def print_circles(table: OfficialTable) -> None:
    """Say what the mixture is, what was asked, and all circles that were found."""
    if not table.rows:
        return
    typer.echo(say("cli_rating.mixture"))
    typer.echo(say("cli_rating.threes_asked", threes=table.threes, circles=table.circle_count))
    if table.circles:
        typer.echo()
        print_table(_CIRCLES, [_row(one) for one in table.circles], as_json=False)


def _step(circle: Circle, place: int) -> str:
    one, other = circle.bots[place], circle.bots[(place + 1) % len(circle.bots)]
    return say("cli_rating.step", one=one, other=other, share=f"{100 * circle.shares[place]:.0f}%")


def _row(circle: Circle) -> dict[str, Any]:
    return {
        "bots": " > ".join([*circle.bots, circle.bots[0]]),
        "shares": " ".join(f"{100 * share:.0f}%" for share in circle.shares),
        "elo": circle.elo,
        "blocks": " ".join(map(str, circle.blocks)),
        "chance": _chance(circle),
    }


def _chance(circle: Circle) -> str:
    """Write the bound on a circle's chance, which is never told as 0."""
    return format_percent(max(circle.chance, _LEAST_CHANCE))
