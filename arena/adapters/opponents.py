"""Who sits in the other seats: programs, which are hosted as in every match, and bots of this process.

A bot of this process thinks in a thread, so that its faults cannot stop the learner beside it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from arena.adapters.library import AdapterError, OpponentError
from arena.v1 import play_pb2
from arena.wire.messages import encode_joined, parse_join
from bots.decision import Decision
from bots.session import Answer, Bot, Loopback
from engine.core import Game


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a bot in a database: `bot` is `name` for the newest, or `name@hash` with any part of its hash."""

    db: str
    """The path or the URL of the database."""
    bot: str


Opponent = str | PathLike[str] | Version | Bot | Callable[[Decision], Answer]
"""The name of a sample bot, the directory of a bot, a version in a database, or a bot or a function in this process."""


@dataclass(frozen=True, slots=True)
class HostedProgram:
    """A bot that is hosted in a process of its own."""

    bot: str
    db: str = ""

    def to_json(self) -> dict[str, str]:
        """Return it as `arena.adapters.bot_host` is told of it."""
        return {"bot": self.bot, "db": self.db} if self.db else {"bot": self.bot}


class FunctionBot(Bot):
    """A function that chooses, as a bot."""

    def __init__(self, function: Callable[[Decision], Answer]) -> None:
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def decide(self, decision: Decision) -> Answer:
        return self._function(decision)


def name_of(bot: Bot) -> str:
    """Return what a bot of this process is called in messages."""
    return bot.name if isinstance(bot, FunctionBot) else type(bot).__name__


def read_opponents(given: Opponent | Sequence[Opponent], count: int) -> tuple[HostedProgram | Bot, ...]:
    """Return who plays the other seats, in the order of the seats; one opponent alone sits in all of them.

    Raises AdapterError.
    """
    is_one = isinstance(given, str | PathLike | Version | Bot) or callable(given)
    listed: Any = [given] * count if is_one else given
    if not isinstance(listed, Sequence):
        raise AdapterError(f"opponents is one bot or a list of them, not {given!r:.60}")
    if len(listed) != count:
        raise AdapterError(f"{len(listed)} opponents for {count} other seats; name one for each, or one for all")
    found = tuple(map(_read, listed))
    here = [id(bot) for bot in found if isinstance(bot, Bot)]
    if len(set(here)) < len(here):
        raise AdapterError("one Bot object cannot play two seats, as it knows of one match alone; make one for each")
    return found


def _read(given: Any) -> HostedProgram | Bot:
    if isinstance(given, Version):
        bot: Any = given.bot
        db: Any = fspath(given.db) if isinstance(given.db, PathLike) else given.db
        for name, text in (("db", db), ("bot", bot)):
            if not isinstance(text, str):
                raise AdapterError(
                    f"{name} of a Version is a text, not {text!r:.60}; write Version('arena.db', 'mine')"
                )
        return HostedProgram(bot, db)
    if isinstance(given, Bot):
        return given
    if isinstance(given, str | PathLike):
        return HostedProgram(fspath(given))
    if isinstance(given, type):
        raise AdapterError(f"{given.__name__} is a class; give an object of it: {given.__name__}()")
    if callable(given):
        return FunctionBot(given)
    raise AdapterError(
        f"{given!r:.60} is no opponent; give the name of a sample bot, the directory of one, Version(db, bot), a Bot, "
        "or a function that takes a Decision and returns an action"
    )


class ThinkingBot:
    """A bot of this process in one seat; it thinks in a thread, so that one that never answers is noticed."""

    def __init__(self, bot: Bot, game: Game, patience_s: float) -> None:
        """Raise OpponentError from `prepare` or `send` when it has not answered for so many seconds."""
        self._loopback = Loopback(bot)
        self._name = name_of(bot)
        self._game = game
        self._patience_s = patience_s
        self._thread = _Thread()
        self._has_joined = False

    def prepare(self, seat: int) -> None:
        """Let the bot prepare itself, unless it has done so, and tell it of the game. Raises OpponentError."""
        if self._has_joined:
            return
        join = parse_join(self._call(seat, self._loopback.join))
        assert isinstance(join, play_pb2.Join), "a session begins with its Join"
        self.send(seat, encode_joined(join.games, self._game))
        self._has_joined = True

    def send(self, seat: int, message: bytes) -> bytes:
        """Hand it a `PlayResponse` and return its answer, no bytes if none is asked for. Raises OpponentError."""
        return self._call(seat, lambda: self._loopback.send(message))

    def _call(self, seat: int, work: Callable[[], bytes]) -> bytes:
        try:
            return self._thread.call(work, self._patience_s)
        except TimeoutError:
            self._thread = _Thread()
            raise OpponentError(
                seat,
                f"{self._name} in seat {seat} has not answered for {self._patience_s:g} s; it computes here, where "
                "nothing can end it; mend it, or put it into a directory of its own and name that",
            ) from None
        except _RaisedError as raised:
            error = raised.error
            raise OpponentError(seat, f"{self._name} in seat {seat} raised {type(error).__name__}: {error}") from error

    def close(self) -> None:
        """End its thread."""
        self._thread.close()


class _RaisedError(Exception):
    """What the work of a thread raised: so its SystemExit does not end who asked, and is no Ctrl-C of theirs."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Thread:
    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], bytes] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[bytes | BaseException] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def call(self, work: Callable[[], bytes], patience_s: float) -> bytes:
        """Return what the work returns. Raises _RaisedError for whatever it raises, and TimeoutError."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="opponent")
            self._thread.start()
        self._work.put(work)
        try:
            done = self._done.get(timeout=patience_s)
        except queue.Empty:
            self.close()  # when it comes back, if ever
            raise TimeoutError from None
        if isinstance(done, BaseException):
            raise _RaisedError(done)
        return done

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                self._done.put(work())
            except BaseException as error:  # whatever it is, who waits is told
                self._done.put(error)

    def close(self) -> None:
        """End it when its work is done."""
        self._work.put(None)
