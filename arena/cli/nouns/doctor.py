"""`arena doctor`: looks whether this machine can run the arena, and says what to do where it cannot."""

from __future__ import annotations

import asyncio
import resource
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.hosting_options import FAILED, OK, sandbox_lines
from arena.cli.shared.options import AsJson, Database, example, worker_count
from arena.cli.shared.output import Column, print_table
from arena.cli.shared.storage import inspect_database
from arena.hosting.errors import HostingError, RuntimeDirectoryError
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.request import StartRequest
from arena.hosting.runtime_directory import SOCKET_NAME, runtime_directory
from engine import registry

app = typer.Typer()

OLDEST_PYTHON = (3, 11)
# A worker holds about ten descriptors for itself and six for each bot it keeps warm.
FEWEST_FILES = 256
PACKAGES = ("grpcio", "protobuf", "sqlmodel", "alembic", "trueskill", "typer")
FEWEST_PROCESSES = 256
LAUNCHED = "launched"
LAUNCH_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; `remedy` is empty unless something is to be done."""

    check: str
    state: str
    detail: str
    remedy: str = ""


def check_python() -> Finding:
    """Whether the interpreter is new enough."""
    detail = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.version_info >= OLDEST_PYTHON:
        return Finding("python", OK, detail)
    return Finding("python", FAILED, detail, "install Python 3.11 or newer, then: make PYTHON=python3.12 demo")


def check_packages() -> Finding:
    """Whether the packages it stands on are installed."""
    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("packages", FAILED, f"missing: {' '.join(missing)}", "run `make setup` in the checkout")
    return Finding("packages", OK, ", ".join(found))


def check_games() -> Finding:
    """Whether there is a game to play."""
    names = registry.names()
    if not names:
        return Finding("games", FAILED, "none", "install the arena anew: its engine/games folder is empty")
    return Finding("games", OK, ", ".join(names))


def check_sockets() -> Finding:
    """Whether a unix socket can be made where the arena makes them."""
    try:
        with runtime_directory() as directory, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(directory / SOCKET_NAME))
            return Finding("sockets", OK, f"unix sockets in {directory.parent}")
    except (OSError, RuntimeDirectoryError) as error:
        return Finding("sockets", FAILED, str(error), "set TMPDIR to a directory with a short path on a local disk")


def check_processes() -> Finding:
    """How many processes there may be, and on how many cores."""
    most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    cores = worker_count(0)
    detail = f"{cores} cores for this process, so many matches at once"
    if most != resource.RLIM_INFINITY and most < FEWEST_PROCESSES:
        return Finding("processes", FAILED, f"only {most} allowed", f"raise the limit: ulimit -u {FEWEST_PROCESSES}")
    return Finding("processes", OK, detail)


def check_launcher() -> Finding:
    """Whether the launcher starts a program and sees it end."""
    try:
        said = asyncio.run(_launch())
    except (OSError, HostingError) as error:
        return Finding("launcher", FAILED, str(error), "look whether this user may start processes (ulimit -a)")
    if said != LAUNCHED:
        return Finding("launcher", FAILED, f"a started program said {said!r}", "report this with `ARENA_DEBUG=1`")
    return Finding("launcher", OK, "starts programs, reads what they write, sees them end")


async def _launch() -> str:
    command = [sys.executable, "-S", "-c", f"print('{LAUNCHED}')"]
    async with LauncherClient() as launcher:
        process = await launcher.start(StartRequest(command, tempfile.gettempdir(), {}))
        await process.wait(LAUNCH_LIMIT_S)
        return (await process.collect()).stdout.strip()


def check_files() -> Finding:
    """Whether enough files may be open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    detail = f"{soft} may be open at once (at most {hard})"
    if soft < FEWEST_FILES:
        return Finding("files", FAILED, detail, f"raise the limit: ulimit -n {FEWEST_FILES}")
    return Finding("files", OK, detail)


def check_database(db: str) -> Finding:
    """Whether the database can be used; a missing one is fine."""
    is_usable, detail, remedy = inspect_database(db)
    return Finding("database", OK if is_usable else FAILED, detail, remedy)


CHECKS: tuple[Callable[[], Finding], ...] = (
    check_python,
    check_packages,
    check_games,
    check_sockets,
    check_processes,
    check_launcher,
    check_files,
)

_COLUMNS = (
    Column("check", "CHECK"),
    Column("state", "STATE"),
    Column("detail", "FOUND"),
    Column("remedy", "TO DO"),
)


@app.command(epilog=example("arena doctor", "arena doctor --json"))
def doctor(db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Look whether this machine can run the arena."""
    findings = [check() for check in CHECKS]
    findings += [Finding(*line) for line in sandbox_lines()]
    findings.append(check_database(db))
    print_table(_COLUMNS, [asdict(finding) for finding in findings], as_json=as_json)
    if any(finding.state == FAILED for finding in findings):
        raise typer.Exit(errors.FAILED)
