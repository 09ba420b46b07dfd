"""The server of the owners' services: on a socket for the organiser on this machine, on TCP for everybody else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc  # type: ignore[import-untyped] # it has no types
from grpc_reflection.v1alpha import reflection  # type: ignore[import-untyped] # it has no types

from arena.app.accounts import LocalEntrance, StoredUsage
from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.hosting.uploads.resumable_uploads import UploadArea
from arena.hosting.user_directories import MAX_SOCKET_PATH
from arena.rpc.method_table import PACKAGE, SERVICES, UPLOAD
from arena.service.addresses import Address, explain, parse_address, try_to_listen
from arena.service.server.authentication import Authenticator, Caller, LoginGuard
from arena.service.server.calls import AccessInterceptor, Servicer, Stream, Threads
from arena.service.server.match_watching import LiveMatches, MatchWatchServicer
from arena.service.server.self_signed import TlsFiles, read_pem
from arena.service.server.submissions import (
    LocalSubmissions,
    OwnerQuotas,
    SubmissionServices,
    UploadCounter,
    UploadHandler,
)
from arena.service.startup_errors import ListenError
from engine.translatable import Text
from ratings.errors import RatingsError
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import authenticate
from ratings.store.database import Database
from ratings.values.owners import ChallengeLimits, OwnerLimits
from ratings.values.pools import RatingMethod

MOST_REQUEST_BYTES = 1 << 20
"""A chunk of an upload has 256 KiB at most, and everything else is small."""
MOST_STREAMS = 100
"""How many calls one connection may have open at once."""
_OPTIONS = (
    ("grpc.max_receive_message_length", MOST_REQUEST_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", 16 << 10),
    ("grpc.max_concurrent_streams", MOST_STREAMS),
    ("grpc.so_reuseport", 0),  # otherwise a second server on one TCP port binds silently
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.http2.max_ping_strikes", 0),
)
_NOTE_EVERY_S = 60.0
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class OwnerServices:
    """What the calls work with."""

    database: Database
    store: VersionStore
    uploads: UploadArea
    limits: OwnerLimits = field(default_factory=OwnerLimits)
    """What every owner may do for whom no other limits are set."""
    failed_logins_per_minute: int = 10
    wake: Callable[[], None] = lambda: None
    """Called after something was written that the scheduler may act on."""
    live: LiveMatches | None = None
    """Shows the matches that are played now; without it only those that are over are shown."""
    observe: Callable[[str, str, float], None] = lambda _path, _code, _seconds: None
    """Takes note of a call: its path, the name of its code, and how long it took in seconds."""
    matches_per_day: int | None = None
    """The pace of ladders that have none of their own."""
    programs: StoredPrograms | None = None
    """The programs in the store with the runtimes of the service; the store with its own Python by default."""
    play_port: Callable[[], int] = int
    """Returns the port where remote bots connect, 0 if there is none."""
    is_connected: Callable[[str], bool] | None = None
    """Returns whether the remote version with that hash is connected; `None` where no remote bots are taken."""
    challenges: ChallengeLimits = field(default_factory=ChallengeLimits)
    rating_method: RatingMethod = RatingMethod.TRUESKILL
    """What pools are rated by that are opened without naming a method."""

    @property
    def known_programs(self) -> StoredPrograms:
        """Return the programs of the bots, for those who plan matches."""
        return self.programs or StoredPrograms(self.store)


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Where to listen."""

    socket: Path | None
    """A unix socket in a directory that only this user may enter: whoever can connect is the organiser."""
    address: str | None = None
    """`host:port`; port 0 lets the system choose one."""
    tls: TlsFiles | None = None
    """Without a certificate only addresses of this machine are listened on."""


@dataclass(frozen=True, slots=True)
class ListenAddresses:
    """Where a server listens."""

    socket: Path | None
    address: str | None


