"""The coordinator process of a service: it takes the home, starts everything, waits for a signal, ends everything."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from arena.service.activities.observing import MatchObserver, export_slots
from arena.service.activities.owners import MatchLimits
from arena.service.activities.rules import follow_rules
from arena.service.activities.workshop import Workshop
from arena.service.addresses import parse_address
from arena.service.admission.waiting import SANDBOX, sandbox_problem
from arena.service.bell import Bell
from arena.service.health import Health
from arena.service.home import Home
from arena.service.life.admin import AdminListener
from arena.service.life.book import open_book, watch_file
from arena.service.life.duties import Duties, make_duties
from arena.service.life.executors import ExecutorMaker
from arena.service.life.expiry import look_at_certificate
from arena.service.life.owners import make_own_certificate, open_owners
from arena.service.life.programs import make_programs
from arena.service.life.remote import open_door, takes_anybody, wait_for
from arena.service.life.stopping import stop_signals
from arena.service.life.systemd import tell_systemd
from arena.service.life.web import open_web, wait_for_web
from arena.service.lock import HomeLock, held
from arena.service.logs import Logger, get_logger, logging_to
from arena.service.metrics import Metrics
from arena.service.remote.desk import Presence
from arena.service.remote.keeper import RemoteKeeper
from arena.service.remote.routing import Router
from arena.service.scheduler.host import Host
from arena.service.scheduler.jobs import Kind
from arena.service.scheduler.slots import Slots
from arena.service.scheduler.watching import LiveSlots
from arena.service.settings.values import ServiceSettings
from arena.service.supervision import Supervisor, describe
from arena.tournament.host_watch import HostWatch
from arena.tournament.lock import sweep_locks
from engine.text import Text
from ratings.read.accounts import list_owners
from ratings.store.database import Database

LEAST_FREE_BYTES = 512 << 20
"""With less room than this on its disk a service is not healthy."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ready:
    """A service that is ready: where it can be reached."""

    home: Home
    addresses: Mapping[str, str]
    """By what is served there: `owners`, `socket`, `admin`, `play`, `web`."""
    fingerprint: str | None = None
    """That of the certificate of `owners`, if it is served with TLS."""

    def also(self, what: str, place: str) -> Ready:
        """Return this with something else that is served, unless its place is empty."""
        return replace(self, addresses={**self.addresses, what: place}) if place else self

    def __str__(self) -> str:
        places = " ".join(f"{name}={address}" for name, address in self.addresses.items())
        fingerprint = f" fingerprint={self.fingerprint}" if self.fingerprint else ""
        return f"ready home={self.home.directory} pid={os.getpid()} {places}{fingerprint}".rstrip()


def serve(
    home: Home, settings: ServiceSettings, *, self_signed: bool, on_ready: Callable[[Ready], None], say: Say
) -> None:
    """Serve until a signal ends it; with `self_signed`, with a certificate of its own. `say` is told news for people.

    Raises HomeHeldError, ListenError, SettingsError, CertificateError, and the errors of `open_book`.
    """
    with held(home.lock) as lock:
        if self_signed:
            make_own_certificate(home, settings)
        with open_book(home) as database, logging_to(home.logs):
            if not home.is_on_server:
                sweep_locks(home.database)
            follow_rules(database, get_logger("service"))
            asyncio.run(_Service(home, settings, database, lock, say).run(on_ready, say))


