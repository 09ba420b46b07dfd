"""What a tournament format is: what it plans from, what it remembers, the protocol, and its errors. No I/O."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from engine.translatable import Text
from ratings.statistics.blocks import rotations

CHALLENGER = Text("challenger")
"""The status of who met all the others of a gauntlet."""
KEEPS_FAILING = Text("keeps failing")
WITHDRAWN = Text("withdrawn")
MAX_MATCHES = 250_000


class ScheduleError(ValueError):
    """These entrants cannot play such a schedule; the message says why and what to ask for instead."""

    kind: ClassVar[str] = "misuse"
    reason: ClassVar[str] = "SCHEDULE"


@dataclass(slots=True)
class Tally:
    """What one entrant has from its blocks."""

    points: int = 0
    possible: int = 0
    """The points it could have from its whole blocks."""
    whole: int = 0
    void: int = 0
    planned: int = 0
    """The number of all its blocks, also those still to be played."""
    failed_in_a_row: int = 0
    """How many of its latest blocks that bots finished, without a break, it forfeited in every match."""
    byes: int = 0
    met: Counter[str] = field(default_factory=Counter)
    """How many blocks it was planned in with each other entrant."""


def never_gathered(_: frozenset[str]) -> int:
    """Return 0: nobody was planned yet."""
    return 0


@dataclass(frozen=True, slots=True)
class Past:
    """The first waves of a tournament, all of them over, as far as a format must know them."""

    waves: int = 0
    """How many they are."""
    blocks: int = 0
    """How many blocks they have."""
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    """By entrant; whoever came later is not there."""
    own: Any = None
    """What the format itself remembers, or `None` if these are no waves."""
    gathered: Callable[[frozenset[str]], int] = never_gathered
    """Returns how many of the blocks seat exactly these entrants."""


NOTHING = Past()


CircularOrder = tuple[str, ...]
"""Who sits beside whom in a block: entrants by seat in its first match; each further match turns it by one seat."""


class BlockState(enum.Enum):
    """What is known of a planned block."""

    PENDING = "pending"
    """It is not over, or its wave may not be looked at yet."""
    WHOLE = "whole"
    """All its matches are finished, so it counts."""
    VOID = "void"
    """At least one of its matches will never have a result, so it does not count."""
    INVALID = "invalid"
    """All its matches are finished, one without a valid result since every seat faulted before any acted: it gives no
    points, and whoever forfeited in it has failed."""
    ANNULLED = "annulled"
    """All its matches are finished, and the organiser annulled it: it does not count, as if it were void."""


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """A planned block and what came of it; `ranks`, `forfeits` and `digests` are empty while it is open or void."""

    order: CircularOrder
    state: BlockState = BlockState.PENDING
    ranks: tuple[tuple[int, ...], ...] = ()
    """`ranks[rotation][seat]`, 1 = best, ties share a rank."""
    forfeits: tuple[frozenset[str], ...] = ()
    """The entrants that forfeited; index = rotation."""
    digests: tuple[str, ...] = ()
    """The game digest of each match, equal for equal play; index = rotation."""

    @property
    def is_pending(self) -> bool:
        """Whether its state may still change."""
        return self.state is BlockState.PENDING

    @property
    def is_whole(self) -> bool:
        """Whether it counts."""
        return self.state is BlockState.WHOLE

    @property
    def is_lost(self) -> bool:
        """Whether it is over and does not count, through no fault of a bot."""
        return self.state in (BlockState.VOID, BlockState.ANNULLED)

    def rotations(self) -> tuple[CircularOrder, ...]:
        """Return the entrants by seat in each of its matches; index = rotation."""
        return rotations(self.order)


Wave = tuple[PlayedBlock, ...]
"""The blocks that were planned together, in the order of play."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part, and in which waves."""

    id: str
    joined: int = 0
    """The first wave it is planned in."""
    withdrawn: int | None = None
    """The first wave it is not planned in any more, or `None` while it takes part."""
    away: tuple[tuple[int, int], ...] = ()
    """When it had withdrawn and come back: the first wave it was not planned in, and the first it was again."""
    owner: str | None = None
    """Whose it is, if it must not meet others of the same; `None`: it meets anybody."""

    def is_in(self, wave: int) -> bool:
        """Return whether it may be planned in `wave`."""
        return self.joined <= wave and not self.has_left(wave)

    def has_left(self, wave: int) -> bool:
        """Return whether it had withdrawn when `wave` was planned."""
        if self.withdrawn is not None and self.withdrawn <= wave:
            return True
        return any(left <= wave < back for left, back in self.away)


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a plan may depend on. Of the entrants only their places in the list matter, never their ids."""

    entrants: tuple[Entrant, ...]
    """Everybody who ever entered, in the order of entry."""
    waves: tuple[Wave, ...]
    """The waves planned so far, behind those of the past; blocks whose results may not be looked at are PENDING."""
    seed: int
    past: Past = NOTHING
    """The waves before these, of which the blocks are not there any more."""

    @property
    def wave(self) -> int:
        """The number of the wave to be planned, from 0."""
        return self.past.waves + len(self.waves)

    @property
    def present(self) -> list[str]:
        """The entrants that may be planned in that wave, in the order of entry."""
        return [entrant.id for entrant in self.entrants if entrant.is_in(self.wave)]

    @property
    def blocks(self) -> list[PlayedBlock]:
        """All planned blocks behind the past, in the order of play."""
        return [block for wave in self.waves for block in wave]


@dataclass(frozen=True, slots=True)
class FormatStanding:
    """One line of the table that a format gives."""

    entrant: str
    place: int
    """1 = best; equals share a place. 0 for the challenger of a gauntlet, who stands first whatever he scored."""
    points: int
    """The points of its whole blocks (`tally.block_points`), and what byes gave."""
    possible: int
    """The points it could have had."""
    blocks: int
    """The number of its whole blocks."""
    status: str = ""
    """What else there is to say, for people: `withdrawn`, `out in round 2`."""

    @property
    def score(self) -> float:
        """The part of the possible points that it has, 0 to 1; 0 before its first whole block."""
        return self.points / self.possible if self.possible else 0.0


@dataclass(frozen=True, slots=True)
class Traits:
    """What holds for every tournament of a format, whatever its settings."""

    name: str
    lag: int = 0
    """Wave k looks at the results of waves up to k - lag; 0: at none, and all is planned in wave 0."""
    takes_late_entrants: bool = False


class Format(Protocol):
    """One way to hold a tournament. Instances are immutable settings; `plan` and `standings` are pure functions."""

    @property
    def traits(self) -> Traits:
        """What holds for all tournaments of the format."""

    @property
    def seats(self) -> int:
        """The number of seats of every match."""

    def check(self, entrants: int) -> None:
        """Raise ScheduleError unless this number of entrants can play such a tournament."""

    def plan(self, situation: Situation) -> Sequence[CircularOrder]:
        """Return the circular orders of the blocks of the next wave, or none if the tournament is over."""

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table so far, best first."""


