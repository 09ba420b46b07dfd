"""What is asked of a tournament before it is written, and what it would be; who only looks at one needs none of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ratings.values.pools import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRequest:
    """A tournament, or a single match, that is to be planned."""

    format: str
    """The name of a format, or SINGLE_MATCH; then the bots sit in the order in which they are named."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the format but the seats."""
    game: str
    seats: int
    bots: tuple[str, ...]
    """The entrants, each a name (its newest version) or `name@hash`; `all` is every bot that can play the game."""
    time: str
    start_limit: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game; values may be texts."""
    opening_plies: int | None = None
    """How many random plies come first, or `None` for the game's own number."""
    seed: int | None = None
    rated: bool = True
    name: str | None = None
    kind: str | None = None
    """What it is called by, with a number, if it has no name; the name of its format if this is not given."""
    secret: str | None = None
    """What everything is drawn from instead of a seed, as 64 hexadecimal digits: repeats a tournament anywhere."""
    same_owner: bool = False
    """Whether bots of one owner may meet in a rated tournament, which is rated then, too."""
    cores: int | None = None
    """How many processor cores each bot is granted; `None` for one."""
    openings: str | None = None
    """The text of a file of openings (JSON, PGN, EPD, FEN) instead of random plies; `opening_plies` cuts them."""
    rating_method: str | None = None
    """What the pool is rated by, `trueskill` or `openskill`; `None` as the arena is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeRequest:
    """A bot of one's own that is to play against others, unrated."""

    bot: str
    """The bot of one's own: its newest version, or `name@hash`; of a remote one the version that is connected."""
    opponents: tuple[str, ...]
    """The others, each a name (the version that plays on ladders, if there is one) or `name@hash`."""
    game: str
    seats: int
    blocks: int
    """The number of blocks of each combination of opponents."""
    time: str
    """Empty for the usual one: 100 ms a decision, or 1 s if a remote bot is in it."""
    start_limit: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game; values may be texts."""
    opening_plies: int | None = None
    """How many random plies come first, or `None` for the game's own number."""
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A bot that `all` does not mean."""

    bot: str
    why: str
    """In half a sentence."""


@dataclass(frozen=True, slots=True)
class PlannedTournament:
    """A tournament that was written just now."""

    id: str
    name: str
    seed: int | None
    seeded: bool
    """Whether it can be repeated, because somebody gave a seed."""
    secret: str | None = None
    """For an organiser whose seed means something in this arena alone: what repeats the tournament anywhere."""
    left_out: tuple[LeftOut, ...] = ()
    """The bots that `all` did not mean, by name."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What came of cancelling a tournament."""

    tournament: str
    matches: int
    """How many matches will not be played; 0 if it was over already."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A bot that entered late."""

    tournament: str
    bot: str
    number: int
    """The number of its version."""
    wave: int
    """The wave, counted from 0, from which on it plays."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A bot that was taken out of a tournament."""

    tournament: str
    bot: str
    number: int
    matches: int
    """How many matches will not be played for that."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would be played if a tournament was asked for."""

    format: str
    pool: Pool
    is_new_pool: bool
    """Whether nothing was played in that pool so far."""
    bots: tuple[str, ...]
    """The entrants, each `name@hash`, in the order of entry."""
    left_out: tuple[LeftOut, ...]
    """The bots that `all` would not mean."""
    matches: int | None
    """How many matches, or `None` if it goes on until it is cancelled."""
    is_most: bool
    """Whether these are the most, and results may end it earlier."""
    match_us: int | None
    """How long a match takes, in microseconds of wall time, or `None` if nobody can say."""
    measured: int
    """From how many matches among these versions that was measured; with 0 it is what the clock allows."""
