"""`arena runtime`: what bots can run in, and what is in it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import unknown
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import Column, print_facts, print_json, print_table
from arena.cli.shared.runtimes import RuntimesFile, local_runtimes
from arena.hosting.errors import HostingError
from arena.hosting.runtimes.book import Runtimes

app = typer.Typer(epilog=example("arena runtime list", "arena runtime show arena"))

_SHOWN_DIGITS = 12


def _short_hash(text: str | None) -> str:
    """Return the beginning of the hash of a runtime, which is what people are shown."""
    return "-" if text is None else text[:_SHOWN_DIGITS]


_RUNTIMES = (
    Column("name", "RUNTIME"),
    Column("kind", "KIND"),
    Column("version", "VERSION"),
    Column("packages", "PACKAGES", right=True, write=lambda packages: str(len(packages))),
    Column("hash", "HASH", write=_short_hash),
    Column("problem", "PROBLEM"),
)


@app.command("list", epilog=example("arena runtime list", "arena runtime list --runtimes runtimes.toml --json"))
def list_runtimes(runtimes: RuntimesFile = settings.RUNTIMES.default, as_json: AsJson = False) -> None:
    """List what bots can run in.

    The key `runtime` of bot.toml names one of them.
    """
    known = local_runtimes(runtimes)
    rows = [_facts_or_problem(known, name) for name in known.names]
    has_problem = any(row["problem"] for row in rows)
    print_table(_RUNTIMES if has_problem else _RUNTIMES[:-1], rows, as_json=as_json)


@app.command(epilog=example("arena runtime show arena", "arena runtime show bundled --json"))
def show(
    name: Annotated[str, typer.Argument(metavar="RUNTIME", help="Its name, as `arena runtime list` shows it.")],
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    as_json: AsJson = False,
) -> None:
    """Show the versions of all that is in a runtime."""
    known = local_runtimes(runtimes)
    if name not in known.names:
        raise unknown("runtime", name, known.names, "`arena runtime list` shows all")
    facts = _facts(known, name)
    if as_json:
        print_json(facts)
        return
    print_facts({key: facts[key] for key in ("name", "kind", "version", "hash")})
    typer.echo()
    rows = [{"package": package, "version": version} for package, version in facts["packages"].items()]
    print_table((Column("package", "PACKAGE"), Column("version", "VERSION")), rows, as_json=False, empty="no packages")


def _facts(runtimes: Runtimes, name: str) -> dict[str, Any]:
    runtime, contents = runtimes.get(name), runtimes.contents(name)
    return {"name": name, "kind": runtime.kind.value, "hash": runtime.hash, **contents.to_json()}


def _facts_or_problem(runtimes: Runtimes, name: str) -> dict[str, Any]:
    """Return the facts of a runtime; one that does not work hides none of the others."""
    try:
        return {**_facts(runtimes, name), "problem": None}
    except HostingError as error:
        kind = runtimes.definition(name).kind.value
        return {"name": name, "kind": kind, "hash": None, "version": None, "packages": {}, "problem": str(error)}