class _Service:
    """One life of a service; the lock is held and the database open."""

    def __init__(self, home: Home, settings: ServiceSettings, database: Database, lock: HomeLock, say: Say) -> None:
        self._home = home
        self._settings = settings
        self._database = database
        self._lock = lock
        self._metrics = Metrics()
        self._health = Health()
        self._log = get_logger("service")
        self._executors = ExecutorMaker(settings.service, say)
        self._host_watch = HostWatch(2 * self._executors.most())
        self._match_limits = MatchLimits(settings.limits.of_owners)

    async def run(self, on_ready: Callable[[Ready], None], say: Say) -> None:
        """Start everything, wait for a signal or for the end of something that must not end, and end everything."""
        with stop_signals(say) as stop:
            async with AsyncExitStack() as stack:
                slots = self._make_slots()
                shop = self._make_shop(slots)
                presence = Presence(shop.bell.ring)
                duties = self._make_duties(shop, presence)
                door = self._open_door(shop, presence, duties)
                web = open_web(self._home, self._settings, self._health)
                router = Router(slots, None if door is None else door.process)
                self._executors.programs = shop.programs
                host = Host(router, self._executors.make, self._health, get_logger("host"), self._host_watch)
                export_slots(self._metrics, slots, host.count_warm_bots)
                works: list[asyncio.Task[None]] = []
                ready = await self._listen(
                    stack, shop.bell, LiveSlots(slots, router.watch_with(host.watch)), door, presence
                )
                await self._try_sandbox(shop, say)
                self._look_at_certificate(say)
                stack.push_async_callback(_end_tasks, works)
                if web is not None:
                    works.append(asyncio.create_task(web.run()))
                await duties.settle()
                if door is not None:
                    works.append(asyncio.create_task(door.run()))
                    ready = ready.also("play", await wait_for(door, self._settings))
                if web is not None:
                    ready = ready.also("web", await wait_for_web(web))
                works += [
                    asyncio.create_task(host.run()),
                    asyncio.create_task(duties.foreman.run()),
                ]
                works.append(asyncio.create_task(watch_file(self._database)))
                self._tell_ready(on_ready, ready)
                await _first_of(asyncio.create_task(stop.wait()), *works)
                await self._drain(slots, door)
        self._log.info("stopped")

    def _make_slots(self) -> Slots:
        observer = MatchObserver(self._metrics, get_logger("match"))
        weights = self._settings.weights
        shares = {
            Kind.ADMISSION: weights.admission,
            Kind.LADDER: weights.ladder,
            Kind.TOURNAMENT: weights.tournament,
            Kind.COMPARISON: weights.comparison,
        }
        return Slots(
            self._executors.slots,
            shares,
            owner_limit=self._match_limits,
            needs_slot=lambda spec: not spec.has_remote,
            observer=observer,
            watch=self._host_watch,
        )

    def _make_shop(self, slots: Slots) -> Workshop:
        return Workshop(
            database=self._database,
            programs=make_programs(self._home, self._settings),
            slots=slots,
            supervisor=Supervisor(self._health, self._log, self._count_crash),
            bell=Bell(),
            log=self._log,
            leak_checks=self._settings.service.leak_checks,
            takes_remote=takes_anybody(self._settings),
        )

    def _open_door(self, shop: Workshop, presence: Presence, duties: Duties) -> RemoteKeeper | None:
        return open_door(
            self._home,
            self._settings,
            self._database,
            presence,
            wake=shop.bell.ring,
            health=self._health,
            workers=self._executors.slots(),
            elsewhere=duties.elsewhere,
        )

    async def _try_sandbox(self, shop: Workshop, say: Say) -> None:
        """Tell the organiser now, and not when somebody waits, if bots of owners cannot run on this machine."""
        if not self._settings.service.address and not list_owners(self._database, limit=1).items:
            return
        if problem := await asyncio.to_thread(sandbox_problem, shop.programs):
            self._health.tell(SANDBOX, problem)
            self._log.warning("bots of owners cannot run", why=problem)
            say(f"bots of owners wait: {problem}")

    def _look_at_certificate(self, say: Say) -> None:
        problems, notes = look_at_certificate(self._home, self._settings.service.tls_certificate)
        for sentence in (*problems, *notes):
            self._log.warning("certificate", why=sentence)
            say(sentence)

    def _make_duties(self, shop: Workshop, presence: Presence) -> Duties:
        return make_duties(self._home, self._settings, shop, presence, self._match_limits, self._metrics)

    def _count_crash(self, part: str, _sentence: str) -> None:
        kind = part.partition(" ")[0]  # the names of tournaments would be labels without end
        self._metrics.counter("arena_crashes_total", "Activities that failed.", ("part",)).add(1, kind)

    async def _listen(
        self, stack: AsyncExitStack, bell: Bell, live: LiveSlots, door: RemoteKeeper | None, presence: Presence
    ) -> Ready:
        """Listen wherever the settings say, and return where."""
        port = (lambda: 0) if door is None else (lambda: door.process.port)
        is_connected = None if door is None else presence.is_connected
        owners = await open_owners(
            self._home, self._settings, self._database, self._metrics, bell.ring, live, port, is_connected
        )
        stack.push_async_callback(owners.server.stop)
        found = {"socket": str(owners.addresses.socket)}
        if owners.addresses.address is not None:
            found["owners"] = owners.addresses.address
        if text := self._settings.service.admin_address:
            listener = AdminListener(self._metrics, self._health, self._look_at_disk)
            address = await listener.start(parse_address(text))
            stack.push_async_callback(listener.stop)
            found["admin"] = f"http://{address}"
        return Ready(self._home, found, owners.fingerprint)

    def _tell_ready(self, on_ready: Callable[[Ready], None], ready: Ready) -> None:
        self._lock.tell(list(ready.addresses.values()))
        self._log.info("serving", home=str(self._home.directory), slots=self._executors.slots(), **ready.addresses)
        on_ready(ready)
        tell_systemd("READY=1")

    async def _drain(self, slots: Slots, door: RemoteKeeper | None) -> None:
        """Let running matches end for a while; whatever is left then goes back to the ledger."""
        tell_systemd("STOPPING=1")
        slots.drain()
        if door is not None:
            door.process.drain()
        try:
            async with asyncio.timeout(self._settings.service.stop_grace):
                await slots.wait_until_idle()
        except TimeoutError:
            running = sum(slots.count_running().values())
            self._log.warning("matches go back to the ledger", running=running)

    def _look_at_disk(self) -> None:
        free = shutil.disk_usage(self._home.directory).free
        if free < LEAST_FREE_BYTES:
            sentence = Text(
                "service.only_mb_free_disk_make",
                "only {megabytes} MB are free on the disk of {directory}; make room",
                megabytes=free >> 20,
                directory=self._home.directory,
            )
            self._health.tell("disk", sentence)
        else:
            self._health.clear("disk")


async def _first_of(stop: asyncio.Task[bool], *works: asyncio.Task[None]) -> None:
    """Wait until it is to stop; raise what ended one of the works, which must not end before."""
    done, _ = await asyncio.wait({stop, *works}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    for work in works:
        if work in done:
            error = work.exception()
            raise error if error is not None else RuntimeError("a part of the service ended by itself")


async def _end_tasks(tasks: list[asyncio.Task[None]]) -> None:
    """End the works one after the other, the last one first: what is played goes back before its executor ends."""
    for task in reversed(tasks):
        task.cancel()
        (error,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(error, Exception):
            log: Logger = get_logger("service")
            log.error("ended badly", error=describe(error))
