"""Tournaments: listed, shown with their tables; `planning.py` has what is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.model.answers import BestKnown, ComparisonResult
from ratings.values.owners import EVERY_BOT
from ratings.values.pools import Pool
from ratings.values.tournaments import BotFaults, HostLoss, LockHolder

STOPPED = "stopped"
"""The status of a tournament that was begun and that nobody plays now."""
SINGLE_MATCH = "match"
"""What stands in place of a format's name for a single match."""
ALL = EVERY_BOT
"""What stands among the entrants for every bot that can play the game."""


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament in a list, and how far it is."""

    id: str
    name: str
    format: str
    status: str
    """`planned`, `running`, `stopped` (nobody plays it, and it can be resumed), `finished` or `cancelled`."""
    game: str
    seats: int
    time_control: str
    pool_id: str
    rated: bool
    created_at_us: int
    cancelled_at_us: int | None
    planned: int
    leased: int
    finished: int
    void: int
    total: int
    more_waves: bool
    """Whether further matches will be planned once there are results."""
    remote: bool = False
    """Whether bots play in it that their authors run elsewhere."""
    played_by: LockHolder | None = None
    """Who plays it while it runs; for organisers only."""

    @property
    def is_over(self) -> bool:
        """Return whether nothing is left to play."""
        return self.planned == self.leased == 0 and not self.more_waves


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One line of the table of a tournament; blocks, points and score count whole blocks only."""

    place: int
    """1 = best; 0 for the challenger of a gauntlet, who stands first whatever he scored."""
    version_id: str
    bot: str
    number: int
    content_hash: str
    matches: int
    wins: int
    blocks: int
    points: int
    score: float
    forfeits: int
    status: str
    """What else there is to say, for people: `withdrawn`, `out in round 2`."""
    shared: int = 0
    """In how many matches it was first together with some of the others; `wins` are those in which it was alone."""
    draws: int = 0
    """In how many all were level."""


@dataclass(frozen=True, slots=True)
class LeakFinding:
    """What a leak check found about an entrant."""

    bot: str
    version: int
    """The number of the version."""
    match_id: str
    seat: int
    verdict: str
    ply: int | None
    sentence: str
    evidence: Mapping[str, Any]
    """Empty for whoever may not see it."""


@dataclass(frozen=True, slots=True)
class TournamentDetail:
    """All that is shown of a tournament but its matches."""

    summary: TournamentSummary
    pool: Pool
    settings: Mapping[str, Any]
    """Those of the format, with `seed`, `opening_plies` and the limits of the clock."""
    secret: str | None
    """What all seeds were derived from; published when it is over."""
    standings: tuple[StandingRow, ...]
    """The best; `list_standings` goes on after `more_standings`."""
    best: BestKnown | None = None
    comparison: ComparisonResult | None = None
    leak_checks: tuple[LeakFinding, ...] = ()
    """The first in schedule order: all, or of very many those that found something."""
    more_standings: str | None = None
    more_leak_checks: str | None = None
    """The cursor after which `list_leak_checks` goes on, or `None` if these are all."""
    host_losses: tuple[HostLoss, ...] = ()
    """What the host lost, the most frequent cause first."""
    faults: tuple[BotFaults, ...] = ()
    """What bots did wrong, the most frequent first: the first 100."""
