"""Writes what a bridge tells: a line for people, or a line of events for programs; and a live status line."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TextIO

import typer

from arena.cli.shared.cells import printable, short_match_id
from arena.cli.shared.connect import next_command
from arena.cli.shared.output import EventLines, keys_of
from arena.cli.shared.saying import named, say, told
from arena.cli.shared.terminal import raw_stream, width_of
from arena.connect import news

_WIDTH = 100


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
        self._count(what)
        if isinstance(what, news.BotWrote) and self._log is not None:
            self._log.write(f"bot {what.process}| {what.line}\n")
            self._log.flush()
            return
        self._clear()
        if self._as_json:
            self._lines.write(_as_data(what))
        else:
            typer.echo(printable(_WORDS[type(what)](what) + self._hint(what)))
            sys.stdout.flush()
        self._show()

    def _hint(self, what: news.News) -> str:
        """Return which command tells more."""
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

    def _count(self, what: news.News) -> None:
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

    def _summary(self) -> str:
        faults = say("cli_bridge.faults", count=self._faults) if self._faults else say("cli_bridge.no_fault")
        played = say("cli_bridge.played", count=self._played)
        return say("cli_bridge.summary", played=played, first=f"{self._firsts:,}", faults=faults)

    def _show(self) -> None:
        if self._is_live:
            text = say("cli_bridge.playing", running=self._running, summary=self._summary())
            text = text[: min(_WIDTH, (width_of(self._status) or _WIDTH + 1) - 1)]
            self._status.write(text)
            self._status.flush()
            self._shown = len(text)

    def _clear(self) -> None:
        if self._shown:
            raw_stream(self._status).write(f"\r{' ' * self._shown}\r")
            self._status.flush()
            self._shown = 0


def _as_data(what: news.News) -> dict[str, Any]:
    """Return the news as JSON data, with its kind under `event`: MatchEnded becomes match_ended."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(what).__name__).lower()
    return {"event": kind, **asdict(what)}


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


def _disconnected(what: news.Disconnected) -> str:
    return say("cli_bridge.disconnected", why=told(what.why), running=_matches(what.running))


def _waiting(what: news.Waiting) -> str:
    return say("cli_bridge.waiting", bot=what.bot)


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
            what=told(fault.explanation).rstrip("."),
        )
        for fault in what.faults
    )
    return say("cli_bridge.ended", match=short_match_id(what.match_id), rank=rank, shared=shared, faults=faults)


def _vanished(what: news.MatchVanished) -> str:
    return say("cli_bridge.vanished", match=short_match_id(what.match_id))


def _stopped(what: news.BotStopped) -> str:
    words = say("cli_bridge.last_line", line=repr(what.last_words)) if what.last_words else ""
    if what.starts_left < 0:
        then = say("cli_bridge.given_up")
    else:
        then = say("cli_bridge.started_anew", starts=what.starts_left + 1)
    return say("cli_bridge.stopped", match=short_match_id(what.match_id), why=told(what.why), words=words, then=then)


def _draining(what: news.Draining) -> str:
    if not what.running:
        return say("cli_bridge.leaving")
    return say("cli_bridge.draining", running=_matches(what.running))


def _wrote(what: news.BotWrote) -> str:
    return f"bot {what.process}| {what.line}"


def _note(what: news.Note) -> str:
    return say("cli_bridge.note", text=told(what.text))


_WORDS: Mapping[type, Callable[[Any], str]] = {
    news.Connected: _connected,
    news.Disconnected: _disconnected,
    news.Waiting: _waiting,
    news.MatchBegan: _began,
    news.MatchEnded: _ended,
    news.MatchVanished: _vanished,
    news.BotStopped: _stopped,
    news.Draining: _draining,
    news.BotWrote: _wrote,
    news.Note: _note,
}
