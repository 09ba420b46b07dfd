"""Opens the pages for browsers, if the settings say where: the process that serves them."""

from __future__ import annotations

import asyncio

from arena.model.people import PlayLimits
from arena.service.addresses import Address, parse_address
from arena.service.errors import ListenError, SettingsError
from arena.service.health import Health
from arena.service.home import Home
from arena.service.lifecycle.owners import find_tls
from arena.service.lifecycle.remote import people_of
from arena.service.listening import explain, try_to_listen
from arena.service.logs import get_logger
from arena.service.settings import ServiceSettings
from arena.service.web.process_supervisor import WebOptions, WebProcessSupervisor
from engine.text import Text

READY_PATIENCE_S = 120.0
"""How long the service waits with being ready until pages are served, too: a busy machine takes so long for it."""


def open_web(home: Home, settings: ServiceSettings, health: Health) -> WebProcessSupervisor | None:
    """Return what keeps the process of the pages, which nobody has started yet, or None if none are wanted.

    Raises SettingsError without a certificate where other machines can look, ListenError if the address cannot be
    listened on.
    """
    if not settings.service.web_address:
        return None
    address = parse_address(settings.service.web_address)
    _check_free(address)
    return WebProcessSupervisor(_options(home, settings, address), health=health, log=get_logger("web"))


def _options(home: Home, settings: ServiceSettings, address: Address) -> WebOptions:
    """Return what the process is started with: plain HTTP on loopback, where a proxy may stand in front of it."""
    if address.is_loopback:
        names = settings.service.web_names
        return WebOptions(home.book, home.socket, address, people=_people(settings), names=names)
    if (tls := find_tls(home, settings)) is None:
        raise SettingsError(
            Text(
                "service.service_web_address_can_reached",
                "service.web_address {address} can be reached from other machines, where tokens must not travel "
                "openly; give --tls-self-signed, or a certificate, or listen at 127.0.0.1 behind a proxy",
                address=address,
            )
        )
    return WebOptions(home.book, home.socket, address, tls.certificate, tls.key, _people(settings))


def _people(settings: ServiceSettings) -> PlayLimits | None:
    """Return what people may do who play here, or None if nobody may."""
    service = settings.service
    if not people_of(settings):
        return None
    return PlayLimits(
        most=service.people,
        idle_s=service.people_idle,
        per_visitor=service.people_per_visitor,
        per_hour=service.people_per_hour,
        rated=service.people_rated,
    )


def _check_free(address: Address) -> None:
    try:
        try_to_listen(address)
    except OSError as error:
        raise ListenError(explain(address, error, "--web-address")) from error


async def wait_for_web(supervisor: WebProcessSupervisor) -> str:
    """Return the address of the front page; empty if it is not served in time, which health tells."""
    try:
        async with asyncio.timeout(READY_PATIENCE_S):
            return await supervisor.wait_until_begun()
    except TimeoutError:
        return ""
