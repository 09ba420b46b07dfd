"""`arena cluster`: the machines of a Ray cluster, as far as they play."""

from __future__ import annotations

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.hosting import AUTO, Address
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import print_table
from arena.model.table_columns import Column, ColumnKind

app = typer.Typer(epilog=example("arena cluster show", "arena cluster show --address 127.0.0.1:6379 --json"))

VERBS = {"show": None}
READY = "ready"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


_COLUMNS = (
    Column("name", "machine"),
    Column("state", "state", ColumnKind.NAME, names="cli_cluster.state_"),
    Column("slots", "slots", ColumnKind.COUNT),
    Column("cores", "cores", ColumnKind.COUNT),
    Column("arena", "version"),
    Column("python", "python"),
    Column("offset_ms", "clock_ms", ColumnKind.COUNT, write=_figure),
    Column("trip_ms", "trip_ms", ColumnKind.COUNT, write=_figure),
    Column("finished", "finished", ColumnKind.COUNT),
    Column("void", "void", ColumnKind.COUNT),
    Column("slow", "slow", ColumnKind.COUNT),
    Column("why", "why", ColumnKind.SENTENCE),
)


@app.command(epilog=example("arena cluster show", "arena cluster show --address 127.0.0.1:6379 --json"))
def show(address: Address = settings.RAY_ADDRESS.default, as_json: AsJson = False) -> None:
    """List the machines of a Ray cluster, and whether they may play."""
    import asyncio

    from arena.executor.ray.survey import survey  # what the help needs is less

    rows = [view.to_json() for view in asyncio.run(survey("" if address == AUTO else address))]
    has_reason = any(row["why"] for row in rows)
    print_table(_COLUMNS if has_reason else _COLUMNS[:-1], rows, as_json=as_json, empty=say("cli_cluster.empty"))
    if not any(row["state"] == READY for row in rows):
        raise typer.Exit(errors.FAILED)
