"""`arena owner`: who may hand bots in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, Days, example, expiry_us
from arena.cli.shared.output import print_json
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.cli.shared.saying import say
from arena.cli.verbs.owner import limits
from arena.model.columns import Column, ColumnKind
from ratings.values.states import Scope

app = typer.Typer(epilog=example("arena owner invite ada", "arena owner list"))
app.add_typer(limits.app)

OwnerName = Annotated[str, typer.Argument(metavar="NAME")]


@app.command(epilog=example("arena owner add ada"))
def add(name: OwnerName, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Register an owner."""
    with connect(db, makes=True) as connection:
        owner = connection.arena.admin.add_owner(name)
        token = connection.command("token", "new", "--owner", name)
    if as_json:
        print_json(asdict(owner))
    else:
        typer.echo(say("cli_owner.added", name=owner.name, command=token))


def _own_text(limits: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in limits.items()) or "-"


_OWNERS = (
    Column("name", "owner"),
    Column("bots", "bots", ColumnKind.COUNT),
    Column("created_at_us", "since_utc", ColumnKind.INSTANT),
    Column("disabled_at_us", "disabled_utc", ColumnKind.INSTANT),
    Column("limits", "limits_of_their_own", write=_own_text),
)


@app.command("list", epilog=example("arena owner list", "arena owner list --limit 10"))
def list_owners(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the owners, the newest first."""
    with connect(db) as connection:
        page = connection.arena.admin.list_owners(rows_wanted(limit), after)
    more = more_command("owner", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
    empty = say("cli_owner.none_yet")
    print_page(_OWNERS, page.items, more, as_json=as_json, empty=empty)


@app.command(epilog=example("arena owner disable ada", "arena owner disable ada --undo"))
def disable(
    name: OwnerName,
    undo: Annotated[bool, typer.Option("--undo")] = False,
    db: Database = settings.DB.default,
) -> None:
    """Lock an owner out."""
    with connect(db) as connection:
        connection.arena.admin.set_owner_disabled(name, not undo)
    typer.echo(say("cli_owner.let_in", name=name) if undo else say("cli_owner.locked_out", name=name))


@app.command(epilog=example("arena owner invite ada", "arena owner invite ada --days 2"))
def invite(
    name: OwnerName,
    scope: Annotated[Scope, typer.Option()] = Scope.COMPETITOR,
    days: Days = 7.0,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Print a code that becomes an owner and a token, once."""
    with connect(db, makes=True) as connection:
        invitation = connection.arena.admin.invite_owner(name, scope, expiry_us(days))
    if as_json:
        print_json(asdict(invitation))
        return
    typer.echo(invitation.code)
    until = format_instant(invitation.expires_at_us)
    typer.echo(
        say("cli_owner.invited", name=name, until=until, code=invitation.code),
        err=True,
    )
