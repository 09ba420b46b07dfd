"""The command `arena cluster show`."""

from __future__ import annotations

import asyncio

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.hosting_options import AUTO, Address
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import Column, print_table, write_named, write_translated
from arena.cli.shared.saying import say

app = typer.Typer()

READY = "ready"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


_COLUMNS = (
    Column("name", "machine"),
    Column("state", "state", write=write_named("cli_cluster.state_")),
    Column("slots", "slots", right=True),
    Column("cores", "cores", right=True),
    Column("arena", "version"),
    Column("python", "python"),
    Column("offset_ms", "clock_ms", right=True, write=_figure),
    Column("trip_ms", "trip_ms", right=True, write=_figure),
    Column("finished", "finished", right=True),
    Column("void", "void", right=True),
    Column("slow", "slow", right=True),
    Column("why", "why", write=write_translated),
)


@app.command(epilog=example("arena cluster show", "arena cluster show --address 127.0.0.1:6379 --json"))
def show(address: Address = settings.RAY_ADDRESS.default, as_json: AsJson = False) -> None:
    """List the machines of a cluster, whether they may play, and how they do."""
    from arena.executor.ray.survey import survey  # what the help needs is less

    rows = [view.to_json() for view in asyncio.run(survey("" if address == AUTO else address))]
    has_reason = any(row["why"] for row in rows)
    print_table(_COLUMNS if has_reason else _COLUMNS[:-1], rows, as_json=as_json, empty=say("cli_cluster.empty"))
    if not any(row["state"] == READY for row in rows):
        raise typer.Exit(errors.FAILED)
