"""Opens the owners' services: on the socket of this machine's organiser, and on an address for everybody else."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.store import VersionStore
from arena.hosting.uploads.area import UploadArea
from arena.rpc.calls import UPLOAD
from arena.service.errors import SettingsError
from arena.service.home import Home
from arena.service.lifecycle.programs import make_programs
from arena.service.metrics import Metrics
from arena.service.server.match_watching import LiveMatches
from arena.service.server.owners import ListenAddresses, ListenOptions, OwnerServices, OwnersServer
from arena.service.server.tls import TlsFiles, find_certificate, make_certificate
from arena.service.settings import ServiceSettings
from engine.text import Text
from ratings.store.database import Database

UNFINISHED_KEPT_S = 3 * 24 * 3600.0
"""How long an upload that was broken off waits for its author."""


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
    services = OwnerServices(
        database,
        VersionStore(home.store),
        _uploads(home),
        limits=settings.limits.of_owners,
        failed_logins_per_minute=settings.limits.failed_logins_per_minute,
        wake=wake,
        live=live,
        observe=_observer(metrics),
        programs=make_programs(home, settings),
        matches_per_day=settings.service.matches_per_day,
        play_port=play_port,
        is_connected=is_connected,
        challenges=settings.limits.of_challenges,
    )
    server = OwnersServer(services, ListenOptions(home.socket, settings.service.address or None, tls))
    addresses = await server.start()
    return OpenOwners(server, addresses, None if tls is None else tls.fingerprint)


def find_tls(home: Home, settings: ServiceSettings) -> TlsFiles | None:
    """Return the certificate of the settings or of the home, or `None`. Raises SettingsError for half a certificate."""
    certificate, key = settings.service.tls_certificate, settings.service.tls_key
    if bool(certificate) != bool(key):
        missing = "tls_key" if certificate else "tls_certificate"
        raise SettingsError(
            Text(
                "service.certificate_key_belong_together_set",
                "a certificate and its key belong together; set service.{missing}, too",
                missing=missing,
            )
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
            Text(
                "service.service_tls_certificate_names_certificate",
                "service.tls_certificate names a certificate; leave out --tls-self-signed, or that setting",
            )
        )
    own = ["localhost", "127.0.0.1", "::1", socket.gethostname()]
    return make_certificate(home.tls, list(dict.fromkeys([*own, *settings.service.tls_hosts])))


def _uploads(home: Home) -> UploadArea:
    area = UploadArea(home.uploads)
    area.sweep(UNFINISHED_KEPT_S)
    return area


def _observer(metrics: Metrics) -> Callable[[str, str, float], None]:
    calls = metrics.histogram("arena_rpc_seconds", "Calls of the owners' services.", ("method", "code"))
    uploads = metrics.histogram("arena_upload_seconds", "Uploads of archives.", ("outcome",))

    def observe(path: str, code: str, seconds: float) -> None:
        calls.observe(seconds, path.rpartition("/")[2], code)
        if path == UPLOAD:
            uploads.observe(seconds, code)

    return observe
