"""Who sits in the other seats: programs, which are hosted as in every match, and bots of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from arena.adapters.errors import AdapterError
from bots.decision import Decision
from bots.session import Answer, Bot


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
        """Return it as `arena.adapters.bot_host.program` is told of it."""
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
    listed = [given] * count if is_one else list(_each(given))
    if len(listed) != count:
        raise AdapterError(f"{len(listed)} opponents for {count} other seats; name one for each, or one for all")
    found = tuple(map(_read, listed))
    here = [id(bot) for bot in found if isinstance(bot, Bot)]
    if len(set(here)) < len(here):
        raise AdapterError("one Bot object cannot play two seats, as it knows of one match alone; make one for each")
    return found


def _each(given: Any) -> Sequence[Any]:
    if not isinstance(given, Sequence):
        raise AdapterError(f"opponents is one bot or a list of them, not {given!r:.60}")
    return given


def _read_version(given: Version) -> HostedProgram:
    """Return the program of a version, which is looked for later. Raises AdapterError."""
    bot: Any = given.bot
    db: Any = fspath(given.db) if isinstance(given.db, PathLike) else given.db
    for name, text in (("db", db), ("bot", bot)):
        if not isinstance(text, str):
            raise AdapterError(f"{name} of a Version is a text, not {text!r:.60}; write Version('arena.db', 'mine')")
    return HostedProgram(bot, db)


def _read(given: Any) -> HostedProgram | Bot:
    if isinstance(given, Version):
        return _read_version(given)
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
