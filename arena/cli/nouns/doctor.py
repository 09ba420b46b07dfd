"""`arena doctor`: looks whether this machine can run the arena, and says what to do where it cannot."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.cells import write_translated
from arena.cli.shared.connect import need_here, was_written
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.language import named, say, translated, use_language
from arena.cli.shared.options import AsJson, Database, Workers, example, with_options, worker_count
from arena.cli.shared.output import print_table
from arena.cli.shared.storage import open_storage
from arena.hosting.errors import HostingError, RuntimeDirectoryError
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.messages import StartRequest
from arena.hosting.procfs.machine import processor_ticks
from arena.hosting.procfs.processes import has_proc
from arena.hosting.sandbox.host_capacity import check_capacity, check_descriptors
from arena.hosting.sandbox.limits import NONE, REDUCED, STANDARD, STRICT, WRAPPED_LEVELS
from arena.hosting.sandbox.probe import Probe, explain_shared_ids, probe
from arena.hosting.user_directories import SOCKET_NAME, runtime_directory
from arena.i18n.catalogue import DEFAULT
from arena.match.result import HostCause
from arena.model.table_columns import Column, ColumnKind
from arena.wire.completion_queue_check import grpcio_version, refusal
from engine import registry
from engine.build_info import HalfBuiltError, look
from engine.translatable import Text, split
from ratings.errors import EmptyDatabaseError, RatingsError
from ratings.read.bots import count_bots
from ratings.read.tournament_report import count_lost
from ratings.store.database import is_there
from ratings.store.identifiers import now_us

app = typer.Typer()

OK, FAILED, NOTE = "ok", "FAILED", "note"
OLDEST_PYTHON = (3, 11)
PACKAGES = ("grpcio", "protobuf", "sqlmodel", "alembic", "trueskill", "typer")
LAUNCHED = "launched"
LAUNCH_LIMIT_S = 30.0
DEFAULT_SECONDS = 5.0
MOST_SECONDS = 600.0
MOST_LOAD = 2.0
"""Programs that want a core, for each core: a match has a worker and a bot that wait for each other."""
MOST_STOLEN = 0.05
"""The part of the processor time that other virtual machines may take."""
UNJUDGED = (HostCause.CHARGE_BOUND, HostCause.REFEREE_LAG)
LATELY_DAYS = 7
DAY_US = 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """What one check found; `remedy` is empty unless something is to be done."""

    check: str
    state: str
    detail: str
    remedy: str = ""


def check_python() -> DoctorFinding:
    """Check whether the interpreter is new enough."""
    detail = say("cli_doctor.python_at", version=sys.version.split()[0], path=sys.executable)
    if sys.version_info >= OLDEST_PYTHON:
        return DoctorFinding("python", OK, detail)
    return DoctorFinding("python", FAILED, detail, say("cli_doctor.do_python"))


def check_packages() -> DoctorFinding:
    """Check whether the packages that the arena needs are installed."""
    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return DoctorFinding(
            "packages", FAILED, say("cli_doctor.missing", names=" ".join(missing)), say("cli_doctor.do_setup")
        )
    return DoctorFinding("packages", OK, ", ".join(found))


def check_grpc() -> DoctorFinding:
    """Check how the messages of bots are transported; grpc.aio is a note and no failure."""
    refused, grpcio = refusal(), grpcio_version()
    if not refused.why:
        return DoctorFinding("grpc", OK, say("cli_doctor.grpc_queue", version=grpcio))
    why = refused.why
    if not isinstance(why, Text):  # said of a version, without the texts that the kit does not load
        why = Text("{system} was not tried", system=f"grpcio {grpcio}")
    return DoctorFinding("grpc", NOTE, say("cli_doctor.grpc_aio", why=write_translated(why)), refused.remedy)


def _in_two(error: Exception) -> tuple[str, str]:
    """Return what is wrong and what to do, which stands behind the first semicolon of what an error says."""
    what, _, remedy = translated(str(error)).partition("; ")
    return what, remedy


def check_engine() -> DoctorFinding:
    """Check which engine runs, and whether what is compiled of it can be relied on."""
    try:
        build = look()
    except HalfBuiltError as error:
        return DoctorFinding("engine", FAILED, *_in_two(error))
    if build.modules:
        return DoctorFinding("engine", OK, say("cli_doctor.engine_compiled", **asdict(build)))
    if build.other_python:
        return DoctorFinding("engine", OK, say("cli_doctor.engine_other", python=build.other_python))
    return DoctorFinding("engine", OK, say("cli_doctor.engine_sources"))


def check_games() -> DoctorFinding:
    """Check whether there is a game to play."""
    names = registry.names()
    if not names:
        return DoctorFinding("games", FAILED, "none", say("cli_doctor.do_games"))
    single = registry.single_names()
    told, more = ", ".join(single), len(names) - len(single)
    return DoctorFinding("games", OK, say("cli_doctor.games_more", names=told, count=more) if more else told)


def check_sockets() -> DoctorFinding:
    """Check whether a unix socket can be made where the arena makes them."""
    try:
        with runtime_directory() as directory, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(directory / SOCKET_NAME))
            return DoctorFinding("sockets", OK, say("cli_doctor.sockets_in", directory=directory.parent))
    except (OSError, RuntimeDirectoryError) as error:
        return DoctorFinding("sockets", FAILED, str(error), say("cli_doctor.do_tmpdir"))


def check_processes() -> DoctorFinding:
    """Check whether there is room for a worker on each core, and count the cores."""
    workers = worker_count(0)
    try:
        check_capacity(workers)
    except HostingError as error:
        return DoctorFinding("processes", FAILED, *_in_two(error))
    return DoctorFinding("processes", OK, say("cli_doctor.cores", cores=workers))


def check_launcher() -> DoctorFinding:
    """Check whether the launcher starts a program and sees it end."""
    try:
        said = asyncio.run(_launch())
    except (OSError, HostingError) as error:
        return DoctorFinding("launcher", FAILED, str(error), say("cli_doctor.do_ulimit"))
    if said != LAUNCHED:
        return DoctorFinding(
            "launcher", FAILED, say("cli_doctor.program_said", text=repr(said)), say("cli_doctor.do_report")
        )
    return DoctorFinding("launcher", OK, say("cli_doctor.launches"))


async def _launch() -> str:
    command = [sys.executable, "-S", "-c", f"print('{LAUNCHED}')"]
    async with LauncherClient() as launcher:
        process = await launcher.start(StartRequest(command, tempfile.gettempdir(), {}))
        await process.wait(LAUNCH_LIMIT_S)
        return (await process.collect()).stdout.strip()


def check_files() -> DoctorFinding:
    """Check whether enough files may be open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        check_descriptors(worker_count(0))
    except HostingError as error:
        return DoctorFinding("files", FAILED, *_in_two(error))
    return DoctorFinding("files", OK, say("cli_doctor.files_open", soft=soft, hard=hard))


