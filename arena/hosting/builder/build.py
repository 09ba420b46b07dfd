"""Builds a version by its own build command: in a private copy of its files, without network, within limits.

It also makes a bot ready to run where its author sits: its files are copied as they are now, and built if need be. A
build that fails through the fault of its author is a value (`BuildFailure`), not an error.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
import stat
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from arena.hosting.builds import BuildStore, Built
from arena.hosting.content import BotFilesError
from arena.hosting.debian_packages import hint_in_log, with_lack
from arena.hosting.errors import LaunchError, OutOfMemoryError, SandboxUnavailableError, StorageFailedError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.messages import Exceeded, Exit, Log
from arena.hosting.manifest import (
    BotDirectoryError,
    BotManifest,
    NoExecError,
    ProgramPlaces,
    load_manifest,
    resolve_command,
    resolve_words,
)
from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import SYSTEM_PATH, InstalledRuntime
from arena.hosting.sandbox.limits import NONE, SandboxLimits, SandboxPolicy
from arena.hosting.sandbox.start_plan import BotProgram, start_confined
from arena.hosting.sandbox.stored_programs import StoredProgram, StoredPrograms
from arena.hosting.store import StoredVersion, VersionStore
from arena.hosting.user_directories import cache_directory
from engine.os_errors import os_error_text
from engine.translatable import Text, placed, sentences, with_parts

_INHERITED = ("PATH", "HOME", "LANG")
_TEMPORARY = ".tmp"  # hidden, so that it is no part of what was built
_TRY_AGAIN_S = 0.1
_LOG_EVERY_S = 1.0
_KEPT_S = 30 * 24 * 3600.0  # how long a copy is kept that nobody has used
_LOOK_S = 0.2
LONGEST_FACTOR = 5
"""How many times its time a build may take altogether, on a machine that is busy with other things."""
_SHOWN_LINES = 40


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """What one build may use, with everything it starts. MB are MiB."""

    time_s: float = 120.0
    """How long it may take; the time in which it waits for a processor does not count."""
    memory_mb: int = 1024
    processes: int = 256
    disk_mb: int = 512
    """How much its files and its private directories may hold, the bot's own files included."""
    files: int = 20_000
    output_mb: int = 16
    """How much it may say at once."""


DEFAULT_LIMITS = BuildLimits()


@dataclass(frozen=True, slots=True)
class BuildFailure:
    """That a version cannot be built, through the fault of its author."""

    sentence: str
    """What happened, in words that the author can act on."""
    log: str = ""
    """What the command said, head and tail."""

    @property
    def last_lines(self) -> list[str]:
        """The end of the log, as much as is shown on a screen."""
        return self.log.rstrip().splitlines()[-_SHOWN_LINES:]


@dataclass(frozen=True, slots=True)
class _Job:
    stored: StoredVersion
    runtime: InstalledRuntime
    builds: BuildStore
    level: str
    limits: BuildLimits

    @property
    def manifest(self) -> BotManifest:
        return self.stored.manifest


async def build_version(
    programs: StoredPrograms, version: str, *, has_owner: bool, limits: BuildLimits = DEFAULT_LIMITS
) -> Built | BuildFailure | None:
    """Return what was built of a version for its runtime as that is now, built at once if it is not there yet.

    It is None for a version without build command. Of several who build the same at once, one does and the others
    wait. Raises SandboxUnavailableError if a stranger's version has no sandbox to be built in, StoreError, the errors
    of `Runtimes.get`, another HostingError if this machine fails.
    """
    stored = await asyncio.to_thread(programs.store.get, version)
    if not stored.manifest.build:
        return None
    runtime = await asyncio.to_thread(programs.runtimes.get, stored.manifest.runtime)
    builds = programs.builds
    built = await asyncio.to_thread(builds.get, version, runtime.hash)
    if built is not None:
        return built
    level = await asyncio.to_thread(lambda: programs.sandbox_level(has_owner=has_owner))
    try:
        while True:
            with builds.lock(version, runtime.hash) as is_ours:
                if is_ours:
                    built = await asyncio.to_thread(builds.get, version, runtime.hash)
                    return built or await _build(_Job(stored, runtime, builds, level, limits))
            await asyncio.sleep(_TRY_AGAIN_S)
    except OSError as error:
        why = Text("nothing can be built ({why}); check space and permissions there", why=os_error_text(error))
        raise StorageFailedError(placed(builds.root, why)) from error


async def _build(job: _Job) -> Built | BuildFailure:
    await asyncio.to_thread(job.builds.sweep)
    workplace = job.builds.workplace(job.stored.directory)
    files = (await asyncio.to_thread(workplace.__enter__)).absolute()
    try:
        async with LauncherClient(remove=[files.parent]) as launcher:
            outcome = await _run(job, launcher, files)
        built: Built | BuildFailure
        if isinstance(outcome, BuildFailure):
            built, log = outcome, f"{outcome.log.rstrip()}\n{outcome.sentence}\n".lstrip()
        else:
            built, log = outcome
        job.builds.write_log(job.stored.hash, job.runtime.hash, log)
        return built
    finally:
        await asyncio.to_thread(workplace.__exit__, None, None, None)


