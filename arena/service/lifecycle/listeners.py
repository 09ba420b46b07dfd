"""Opens what a service listens on: for owners, for remote bots and people, and for metrics and health."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from arena.executor.local import default_warm_mb
from arena.executor.remote_bots_process import RemoteOptions, RemoteProcess
from arena.hosting.store import VersionStore
from arena.hosting.uploads.resumable_uploads import UploadArea
from arena.rpc.method_table import UPLOAD
from arena.service.addresses import Address, explain, parse_address, try_to_listen
from arena.service.home import Home
from arena.service.lifecycle.bot_programs import make_programs
from arena.service.logs import get_logger
from arena.service.metrics import CONTENT_TYPE, Metrics
from arena.service.remote.database_join_policy import DatabaseJoinPolicy
from arena.service.remote.join_interface import FindOtherService, JoinPolicy, Presence
from arena.service.remote.process_supervisor import RemoteProcessSupervisor
from arena.service.server.grpc_server import ListenAddresses, ListenOptions, OwnerServices, OwnersServer
from arena.service.server.match_watching import LiveMatches
from arena.service.server.self_signed import TlsFiles, find_certificate, make_certificate
from arena.service.settings import ServiceSettings
from arena.service.startup_errors import ListenError, SettingsError
from arena.service.task_supervision import Health
from engine.translatable import Text, placed
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import worthless_tokens
from ratings.statistics.errors import SkillError
from ratings.statistics.skill import check_rating_method
from ratings.store.database import Database
from ratings.values.pools import RatingMethod

UNFINISHED_KEPT_S = 3 * 24 * 3600.0
"""How long an upload that was broken off waits for its author."""
READY_PATIENCE_S = 120.0
"""How long the service waits with being ready until remote bots are taken and pages served: long on a busy machine."""
_SHARE_OF_WARM = 4
"""Their process may keep the fourth part of what the workers may keep in idle bots."""
_PATIENCE_S = 10.0
_MOST_HEAD_BYTES = 8192
_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class OpenOwners:
    """The owners' services while they are open."""

    server: OwnersServer
    addresses: ListenAddresses
    fingerprint: str | None
    """That of the certificate, if there is one."""


async def open_owners(
    home: Home,
    settings: ServiceSettings,
    database: Database,
    metrics: Metrics,
    wake: Callable[[], None],
    live: LiveMatches | None = None,
    play_port: Callable[[], int] = int,
    is_connected: Callable[[str], bool] | None = None,
) -> OpenOwners:
    """Open the owners' services, and return where; `live` shows the matches that go on.

    `play_port` returns where remote bots connect, 0 if nowhere, and `is_connected` whether a remote version is there;
    without it no remote bots are taken.

    Raises ListenError, SettingsError, CertificateError.
    """
    tls = find_tls(home, settings)
    rating_method = RatingMethod(settings.service.rating_method)
    try:
        check_rating_method(rating_method)
    except SkillError as error:
        raise SettingsError(placed("service.rating_method", error)) from error
    area = UploadArea(home.uploads)
    area.sweep(UNFINISHED_KEPT_S)
    calls = metrics.histogram("arena_rpc_seconds", "Calls of the owners' services.", ("method", "code"))
    uploads = metrics.histogram("arena_upload_seconds", "Uploads of archives.", ("outcome",))

    def observe(path: str, code: str, seconds: float) -> None:
        calls.observe(seconds, path.rpartition("/")[2], code)
        if path == UPLOAD:
            uploads.observe(seconds, code)

    services = OwnerServices(
        database,
        VersionStore(home.store),
        area,
        limits=settings.limits.of_owners,
        failed_logins_per_minute=settings.limits.failed_logins_per_minute,
        wake=wake,
        live=live,
        observe=observe,
        programs=make_programs(home, settings),
        matches_per_day=settings.service.matches_per_day,
        play_port=play_port,
        is_connected=is_connected,
        challenges=settings.limits.of_challenges,
        rating_method=rating_method,
    )
    server = OwnersServer(services, ListenOptions(home.socket, settings.service.address or None, tls))
    return OpenOwners(server, await server.start(), None if tls is None else tls.fingerprint)


def find_tls(home: Home, settings: ServiceSettings) -> TlsFiles | None:
    """Return the certificate of the settings or of the home, or `None`. Raises SettingsError for half a certificate."""
    certificate, key = settings.service.tls_certificate, settings.service.tls_key
    if bool(certificate) != bool(key):
        missing = "tls_key" if certificate else "tls_certificate"
        raise SettingsError(
            Text("a certificate and its key belong together; set service.{missing}, too", missing=missing)
        )
    if certificate:
        return TlsFiles(Path(certificate), Path(key))
    return find_certificate(home.tls)