class OwnersServer:
    """Serves the owners; `start` and `stop` are called once each, in one event loop."""

    def __init__(self, services: OwnerServices, listening: ListenOptions) -> None:
        self._services = services
        self._listening = listening
        self._threads = Threads()
        self._authenticator = Authenticator(
            lambda digest: self._threads.run(authenticate, services.database, digest),
            LoginGuard(services.failed_logins_per_minute),
        )
        self._server = grpc.aio.server(
            interceptors=(AccessInterceptor(self._authenticator, services.observe),), options=_OPTIONS
        )
        self._health = health.aio.HealthServicer()
        self._upload_counter = UploadCounter(services.uploads.history)
        stored = StoredUsage(services.database, services.store, services.limits)
        self._quotas = OwnerQuotas(stored, services.uploads, self._upload_counter.within_the_hour)
        self._noting: asyncio.Task[None] | None = None
        watching = MatchWatchServicer(self._threads, lambda viewer: self._arena(viewer).watchable, self._services.live)
        streams: dict[str, Stream] = {"watch_match": watching.watch_match, "watch_logs": watching.watch_logs}
        handlers = Servicer(self._threads, self._noun, self._services.wake, streams).handlers()
        service, name = UPLOAD[1:].split("/")
        # Parts are large: a look at the token before each of them is nothing beside storing it.
        look_again = partial(self._authenticator.look_again, fresh_s=0.0)
        handlers[service][name] = UploadHandler(self._threads, self._services.uploads, look_again).handler()
        self._server.add_generic_rpc_handlers(
            tuple(grpc.method_handlers_generic_handler(service, calls) for service, calls in handlers.items())
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = [*(f"{PACKAGE}.{service}" for service in SERVICES), health.SERVICE_NAME, reflection.SERVICE_NAME]
        reflection.enable_server_reflection(names, self._server)

    async def start(self) -> ListenAddresses:
        """Listen, and return where. Raises ListenError, in one line with the remedy, if that is impossible."""
        socket, address = self._listening.socket, self._listening.address
        try:
            if socket is not None:
                self._listen_at_socket(socket)
            if address is not None:
                address = self._listen_at(address)
            await self._server.start()
        except ListenError:
            await self._server.stop(None)
            self._threads.close()
            raise
        await self._health.set("", health_pb2.HealthCheckResponse.SERVING)
        self._noting = asyncio.create_task(self._note_use())
        return ListenAddresses(socket, address)

    async def stop(self, grace_s: float = 2.0) -> None:
        """Take no more calls, let those that run end within the grace, and break off the others."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace_s)
        if self._noting is not None:
            self._noting.cancel()
            with suppress(asyncio.CancelledError):
                await self._noting
            await self._note_used()
        await asyncio.to_thread(self._threads.close)
        if self._listening.socket is not None:
            self._listening.socket.unlink(missing_ok=True)

    def _listen_at_socket(self, socket: Path) -> None:
        size = len(os.fsencode(socket))
        if size > MAX_SOCKET_PATH:
            raise ListenError(
                Text(
                    "the path {path} has {size} bytes, and a socket may have {most}; choose a shorter --home",
                    path=socket,
                    size=size,
                    most=MAX_SOCKET_PATH,
                )
            )
        socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if socket.parent.stat().st_mode & 0o077:
            raise ListenError(
                Text(
                    "others may enter {path}, and whoever connects there is the organiser; `chmod 700 {path_2}` "
                    "closes it",
                    path=socket.parent,
                    path_2=socket.parent,
                )
            )
        try:
            self._server.add_insecure_port(f"unix:{socket}")
        except RuntimeError as error:
            raise ListenError(
                Text(
                    "cannot listen at {path}; check that {directory} can be written",
                    path=socket,
                    directory=socket.parent,
                )
            ) from error

    def _listen_at(self, text: str) -> str:
        try:
            address = parse_address(text)
        except ValueError as error:
            raise ListenError(Text("{why}; write for example --address 127.0.0.1:7733", why=error)) from error
        tls = self._listening.tls
        if tls is None and not address.is_loopback:
            raise ListenError(
                Text(
                    "{address} can be reached from other machines, where tokens must not travel openly; give "
                    "--tls-self-signed, or a certificate",
                    address=text,
                )
            )
        try:
            port = (
                self._server.add_insecure_port(str(address))
                if tls is None
                else self._server.add_secure_port(
                    str(address), grpc.ssl_server_credentials([(read_pem(tls.key), read_pem(tls.certificate))])
                )
            )
        except RuntimeError as error:
            raise ListenError(_why_not(address)) from error
        return f"{text.rpartition(':')[0]}:{port}"

    def _noun(self, caller: Caller, noun: str) -> Any:
        services, viewer = self._services, caller.viewer
        if noun == "entrance":
            return LocalEntrance(services.database)
        if noun == "submissions":
            used = SubmissionServices(
                services.database,
                services.known_programs,
                services.uploads,
                self._quotas,
                self._upload_counter,
                lambda viewer, admission: self._arena(viewer).admissions.get_admission(admission),
            )
            return LocalSubmissions(used, viewer)
        return getattr(self._arena(viewer), noun)

    def _arena(self, viewer: Viewer) -> LocalArena:
        services = self._services
        return LocalArena(
            services.database,
            services.known_programs,
            viewer,
            self._quotas,
            services.uploads,
            lambda: services.matches_per_day,
            services.play_port,
            services.is_connected,
            services.challenges,
            lambda: services.rating_method,
        )

    async def _note_use(self) -> None:
        while True:
            await asyncio.sleep(_NOTE_EVERY_S)
            await self._note_used()

    async def _note_used(self) -> None:
        """Write which tokens were used; that is worth less than any call, so a trouble with it is only logged."""
        used = self._authenticator.take_used()
        if not used:
            return
        try:
            await self._threads.run(ServiceLedger(self._services.database).note_token_use, used)
        except RatingsError as error:
            _log.warning("the use of tokens was not noted", error=str(error))


def _why_not(address: Address) -> str:
    """Return why gRPC, which does not say it, cannot listen at an address."""
    try:
        try_to_listen(address)
    except OSError as error:
        return explain(address, error, "--address")
    return Text("{address} cannot be listened on; choose another address with --address", address=address)