async def _run(job: _Job, launcher: LauncherClient, files: Path) -> BuildFailure | tuple[Built, str]:
    """Run the command and keep what it made; what its author did wrong is returned."""
    command, started = shlex.join(job.manifest.build), time.monotonic()
    try:
        places = job.runtime.places
        path = os.environ.get("PATH", SYSTEM_PATH) if job.level == NONE else SYSTEM_PATH
        words = resolve_words(
            "build", job.manifest.build, files, ProgramPlaces(places.runtime, places.programs, places.path or path)
        )
        process = await _start(job, launcher, words, files)
    except NoExecError as error:
        raise StorageFailedError(str(error)) from error
    except (BotDirectoryError, LaunchError) as error:
        return BuildFailure(_without(files, str(error)))
    try:
        async with _log_kept_current(job, process):
            ended_in_time = await wait_for_build(process, job.limits.time_s)
    finally:
        await process.end()
    log = log_text(await process.log())
    if not process.has_begun and process.exceeded is None and process.exited.result().status:
        lines = log.strip().splitlines()
        raise SandboxUnavailableError(
            Text("a sandbox could not be made: {why}", why=lines[-1] if lines else "it said nothing")
        )
    if ended_in_time and process.was_killed_by_host:
        raise OutOfMemoryError
    ended = process.exited.result() if ended_in_time else None
    sentence = explain_end(command, ended, process.exceeded, job.limits)
    if sentence is not None:
        hint = hint_in_log(log)
        return BuildFailure(sentences(sentence, hint) if hint else sentence, log)
    try:
        return await asyncio.to_thread(_keep, job, files, time.monotonic() - started), log
    except NoExecError as error:
        raise StorageFailedError(str(error)) from error
    except BotDirectoryError as error:
        why = Text("The build command `{command}` ended, but: {why}.", command=command, why=_without(files, str(error)))
        return BuildFailure(why, log)


@asynccontextmanager
async def _log_kept_current(job: _Job, process: HostedProcess) -> AsyncIterator[None]:
    """Keep what a command has written so far as the log of its build, for whoever waits for its end."""

    async def keep() -> None:
        kept = None
        while True:
            log = log_text(await process.log())
            if log != kept:
                job.builds.write_log(job.stored.hash, job.runtime.hash, kept := log)
            await asyncio.sleep(_LOG_EVERY_S)

    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait({keeping})
        if not keeping.cancelled():
            keeping.exception()  # the same trouble meets the build itself, if it matters


async def _start(job: _Job, launcher: LauncherClient, words: tuple[str, ...], files: Path) -> HostedProcess:
    (files / _TEMPORARY).mkdir(exist_ok=True)
    program = BotProgram(
        command=words,
        directory=str(files),
        environment={
            **{name: os.environ[name] for name in _INHERITED if name in os.environ},
            "TMPDIR": str(files / _TEMPORARY),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": str(files),
            "ARENA_BOT_DIR": str(files),
            # By it the launcher finds everything that the command started.
            "ARENA_TOKEN": secrets.token_hex(),
        },
        scratch=None,
        trees=job.runtime.trees,
        variables=job.runtime.environment,
        is_writable=True,
    )
    limits = SandboxLimits(
        level=job.level,
        memory_mb=job.limits.memory_mb,
        processes=job.limits.processes,
        disk_mb=job.limits.disk_mb,
        files=job.limits.files,
        open_files=1024,
        descriptors=4096,
        output_mb=job.limits.output_mb,
    )
    return await start_confined(launcher, program, limits)


def _keep(job: _Job, files: Path, seconds: float) -> Built:
    """Store what the command left. Raises BotDirectoryError if that is no bot, OSError."""
    try:
        # The command may have taken rights in its directory from this user.
        files.chmod(0o700)
        for path, directories, names in os.walk(files):
            for name in (*directories, *names):
                place = Path(path, name)
                # What cannot be opened up is told when it is to be stored.
                with suppress(OSError):
                    mode = place.lstat().st_mode
                    if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and not mode & stat.S_IRUSR):
                        place.chmod(mode | stat.S_IRWXU if stat.S_ISDIR(mode) else mode | stat.S_IRUSR)
        resolve_command(job.manifest, files, job.runtime.places)
        return job.builds.keep(job.stored.hash, job.runtime.hash, files, seconds)
    except RecursionError:
        raise BotFilesError(Text("it left directories in directories too deep; make fewer")) from None


def _without(files: Path, message: str) -> str:
    """Return a message in which the bot's files are named as its author knows them."""
    return with_parts(message, lambda part: part.replace(f"{files}/", "").replace(str(files), "the directory"))