def make_own_certificate(home: Home, settings: ServiceSettings) -> TlsFiles:
    """Return the certificate of the home, which is made if there is none.

    Raises SettingsError if the settings name another one.
    """
    if settings.service.tls_certificate:
        raise SettingsError(
            Text("service.tls_certificate names a certificate; leave out --tls-self-signed, or that setting")
        )
    own = ["localhost", "127.0.0.1", "::1", socket.gethostname()]
    return make_certificate(home.tls, list(dict.fromkeys([*own, *settings.service.tls_hosts])))


def open_remote_process(
    home: Home,
    settings: ServiceSettings,
    database: Database,
    presence: Presence,
    *,
    wake: Callable[[], None],
    health: Health,
    workers: int,
    other_service: FindOtherService,
) -> RemoteProcessSupervisor | None:
    """Return what keeps the process of remote bots, which nobody has started yet, or None if nobody is to come.

    Raises SettingsError without a certificate, ListenError if its address cannot be listened on.
    """
    if not takes_anybody(settings):
        return None
    people = people_of(settings)
    if people:
        ServiceLedger(database).ensure_people()
    warm_mb = default_warm_mb() if settings.service.warm_memory is None else settings.service.warm_memory
    listener = "", "", ""
    if settings.service.play_address:
        if (tls := find_tls(home, settings)) is None:
            raise SettingsError(
                Text(
                    "service.play_address needs a certificate, for the tokens of remote bots must not travel openly; "
                    "give --tls-self-signed, or a certificate"
                )
            )
        address = parse_address(settings.service.play_address)
        try:
            try_to_listen(address)
        except OSError as error:
            raise ListenError(explain(address, error, "--play-address")) from error
        listener = str(address), str(tls.certificate), str(tls.key)
    options = RemoteOptions(
        *listener,
        settings.service.remote_patience,
        hosted_matches=workers + people,  # a match of people may go on for an hour, and keeps no other waiting
        warm_mb=warm_mb // _SHARE_OF_WARM,
        socket=str(home.seats) if people else "",
    )
    limits = settings.limits

    def make_policy(process: RemoteProcess) -> JoinPolicy:
        guess = limits.failed_logins_per_minute
        return DatabaseJoinPolicy(
            database, limits.of_owners, guess, wake, process.count_other_versions, people, other_service
        )

    return RemoteProcessSupervisor(
        options,
        make_policy,
        presence,
        lambda digests: asyncio.to_thread(worthless_tokens, database, digests),
        health=health,
        log=get_logger("remote"),
        other_service=other_service,
    )


def people_of(settings: ServiceSettings) -> int:
    """Return how many people may sit here at once; nobody without pages."""
    return settings.service.people if settings.service.web_address else 0


def takes_anybody(settings: ServiceSettings) -> bool:
    """Return whether remote bots or people are wanted."""
    return bool(settings.service.play_address or people_of(settings))


async def wait_for_remote(supervisor: RemoteProcessSupervisor, settings: ServiceSettings) -> str:
    """Return where remote bots are taken; empty if they are not, or not in time, which health tells."""
    try:
        async with asyncio.timeout(READY_PATIENCE_S):
            port = await supervisor.wait_until_begun()
    except TimeoutError:
        return ""
    return f"{settings.service.play_address.rpartition(':')[0]}:{port}" if port else ""


@dataclass(frozen=True, slots=True)
class AdminResponse:
    """What is answered to a request."""

    status: HTTPStatus
    content_type: str
    body: str

    def encode(self) -> bytes:
        """Return the answer as it goes over the connection, with the end of which it ends."""
        body = self.body.encode()
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\nContent-Type: {self.content_type}\r\n"
            f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        )
        return head.encode("ascii") + body


class AdminListener:
    """Serves metrics and health on an address of their own."""

    def __init__(self, metrics: Metrics, health: Health, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called before health is told, to look at what nobody watches."""
        self._metrics = metrics
        self._health = health
        self._check = check
        self._server: asyncio.Server | None = None

    async def start(self, address: Address) -> Address:
        """Listen, and return the address with the port that was chosen. Raises ListenError."""
        try:
            self._server = await asyncio.start_server(self._serve, address.host, address.port, limit=_MOST_HEAD_BYTES)
        except OSError as error:
            raise ListenError(explain(address, error, "--admin-address")) from error
        return Address(address.host, self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self.answer(head).encode())
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            pass  # whoever does not ask in time, or at all, gets nothing
        finally:
            writer.close()

    def answer(self, head: bytes) -> AdminResponse:
        """Return the answer to the head of a request."""
        method, _, rest = head.partition(b"\r\n")[0].decode("latin-1").partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method != "GET":
            return AdminResponse(HTTPStatus.METHOD_NOT_ALLOWED, _TEXT, "only GET is answered\n")
        if path == "/metrics":
            return AdminResponse(HTTPStatus.OK, CONTENT_TYPE, self._metrics.render())
        if path == "/health":
            self._check()
            problems = self._health.problems()
            status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
            body = json.dumps({"healthy": not problems, "problems": problems}, indent=2) + "\n"
            return AdminResponse(status, "application/json", body)
        return AdminResponse(HTTPStatus.NOT_FOUND, _TEXT, "there are /metrics and /health\n")
