"""`arena bot connect`: let a bot play on a service from this machine."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from arena.cli.shared import settings
from arena.cli.shared.bridge_report import BridgeReport
from arena.cli.shared.connect import SERVICE, read_place, service_name
from arena.cli.shared.errors import INTERRUPTED, MisuseError
from arena.cli.shared.hosting import AllowReduced, RuntimesFile, Sandbox, local_runtimes, read_hosting
from arena.cli.shared.interrupt import InterruptedRunError, SignalCount, counted
from arena.cli.shared.options import AsJson, example
from arena.hosting.manifest import load_manifest
from arena.rpc.profiles import Profile, load_profile
from arena.rpc.quiet import keep_grpc_quiet
from engine.os_errors import os_error_text
from engine.text import Text

if TYPE_CHECKING:  # gRPC is imported when there is somebody to talk to
    from arena.connect.bridge import Bridge
    from arena.connect.connecting import ConnectOptions

app = typer.Typer()

# It is how the option `--server` of the whole command line is read; a database has no use here.
_Place = Annotated[str, typer.Option("--db", envvar=settings.DB.variable, callback=read_place, hidden=True)]
_VERSION = re.compile(r"[!-~]{1,64}")


@app.command(
    epilog=example(
        "arena bot connect my-bot --server club",
        "arena --server club bot connect my-bot --matches 4 --version 1.3",
        "arena bot connect my-bot --stop-after 10 --bot-log bot.log",
    )
)
def connect(
    directory: Annotated[Path, typer.Argument(metavar="DIRECTORY")],
    matches: Annotated[int, typer.Option("--matches", min=1, max=64, metavar="N")] = 1,
    name: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    version: Annotated[
        str | None,
        typer.Option(metavar="WORD"),
    ] = None,
    stop_after: Annotated[int | None, typer.Option("--stop-after", min=1, metavar="N")] = None,
    bot_log: Annotated[
        Path | None,
        typer.Option("--bot-log", metavar="FILE"),
    ] = None,
    play_address: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT"),
    ] = None,
    sandbox: Sandbox = settings.SANDBOX.default,
    allow_reduced: AllowReduced = False,
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    server: Annotated[str | None, typer.Option("--server", metavar="NAME")] = None,
    db: _Place = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Let a bot play on a service from this machine."""
    keep_grpc_quiet()
    from arena.connect.connecting import ConnectOptions

    manifest = load_manifest(directory)
    place = db if server is None else f"{SERVICE}{server}"
    profile = _profile(place)
    _check_version(version)
    order = ConnectOptions(
        directory=directory,
        manifest=manifest,
        profile=profile,
        name=name or manifest.name,
        version=version,
        matches=matches,
        stop_after=stop_after,
        play_address=play_address,
        policy=read_hosting(sandbox=sandbox, allow_reduced=allow_reduced).policy,
        runtimes=local_runtimes(runtimes),
    )
    with _open_log(bot_log) as log:
        report = BridgeReport(place, as_json=as_json, log=log)
        try:
            with counted([signal.SIGINT, signal.SIGTERM]) as signals:
                asyncio.run(_run(order, report, signals))
        finally:
            report.end()


def _profile(db: str) -> Profile:
    service = service_name(db)
    if service is None:
        raise MisuseError(
            Text(
                "command.bot_plays_service_here_name",
                "a bot plays on a service from here; name one with --server, `arena logout` lists your logins, "
                "or `arena match run` plays on this machine",
            )
        )
    if service.startswith("unix:"):
        raise MisuseError(
            Text(
                "command.remote_bot_connects_over_network",
                "a remote bot connects over the network; name a login, which `arena login` makes",
            )
        )
    return load_profile(service)


def _check_version(version: str | None) -> None:
    if version is not None and not _VERSION.fullmatch(version):
        raise MisuseError(
            Text(
                "command.version_no_word_up_64",
                "--version {text} is no word of up to 64 characters; write for example 1.4",
                text=repr(version[:80]),
            )
        )


@contextmanager
def _open_log(file: Path | None) -> Iterator[TextIO | None]:
    with ExitStack() as stack:
        try:
            log = None if file is None else stack.enter_context(file.open("a", encoding="utf-8"))
        except OSError as error:
            raise MisuseError(
                Text(
                    "command.cannot_write_name_another_file",
                    "cannot write {file}: {why}; name another file after {option}",
                    file=file,
                    why=os_error_text(error),
                    option="--bot-log",
                )
            ) from error
        yield log


async def _run(order: ConnectOptions, report: BridgeReport, signals: SignalCount) -> None:
    """Run the bridge: the first signal lets running matches end, the second leaves, the third ends on the spot."""
    from arena.connect.connecting import run_bridge
    from arena.connect.errors import LeftError

    task, bridges = asyncio.current_task(), list["Bridge"]()

    def interrupt(times: int) -> None:
        if times > 2:
            os._exit(INTERRUPTED)  # the launcher ends the processes when its pipe to this one closes
        elif not bridges and task is not None:
            task.cancel()
        elif times == 1:
            bridges[0].drain()
        else:
            bridges[0].leave()

    signals.listen(interrupt)
    try:
        await run_bridge(order, report.write, bridges.append)
    except LeftError as error:
        raise InterruptedRunError(str(error)) from error
    except asyncio.CancelledError:
        raise InterruptedRunError(
            Text(
                "command.stopped_before_bot_connected_nothing",
                "stopped before the bot was connected; nothing was played",
            )
        ) from None
