"""Matches: in lists, in full with times and logs, and as replays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.translatable import Text
from ratings.values.pools import Pool
from ratings.values.states import AttemptState, MatchState

LOG_STAYS_AT_HOME = Text("is remote: what it writes stays on its author's machine, where `arena bot connect` shows it")
"""What is said of a remote bot when its log is asked for."""
ANY_FAULT = "any"
"""What stands in place of a cause for the faults of whatever cause."""


NO_RESULT = "no valid result"
"""What stands in place of the state of a match that was played to an end without a valid result."""


class _Result:
    """What a match came to."""

    __slots__ = ()
    state: MatchState
    valid_result: bool | None
    """False if every seat faulted before any of them acted, so that none won; `None` while there is none to show."""

    @property
    def shown_state(self) -> str:
        """Return its state, or NO_RESULT."""
        return NO_RESULT if self.valid_result is False else self.state.value


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """Who sits in a seat, and which rank came of it; none without a valid result."""

    bot: str
    rank: int | None = None
    fault: str | None = None
    """The cause, if the bot was at fault."""


@dataclass(frozen=True, slots=True)
class MatchSummary(_Result):
    """A match in a list; `seats` are in the order of the seats."""

    id: str
    tournament: str
    position: int
    """Its place in the schedule, from 1."""
    block: int
    rotation: int
    seats: tuple[SeatSummary, ...]
    attempt: int
    sandbox: str | None
    state: MatchState
    void_reason: str | None = None
    plies: int | None = None
    decisions: int | None = None
    game_digest: str | None = None
    annulled: str | None = None
    """Why it does not count, if the organiser annulled it."""
    hidden: bool = False
    why_hidden: str = ""
    ended_at_us: int | None = None
    """When it came to its end; microseconds since 1970."""
    valid_result: bool | None = None


@dataclass(frozen=True, slots=True)
class MatchSeat:
    """A seat of a match, and how it ended there."""

    seat: int
    bot: str
    version: int
    """The number of the version."""
    content_hash: str
    rank: int | None = None
    forfeit: int | None = None
    """1 for the seat that forfeited first, 2 for the next, and so on."""
    resigned: bool | None = None
    ended: str | None = None
    """`played`, `forfeited` or `resigned`."""
    rating_change: float | None = None
    runtime: str | None = None
    """The hash of the runtime that the bot ran in."""
    runtime_name: str | None = None
    remote: bool = False
    """Whether its author runs the bot elsewhere."""
    sandbox: str | None = None
    """The level of the bot's sandbox; `None` for a remote bot, and if it is not known."""
    notes_left_out: bool = False
    """Whether its notes are not in the replay because those of its owner had reached their limit."""
    person: str | None = None
    """What the person calls himself or herself who sat there in a browser; any text that can be shown."""

    @property
    def shown_sandbox(self) -> str | None:
        """Return the level of the sandbox, or in its place `person`, or `remote`; `None` if it is not known."""
        return "person" if self.person is not None else "remote" if self.remote else self.sandbox


@dataclass(frozen=True, slots=True)
class FaultFact:
    """What a bot did wrong."""

    seat: int
    bot: str
    cause: str
    ply: int
    explanation: str
    evidence: Mapping[str, Any]
    """Empty for whoever may not see it: it is for the bot's owner."""
    owner: str = "bot"


@dataclass(frozen=True, slots=True)
class AttemptFact:
    """One try at playing a match."""

    number: int
    worker: str
    state: AttemptState
    owner: str | None
    """`host` if the host failed."""
    cause: str | None
    reason: str | None
    evidence: Mapping[str, Any] | None
    """For organisers only."""
    leased_at_us: int
    ended_at_us: int | None


@dataclass(frozen=True, slots=True)
class LeakFact:
    """What a leak check of a seat found."""

    seat: int
    bot: str
    verdict: str
    ply: int | None
    sentence: str
    evidence: Mapping[str, Any]
    """Empty for whoever may not see it: it is for the bot's owner."""


@dataclass(frozen=True, slots=True)
class MatchDetail(_Result):
    """All that is known of a match but its replay."""

    match_id: str
    tournament: str
    tournament_id: str
    pool: Pool
    block: int
    rotation: int
    state: MatchState
    void_reason: str | None
    attempt: int
    rated: bool | None
    """Whether it counts for the ratings; `None` while it is not known."""
    sandbox: str | None
    seats: tuple[MatchSeat, ...]
    by_rules: bool | None = None
    plies: int | None = None
    decisions: int | None = None
    started_at_us: int | None = None
    duration_us: int | None = None
    game_digest: str | None = None
    record_digest: str | None = None
    details: Mapping[str, Any] | None = None
    faults: tuple[FaultFact, ...] = ()
    attempts: tuple[AttemptFact, ...] = ()
    leak_checks: tuple[LeakFact, ...] = ()
    annulled: str | None = None
    """Why it does not count, if the organiser annulled it."""
    hidden: bool = False
    why_hidden: str = ""
    logs_removed_at_us: int | None = None
    """When retention removed what the bots wrote."""
    replay_removed_at_us: int | None = None
    """When retention removed the replay, and the times of the decisions with it."""
    awaits: tuple[str, ...] = ()
    """While it is hidden, the other matches with the same chance that are not over, by id, as they are scheduled."""
    valid_result: bool | None = None


@dataclass(frozen=True, slots=True)
class DecisionTime:
    """How one decision spent its time; CPU, waiting and lag are `None` if they were not read."""

    ply: int
    seat: int
    bot: str
    wall_us: int
    cpu_us: int | None
    queue_wait_us: int | None
    referee_lag_us: int | None
    charged_us: int
    looks: int
    readable: bool


@dataclass(frozen=True, slots=True)
class SeatTime:
    """The times of all decisions of a seat, added up."""

    seat: int
    bot: str
    decisions: int
    wall_us: int
    cpu_us: int
    queue_wait_us: int
    referee_lag_us: int
    charged_us: int
    longest_us: int


@dataclass(frozen=True, slots=True)
class MatchTimes:
    """How the time of a match was spent."""

    decisions: tuple[DecisionTime, ...] = field(default=())
    totals: tuple[SeatTime, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class SeatLog:
    """What the bot in a seat wrote to its output during a match."""

    match_id: str
    seat: int
    bot: str
    text: str
    cut_bytes: int = 0
    """How many bytes were left out, at the beginning or in the middle."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The replay of a match in its stored form, which `arena.match.replay.load` reads."""

    match_id: str
    data: bytes
    is_whole: bool = True
    """False if evidence about other owners' bots was taken out, so that its record digest does not fit any more."""


@dataclass(frozen=True, slots=True)
class ReplayCheck:
    """What is wrong with a stored match; nothing if it is sound, or if it is kept no longer."""

    match_id: str
    problems: tuple[str, ...] = ()
    removed_at_us: int | None = None
    """When retention removed the replay, so that there is nothing left to verify."""
