"""Writes what a bridge tells: a line for people, or a JSON object on a line for programs; and a live status line."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TextIO

import typer

from arena.cli.shared.matches import short_match_id
from arena.cli.shared.output import format_count, format_json, printable
from arena.cli.shared.suggestions import next_command
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
        self._log = log
        self._status = sys.stderr if stream is None else stream
        self._is_live = self._status.isatty() and not as_json
        self._shown = 0
        self._bot = ""
        self._running = self._played = self._firsts = self._faults = 0

    def tell(self, what: news.News) -> None:
        """Write one piece of news."""
        self._count(what)
        if isinstance(what, news.BotWrote) and self._log is not None:
            self._log.write(f"bot {what.process}| {what.line}\n")
            self._log.flush()
            return
        self._clear()
        typer.echo(
            format_json(_as_data(what)) if self._as_json else printable(_WORDS[type(what)](what) + self._hint(what))
        )
        sys.stdout.flush()
        self._show()

    def _hint(self, what: news.News) -> str:
        """Return which command tells more."""
        if isinstance(what, news.Waiting):
            ladders = next_command("ladder", "list", db=self._place)
            own = what.bot.rpartition("/")[2]
            words = ("challenge", "BOT", "--with", own, "--game", what.games[0])
            challenge = next_command(*words, db=self._place)
            return f"; `{ladders}` shows where remote bots play, `{challenge}` plays against a bot at once"
        if isinstance(what, news.MatchVanished) or (isinstance(what, news.MatchEnded) and what.faults):
            command = next_command("match", "show", short_match_id(what.match_id), db=self._place)
            return f"; `{command}` tells more"
        return ""

    def end(self) -> None:
        """Take the status line away, and say in one line what was played."""
        self._clear()
        self._is_live = False
        if not self._as_json and self._played:
            mine = next_command("match", "list", "--bot", self._bot, db=self._place)
            typer.echo(f"{self._summary()}; `{mine}` shows against whom")

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
        faults = format_count(self._faults, "fault") if self._faults else "no fault"
        played = f"{self._played:,} match{'' if self._played == 1 else 'es'} played"
        return f"{played}, first in {self._firsts:,}, {faults}"

    def _show(self) -> None:
        if self._is_live:
            text = f"playing {self._running}; {self._summary()}"[:_WIDTH]
            self._status.write(text)
            self._status.flush()
            self._shown = len(text)

    def _clear(self) -> None:
        if self._shown:
            self._status.write(f"\r{' ' * self._shown}\r")
            self._status.flush()
            self._shown = 0


def _as_data(what: news.News) -> dict[str, Any]:
    """Return the news as JSON data, with its kind under `event`: MatchEnded becomes match_ended."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(what).__name__).lower()
    return {"event": kind, **asdict(what)}


def _connected(what: news.Connected) -> str:
    if what.again:
        return f"connected again to {what.address}"
    at_once = "one match at a time" if what.matches == 1 else f"up to {what.matches} matches at once"
    return (
        f"connected to {what.address} as {what.bot} version {what.version}: {', '.join(what.games)}, {at_once}; "
        "Ctrl-C ends it when the matches that run are over"
    )


def _disconnected(what: news.Disconnected) -> str:
    return f"not connected: {what.why}; trying again, {_matches(what.running)}"


def _waiting(what: news.Waiting) -> str:
    return f"{what.bot} is connected and waits: no match has come yet"


def _matches(running: int) -> str:
    if not running:
        return "no match is running"
    return "one match is running" if running == 1 else f"{running} matches are running"


def _began(what: news.MatchBegan) -> str:
    goes_on = "goes on" if what.resumed else "begins"
    return (
        f"match {short_match_id(what.match_id)} {goes_on}: {what.game}, seat {what.seat} of "
        f"{what.seats}, opponents not told while it runs"
    )


def _ended(what: news.MatchEnded) -> str:
    rank = f"rank {what.rank} of {what.seats}" if what.rank else "the service broke it off, and it counts for nothing"
    shared = f", shared by {what.shared_by}" if what.rank and what.shared_by > 1 else ""
    faults = "".join(f"; {fault.cause} at ply {fault.ply}: {fault.explanation.rstrip('.')}" for fault in what.faults)
    return f"match {short_match_id(what.match_id)} is over: {rank}{shared}{faults}"


def _vanished(what: news.MatchVanished) -> str:
    return f"match {short_match_id(what.match_id)} runs no more"


def _stopped(what: news.BotStopped) -> str:
    words = f" Its last line was: {what.last_words!r}." if what.last_words else ""
    if what.starts_left < 0:
        then = "The match is given up"
    else:
        then = f"It is started anew and told the match again ({what.starts_left + 1} of such starts were left)"
    return f"match {short_match_id(what.match_id)}: {what.why}.{words} {then}"


def _draining(what: news.Draining) -> str:
    if not what.running:
        return "leaving"
    return f"no new match is begun; {_matches(what.running)}, to be waited for. Ctrl-C again leaves at once"


def _wrote(what: news.BotWrote) -> str:
    return f"bot {what.process}| {what.line}"


def _note(what: news.Note) -> str:
    return f"note: {what.text}"


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
