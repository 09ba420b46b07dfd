"""`arena logout`: forget a login, or show which there are."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import print_table
from arena.model.table_columns import Column, ColumnKind
from arena.rpc.profiles import Profile, ProfileError, list_names, load_profile, remove_profile

app = typer.Typer()

_LOGINS = (
    Column("name", "name"),
    Column("address", "address"),
    Column("owner", "owner"),
    Column("scope", "scope", ColumnKind.NAME, names="owner.scope_"),
    Column("fingerprint", "pinned_certificate"),
)


@app.command(epilog=example("arena logout", "arena logout club"))
def logout(name: Annotated[str | None, typer.Argument(metavar="NAME")] = None, as_json: AsJson = False) -> None:
    """Forget a login, or list all logins."""
    if name is not None:
        remove_profile(name)
        typer.echo(say("cli_logout.forgotten", name=name))
        return
    profiles, problems = list[Profile](), list[ProfileError]()
    for name in list_names():
        try:
            profiles.append(load_profile(name))
        except ProfileError as error:
            problems.append(error)
    rows = [
        {
            "name": profile.name,
            "address": profile.address,
            "owner": profile.owner,
            "scope": profile.scope.value,
            "fingerprint": profile.fingerprint,
        }
        for profile in profiles
    ]
    print_table(_LOGINS, rows, as_json=as_json, empty=say("cli_logout.none_yet"))
    if problems:
        raise problems[0]
