"""Standing ladders and their seasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.model.tournament_requests import TournamentRequest
from ratings.values.pools import Pool


@dataclass(frozen=True, slots=True)
class AbsentBot:
    """A bot that would take part if it could be started."""

    bot: str
    content_hash: str
    """That of its active version."""
    why: str
    since_us: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """A pool in which the service plays on and on."""

    id: str
    name: str
    pool: Pool
    settings: Mapping[str, Any]
    opened_at_us: int
    closed_at_us: int | None = None
    closed_because: str | None = None
    season: int | None = None
    """The number of the season that runs, if one does."""
    tournament: str | None = None
    """The tournament of that season."""
    bots: int = 0
    """How many bots take part now; those that withdrew or are absent do not."""
    absent: tuple[AbsentBot, ...] = ()
    """Those that it goes on without: an owner sees his own, an organiser all."""
    pace: int | None = None
    """How many matches a day it may play; 0 for any number, `None` where the service's own pace is not known."""
    note: str | None = None
    """Why it rests, or why nothing of it is rated, if so."""


@dataclass(frozen=True, slots=True)
class Season:
    """A stretch of a ladder: one tournament, then perhaps a final."""

    ladder: str
    number: int
    """Counts from 1 within the ladder."""
    name: str
    tournament: str
    opened_at_us: int
    freezes_at_us: int | None = None
    """When submissions close, as it was announced."""
    frozen_at_us: int | None = None
    final_tournament: str | None = None
    closed_at_us: int | None = None
    secret: str | None = None
    """Published when the season is closed."""


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """One line of an archived table; its keys are those that the season was closed with."""

    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SeasonTable:
    """The table of a season as it was when the season was closed."""

    season: Season
    rows: tuple[SeasonRow, ...]
    next: str | None = None
    """The cursor after which the table goes on, or `None` at its end."""


@dataclass(frozen=True, slots=True)
class LadderRequest:
    """A ladder that is to be opened."""

    name: str
    tournament: TournamentRequest
    """How it is played: the format `ladder` with 0 waves, and no bots."""
    matches_per_day: int | None = None
    """The pace that it is held to; 0 for none, `None` for that of the service."""
    season: str | None = None
    """What people call its first season."""
    remote: bool = False
    """Whether it is for bots that their authors run elsewhere; hosted ones are entered one by one."""
