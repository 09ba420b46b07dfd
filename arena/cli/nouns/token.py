"""`arena token`: what lets owners and organisers into a service."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.language import named, say
from arena.cli.shared.options import AsJson, Database, OptionalDays, example, expiry_us
from arena.cli.shared.output import print_json
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.model.table_columns import Column, ColumnKind
from ratings.values.states import Scope

app = typer.Typer(epilog=example("arena token new --owner ada --name laptop", "arena token list"))

Owner = Annotated[str | None, typer.Option("--owner", metavar="NAME")]


@app.command(epilog=example("arena token new --owner ada --name laptop", "arena token new --scope viewer --days 30"))
def new(
    owner: Owner = None,
    name: Annotated[str, typer.Option()] = "token",
    scope: Annotated[Scope | None, typer.Option()] = None,
    days: OptionalDays = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Make a token and print it, only this once."""
    with connect(db, makes=True) as connection:
        if _asks_for_himself(connection, owner):
            made = connection.arena.account.new_own_token(name, scope or Scope.COMPETITOR, expiry_us(days))
        else:
            chosen = scope or (Scope.ORGANISER if owner is None else Scope.COMPETITOR)
            made = connection.arena.admin.new_token(owner, name, chosen, expiry_us(days))
    if as_json:
        print_json(asdict(made))
        return
    typer.echo(made.token)
    whose = made.summary.owner or say("cli_token.organiser")
    typer.echo(
        say("cli_token.made", name=repr(name), owner=whose, scope=named("owner.scope_", made.summary.scope.value)),
        err=True,
    )


def _asks_for_himself(connection: ArenaConnection, owner: str | None) -> bool:
    """Return whether an owner asks about his own tokens; everything else is the organiser's business."""
    if connection.storage is not None:
        return False
    identity = connection.arena.account.get_identity()
    return identity.scope is not Scope.ORGANISER and identity.owner is not None and owner in (None, identity.owner)


def _owner_text(owner: str | None) -> str:
    return owner or say("cli_token.by_organiser")


_TOKENS = (
    Column("id", "id"),
    Column("owner", "owner", write=_owner_text),
    Column("name", "name"),
    Column("scope", "scope", ColumnKind.NAME, names="owner.scope_"),
    Column("used_at_us", "used_utc", ColumnKind.INSTANT),
    Column("expires_at_us", "expires_utc", ColumnKind.INSTANT),
    Column("revoked_at_us", "revoked_utc", ColumnKind.INSTANT),
)


@app.command("list", epilog=example("arena token list", "arena token list --owner ada"))
def list_tokens(
    owner: Annotated[str | None, typer.Option("--owner", metavar="NAME")] = None,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List the tokens, newest first, without their secrets."""
    with connect(db) as connection:
        if _asks_for_himself(connection, owner):
            page = connection.arena.account.list_own_tokens(rows_wanted(limit), after)
        else:
            page = connection.arena.admin.list_tokens(owner, rows_wanted(limit), after)
    words = ["token", "list", *([] if owner is None else ["--owner", owner])]
    more = more_command(*words, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(_TOKENS, page.items, more, as_json=as_json, empty=say("cli_token.none_yet"))


@app.command(epilog=example("arena token revoke laptop --owner ada", "arena token revoke 0190a5c0-..."))
def revoke(
    token: Annotated[str, typer.Argument(metavar="TOKEN")], owner: Owner = None, db: Database = settings.DB.default
) -> None:
    """Revoke a token, at once and for good."""
    with connect(db) as connection:
        if _asks_for_himself(connection, owner):
            revoked = connection.arena.account.revoke_own_token(token)
        else:
            revoked = connection.arena.admin.revoke_token(token, owner)
    typer.echo(say("cli_token.revoked", name=repr(revoked.name), owner=_owner_text(revoked.owner)))
