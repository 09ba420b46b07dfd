"""`arena web`: show a database in browsers."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import need_here
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say
from arena.cli.shared.options import Database, example
from arena.cli.shared.settings import WEB_ADDRESS
from arena.cli.shared.storage import need_existing
from arena.service.addresses import Address, parse_address
from engine.translatable import Text

app = typer.Typer()


@app.command("web", epilog=example("arena web", "arena web --db demo.db --address 127.0.0.1:8080"))
def web(
    address: Annotated[str, typer.Option(metavar="HOST:PORT")] = WEB_ADDRESS,
    name: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None,
    db: Database = settings.DB.default,
) -> None:
    """Show a database in a web browser."""
    place = _read_address(address)
    need_existing(need_here(db))
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    from arena.web.app import (
        make_app,  # the web's libraries are imported by nobody else
        open_site,
    )
    from arena.web.serving import listen, serve

    names = tuple(name or ()) if place.is_loopback else None
    with open_site(db, names=names, is_helped=True) as site, listen(place.host, place.port) as listening:
        port = listening.getsockname()[1]
        serve(
            make_app(site),
            listening,
            lambda: typer.echo(say("cli_web.shown", db=db, address=f"http://{Address(place.host, port)}/")),
        )


def _read_address(text: str) -> Address:
    try:
        return parse_address(text)
    except ValueError as error:
        raise MisuseError(
            Text("--address: {why}; write for example {example}", why=error, example=WEB_ADDRESS)
        ) from error
