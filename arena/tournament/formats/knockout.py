"""Knockout: single or double elimination, in ties of best of n blocks, in pairs or at tables. Pure, no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice

from arena.tournament.formats.format import (
    BlockState,
    CircularOrder,
    FormatStanding,
    PlayedBlock,
    ScheduleError,
    Situation,
    Traits,
    Wave,
    check_entrants,
    check_size,
)
from arena.tournament.formats.pairing import choose_byes, pair
from arena.tournament.formats.table_grouping import (
    Owners,
    are_apart,
    count_tables,
    draw,
    keeping_apart,
    owners_of,
    seat_groups,
    sitting_out,
    spread,
)
from arena.tournament.formats.tally import block_points, most_block_points, standing_rows, tally
from engine.translatable import Text

MOST_BLOCKS = 99
MOST_EXTRA = 3
"""The most blocks beyond best of n, for a tie that is equal or whose blocks were void."""
STILL_IN = Text("in")


@dataclass(frozen=True, slots=True)
class Knockout:
    """An entrant that loses `lives` ties is out; the points of `best_of` blocks decide a tie.

    A tie ends as soon as its blocks to come cannot change it. If it is equal after all of them, it goes on for three
    blocks at most; then the higher seed wins. At tables of 3 to 5 seats the better half stays, and the last table plays
    for the first place; there is no second life at tables. If only those are left
    who may not meet, being of one owner, they share the first place.
    """

    seats: int
    lives: int = 1
    best_of: int = 1
    drawn: bool = True
    """Whether the seeds are drawn; if not, they are the order of entry."""

    traits = Traits("knockout", lag=1)

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, or settings that make no knockout."""
        check_entrants(entrants, self.seats)
        if self.lives not in (1, 2):
            raise ScheduleError(
                Text("{lives} lives are no knockout; use 1 (single) or 2 (double elimination)", lives=self.lives)
            )
        if self.lives == 2 and self.seats > 2:
            raise ScheduleError(Text("double elimination is played with 2 seats; use --seats 2 or leave out --double"))
        if not 1 <= self.best_of <= MOST_BLOCKS:
            raise ScheduleError(
                Text("a best of {blocks} blocks is impossible; use 1 to {most}", blocks=self.best_of, most=MOST_BLOCKS)
            )
        check_size(entrants * self.lives * self.best_of * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the blocks that the open ties need."""
        groups = [tie.entrants for tie in self.bracket(situation).open_ties for _ in range(tie.blocks_wanted())]
        return seat_groups(situation, groups)

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return who is still in, then who went out later; those equal in one round share a place."""
        bracket = self.bracket(situation)
        return standing_rows(situation, tally(situation), bracket.order_key, bracket.status)

    def bracket(self, situation: Situation) -> Bracket:
        """Return the bracket as the blocks so far have made it."""
        bracket = Bracket(self._seeds(situation), self.seats, self.lives, self.best_of, owners_of(situation.entrants))
        leavers = [entrant for entrant in situation.entrants if entrant.withdrawn is not None]
        bracket.settle({entrant.id for entrant in leavers if entrant.has_left(0)})
        for number, wave in enumerate(situation.waves, start=1):
            following = situation.waves[number] if number < len(situation.waves) else None
            bracket.add([_as_acted_on(block, following) for block in wave])
            bracket.settle({entrant.id for entrant in leavers if entrant.has_left(number)})
        return bracket

    def _seeds(self, situation: Situation) -> Sequence[str]:
        entered = [entrant.id for entrant in situation.entrants]
        lots = draw(situation, "knockout")
        return sorted(entered, key=lambda entrant: lots[entrant]) if self.drawn else entered


def _as_acted_on(block: PlayedBlock, following: Wave | None) -> PlayedBlock:
    """Return a block as the bracket counts it: what was annulled only after it was played on stays decided there.

    It was played on if the next wave has no block more of the same tie.
    """
    if block.state is not BlockState.ANNULLED or following is None:
        return block
    is_played_again = any(frozenset(other.order) == frozenset(block.order) for other in following)
    return block if is_played_again else replace(block, state=BlockState.WHOLE)


@dataclass(slots=True)
class Tie:
    """One pairing of a round: `entrants`, the best seed first, of whom the best `advance` go on without a loss."""

    entrants: tuple[str, ...]
    advance: int
    best_of: int
    blocks: list[PlayedBlock] = field(default_factory=list)

    @property
    def _to_come(self) -> int:
        """The number of whole blocks that best of n still lacks."""
        return self.best_of - sum(block.is_whole for block in self.blocks)

    def points(self) -> Counter[str]:
        """Return the points of each entrant from the whole blocks."""
        points = Counter(dict.fromkeys(self.entrants, 0))
        for block in self.blocks:
            points.update(block_points(block))
        return points

    def ranking(self, gone: Collection[str] = ()) -> list[str]:
        """Return the entrants by points, at equal points the higher seed first; those who are `gone` come last."""
        points = self.points()
        return sorted(self.entrants, key=lambda entrant: (entrant in gone, -points[entrant]))

    def _lead(self) -> int:
        """Return by how many points the last who goes on is ahead of the first who does not."""
        points, ranked = self.points(), self.ranking()
        return points[ranked[self.advance - 1]] - points[ranked[self.advance]]

    def is_decided(self, gone: Collection[str]) -> bool:
        """Return whether it is known who goes on; a table that somebody left cannot play on."""
        if any(entrant in gone for entrant in self.entrants):
            return True
        if any(block.state is BlockState.PENDING for block in self.blocks):
            return False
        if self._lead() > max(0, self._to_come) * most_block_points(len(self.entrants)):
            return True
        return len(self.blocks) >= self.best_of + MOST_EXTRA

    def blocks_wanted(self) -> int:
        """Return the fewest blocks after which it can be decided, so that none is played in vain."""
        most, lead = most_block_points(len(self.entrants)), self._lead()
        wanted = next((n for n in range(1, self._to_come + 1) if lead + n * most > (self._to_come - n) * most), 1)
        return min(wanted, self.best_of + MOST_EXTRA - len(self.blocks))


@dataclass(frozen=True, slots=True)
class Round:
    """What a round of a bracket was opened with."""

    ties: tuple[Tie, ...]
    byes: tuple[str, ...]
    lost: Counter[str]
    """How many ties each entrant had lost before."""


class Bracket:
    """Rounds of ties; a round begins when all ties of the one before are decided."""

    def __init__(self, seeds: Sequence[str], seats: int, lives: int, best_of: int, owners: Owners) -> None:
        self._seeds = list(seeds)
        self._owners = owners
        self._seats, self._lives, self._best_of = seats, lives, best_of
        self._losses: Counter[str] = Counter()
        self._byes: Counter[str] = Counter()
        self._met: Counter[frozenset[str]] = Counter()
        self._out: dict[str, tuple[int, int]] = {}  # round, and how many were better in its last tie
        self._round = 0
        self._ties: list[Tie] = []
        self._gone: set[str] = set()
        self.rounds: list[Round] = []
        """Those that were opened, the first one first."""

    @property
    def open_ties(self) -> list[Tie]:
        """The ties that need more blocks; none if the tournament is over or blocks are still being played."""
        return [tie for tie in self._ties if not tie.is_decided(self._gone)]

    def add(self, wave: Iterable[PlayedBlock]) -> None:
        """Give the blocks of a wave to their ties."""
        ties = {frozenset(tie.entrants): tie for tie in self._ties}
        for block in wave:
            tie = ties.get(frozenset(block.order))
            if tie is not None:  # otherwise nobody would have planned it, had what was annulled not counted
                tie.blocks.append(block)

    def settle(self, gone: Collection[str]) -> None:
        """Close the round if every tie is decided, and open the next; `gone` have withdrawn by now."""
        self._gone = set(gone)
        while not self.open_ties:
            for tie in self._ties:
                for better, entrant in enumerate(tie.ranking(self._gone)):
                    if better >= tie.advance:
                        self._losses[entrant] += 1
                        if self._losses[entrant] >= self._lives:
                            self._out[entrant] = (self._round, better)
            for entrant in self._gone - self._out.keys():
                self._out[entrant] = (self._round, self._seats)
            self._round += 1
            active = [entrant for entrant in self._seeds if entrant not in self._out]
            self._ties = self._next_ties(active)
            if not self._ties:
                return
            playing = {entrant for tie in self._ties for entrant in tie.entrants}
            byes = tuple(entrant for entrant in active if entrant not in playing)
            self.rounds.append(Round(tuple(self._ties), byes, Counter(self._losses)))

    def goes_on(self, tie: Tie) -> Sequence[str] | None:
        """Return who goes on from a tie without a loss, or `None` while it is open."""
        return tie.ranking(self._gone)[: tie.advance] if tie.is_decided(self._gone) else None

    def _next_ties(self, active: list[str]) -> list[Tie]:
        if len(active) < self._seats:
            return []
        if self._seats > 2:
            # So many tables that at least a full one is left; the best seeds rest, the others are dealt out.
            too_many = len(active) - self._seats
            if not too_many:
                return [Tie(tuple(active), 1, self._best_of)] if are_apart(active, self._owners) else []
            leave = self._seats - self._seats // 2
            count = min(count_tables(active, self._seats, self._owners), -(-too_many // leave))
            resting = sitting_out(active, self._seats, count, self._owners)
            playing = [entrant for entrant in active if entrant not in resting]
            ties = []
            for number, table in enumerate(spread(playing, count, self._owners)):
                leaving = min(leave, too_many - leave * number)
                ties.append(Tie(tuple(table), self._seats - leaving, self._best_of))
            return ties
        pairs = [two for losses in range(self._lives) for two in self._pairs(active, losses)]
        if not pairs:  # nobody has an equal: those left meet across, in the end the unbeaten and the once beaten
            across = (two for two in combinations(active, 2) if are_apart(two, self._owners))
            pairs = list(islice(across, 1))
        self._met.update(frozenset(two) for two in pairs)
        return [Tie(two, 1, self._best_of) for two in pairs]

    def _pairs(self, active: list[str], losses: int) -> list[tuple[str, str]]:
        """Pair those of equal losses, best seed with last; single elimination has byes only in its first round."""
        equal = [entrant for entrant in active if self._losses[entrant] == losses]
        byes = len(equal) % 2
        if self._lives == 1 and len(equal) > 1:
            full = 1 << (len(equal) - 1).bit_length()
            byes = full - len(equal)
        tables = min((len(equal) - byes) // 2, count_tables(equal, 2, self._owners))
        resting = choose_byes(equal[::-1], 2, tables, self._byes, self._owners)
        self._byes.update(resting)
        playing = [entrant for entrant in equal if entrant not in resting]
        met = keeping_apart(lambda one, other: self._met[frozenset((one, other))], self._owners)
        return pair(playing, met, best_with_last=True)

    def order_key(self, entrant: str) -> tuple[int, int]:
        """Return a sort key: those still in first, then by the round they went out in, the later the better."""
        if entrant not in self._out:
            return (0, 0)
        round_, better = self._out[entrant]
        return (1 + self._round - round_, better)

    def status(self, entrant: str) -> str:
        """Return what there is to say of one entrant, for people."""
        if entrant in self._out:
            return Text("out in round {count}", count=self._out[entrant][0])
        if self._ties:
            if self._lives == 1:
                return STILL_IN
            return Text("in, {count} lost", count=self._losses[entrant])
        active = [entrant for entrant in self._seeds if entrant not in self._out]
        may_not_meet = len(active) >= self._seats and not count_tables(active, self._seats, self._owners)
        return Text("winner") if len(active) == 1 or may_not_meet else STILL_IN
