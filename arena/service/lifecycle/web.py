"""Opens the pages for browsers if the settings say where, and keeps the process that serves them running."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.executor.child_handle import ChildProcess
from arena.model.human_play import PlayLimits
from arena.service.addresses import Address, explain, parse_address, try_to_listen
from arena.service.home import Home
from arena.service.lifecycle.listeners import READY_PATIENCE_S, find_tls, people_of
from arena.service.logs import Logger, get_logger
from arena.service.settings import ServiceSettings
from arena.service.startup_errors import ListenError, SettingsError
from arena.service.task_supervision import Health, ProcessRestarts
from engine.translatable import Text

PART = "pages"
STOP_GRACE_S = 5.0


def open_web(home: Home, settings: ServiceSettings, health: Health) -> WebProcessSupervisor | None:
    """Return what keeps the process of the pages, which nobody has started yet, or None if none are wanted.

    Raises SettingsError without a certificate where other machines can look, ListenError if the address cannot be
    listened on.
    """
    if not settings.service.web_address:
        return None
    address = parse_address(settings.service.web_address)
    try:
        try_to_listen(address)
    except OSError as error:
        raise ListenError(explain(address, error, "--web-address")) from error
    return WebProcessSupervisor(_options(home, settings, address), health=health, log=get_logger("web"))


def _options(home: Home, settings: ServiceSettings, address: Address) -> WebOptions:
    """Return what the process is started with: plain HTTP on loopback, where a proxy may stand in front of it."""
    service, people = settings.service, None
    if people_of(settings):
        people = PlayLimits(
            most=service.people,
            idle_s=service.people_idle,
            per_visitor=service.people_per_visitor,
            per_hour=service.people_per_hour,
            rated=service.people_rated,
        )
    if address.is_loopback:
        return WebOptions(home.book, home.socket, address, people=people, names=service.web_names)
    if (tls := find_tls(home, settings)) is None:
        raise SettingsError(
            Text(
                "service.web_address {address} can be reached from other machines, where tokens must not travel "
                "openly; give --tls-self-signed, or a certificate, or listen at 127.0.0.1 behind a proxy",
                address=address,
            )
        )
    return WebOptions(home.book, home.socket, address, tls.certificate, tls.key, people)


async def wait_for_web(supervisor: WebProcessSupervisor) -> str:
    """Return the address of the front page; empty if it is not served in time, which health tells."""
    try:
        async with asyncio.timeout(READY_PATIENCE_S):
            return await supervisor.wait_until_begun()
    except TimeoutError:
        return ""


@dataclass(frozen=True, slots=True)
class WebOptions:
    """What is shown in browsers, and where."""

    database: str
    service: Path
    """The socket on which the service itself is asked."""
    address: Address
    certificate: Path | None = None
    """Together with `key`; without them pages are served by plain HTTP."""
    key: Path | None = None
    people: PlayLimits | None = None
    """What people may do who play there; None if nobody may."""
    names: tuple[str, ...] = ()
    """By which browsers ask for it through a proxy."""

    @property
    def scheme(self) -> str:
        """Return `https`, or `http` without a certificate."""
        return "http" if self.certificate is None else "https"

    def words(self, port: int) -> Sequence[str]:
        """Return them as words of a command line; `port` instead of that of the address, unless it is 0."""
        tls = () if self.certificate is None else ("--certificate", str(self.certificate), "--key", str(self.key))
        place = ("--host", self.address.host, "--port", str(port or self.address.port))
        people: Sequence[str] = ()
        if limits := self.people:
            people = ("--people", str(limits.most), "--people-idle", f"{limits.idle_s:g}")
            bounds = ("--people-per-visitor", str(limits.per_visitor), "--people-per-hour", str(limits.per_hour))
            people = (*people, *bounds, *(("--people-rated",) if limits.rated else ()))
        names = (word for name in self.names for word in ("--name", name))
        return ("--db", self.database, "--service", f"unix:{self.service}", *place, *tls, *names, *people)


class WebProcessSupervisor:
    """`run` keeps the process going until it is cancelled."""

    def __init__(self, options: WebOptions, *, health: Health, log: Logger) -> None:
        self._options = options
        self._health = health
        self._log = log
        self._revival = ProcessRestarts(PART, health, log)
        self._has_begun = asyncio.Event()
        self._child = ChildProcess(self._command, self._handle, lambda: None)
        self._port = 0
        """Where it listens, once it was ready: its next life listens there again."""

    async def run(self) -> None:
        """Keep the process running until this task is cancelled, which ends it in order."""
        serving = asyncio.create_task(self._serve())
        try:
            await asyncio.shield(serving)
        finally:
            self._child.stop()
            await asyncio.wait({serving}, timeout=STOP_GRACE_S)
            self._child.kill()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def wait_until_begun(self) -> str:
        """Return the address of the front page, as soon as it is served; empty if its first process fails."""
        await self._has_begun.wait()
        return f"{self._options.scheme}://{Address(self._options.address.host, self._port)}" if self._port else ""

    async def _serve(self) -> None:
        while True:
            was_ready, code = await self._child.run()
            self._has_begun.set()
            if self._child.is_stopping:
                return
            await self._revival.pause(
                self._child.last_words() or Text("exit status {status}", status=code), was_ready=was_ready
            )

    def _command(self) -> list[str]:
        # -P: a folder named arena in the current directory is not ours.
        return [sys.executable, "-P", "-m", "arena.web", *self._options.words(self._port)]

    def _handle(self, head: Mapping[str, Any], _: bytes) -> None:
        self._port = head["port"]
        self._has_begun.set()
        self._health.clear(PART)
        self._log.info("pages are served", port=self._port)
