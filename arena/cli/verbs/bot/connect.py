"""`arena bot connect`: let a bot play on a service from this machine, and report what happens, line by line."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import printable, short_match_id
from arena.cli.shared.connect import SERVICE, next_command, read_place, service_name
from arena.cli.shared.errors import INTERRUPTED, MisuseError
from arena.cli.shared.files import cannot_write
from arena.cli.shared.hosting import AllowReduced, RuntimesFile, Sandbox, local_runtimes, read_hosting
from arena.cli.shared.interrupt import InterruptedRunError, SignalCount, counted
from arena.cli.shared.language import named, say, translated
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import EventLines, keys_of
from arena.cli.shared.terminal import raw_stream, width_of
from arena.connect import news
from arena.hosting.manifest import load_manifest
from arena.rpc.profiles import Profile, load_profile
from arena.rpc.quiet import keep_grpc_quiet
from engine.translatable import Text

if TYPE_CHECKING:
    from arena.connect.bridge import Bridge, ConnectOptions


app = typer.Typer()

# It is how the option `--server` of the whole command line is read; a database has no use here.
_Place = Annotated[str, typer.Option("--db", envvar=settings.DB.variable, callback=read_place, hidden=True)]
_VERSION = re.compile(r"[!-~]{1,64}")
_WIDTH = 100


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
    version: Annotated[str | None, typer.Option(metavar="WORD")] = None,
    stop_after: Annotated[int | None, typer.Option("--stop-after", min=1, metavar="N")] = None,
    bot_log: Annotated[Path | None, typer.Option("--bot-log", metavar="FILE")] = None,
    play_address: Annotated[str | None, typer.Option(metavar="HOST:PORT")] = None,
    sandbox: Sandbox = settings.SANDBOX.default,
    allow_reduced: AllowReduced = False,
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    server: Annotated[str | None, typer.Option("--server", metavar="NAME")] = None,
    db: _Place = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Let a bot on this machine play at a service."""
    keep_grpc_quiet()
    from arena.connect.bridge import ConnectOptions

    manifest = load_manifest(directory)
    place = db if server is None else f"{SERVICE}{server}"
    profile = _profile(place)
    if version is not None and not _VERSION.fullmatch(version):
        raise MisuseError(
            Text("--version {text} is no word of up to 64 characters; write for example 1.4", text=repr(version[:80]))
        )
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
                "a bot plays on a service from here; name one with --server, `arena logout` lists your logins, "
                "or `arena match run` plays on this machine"
            )
        )
    if service.startswith("unix:"):
        raise MisuseError(Text("a remote bot connects over the network; name a login, which `arena login` makes"))
    return load_profile(service)


@contextmanager
def _open_log(file: Path | None) -> Iterator[TextIO | None]:
    if file is None:
        yield None
        return
    try:
        log = file.open("a", encoding="utf-8")
    except OSError as error:
        raise cannot_write(file, error, "--bot-log") from error
    with log:
        yield log


async def _run(order: ConnectOptions, report: BridgeReport, signals: SignalCount) -> None:
    """Run the bridge: the first signal lets running matches end, the second leaves, the third ends on the spot."""
    from arena.connect.bridge import run_bridge
    from arena.connect.news import LeftError

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
        raise InterruptedRunError(Text("stopped before the bot was connected; nothing was played")) from None


