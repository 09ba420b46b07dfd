"""Opens the tables of a site, for as long as its pages are served."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from arena.model.port import ArenaPort
from arena.rpc.channel import UNIX, Endpoint
from arena.rpc.login import connect
from arena.web.people.service_client import ServiceClient
from arena.web.people.tables import GameTables
from arena.web.shared.site import Site

SEATS, TABLES = "seats.sock", "tables.json"
"""Beside the socket of the service: where visitors sit down, and the file in which tables are remembered."""


@asynccontextmanager
async def open_tables(site: Site) -> AsyncIterator[GameTables | None]:
    """Open the tables of a site; None where nobody can sit down."""
    service = site.service
    if service is None or not site.takes_people:
        yield None
        return

    @contextmanager
    def organiser() -> Iterator[ArenaPort]:
        with connect(service) as arena:
            yield arena

    run = Path(service.removeprefix(UNIX)).parent
    async with GameTables(
        site.people, Endpoint(f"{UNIX}{run / SEATS}"), ServiceClient(organiser), run / TABLES
    ) as game_tables:
        yield game_tables