OnBuild = Callable[[BotManifest], None]
"""Called before a build command runs; not if what it made is there already."""


@dataclass(frozen=True, slots=True)
class PreparedBot:
    """A version of a bot that is ready to run on this machine."""

    version: str
    """Its content hash (SHA-256, hex)."""
    program: StoredProgram
    level: str
    """The level of the sandbox at which it runs."""
    build_s: float | None
    """How long its build command ran; None if it has none."""

    @property
    def manifest(self) -> BotManifest:
        """What it says of itself."""
        return self.program.manifest


async def prepare_bot(
    directory: Path, programs: StoredPrograms, on_build: OnBuild = lambda _: None
) -> PreparedBot | BuildFailure:
    """Store a bot as it is in its directory now, build it unless that was done already, and return its program.

    Raises BotDirectoryError if there is no bot that can run here, StoreError, HostingError.
    """
    manifest = load_manifest(directory)
    level = programs.sandbox_level(has_owner=False)
    programs.runtimes.check_bot(manifest, directory, is_stranger=level != NONE)
    stored = await asyncio.to_thread(programs.store.add, directory)
    if manifest.build and not await asyncio.to_thread(_is_built, programs, stored):
        on_build(manifest)
    built = await build_here(programs, stored, has_owner=False)
    if isinstance(built, BuildFailure):
        return built
    program = await asyncio.to_thread(programs.find, stored.hash)
    return PreparedBot(stored.hash, program, level, None if built is None else built.seconds)


async def prepare_copy(
    directory: Path,
    policy: SandboxPolicy,
    runtimes: RuntimeCatalog,
    root: Path | None = None,
    on_build: OnBuild = lambda _: None,
) -> PreparedBot | BuildFailure:
    """Prepare a bot as `prepare_bot` does, among the copies in `root`, by default this user's cache.

    Copies that were not used for a month are removed.
    """
    programs = StoredPrograms(VersionStore((root or cache_directory()) / "connected.bots"), policy, runtimes)
    prepared = await prepare_bot(directory, programs, on_build)
    for version in await asyncio.to_thread(programs.store.collect, lambda _: False, _KEPT_S):
        programs.builds.remove(version)
    return prepared


async def build_here(
    programs: StoredPrograms, stored: StoredVersion, *, has_owner: bool
) -> Built | BuildFailure | None:
    """Build a version as `build_version` does; a failure also tells what this machine lacks, to be installed."""
    built = await build_version(programs, stored.hash, has_owner=has_owner)
    if not isinstance(built, BuildFailure):
        return built
    sentence = await asyncio.to_thread(with_lack, built.sentence, stored.manifest, stored.directory)
    return replace(built, sentence=sentence)


def _is_built(programs: StoredPrograms, stored: StoredVersion) -> bool:
    runtime = programs.runtimes.get(stored.manifest.runtime)
    return programs.builds.get(stored.hash, runtime.hash) is not None


async def wait_for_build(process: HostedProcess, limit_s: float) -> bool:
    """Return whether a build has ended within its time, that in which it waited for a processor not counted.

    On a machine that does not tell how long processes wait, all time counts. Raises LauncherLostError.
    """
    meter = TreeMeter(process.pid)
    meter.begin()
    try:
        return await _wait(process, meter, limit_s)
    finally:
        meter.close()


async def _wait(process: HostedProcess, meter: TreeMeter, limit_s: float) -> bool:
    begun, waited_s = time.monotonic(), 0.0
    while True:
        took_s = time.monotonic() - begun
        left_s = min(limit_s - (took_s - waited_s), limit_s * LONGEST_FACTOR - took_s)
        if await process.wait(min(left_s, _LOOK_S)):
            return True
        if left_s <= 0:
            return False
        found = meter.look()
        waited_s = waited_s if found is None else found[1] / 1e6


def explain_end(command: str, ended: Exit | None, exceeded: Exceeded | None, limits: BuildLimits) -> str | None:
    """Return why a command that ended so has failed, or None if it has not; `ended` is None if it was too slow."""
    if exceeded is not None:
        return Text("The build command `{command}` was ended. {why}", command=command, why=exceeded.sentence)
    if ended is None:
        return Text(
            "The build command `{command}` did not end within {seconds} s, or {times} times that on a busy machine.",
            command=command,
            seconds=f"{limits.time_s:g}",
            times=LONGEST_FACTOR,
        )
    if ended.status or ended.signal:
        return Text(
            "The build command `{command}` failed ({how}); its log tells why.", command=command, how=ended.describe()
        )
    return None


def log_text(log: Log) -> str:
    """Return a log as text that says where something was left out."""
    head, tail = log.head.decode("utf-8", "replace"), log.tail.decode("utf-8", "replace")
    return f"{head}\n[{log.cut_bytes} bytes left out]\n{tail}" if log.cut_bytes else head + tail
