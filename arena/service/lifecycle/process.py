"""The coordinator process of a service: it takes the home, starts everything, waits for a signal, ends everything."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from arena.service.activities.context import ServiceContext
from arena.service.activities.match_limits import MatchLimits
from arena.service.activities.observing import MatchObserver, export_slots
from arena.service.activities.rules import follow_rules
from arena.service.addresses import parse_address
from arena.service.admission.waiting import SANDBOX, sandbox_problem
from arena.service.health import Health
from arena.service.home import Home
from arena.service.lifecycle.activity_set import ActivitySet, make_activity_set
from arena.service.lifecycle.admin import AdminListener
from arena.service.lifecycle.book import open_book, watch_file
from arena.service.lifecycle.executors import ExecutorFactory
from arena.service.lifecycle.expiry import check_certificate
from arena.service.lifecycle.owners import make_own_certificate, open_owners
from arena.service.lifecycle.programs import make_programs
from arena.service.lifecycle.remote import open_remote_process, takes_anybody, wait_for_remote
from arena.service.lifecycle.stopping import stop_signals
from arena.service.lifecycle.systemd import notify_systemd
from arena.service.lifecycle.web import open_web, wait_for_web
from arena.service.lock import HomeLock, held
from arena.service.logs import Logger, get_logger, logging_to
from arena.service.metrics import Metrics
from arena.service.remote.join_policy import Presence
from arena.service.remote.process_supervisor import RemoteProcessSupervisor
from arena.service.remote.routing import MatchRouter
from arena.service.scheduler.host import ExecutorHost
from arena.service.scheduler.jobs import MatchPurpose
from arena.service.scheduler.slots import Slots
from arena.service.scheduler.watching import LiveSlots
from arena.service.settings import ServiceSettings
from arena.service.supervision import Supervisor, describe
from arena.service.wake_up import WakeUp
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
        self._executors = ExecutorFactory(settings.service, say)
        self._host_watch = HostWatch(2 * self._executors.most())
        self._match_limits = MatchLimits(settings.limits.of_owners)

    async def run(self, on_ready: Callable[[Ready], None], say: Say) -> None:
        """Start everything, wait for a signal or for the end of something that must not end, and end everything."""
        with stop_signals(say) as stop:
            async with AsyncExitStack() as stack:
                slots = self._make_slots()
                context = self._make_context(slots)
                presence = Presence(context.wake_up.notify)
                activities = self._make_activities(context, presence)
                remote = self._open_remote_process(context, presence, activities)
                web = open_web(self._home, self._settings, self._health)
                router = MatchRouter(slots, None if remote is None else remote.process)
                self._executors.programs = context.programs
                host = ExecutorHost(router, self._executors.make, self._health, get_logger("host"), self._host_watch)
                export_slots(self._metrics, slots, host.count_warm_bots)
                works: list[asyncio.Task[None]] = []
                ready = await self._listen(
                    stack, context.wake_up, LiveSlots(slots, router.watch_with(host.watch)), remote, presence
                )
                await self._try_sandbox(context, say)
                self._look_at_certificate(say)
                stack.push_async_callback(_end_tasks, works)
                if web is not None:
                    works.append(asyncio.create_task(web.run()))
                await activities.settle()
                if remote is not None:
                    works.append(asyncio.create_task(remote.run()))
                    ready = ready.also("play", await wait_for_remote(remote, self._settings))
                if web is not None:
                    ready = ready.also("web", await wait_for_web(web))
                works += [
                    asyncio.create_task(host.run()),
                    asyncio.create_task(activities.loop.run()),
                ]
                works.append(asyncio.create_task(watch_file(self._database)))
                self._announce_ready(on_ready, ready)
                await _first_of(asyncio.create_task(stop.wait()), *works)
                await self._drain(slots, remote)
        self._log.info("stopped")

    def _make_slots(self) -> Slots:
        observer = MatchObserver(self._metrics, get_logger("match"))
        weights = self._settings.weights
        shares = {
            MatchPurpose.ADMISSION: weights.admission,
            MatchPurpose.LADDER: weights.ladder,
            MatchPurpose.TOURNAMENT: weights.tournament,
            MatchPurpose.COMPARISON: weights.comparison,
        }
        return Slots(
            self._executors.slots,
            shares,
            owner_limit=self._match_limits,
            needs_slot=lambda spec: not spec.has_remote,
            observer=observer,
            watch=self._host_watch,
        )

    def _make_context(self, slots: Slots) -> ServiceContext:
        return ServiceContext(
            database=self._database,
            programs=make_programs(self._home, self._settings),
            slots=slots,
            supervisor=Supervisor(self._health, self._log, self._count_crash),
            wake_up=WakeUp(),
            log=self._log,
            leak_checks=self._settings.service.leak_checks,
            takes_remote=takes_anybody(self._settings),
        )

    def _open_remote_process(
        self, context: ServiceContext, presence: Presence, activities: ActivitySet
    ) -> RemoteProcessSupervisor | None:
        return open_remote_process(
            self._home,
            self._settings,
            self._database,
            presence,
            wake=context.wake_up.notify,
            health=self._health,
            workers=self._executors.slots(),
            other_service=activities.other_service,
        )

    async def _try_sandbox(self, context: ServiceContext, say: Say) -> None:
        """Tell the organiser now, and not when somebody waits, if bots of owners cannot run on this machine."""
        if not self._settings.service.address and not list_owners(self._database, limit=1).items:
            return
        if problem := await asyncio.to_thread(sandbox_problem, context.programs):
            self._health.report(SANDBOX, problem)
            self._log.warning("bots of owners cannot run", why=problem)
            say(Text("service.bots_owners_wait", "bots of owners wait: {why}", why=problem))

    def _look_at_certificate(self, say: Say) -> None:
        problems, notes = check_certificate(self._home, self._settings.service.tls_certificate)
        for sentence in (*problems, *notes):
            self._log.warning("certificate", why=sentence)
            say(sentence)

    def _make_activities(self, context: ServiceContext, presence: Presence) -> ActivitySet:
        return make_activity_set(self._home, self._settings, context, presence, self._match_limits, self._metrics)

    def _count_crash(self, part: str, _sentence: str) -> None:
        kind = part.partition(" ")[0]  # the names of tournaments would be labels without end
        self._metrics.counter("arena_crashes_total", "Activities that failed.", ("part",)).add(1, kind)

    async def _listen(
        self,
        stack: AsyncExitStack,
        wake_up: WakeUp,
        live: LiveSlots,
        remote: RemoteProcessSupervisor | None,
        presence: Presence,
    ) -> Ready:
        """Listen wherever the settings say, and return where."""
        port = (lambda: 0) if remote is None else (lambda: remote.process.port)
        is_connected = None if remote is None else presence.is_connected
        owners = await open_owners(
            self._home, self._settings, self._database, self._metrics, wake_up.notify, live, port, is_connected
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

    def _announce_ready(self, on_ready: Callable[[Ready], None], ready: Ready) -> None:
        self._lock.publish(list(ready.addresses.values()))
        self._log.info("serving", home=str(self._home.directory), slots=self._executors.slots(), **ready.addresses)
        on_ready(ready)
        notify_systemd("READY=1")

    async def _drain(self, slots: Slots, remote: RemoteProcessSupervisor | None) -> None:
        """Let running matches end for a while; whatever is left then goes back to the ledger."""
        notify_systemd("STOPPING=1")
        slots.drain()
        if remote is not None:
            remote.process.drain()
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
            self._health.report("disk", sentence)
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