class BridgeReport:
    """Takes the news of a bridge one by one and writes them on the standard output."""

    def __init__(self, place: str, *, as_json: bool, log: TextIO | None = None, stream: TextIO | None = None) -> None:
        """Write what the bot's processes write into `log` if there is one, else among the news.

        `place` is the service, as commands name it.
        """
        self._place = place
        self._as_json = as_json
        self._lines = EventLines(["event", *keys_of(*_WORDS)])
        self._log = log
        self._status = sys.stderr if stream is None else stream
        self._is_live = self._status.isatty() and not as_json
        self._shown = 0
        self._bot = ""
        self._running = self._played = self._firsts = self._faults = 0

    def write(self, what: news.News) -> None:
        """Write one piece of news."""
        if isinstance(what, news.Connected):
            self._bot = what.bot
        elif isinstance(what, news.MatchBegan):
            self._running += 1
        elif isinstance(what, news.MatchEnded | news.MatchVanished):
            self._running -= 1
        if isinstance(what, news.MatchEnded):
            self._played += 1
            self._firsts += what.rank == 1
            self._faults += len(what.faults)
        if isinstance(what, news.BotWrote) and self._log is not None:
            self._log.write(f"bot {what.process}| {what.line}\n")
            self._log.flush()
            return
        self._clear()
        if self._as_json:
            kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(what).__name__).lower()
            self._lines.write({"event": kind, **asdict(what)})
        else:
            typer.echo(printable(_WORDS[type(what)](what) + self._hint(what)))
            sys.stdout.flush()
        if self._is_live:
            text = say("cli_bridge.playing", running=self._running, summary=self._summary())
            text = text[: min(_WIDTH, (width_of(self._status) or _WIDTH + 1) - 1)]
            self._status.write(text)
            self._status.flush()
            self._shown = len(text)

    def _hint(self, what: news.News) -> str:
        if isinstance(what, news.Waiting):
            ladders = next_command("ladder", "list", db=self._place)
            own = what.bot.rpartition("/")[2]
            words = ("challenge", "BOT", "--with", own, "--game", what.games[0])
            challenge = next_command(*words, db=self._place)
            return say("cli_bridge.hint_waiting", ladders=ladders, challenge=challenge)
        if isinstance(what, news.MatchVanished) or (isinstance(what, news.MatchEnded) and what.faults):
            command = next_command("match", "show", short_match_id(what.match_id), db=self._place)
            return say("cli_bridge.hint_more", command=command)
        return ""

    def end(self) -> None:
        """Take the status line away, and say in one line what was played."""
        self._clear()
        self._is_live = False
        if not self._as_json and self._played:
            mine = next_command("match", "list", "--bot", self._bot, db=self._place)
            typer.echo(say("cli_bridge.hint_whom", summary=self._summary(), command=mine))

    def _summary(self) -> str:
        faults = say("cli_bridge.faults", count=self._faults) if self._faults else say("cli_bridge.no_fault")
        played = say("cli_bridge.played", count=self._played)
        return say("cli_bridge.summary", played=played, first=f"{self._firsts:,}", faults=faults)

    def _clear(self) -> None:
        if self._shown:
            raw_stream(self._status).write(f"\r{' ' * self._shown}\r")
            self._status.flush()
            self._shown = 0


def _connected(what: news.Connected) -> str:
    if what.again:
        return say("cli_bridge.again", address=what.address)
    at_once = say("cli_bridge.one_at_a_time") if what.matches == 1 else say("cli_bridge.at_once", matches=what.matches)
    return say(
        "cli_bridge.connected",
        address=what.address,
        bot=what.bot,
        version=what.version,
        games=", ".join(what.games),
        at_once=at_once,
    )


def _matches(running: int) -> str:
    if not running:
        return say("cli_bridge.no_match")
    return say("cli_bridge.one_match") if running == 1 else say("cli_bridge.matches", matches=running)


def _began(what: news.MatchBegan) -> str:
    goes_on = say("cli_bridge.goes_on") if what.resumed else say("cli_bridge.begins")
    return say(
        "cli_bridge.began",
        match=short_match_id(what.match_id),
        begins=goes_on,
        game=what.game,
        seat=what.seat,
        seats=what.seats,
    )


def _ended(what: news.MatchEnded) -> str:
    rank = say("cli_bridge.rank", rank=what.rank, seats=what.seats) if what.rank else say("cli_bridge.broken_off")
    shared = say("cli_bridge.shared", count=what.shared_by) if what.rank and what.shared_by > 1 else ""
    faults = "".join(
        say(
            "cli_bridge.fault",
            cause=named("fault.", fault.cause),
            ply=fault.ply,
            what=translated(fault.explanation).rstrip("."),
        )
        for fault in what.faults
    )
    return say("cli_bridge.ended", match=short_match_id(what.match_id), rank=rank, shared=shared, faults=faults)


def _stopped(what: news.BotStopped) -> str:
    words = say("cli_bridge.last_line", line=repr(what.last_words)) if what.last_words else ""
    if what.starts_left < 0:
        then = say("cli_bridge.given_up")
    else:
        then = say("cli_bridge.started_anew", starts=what.starts_left + 1)
    return say(
        "cli_bridge.stopped", match=short_match_id(what.match_id), why=translated(what.why), words=words, then=then
    )


def _draining(what: news.Draining) -> str:
    if not what.running:
        return say("cli_bridge.leaving")
    return say("cli_bridge.draining", running=_matches(what.running))


_WORDS: Mapping[type, Callable[[Any], str]] = {
    news.Connected: _connected,
    news.Disconnected: lambda what: say(
        "cli_bridge.disconnected", why=translated(what.why), running=_matches(what.running)
    ),
    news.Waiting: lambda what: say("cli_bridge.waiting", bot=what.bot),
    news.MatchBegan: _began,
    news.MatchEnded: _ended,
    news.MatchVanished: lambda what: say("cli_bridge.vanished", match=short_match_id(what.match_id)),
    news.BotStopped: _stopped,
    news.Draining: _draining,
    news.BotWrote: lambda what: f"bot {what.process}| {what.line}",
    news.Note: lambda what: say("cli_bridge.note", text=translated(what.text)),
}
