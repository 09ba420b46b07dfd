"""A server of the owners' services in a thread of its own, over a real database, for clients that block."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.store import VersionStore
from arena.hosting.uploads.resumable_uploads import UploadArea, UploadLimits
from arena.rpc.channel import Endpoint
from arena.rpc.login import open_line
from arena.rpc.remote_arena import RemoteArena
from arena.service.server.grpc_server import ListenAddresses, ListenOptions, OwnerServices, OwnersServer
from arena.service.server.self_signed import TlsFiles, make_certificate
from ratings.errors import AccountError
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import Database, open_database
from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope
from tests.support.patience import PATIENCE_S

CERTIFICATE_NAME = "localhost"


@dataclass(frozen=True)
class RunningServer:
    """A server that answers, and what it works with."""

    database: Database
    store: VersionStore
    uploads: UploadArea
    addresses: ListenAddresses
    tls: TlsFiles

    @property
    def socket(self) -> Endpoint:
        """The way in for the organiser."""
        return Endpoint(f"unix:{self.addresses.socket}")

    @property
    def endpoint(self) -> Endpoint:
        """The way in for everybody else, with the certificate pinned."""
        assert self.addresses.address is not None
        return Endpoint(self.addresses.address, self.tls.certificate.read_text(encoding="ascii"), CERTIFICATE_NAME)

    def token(self, owner: str | None, scope: Scope, expires_at_us: int | None = None) -> str:
        """A new token of an owner, who is made if he does not exist."""
        ledger = ServiceLedger(self.database)
        if owner is not None:
            with suppress(AccountError):  # there is one already
                ledger.add_owner(owner)
        name = f"token-{secrets.token_hex(4)}"
        return ledger.new_token(owner, name=name, scope=scope, expires_at_us=expires_at_us).secret

    @contextmanager
    def arena(self, token: str | None = None) -> Iterator[RemoteArena]:
        """The interface over TLS with that token, or over the socket without one."""
        with open_line(self.socket if token is None else self.endpoint, token) as line:
            yield RemoteArena(line)


@contextmanager
def running_server(
    directory: Path,
    database: Path | None = None,
    limits: OwnerLimits | None = None,
    failed_logins: int = 10,
    upload_limits: UploadLimits | None = None,
    is_connected: Callable[[str], bool] | None = None,
    play_port: int = 0,
) -> Iterator[RunningServer]:
    """A server over the database, or a new one, that listens on a socket in the directory and on TCP with TLS."""
    place = database or directory / "arena.db"
    opened = open_database(str(place))
    store, uploads = VersionStore.of_database(place), UploadArea(directory / "uploads", upload_limits)
    tls = make_certificate(directory / "tls", [])
    services = OwnerServices(
        opened,
        store,
        uploads,
        limits or OwnerLimits(60, 1000),
        failed_logins,
        is_connected=is_connected,
        play_port=lambda: play_port,
    )
    listening = ListenOptions(directory / "run" / "owners.sock", "127.0.0.1:0", tls)
    with _in_a_thread(services, listening) as addresses:
        yield RunningServer(opened, store, uploads, addresses, tls)
    opened.close()


@contextmanager
def _in_a_thread(services: OwnerServices, listening: ListenOptions) -> Iterator[ListenAddresses]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="owners' server")
    thread.start()

    async def start() -> tuple[OwnersServer, ListenAddresses]:
        server = OwnersServer(services, listening)
        return server, await server.start()

    try:
        server, addresses = asyncio.run_coroutine_threadsafe(start(), loop).result(PATIENCE_S)
        try:
            yield addresses
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(0.2), loop).result(PATIENCE_S)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