def check_load(before: tuple[int, int]) -> DoctorFinding:
    """Check whether bots would wait for a processor, by the load now and the time that was stolen since `before`.

    `before` is what `processor_ticks` returned then. A busy machine is a note and no failure.
    """
    passed, stolen = (now - then for now, then in zip(processor_ticks(), before, strict=True))
    load, part = os.getloadavg()[0] / (os.cpu_count() or 1), stolen / max(passed, 1)
    remedies = [say("cli_doctor.do_load")] if load > MOST_LOAD else []
    remedies += [say("cli_doctor.do_stolen")] if part > MOST_STOLEN else []
    detail = say("cli_doctor.load", load=f"{load:.1f}", stolen=f"{part:.1%}".removesuffix("%"))
    return DoctorFinding("load", NOTE if remedies else OK, detail, "; ".join(remedies))


def check_database(db: str) -> Iterator[DoctorFinding]:
    """Check whether the database can be used; a missing or empty one is fine, and is not made.

    If bots waited too long for a processor in its matches lately, that is told too.
    """
    try:
        if not is_there(db):
            yield DoctorFinding("database", OK, say("cli_doctor.no_database", db=db))
            return
        with open_storage(db, makes=False) as storage:
            found = say("cli_doctor.database", db=db, bots=count_bots(storage.database))
            lost = count_lost(storage.database, UNJUDGED, since_us=now_us() - LATELY_DAYS * DAY_US)
        yield DoctorFinding("database", OK, found)
        if lost:
            detail = say("cli_doctor.unjudged", count=lost, days=LATELY_DAYS, causes=", ".join(UNJUDGED))
            yield DoctorFinding("clocks", NOTE, detail, say("cli_doctor.do_unjudged"))
    except EmptyDatabaseError:
        yield DoctorFinding("database", OK, say("cli_doctor.empty_database", db=db))
    except RatingsError as error:
        yield DoctorFinding("database", FAILED, *_in_two(error))


