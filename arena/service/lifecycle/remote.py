"""Opens what remote bots and people connect to, if the settings want any: their process, and who decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from functools import partial

from arena.executor.local import default_warm_mb
from arena.executor.remote import RemoteOptions, RemoteProcess
from arena.service.addresses import Address, parse_address
from arena.service.errors import ListenError, SettingsError
from arena.service.health import Health
from arena.service.home import Home
from arena.service.lifecycle.owners import find_tls
from arena.service.listening import explain, try_to_listen
from arena.service.logs import get_logger
from arena.service.remote.database_join_policy import DatabaseJoinPolicy
from arena.service.remote.join_policy import JoinPolicy, Presence
from arena.service.remote.other_service import FindOtherService
from arena.service.remote.process_supervisor import RemoteProcessSupervisor
from arena.service.settings import ServiceSettings
from engine.text import Text
from ratings.ledger.service import ServiceLedger
from ratings.read.accounts import worthless_tokens
from ratings.store.database import Database

READY_PATIENCE_S = 120.0
"""How long the service waits with being ready until remote bots are taken, too: a busy machine takes so long for it."""
_SHARE_OF_WARM = 4
"""Their process may keep the fourth part of what the workers may keep in idle bots."""


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
    options = _options(home, settings, workers)
    limits = settings.limits

    def make_policy(process: RemoteProcess) -> JoinPolicy:
        guess = limits.failed_logins_per_minute
        return DatabaseJoinPolicy(
            database, limits.of_owners, guess, wake, process.count_other_versions, people, other_service
        )

    find_dead = partial(_find_dead, database)
    log = get_logger("remote")
    return RemoteProcessSupervisor(
        options, make_policy, presence, find_dead, health=health, log=log, other_service=other_service
    )


def people_of(settings: ServiceSettings) -> int:
    """Return how many people may sit here at once; nobody without pages."""
    return settings.service.people if settings.service.web_address else 0


def takes_anybody(settings: ServiceSettings) -> bool:
    """Return whether remote bots or people are wanted."""
    return bool(settings.service.play_address or people_of(settings))


def _options(home: Home, settings: ServiceSettings, workers: int) -> RemoteOptions:
    """Return what the process is started with. A match of people may go on for an hour, and keeps no other waiting."""
    warm_mb = default_warm_mb() if settings.service.warm_memory is None else settings.service.warm_memory
    people = people_of(settings)
    return RemoteOptions(
        *_bot_listener(home, settings),
        settings.service.remote_patience,
        hosted_matches=workers + people,
        warm_mb=warm_mb // _SHARE_OF_WARM,
        socket=str(home.seats) if people else "",
    )


def _bot_listener(home: Home, settings: ServiceSettings) -> tuple[str, str, str]:
    """Return the address for remote bots, its certificate and its key; empty if only people are taken."""
    if not settings.service.play_address:
        return "", "", ""
    if (tls := find_tls(home, settings)) is None:
        raise SettingsError(
            Text(
                "service.service_play_address_needs_certificate",
                "service.play_address needs a certificate, for the tokens of remote bots must not travel openly; "
                "give --tls-self-signed, or a certificate",
            )
        )
    address = parse_address(settings.service.play_address)
    _check_free(address)
    return str(address), str(tls.certificate), str(tls.key)


async def wait_for_remote(supervisor: RemoteProcessSupervisor, settings: ServiceSettings) -> str:
    """Return where remote bots are taken; empty if they are not, or not in time, which health tells."""
    try:
        async with asyncio.timeout(READY_PATIENCE_S):
            port = await supervisor.wait_until_begun()
    except TimeoutError:
        return ""
    return f"{settings.service.play_address.rpartition(':')[0]}:{port}" if port else ""


def _check_free(address: Address) -> None:
    try:
        try_to_listen(address)
    except OSError as error:
        raise ListenError(explain(address, error, "--play-address")) from error


async def _find_dead(database: Database, digests: Collection[str]) -> Collection[str]:
    return await asyncio.to_thread(worthless_tokens, database, digests)
