"""Tournaments: listed, shown with tables, pairings and answers; `tournament_requests.py` has what is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.translatable import Text
from ratings.statistics.scores import elo_of, expected_score
from ratings.values.owners import EVERY_BOT
from ratings.values.pools import Pool
from ratings.values.tournament_incidents import BotFaults, HostLoss, LockHolder

MOST_ELO = 800.0
STOPPED = "stopped"
"""The status of a tournament that was begun and that nobody plays now."""
SINGLE_MATCH = "match"
"""What stands in place of a format's name for a single match."""
ALL = EVERY_BOT
"""What stands among the entrants for every bot that can play the game."""


@dataclass(frozen=True, slots=True)
class BestKnown:
    """How well an adaptive tournament has answered its question."""

    until: str
    """The question, for example `top 3 known at 95% within 10 Elo`."""
    is_known: bool
    confidence: float
    leaders: tuple[str, ...]
    """The ids of the best versions so far, best first."""
    contenders: tuple[str, ...]
    """The ids of the others that may belong among them, likeliest first."""
    leader_names: tuple[str, ...] = ()
    """What people call the leaders, in their order."""
    contender_names: tuple[str, ...] = ()
    drifting: tuple[str, ...] = ()
    """What people call those whose results drift over time, surest first; the answer is then not known for them."""


@dataclass(frozen=True, slots=True)
class ConfidencePoint:
    """How sure an adaptive tournament was of its answer after so many whole blocks."""

    blocks: int
    confidence: float
    leaders: tuple[str, ...]
    """What people call those who led then, the best first, MOST_LIMIT at most."""


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What a comparison of NEW with OLD says so far."""

    answer: str | None
    """`better`, `not better`, `undecided`, or `None` while it goes on."""
    log_ratio: float
    """What speaks for better (above 0) or for not better (below): the logarithm of the capital of a bet on it."""
    bounds: tuple[float, ...]
    """Where that ratio ends the test with not better and with better."""
    mean: float
    """The gain: the mean score of NEW against OLD less one half."""
    error: float
    """The standard error of that mean."""
    pairs: int
    """The steps that were played, each the fewest matches that give NEW and OLD the same places."""
    answered_after: int | None
    games: int
    identical_games: int
    identical_pairs: int
    lower: float = 0.0
    """What was asked: the two gains between which the test decides, and how often it may be wrong about each."""
    upper: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0
    wins: int = 0
    """How often NEW was ahead of OLD, level and behind."""
    ties: int = 0
    losses: int = 0
    new_forfeits: int = 0
    """The matches that each forfeited."""
    old_forfeits: int = 0
    low: float = -0.5
    """The interval of the gain that holds the true one with 95 %."""
    high: float = 0.5
    superiority: float = 0.5
    """The likelihood of superiority: the chance that the gain is above 0."""


def comparison_note(found: ComparisonResult) -> str:
    """Return how it stands: ahead, level and behind, the gain in Elo with its 95 % interval, and the ratio; faults."""
    low, high = found.bounds
    elo, least, most = (elo_text(gain) for gain in (found.mean, found.low, found.high))
    return (
        Text(
            "W/D/L {wins}/{ties}/{losses}, {elo} Elo ({low}..{high}), LOS {chance}%, log ratio {ratio} "
            "({least}..{most}), forfeits NEW {ours}, OLD {theirs}",
            wins=found.wins,
            ties=found.ties,
            losses=found.losses,
            elo=elo,
            low=least,
            high=most,
            chance=f"{100 * found.superiority:.1f}",
            ratio=f"{found.log_ratio:+.2f}",
            least=f"{low:.2f}",
            most=f"{high:.2f}",
            ours=found.new_forfeits,
            theirs=found.old_forfeits,
        )
        if found.new_forfeits or found.old_forfeits
        else Text(
            "W/D/L {wins}/{ties}/{losses}, {elo} Elo ({low}..{high}), LOS {chance}%, log ratio {ratio} "
            "({least}..{most})",
            wins=found.wins,
            ties=found.ties,
            losses=found.losses,
            elo=elo,
            low=least,
            high=most,
            chance=f"{100 * found.superiority:.1f}",
            ratio=f"{found.log_ratio:+.2f}",
            least=f"{low:.2f}",
            most=f"{high:.2f}",
        )
    )


def elo_text(gain: float) -> str:
    """Return a gain in Elo; beyond MOST_ELO a score says no more than that it is beyond."""
    score = 0.5 + gain
    most = expected_score(MOST_ELO)
    if not 1 - most < score < most:
        return f"{'>' if gain > 0 else '<'}{MOST_ELO if gain > 0 else -MOST_ELO:+.0f}"
    return f"{elo_of(score):+.0f}"


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


ONLY_FORFEITS = Text("no valid result")
"""The status of an entrant that has forfeits and no results: every bot failed in all its matches before any acted."""


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
    """With a valid result: in others every bot failed before any of them acted."""
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
class Commitment:
    """The first entry of the signed log of a tournament."""

    digest: str
    """The SHA-256 of the entry, in hexadecimal digits: who noted it before the first match can check by it."""
    public_key: str
    """The arena's key (Ed25519), in hexadecimal digits."""
    at_us: int


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
    commitment: Commitment | None = None
    """What was fixed before its first match; `None` if it was begun by an arena that signed nothing yet."""


@dataclass(frozen=True, slots=True)
class Paired:
    """An entrant of a pairing."""

    version_id: str
    bot: str
    """What people call it."""
    points: int
    """What it has from the whole blocks of this pairing: 2 for everybody whom it beat in a match, 1 for every tie."""
    lost: int
    """How many ties of a knockout it had lost before this one."""
    goes_on: bool | None
    """Whether it is ahead in the end, or in a knockout may play on; `None` while that is open."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Those who meet in a round; a single one has a bye."""

    round: int
    """Counts from 1."""
    entrants: tuple[Paired, ...]
    """In a knockout the best seed first."""
    blocks: int
    """How many whole blocks they have played."""
    is_over: bool
