"""From inside the sandbox nothing of the service is reached but the referee; outside, the same program reaches all."""

import json
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.service.addresses import parse_address
from arena.service.lifecycle.listeners import AdminListener
from arena.service.metrics import Metrics
from arena.service.supervision import Health
from tests.support.owners import running_server
from tests.support.sandboxes import Place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

PROGRAM = (Path(__file__).parents[2] / "support" / "reaching.py").read_text(encoding="utf-8")
REACHED = "reached"


@asynccontextmanager
async def services() -> AsyncIterator[dict[str, Any]]:
    """The owners' services on a socket and over TCP, the admin listener, a socket without a file; where they are."""
    name = f"arena-{secrets.token_hex()}"
    admin = AdminListener(Metrics(), Health())
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind("\0" + name)
        abstract.listen()
        at = await admin.start(parse_address("127.0.0.1:0"))
        assert server.addresses.address is not None
        owners = parse_address(server.addresses.address)
        try:
            yield {
                "sockets": [str(server.addresses.socket)],
                "addresses": [("127.0.0.1", owners.port), ("127.0.0.1", at.port)],
                "abstract": name,
                "process": os.getpid(),
            }
        finally:
            await admin.stop()


async def look_around(place: Place, level: str) -> tuple[dict[str, str], str]:
    """What a bot at that level reached of the services, and what came of its way to the referee."""
    async with services() as aims:
        found, referee = (await place.run(level, PROGRAM, json.dumps(aims))).splitlines()
    return json.loads(found), referee


@pytest.mark.hostile("connect")
async def test_a_bot_in_the_sandbox_reaches_the_referee_and_nothing_else(place: Place, standard: str) -> None:
    found, referee = await look_around(place, standard)
    assert referee == REACHED
    assert len(found) == 8
    assert REACHED not in found.values(), found


@pytest.mark.needs("minutes")
async def test_without_a_sandbox_the_same_program_reaches_everything(place: Place) -> None:
    found, referee = await look_around(place, "none")
    assert referee == REACHED
    assert found.pop("inherited") == "nothing to try"
    assert set(found.values()) == {REACHED}, found