@runtime_checkable
class SharesSeeds(Protocol):
    """A format in which several successive blocks have the same opening and chance seed."""

    @property
    def blocks_per_seed(self) -> int:
        """How many do."""


def blocks_per_seed(form: Format) -> int:
    """Return how many successive blocks share opening and chance seed: 1 unless the format says otherwise."""
    return form.blocks_per_seed if isinstance(form, SharesSeeds) else 1


@runtime_checkable
class Concluding(Protocol):
    """A format that plays until it knows something."""

    def conclude(self, situation: Situation) -> dict[str, Any] | None:
        """Return for JSON what it knows where it plans no more, or `None` if it plans no more for another reason."""


def check_entrants(entrants: int, seats: int) -> None:
    """Raise ScheduleError if so many entrants do not fill one table of `seats`."""
    if entrants < seats:
        raise ScheduleError(
            Text(
                "{seats} seats need at least {least} entrants, not {entrants}; name more bots",
                seats=seats,
                least=seats,
                entrants=entrants,
            )
        )


def check_size(matches: int) -> None:
    """Raise ScheduleError if one tournament would have too many matches."""
    if matches > MAX_MATCHES:
        raise ScheduleError(
            Text(
                "that makes {matches} matches, over the {most} of one tournament; enter fewer bots or ask for "
                "fewer blocks",
                matches=matches,
                most=MAX_MATCHES,
            )
        )
