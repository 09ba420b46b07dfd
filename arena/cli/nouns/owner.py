"""`arena owner`: who may hand bots in, and how much."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import connect, usage_of
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, Days, example, expiry_us
from arena.cli.shared.output import print_facts, print_json
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.model.accounts import OwnerUsage
from arena.model.table_columns import Column, ColumnKind
from engine.translatable import Text
from ratings.values.owners import LIMITS, MOST
from ratings.values.states import Scope

app = typer.Typer(epilog=example("arena owner invite ada", "arena owner list"))

OwnerName = Annotated[str, typer.Argument(metavar="NAME")]
_NOTHING = Text("this changes nothing; name a limit such as --versions 50, or --reset")
_Limit = Annotated[int | None, typer.Option(min=0, max=MOST, metavar="N")]
_OWNERS = (
    Column("name", "owner"),
    Column("bots", "bots", ColumnKind.COUNT),
    Column("created_at_us", "since_utc", ColumnKind.INSTANT),
    Column("disabled_at_us", "disabled_utc", ColumnKind.INSTANT),
    Column(
        "limits",
        "limits_of_their_own",
        write=lambda limits: ", ".join(f"{name}={value}" for name, value in limits.items()) or "-",
    ),
)


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


@app.command("list", epilog=example("arena owner list", "arena owner list --limit 10"))
def list_owners(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the owners, newest first."""
    with connect(db) as connection:
        page = connection.arena.admin.list_owners(rows_wanted(limit), after)
    more = more_command("owner", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(_OWNERS, page.items, more, as_json=as_json, empty=say("cli_owner.none_yet"))


@app.command(epilog=example("arena owner disable ada", "arena owner disable ada --undo"))
def disable(
    name: OwnerName, undo: Annotated[bool, typer.Option("--undo")] = False, db: Database = settings.DB.default
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
    """Print an invitation code, which makes an owner and a token."""
    with connect(db, makes=True) as connection:
        invitation = connection.arena.admin.invite_owner(name, scope, expiry_us(days))
    if as_json:
        print_json(asdict(invitation))
        return
    typer.echo(invitation.code)
    until = format_instant(invitation.expires_at_us)
    typer.echo(say("cli_owner.invited", name=name, until=until, code=invitation.code), err=True)


@app.command(epilog=example("arena owner show ada", "arena --server club owner show"))
def show(
    name: Annotated[str | None, typer.Argument(metavar="NAME")] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show what an owner has, and what the limits are."""
    with connect(db) as connection:
        usage = usage_of(connection, name)
    if as_json:
        print_json(asdict(usage))
    else:
        _print(usage)


@app.command(epilog=example("arena owner limit ada --versions 50 --stored-mb 500", "arena owner limit ada --reset"))
def limit(
    name: OwnerName,
    uploads_per_hour: _Limit = None,
    versions: _Limit = None,
    archive_mb: _Limit = None,
    stored_mb: _Limit = None,
    concurrent_matches: _Limit = None,
    notes_mb: _Limit = None,
    reset: Annotated[bool, typer.Option("--reset")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Give an owner individual limits; 0 = no limit."""
    values = (uploads_per_hour, versions, archive_mb, stored_mb, concurrent_matches, notes_mb)
    limits = {key: value for key, value in zip(LIMITS, values, strict=True) if value is not None}
    if not limits and not reset:
        raise MisuseError(_NOTHING)
    with connect(db) as connection:
        connection.arena.admin.set_owner_limits(name, limits, reset)
        usage = usage_of(connection, name)
    if as_json:
        print_json(asdict(usage))
    else:
        _print(usage)


def _print(usage: OwnerUsage) -> None:
    used = {
        "uploads_per_hour": "-" if usage.uploads_last_hour is None else str(usage.uploads_last_hour),
        "versions": str(usage.versions),
        "stored_mb": f"{usage.stored_bytes / (1 << 20):.1f}",
        "notes_mb": f"{usage.note_bytes / (1 << 20):.1f}",
    }
    lines = {name: _of(used.get(name), most, is_own=name in usage.own) for name, most in asdict(usage.limits).items()}
    print_facts({"owner": usage.owner, "bots": usage.bots, **lines})


def _of(used: str | None, most: int, *, is_own: bool) -> str:
    """Return how much of what is allowed is used, such as `3 of 20`."""
    allowed = say("cli_owner.no_limit") if most == 0 else str(most)
    text = (
        allowed
        if used is None
        else say("cli_owner.used_no_limit", used=used)
        if most == 0
        else say("cli_owner.used_of", used=used, most=most)
    )
    return say("cli_owner.his_own", text=text) if is_own else text
