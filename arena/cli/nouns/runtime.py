"""`arena runtime`: what bots can run in, and what is in it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.app.runtimes import describe_all
from arena.cli.shared import settings
from arena.cli.shared.connect import connect, service_name
from arena.cli.shared.errors import CliError, unknown
from arena.cli.shared.hosting import RuntimesFile, local_runtimes
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json, print_table
from arena.model.bots import Runtime
from arena.model.table_columns import Column, ColumnKind
from engine.translatable import Text, text_from_json

app = typer.Typer(epilog=example("arena runtime list", "arena runtime show arena"))

_RUNTIMES = (
    Column("name", "runtime"),
    Column("kind", "kind"),
    Column("version", "version"),
    Column("packages", "packages", ColumnKind.COUNT, write=lambda packages: str(len(packages))),
    Column("hash", "hash", ColumnKind.HASH),
    Column("problem", "problem", ColumnKind.SENTENCE),
)


@app.command("list", epilog=example("arena runtime list", "arena runtime list --runtimes runtimes.toml --json"))
def list_runtimes(
    runtimes: RuntimesFile = settings.RUNTIMES.default, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the runtimes in which bots can run."""
    rows = [_facts(runtime) for runtime in _find(runtimes, db)]
    has_problem = any(row["problem"] for row in rows)
    print_table(_RUNTIMES if has_problem else _RUNTIMES[:-1], rows, as_json=as_json)


@app.command(epilog=example("arena runtime show arena", "arena runtime show bundled --json"))
def show(
    name: Annotated[str, typer.Argument(metavar="RUNTIME")],
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show the versions of everything in a runtime."""
    known = {runtime.name: runtime for runtime in _find(runtimes, db)}
    if name not in known:
        raise unknown("runtime", name, list(known), Text("`arena runtime list` shows all"))
    facts = _facts(known[name])
    if facts["problem"]:
        raise CliError(facts["problem"])
    if as_json:
        print_json(facts)
        return
    print_facts({key: facts[key] for key in ("name", "kind", "version", "hash")})
    typer.echo()
    rows = [{"package": package, "version": version} for package, version in facts["packages"].items()]
    print_table(
        (Column("package", "package"), Column("version", "version")),
        rows,
        as_json=False,
        empty=say("cli_runtime.no_packages"),
    )


def _find(file: str, place: str) -> tuple[Runtime, ...]:
    if service_name(place) is None:
        return describe_all(local_runtimes(file), {})
    with connect(place) as connection:
        return connection.arena.runtimes.list_runtimes()


def _facts(runtime: Runtime) -> dict[str, Any]:
    contents = runtime.contents
    problem = contents.get("problem")
    return {
        "name": runtime.name,
        "kind": runtime.kind,
        "hash": runtime.hash or None,
        "version": contents.get("version"),
        "packages": contents.get("packages", {}),
        "problem": problem and text_from_json(problem, contents.get("problem_text")),
    }
