"""`arena logout`: forget a login, or show which there are."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import Column, print_table
from arena.client.profiles import list_names, load_profile, remove_profile

app = typer.Typer()

_LOGINS = (
    Column("name", "NAME"),
    Column("address", "ADDRESS"),
    Column("owner", "OWNER"),
    Column("scope", "SCOPE"),
    Column("fingerprint", "PINNED CERTIFICATE"),
)


@app.command(epilog=example("arena logout", "arena logout club"))
def logout(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which to forget; without it, show all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Forget a login, or show which there are.

    The token itself stays valid: `arena token revoke` ends it.
    """
    if name is not None:
        remove_profile(name)
        typer.echo(f"the login {name} is forgotten; its token stays valid until it is revoked")
        return
    rows = [
        {
            "name": profile.name,
            "address": profile.address,
            "owner": profile.owner,
            "scope": profile.scope.value,
            "fingerprint": profile.fingerprint,
        }
        for profile in map(load_profile, list_names())
    ]
    print_table(_LOGINS, rows, as_json=as_json, empty="no logins yet; `arena login ADDRESS` makes one")
