"""What a bridge tells its author: news while it runs, and the errors that end it and are the bot's fault. Plain values.

The command line writes the news in words or as JSON. What the service refuses is in `arena.rpc.errors`.

ConnectError
├── BotFailsError    the bot does not start, or crashes in match after match
└── LeftError        its author left while matches were running
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Connected:
    """The service has let the bot in."""

    address: str
    bot: str
    version: str
    games: tuple[str, ...]
    matches: int
    """How many matches it may be given at once; 0 if it came back only for those that still run."""
    again: bool
    """Whether it was connected before."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection to the service is lost, or the service asks to wait; it is tried again until it works."""

    why: str
    running: int
    """The matches that go on meanwhile."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The bot is connected, and for some seconds no match has come; told once."""

    bot: str
    games: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchBegan:
    """A match has begun for the bot; who else plays it is told when it is over."""

    match_id: str
    game: str
    seat: int
    seats: int
    resumed: bool
    """Whether the bot comes back to a match that was running before this bridge was started."""


@dataclass(frozen=True, slots=True)
class OwnFault:
    """What the service says the bot did wrong."""

    cause: str
    ply: int
    explanation: str


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over for the bot."""

    match_id: str
    game: str
    seat: int
    seats: int
    rank: int
    """1 is the best; 0 if the service told no result."""
    shared_by: int
    """How many seats have this rank."""
    by_rules: bool
    faults: tuple[OwnFault, ...]


@dataclass(frozen=True, slots=True)
class MatchVanished:
    """A match is not running any more after the connection was lost; the service tells what became of it."""

    match_id: str
    game: str


@dataclass(frozen=True, slots=True)
class BotStopped:
    """The bot's process ended or broke the protocol in the middle of a match."""

    match_id: str
    why: str
    last_words: str
    """The last line that it wrote; empty if it wrote nothing."""
    starts_left: int
    """How often it will still be started anew in this match; if it is -1, the match is given up."""


@dataclass(frozen=True, slots=True)
class Draining:
    """No new match is wanted; the bridge ends when those that run are over."""

    running: int


@dataclass(frozen=True, slots=True)
class BotWrote:
    """A line that a process of the bot wrote to its standard output or error."""

    process: int
    """The number of the process on this machine, from 1."""
    line: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the author should know, and that stops nothing."""

    text: str


_OfMatches = MatchBegan | MatchEnded | MatchVanished | BotStopped
News = Connected | Disconnected | Waiting | _OfMatches | Draining | BotWrote | Note
OnNews = Callable[[News], None]


class ConnectError(Exception):
    """The bridge cannot go on. The message is one line that ends with the remedy."""

    kind: ClassVar[str] = "failed"


class BotFailsError(ConnectError):
    """The bot does not start, or crashes in match after match."""


class LeftError(ConnectError):
    """The author of the bot left while matches were running."""
