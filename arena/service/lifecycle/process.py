"""The coordinator process of a service: takes the home, starts everything, waits for a signal, ends everything."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from arena.executor.interface import Executor
from arena.executor.local import LocalExecutor
from arena.hosting.procfs.machine import count_cores
from arena.hosting.sandbox.host_capacity import allow_inherited, check_descriptors
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.service.activities.activity_set import make_activity_set
from arena.service.activities.context import ServiceContext
from arena.service.activities.ladders import follow_rules
from arena.service.addresses import parse_address
from arena.service.home import Home, HomeLock, held
from arena.service.lifecycle.bot_programs import make_programs
from arena.service.lifecycle.checking import check_certificate
from arena.service.lifecycle.listeners import (
    AdminListener,
    make_own_certificate,
    open_owners,
    open_remote_process,
    takes_anybody,
    wait_for_remote,
)
from arena.service.lifecycle.web import open_web, wait_for_web
from arena.service.logs import Logger, get_logger, logging_to
from arena.service.metrics import Metrics
from arena.service.remote.join_interface import Presence
from arena.service.remote.process_supervisor import RemoteProcessSupervisor
from arena.service.scheduler.executor_supervisor import ExecutorHost, MatchRouter
from arena.service.scheduler.observers import LiveSlots, MatchObserver, export_slots
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import MatchLimits, Slots
from arena.service.settings import ServiceSection, ServiceSettings
from arena.service.startup_errors import DaemonError
from arena.service.task_supervision import SANDBOX, Health, Supervisor, WakeUp, describe, sandbox_problem
from arena.tournament.circuit_breaker import HostWatch
from arena.tournament.locks import sweep_locks
from engine.translatable import Text
from ratings.errors import DatabaseGoneError
from ratings.read.accounts import list_owners
from ratings.store.database import Database, open_database, rescue, rescued

LEAST_FREE_BYTES = 512 << 20
"""With less room than this on its disk a service is not healthy."""
Say = Callable[[str], None]
LOOK_EVERY_S = 2.0
EXIT_AT_ONCE = 130
_STOPPING_TEXT = Text("stopping: running matches may end; a second signal ends at once")
_AT_ONCE_TEXT = Text("ended at once; the next start goes on where this one was")
SYSTEMD_SOCKET = "NOTIFY_SOCKET"
RAY = "ray"
AUTO = "auto"
_AT_LEAST = 1
"""So many matches wait for a cluster that has not told yet how many it plays."""
_MANY = 64
"""A cluster may play so many, or more."""


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

    Raises HomeHeldError, ListenError, SettingsError, CertificateError, HostingError if limits of this host are too low,
    and the errors of `open_book`.
    """
    check_descriptors(settings.service.workers)
    allow_inherited()
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
                context = ServiceContext(
                    database=self._database,
                    programs=make_programs(self._home, self._settings),
                    slots=slots,
                    supervisor=Supervisor(self._health, self._log, self._count_crash),
                    wake_up=WakeUp(),
                    log=self._log,
                    leak_checks=self._settings.service.leak_checks,
                    takes_remote=takes_anybody(self._settings),
                    limits=self._settings.limits.of_owners,
                )
                presence = Presence(context.wake_up.notify)
                activities = make_activity_set(
                    self._home, self._settings, context, presence, self._match_limits, self._metrics
                )
                remote = open_remote_process(
                    self._home,
                    self._settings,
                    self._database,
                    presence,
                    wake=context.wake_up.notify,
                    health=self._health,
                    workers=self._executors.slots(),
                    other_service=activities.other_service,
                )
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
                self._report_certificate(say)
                stack.push_async_callback(_end_tasks, works)
                if web is not None:
                    works.append(asyncio.create_task(web.run()))
                await activities.settle()
                if remote is not None:
                    works.append(asyncio.create_task(remote.run()))
                    ready = ready.also("play", await wait_for_remote(remote, self._settings))
                if web is not None:
                    ready = ready.also("web", await wait_for_web(web))
                works += map(asyncio.create_task, (host.run(), activities.loop.run(), watch_file(self._database)))
                self._lock.publish(list(ready.addresses.values()))
                self._log.info(
                    "serving", home=str(self._home.directory), slots=self._executors.slots(), **ready.addresses
                )
                on_ready(ready)
                notify_systemd("READY=1")
                await _first_of(asyncio.create_task(stop.wait()), *works)
                await self._drain(slots, remote)
        self._log.info("stopped")

    def _report_certificate(self, say: Say) -> None:
        problems, notes = check_certificate(self._home, self._settings.service.tls_certificate)
        for sentence in (*problems, *notes):
            self._log.warning("certificate", why=sentence)
            say(sentence)

    def _make_slots(self) -> Slots:
        return Slots(
            self._executors.slots,
            {MatchPurpose(name): weight for name, weight in self._settings.weights.model_dump().items()},
            owner_limit=self._match_limits,
            needs_slot=lambda spec: not spec.has_remote,
            observer=MatchObserver(self._metrics, get_logger("match")),
            watch=self._host_watch,
        )

    async def _try_sandbox(self, context: ServiceContext, say: Say) -> None:
        """Tell the organiser now, and not when somebody waits, if bots of owners cannot run on this machine."""
        if not self._settings.service.address and not list_owners(self._database, limit=1).items:
            return
        if problem := await asyncio.to_thread(sandbox_problem, context.programs):
            self._health.report(SANDBOX, problem)
            self._log.warning("bots of owners cannot run", why=problem)
            say(Text("bots of owners wait: {why}", why=problem))

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


