"""What a position consists of: flat lists of small ints, and bit masks of regions. No rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.chance import Chance, SeededChance
from engine.core import State
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, REGION_COUNT, TITLE_COUNT
from engine.games.rex_romanorum.options import Options

# Phases, numbered as section 9.2 lists them.
TURN: Final = 0
KEEP: Final = 1
GARRISON: Final = 2
BUILD: Final = 3
MOVE_FROM: Final = 4
MOVE_TO: Final = 5
COUNT: Final = 6
PLACE: Final = 7
RAZE: Final = 8
FIGHT: Final = 9
FIGHT_ON: Final = 10
STAND: Final = 11
BISHOP_VOTE: Final = 12
OFFER: Final = 13
KING_VOTE: Final = 14
END: Final = 15
PHASES: Final = (
    *("TURN", "KEEP", "GARRISON", "BUILD", "MOVE_FROM", "MOVE_TO", "COUNT", "PLACE", "RAZE", "FIGHT", "FIGHT_ON"),
    *("STAND", "BISHOP_VOTE", "OFFER", "KING_VOTE", "END"),
)

NOBODY: Final = -1
NOTHING: Final = -1


class Election:
    """An election under way. `diocese` is NOTHING for the royal one; `at` points into whoever is asked in turn."""

    __slots__ = (
        "asked",
        "at",
        "ballot",
        "candidates",
        "cast",
        "diocese",
        "elector",
        "is_runoff",
        "lowest",
        "offers",
        "votes",
    )

    def __init__(self, diocese: int, asked: list[int], seats: int) -> None:
        self.diocese: int = diocese
        self.asked: list[int] = asked
        """Seats in the order in which they are asked to stand, and then vote for a bishop."""
        self.at: int = 0
        """Index into `asked`; in OFFER into `candidates`."""
        self.candidates: list[int] = []
        """In the order of candidacy."""
        self.ballot: list[int] = []
        """Candidates of the ballot under way: all, or those of the run-off."""
        self.is_runoff: bool = False
        self.votes: list[int] = [0] * seats
        self.cast: int = 0
        """How many of his churches' votes the asked owner has cast in this ballot."""
        self.lowest: int = 0
        """The seat of his last vote in this ballot: votes do not decrease."""
        self.elector: int = 0
        """Index into the order of the king's electors."""
        self.offers: list[int] = [0] * seats
        """What each candidate offers the elector who votes next."""

    def clone(self) -> Election:
        """An independent copy."""
        copy = Election(self.diocese, self.asked, 0)
        copy.at = self.at
        copy.candidates = self.candidates[:]
        copy.ballot = self.ballot
        copy.is_runoff = self.is_runoff
        copy.votes = self.votes[:]
        copy.cast = self.cast
        copy.lowest = self.lowest
        copy.elector = self.elector
        copy.offers = self.offers[:]
        return copy


class Position(State):
    """The data of a state. `land`, `owned` and `standing` are derived and kept in step by `rules.land`."""

    __slots__ = (
        "active",
        "army",
        "arrived",
        "built",
        "castles",
        "chance",
        "churches",
        "contested",
        "decider",
        "discards",
        "drawn",
        "election",
        "fresh",
        "gold",
        "is_final",
        "king",
        "land",
        "last",
        "last_to",
        "legal",
        "options",
        "owned",
        "owner",
        "phase",
        "pile",
        "revelations",
        "round",
        "seats",
        "source",
        "standing",
        "target",
        "task",
        "titles",
        "undefended",
    )

    options: Options
    seats: int
    chance: Chance | None
    phase: int
    decider: int
    active: int
    round: int
    is_final: bool
    """Whether the last royal election is held (D5)."""
    king: int
    gold: list[int]
    owner: list[int]
    land: list[int]
    owned: int
    """All regions with an owner."""
    castles: int
    churches: list[int]
    army: list[int]
    """`army[kind * 62 + region]`: figures of the region's owner; while he moves, those that have not moved."""
    standing: list[int]
    """Per kind, the regions where `army` has one."""
    titles: list[int]
    pile: list[int]
    """Top first (K10)."""
    discards: list[int]
    """Oldest first."""
    drawn: list[int]
    # What the action under way needs beyond that.
    task: int
    """The action of the turn that is being carried out, as its ACT id."""
    fresh: int
    """The regions just bought."""
    built: list[int]
    """The ids of this action's buildings."""
    source: int
    """kind * 62 + region of the figures that are moving; NOTHING when they are placed."""
    target: int
    """Where figures move; kind * 62 + region when they are placed; in RAZE and FIGHT_ON the region it is about."""
    last: int
    """The last source or placement, as kind * 62 + region."""
    last_to: int
    arrived: dict[int, int]
    """Figures that have moved this turn, by kind * 62 + region: in foreign regions they are the attackers."""
    undefended: int
    """Attacked regions without a defender that are still to be conquered (C8)."""
    contested: int
    """Attacked regions whose fight is still to be fought (C9)."""
    election: Election | None
    revelations: list[tuple[str, list[int]]]
    legal: Sequence[int] | None

    def source_of_chance(self) -> Chance:
        """Where outcomes come from: what the state was given, else a stream of its own, made when first needed."""
        if self.chance is None:
            self.chance = SeededChance(None)
        return self.chance


def set_up(position: Position, options: Options, seats: int, chance: Chance | None) -> None:
    """The board before the first turn; the pile is still empty (`rules.turn.start` shuffles it)."""
    position.options = options
    position.seats = seats
    position.chance = chance
    position.phase = TURN
    position.decider = 0
    position.active = 0
    position.round = 1
    position.is_final = False
    position.king = NOBODY
    position.gold = [options.start_gold] * seats
    position.owner = [NOBODY] * REGION_COUNT
    position.land = [0] * seats
    position.owned = 0
    position.castles = 0
    position.churches = [BIT[options.start_churches[diocese]] for diocese in range(DIOCESE_COUNT)]
    position.army = [0] * (3 * REGION_COUNT)
    position.standing = [0, 0, 0]
    position.titles = [NOBODY] * TITLE_COUNT
    position.pile = []
    position.discards = []
    position.drawn = []
    position.task = NOTHING
    position.fresh = 0
    position.built = []
    position.source = NOTHING
    position.target = NOTHING
    position.last = NOTHING
    position.last_to = NOTHING
    position.arrived = {}
    position.undefended = 0
    position.contested = 0
    position.election = None
    position.revelations = []
    position.legal = None