def check_sandboxes() -> Iterator[DoctorFinding]:
    """Try every level of the sandbox anew; a missing one is a note and no failure, for one's own bots play without."""
    strict, standard = probe(STRICT, remembered=False), probe(STANDARD, remembered=False)
    if os.geteuid() == 0:
        reduced = Probe(REDUCED, (), say("cli_doctor.no_root"), say("cli_doctor.do_user"))
    else:
        reduced = probe(REDUCED, remembered=False)
    yield from _sandbox_findings(strict, say("cli_doctor.strangers_strict"))
    yield from _sandbox_findings(standard, say("cli_doctor.strangers"))
    yield from _sandbox_findings(reduced, say("cli_doctor.strangers_reduced"))
    best = next((found.level for found in (strict, standard, reduced) if found.works), NONE)
    detail = say("cli_doctor.strongest", level=best)
    if best in WRAPPED_LEVELS:
        yield DoctorFinding("sandbox", OK, detail)
        yield check_user_ids()
    else:
        yield DoctorFinding("sandbox", NOTE, say("cli_doctor.owned_refused", detail=detail), standard.remedy)


def check_user_ids() -> DoctorFinding:
    """Check whether each bot in a sandbox gets a user id of its own; where they share one it is no failure."""
    name = Text("user ids")
    what, remedy = split(explain_shared_ids() if os.geteuid() != 0 else "")
    if what:
        return DoctorFinding(name, NOTE, say("cli_doctor.shared_ids", why=write_translated(what)), remedy)
    return DoctorFinding(name, OK, say("cli_doctor.own_ids"))


def _sandbox_findings(found: Probe, meaning: str) -> Iterator[DoctorFinding]:
    name = Text("sandbox {level}", level=found.level)
    for check in found.checks:
        state, remedy = (OK, "") if check.holds else (NOTE, found.remedy)
        which = Text("sandbox {level}: {what}", level=found.level, what=check.name)
        yield DoctorFinding(which, state, check.found, remedy)
    if found.works:
        yield DoctorFinding(name, OK, meaning)
    else:
        yield DoctorFinding(name, NOTE, found.problem, found.remedy)


CHECKS: tuple[Callable[[], DoctorFinding], ...] = (
    check_python,
    check_packages,
    check_grpc,
    check_engine,
    check_games,
    check_sockets,
    check_processes,
    check_launcher,
    check_files,
)


def write_check(check: str) -> str:
    """Write the name of a check: that of the sandbox is a sentence, of which others are a word."""
    return write_translated(named("cli_doctor.check_", check))


_COLUMNS = (
    Column("check", "check", write=write_check),
    Column("state", "state", write=lambda state: say(f"cli_doctor.state_{state.lower()}")),
    Column("detail", "found", ColumnKind.SENTENCE),
    Column("remedy", "to_do", ColumnKind.SENTENCE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileOptions:
    """Whether time is measured, and for which game."""

    profile: Annotated[bool, typer.Option("--profile")] = False
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, max=MOST_SECONDS, metavar="N")] = DEFAULT_SECONDS
    game: Annotated[str | None, typer.Option("--game", metavar="GAME")] = None
    workers: Workers = 0

    def check(self, context: typer.Context) -> None:
        """Raise MisuseError for an option that has no part in this, and CliError where nothing can be measured."""
        written = [field.name for field in fields(self) if was_written(context.get_parameter_source(field.name))]
        if not self.profile and written:
            raise MisuseError(Text("--{name} belongs to --profile; add --profile, or leave it out", name=written[0]))
        if self.profile and was_written(context.get_parameter_source("db")):
            raise MisuseError(Text("--profile plays in a database of its own; leave out --db"))
        if self.profile and not has_proc():
            raise CliError(Text("what processes use is read from /proc, which is not here; measure on Linux"))


@app.command(epilog=example("arena doctor", "arena doctor --json", "arena doctor --profile --seconds 10"))
@with_options
def doctor(
    context: typer.Context, options: ProfileOptions, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """Check whether this machine can run the arena, or show where the time goes while it does."""
    need_here(db)
    options.check(context)
    if options.profile:
        from arena.cli.verbs.doctor.profile import profile  # what plays is imported only by who plays

        profile(options.game, options.seconds, worker_count(options.workers), as_json=as_json)
        return
    with use_language(DEFAULT if as_json else None):  # what programs read is in one language
        before = processor_ticks()  # the other checks take long enough to see what is stolen meanwhile
        findings = [*(check() for check in CHECKS), *check_sandboxes(), check_load(before), *check_database(db)]
    print_table(_COLUMNS, findings, as_json=as_json)
    if any(finding.state == FAILED for finding in findings):
        raise typer.Exit(errors.FAILED)