@contextmanager
def open_book(home: Home) -> Iterator[Database]:
    """Open the database of a home for the block; make it if there never was one.

    Raises ServiceError if its file was removed, in the block or before; what it held is kept beside it then, and the
    message says how to put it back. Raises the errors of `open_database`.
    """
    path = home.database
    if not home.is_on_server and not path.exists() and (kept := rescued(path)):
        raise DaemonError(
            Text(
                "there is no {path} any more, and {kept} holds what had been recorded; `{command}` puts it back",
                path=path,
                kept=kept,
                command=_put_back(kept, path),
            )
        )
    database = open_database(home.book)
    try:
        yield database
    except DatabaseGoneError as error:
        kept = rescue(database)
        remedy = (
            Text("`{command}` puts back what had been recorded", command=_put_back(kept, path))
            if kept
            else Text("restore a backup")
        )
        raise DaemonError(Text("{why}; then {remedy}", why=error, remedy=remedy)) from error
    finally:
        database.close()


async def watch_file(database: Database) -> None:
    """Return never; raise DatabaseGoneError soon after the file of the database was removed or replaced."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        database.need_file()


def _put_back(kept: Path, path: Path) -> str:
    return shlex.join(["mv", str(kept), str(path)])


@contextmanager
def stop_signals(say: Callable[[str], None]) -> Iterator[asyncio.Event]:
    """Yield an event that the first signal sets; the second one ends this process on the spot.

    Signals are Ctrl-C, SIGTERM, and that the terminal was closed, unless this process was told to pass that over, as by
    nohup. A closed terminal may tell so more than once, which ends nothing on the spot.

    That loses nothing: each result is recorded in one transaction, and workers end when their pipe to this process
    closes, as they do when it is killed.
    """
    wanted = asyncio.Event()

    def stop(number: signal.Signals) -> None:
        is_second = wanted.is_set()
        if is_second and number is signal.SIGHUP:
            return
        wanted.set()
        with suppress(OSError):  # the terminal may be gone, and whoever closed it with it
            say(_AT_ONCE_TEXT if is_second else _STOPPING_TEXT)
        if is_second:
            os._exit(EXIT_AT_ONCE)

    loop = asyncio.get_running_loop()
    always = [signal.SIGINT, signal.SIGTERM]
    numbers = always if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [*always, signal.SIGHUP]
    for number in numbers:
        loop.add_signal_handler(number, stop, number)
    try:
        yield wanted
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def notify_systemd(text: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Send a state such as `READY=1`, and return whether somebody was there to hear it."""
    place = environ.get(SYSTEMD_SOCKET)
    if not place:
        return False
    address = "\0" + place[1:] if place.startswith("@") else place
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as speaker:
            speaker.connect(address)
            speaker.sendall(text.encode())
    except OSError:
        return False  # a service that cannot speak to systemd serves all the same
    return True


class ExecutorFactory:
    """Makes executors, and knows how many matches the newest one plays at once."""

    def __init__(self, settings: ServiceSection, say: Callable[[str], None] = lambda _: None) -> None:
        """`say` is told what people should know of the machines of a cluster."""
        self._settings = settings
        self._say = say
        self._newest: Executor | None = None
        self.programs: StoredPrograms | None = None
        """The programs whose runtimes the machines of a cluster need."""

    def slots(self) -> int:
        if self._settings.executor != RAY:
            return self._settings.workers or count_cores()
        return _AT_LEAST if self._newest is None else self._newest.slots()

    def most(self) -> int:
        """Return how many matches may be played at once some day, as far as is known before any is."""
        return self._settings.workers or _MANY if self._settings.executor == RAY else self.slots()

    def make(self) -> Executor:
        """Return an executor that was not started yet."""
        if self._settings.executor == RAY:
            from arena.executor.ray.executor import RayExecutor  # only who asks for a cluster needs what is behind it
            from arena.executor.ray.proving import RayOptions

            address = self._settings.ray_address
            options = RayOptions(
                address="" if address == AUTO else address,
                workers=self._settings.workers,
                warm_mb=self._settings.warm_memory,
                runtimes={} if self.programs is None else self.programs.runtimes.tables(),
                report=self._warn,
            )
            self._newest = RayExecutor(options)
            return self._newest
        return LocalExecutor(self.slots(), warm_mb=self._settings.warm_memory)

    def _warn(self, sentence: str) -> None:
        get_logger("cluster").warning("machines", why=sentence)
        self._say(sentence)
