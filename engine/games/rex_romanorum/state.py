"""What lies on the table: the declared fields of a position, which the rules in `rules/` move. No I/O.

Lists are flat and hold small ints; sets of regions are bit masks. `land`, `owned` and `standing` are kept in step with
`owner` and `army` by `rules.land`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.chance import Chance, SeededChance
from engine.core import PositionError, Reveal
from engine.games.rex_romanorum import clones
from engine.games.rex_romanorum.actions import ACT_KING, ACTIONS, BUILD_DONE, CHURCH, FIGURE_COUNT, HIGHEST_COUNT, KINDS
from engine.games.rex_romanorum.board import (
    BIT,
    DIOCESES,
    REGION_COUNT,
    REGION_INDEX,
    REGIONS,
    TITLE_COUNT,
    TITLES,
    mask_of,
)
from engine.games.rex_romanorum.options import OPTIONS, Options
from engine.kit.field_codecs import (
    FieldForm,
    Flag,
    ListOf,
    Name,
    Number,
    Numbers,
    Optional,
    OptionsForm,
    SeatNumber,
    need,
    read_list,
    seat_count,
)
from engine.kit.fields import FieldGroup, ObjectForm, PositionForm, stated, unstated
from engine.kit.keyed_codecs import ByName, Entries, FewEntries, Mask
from engine.kit.phases import KnownTable, PhasedState, PhaseTable
from engine.mypyc_support import give_methods

PHASES: Final = (
    *("TURN", "KEEP", "GARRISON", "BUILD", "MOVE_FROM", "MOVE_TO", "COUNT", "PLACE", "RAZE", "FIGHT", "FIGHT_ON"),
    *("STAND", "BISHOP_VOTE", "OFFER", "KING_VOTE", "END"),
)
"""As section 9.2 of the rules lists them."""
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

MOST_SEATS: Final = 5
NOBODY: Final = -1
NOTHING: Final = -1
_MOST: Final = 1_000_000
"""No purse and no army is larger."""

_FIGURE_INDEX: Final = {
    f"{kind}:{region}": i for i, (kind, region) in enumerate((k, r) for k in KINDS for r in REGIONS)
}
"""`K:mainz`: knights in Mainz, as in the notation of actions; the index is kind * 62 + region."""
_FIGURES: Final = Entries(_FIGURE_INDEX, Number(1, _MOST), nothing=0, example="{'F:mainz': 3}")
_REGION: Final = Optional(Name(REGION_INDEX), NOTHING)
_FIGURE: Final = Optional(Name(_FIGURE_INDEX), NOTHING)
_REGION_MASK: Final = Mask(REGIONS)
_REGIONS: Final = ListOf(Name(REGION_INDEX), distinct=True)
_PERHAPS_SEAT: Final = Optional(SeatNumber(), NOBODY)
_SEATS: Final = ListOf(SeatNumber(), distinct=True)


class Buildings:
    """The form of CHURCH and CASTLE actions, listed in the order of the action table."""

    _form: Final = Name({ACTIONS.names[action]: action for action in range(CHURCH, BUILD_DONE)})

    def write(self, value: Sequence[int], state: Any) -> list[str]:
        return [self._form.write(building, state) for building in value]

    def read(self, data: Any, key: str, state: Any) -> tuple[int, ...]:
        built = tuple(self._form.read(name, key, state) for name in read_list(data, key))
        self._check_order(built, key)
        return built

    def check(self, value: Sequence[int], key: str, state: Any) -> None:
        for building in value:
            self._form.check(building, key, state)
        self._check_order(value, key)

    def _check_order(self, built: Sequence[int], key: str) -> None:
        if sorted(set(built)) != list(built):
            raise PositionError(f"{key}: expected buildings in the order of the action table")


class _Target:
    """The form of `target`: a region, or figures when figures are placed, not moved."""

    def _form(self, state: RexState) -> FieldForm:
        return _FIGURE if state.phase == COUNT and state.source == NOTHING else _REGION

    def write(self, value: int, state: RexState) -> Any:
        return self._form(state).write(value, state)

    def read(self, data: Any, key: str, state: RexState) -> Any:
        return self._form(state).read(data, key, state)

    def check(self, value: Any, key: str, state: RexState) -> None:
        self._form(state).check(value, key, state)


@dataclass(slots=True, init=False, eq=False, repr=False)
class Election:
    """An election under way."""

    diocese: int = stated(Optional(Name(DIOCESES), NOTHING))
    """NOTHING is the royal election."""
    asked: Sequence[int] = stated(_SEATS)
    """Seats in the order in which they are asked to stand, and then vote for a bishop."""
    at: int = stated(Number(0, seat_count))
    """Index into `asked`; in OFFER into `candidates`."""
    candidates: list[int] = stated(_SEATS)
    """In the order of candidacy."""
    ballot: Sequence[int] = stated(_SEATS)
    """Candidates of the ballot under way: all, or those of the run-off."""
    is_runoff: bool = stated(Flag(), key="runoff")
    votes: list[int] = stated(Numbers(seat_count, REGION_COUNT))
    cast: int = stated(Number(0, REGION_COUNT))
    """How many of his churches' votes the asked owner has cast in this ballot."""
    lowest: int = stated(Number(0, lambda state: state.seats - 1))
    """The seat of his last vote in this ballot: votes do not decrease."""
    elector: int = stated(Number(0, TITLE_COUNT - 1))
    """Index into the order of the king's electors."""
    offers: list[int] = stated(Numbers(seat_count, HIGHEST_COUNT))
    """What each candidate offers the elector who votes next."""

    def clone(self) -> Election:
        """Return an independent copy."""
        return clones.clone_election(self)


def new_election(diocese: int, asked: Sequence[int], seats: int) -> Election:
    """Return an election of which nobody has been asked anything yet; `diocese` NOTHING is the royal one."""
    election = Election()
    election.diocese = diocese
    election.asked = asked
    election.at = election.cast = election.lowest = election.elector = 0
    election.candidates = []
    election.ballot = ()
    election.is_runoff = False
    election.votes = [0] * seats
    election.offers = [0] * seats
    return election


_PENDING: Final = FieldGroup("pending", holds=lambda state: state.task != NOTHING)
"""What the action under way needs beyond the table."""


TABLE: Final = KnownTable()
"""What is done in each phase, as `rules/phases.py` says."""


@dataclass(slots=True, init=False, eq=False, repr=False)
class RexState(PhasedState):
    """A position of Rex Romanorum. The order of the pile is hidden, and nothing else (S8)."""

    seats: int = stated(Number(2, MOST_SEATS))
    options: Options = stated(OptionsForm(OPTIONS))
    phase: int = stated(Name(PHASES), start=TURN)
    decider: int | None = stated(Optional(SeatNumber()), key="seat", start=0)
    active: int = stated(SeatNumber(), start=0)
    round: int = stated(Number(1, lambda state: state.options.round_limit), start=1)
    is_final: bool = stated(Flag(), key="final", start=False)
    """Whether the last royal election is held (D5)."""
    king: int = stated(_PERHAPS_SEAT, start=NOBODY)
    gold: list[int] = stated(Numbers(seat_count, _MOST), start=lambda state: [state.options.start_gold] * state.seats)
    titles: list[int] = stated(ByName(TITLES, _PERHAPS_SEAT), start=lambda _: [NOBODY] * TITLE_COUNT)
    owner: list[int] = stated(
        Entries(REGION_INDEX, SeatNumber(), nothing=NOBODY, example="{'mainz': 0}"),
        key="owners",
        start=lambda _: [NOBODY] * REGION_COUNT,
    )
    land: list[int] = unstated(lambda state: [0] * state.seats)
    """Per seat, the regions it owns."""
    owned: int = unstated(0)
    """All regions with an owner."""
    churches: list[int] = stated(
        ByName(DIOCESES, _REGION_MASK), start=lambda state: [BIT[region] for region in state.options.start_churches]
    )
    """Per diocese, the regions of its churches."""
    castles: int = stated(_REGION_MASK, start=0)
    army: list[int] = stated(_FIGURES, key="figures", start=lambda _: [0] * FIGURE_COUNT)
    """`army[kind * 62 + region]`: figures of the region's owner; while he moves, those that have not moved."""
    standing: list[int] = unstated(lambda _: [0, 0, 0])
    """Per kind, the regions where `army` has one."""
    discards: list[int] = stated(_REGIONS, start=lambda _: [])
    """Oldest first."""
    drawn: Sequence[int] = stated(_REGIONS, start=())

    task: int = stated(Name(ACTIONS.names[: ACT_KING + 1]), key="action", start=NOTHING, group=_PENDING)
    """The action of the turn that is being carried out, as its ACT id."""
    fresh: int = stated(_REGION_MASK, key="bought", start=0, group=_PENDING)
    """The regions just bought."""
    built: tuple[int, ...] = stated(Buildings(), start=(), group=_PENDING)
    """The ids of this action's buildings."""
    source: int = stated(_FIGURE, start=NOTHING, group=_PENDING)
    """kind * 62 + region of the figures that are moving; NOTHING when they are placed."""
    target: int = stated(_Target(), start=NOTHING, group=_PENDING)
    """Where figures move; kind * 62 + region when they are placed; in RAZE and FIGHT_ON the region it is about."""
    last: int = stated(_FIGURE, start=NOTHING, group=_PENDING)
    """The last source, or figures placed, of this action: the next are not before it."""
    last_to: int = stated(_REGION, start=NOTHING, group=_PENDING)
    """Where the last figures moved."""
    arrived: dict[int, int] = stated(FewEntries(_FIGURES), start=lambda _: {}, group=_PENDING)
    """Figures that have moved this turn, by kind * 62 + region: in foreign regions they are the attackers."""
    undefended: int = stated(_REGION_MASK, start=0, group=_PENDING)
    """Attacked regions without a defender that are still to be conquered (C8)."""
    contested: int = stated(_REGION_MASK, start=0, group=_PENDING)
    """Attacked regions whose fight is still to be fought (C9)."""

    election: Election | None = stated(Optional(ObjectForm(Election)))
    pile: list[int] = stated(_REGIONS, start=lambda _: [])
    """Top first (K10)."""
    chance: Chance | None = unstated(None, derived=False)
    revelations: Sequence[tuple[str, Sequence[int]]] = unstated((), derived=False)
    """What chance revealed in the last action."""
    legal: Sequence[int] | None = unstated(None, derived=False)

    def source_of_chance(self) -> Chance:
        """Return where outcomes come from: what the state was given, else a stream of its own, made when needed."""
        if self.chance is None:
            self.chance = SeededChance(None)
        return self.chance

    def table(self) -> PhaseTable:
        return TABLE.table

    def clone(self, chance: Chance | None = None) -> RexState:
        return clones.clone_rex_state(self, chance)

    def to_json(self) -> dict[str, Any]:
        return POSITION.write(self)

    def observation_json(self, seat: int) -> dict[str, Any]:
        """Return everything but the order of the pile (S8), so the same for every seat."""
        del seat
        pile = [REGIONS[region] for region in sorted(self.pile)]
        return {**POSITION.write(self, without=("pile",)), "pile_set": pile, "pile_size": len(pile)}

    def revealed(self) -> Sequence[Reveal]:
        """Return "card" with the regions drawn, "d6" once for each step of a round and each throw for a tie."""
        return [Reveal(kind, tuple(values)) for kind, values in self.revelations]


give_methods(Election, clone=clones.clone_election)
give_methods(RexState, clone=clones.clone_rex_state)


def manned(state: RexState) -> int:
    """Return the regions in which a figure of their owner stands, while he moves those that have not moved."""
    standing = state.standing
    return standing[0] | standing[1] | standing[2]


def all_churches(state: RexState) -> int:
    """Return the regions with a church."""
    churches = state.churches
    return churches[0] | churches[1] | churches[2]


def election_of(state: RexState) -> Election:
    """Return the election under way. Raises PositionError if there is none."""
    if state.election is None:
        raise PositionError(f"election: phase {PHASES[state.phase]} needs one")
    return state.election


def _derive(state: RexState) -> None:
    for region, owner in enumerate(state.owner):
        if owner != NOBODY:
            state.land[owner] |= BIT[region]
    state.owned = sum(state.land)
    for kind in range(3):
        army = state.army[kind * REGION_COUNT : (kind + 1) * REGION_COUNT]
        state.standing[kind] = mask_of([region for region, number in enumerate(army) if number])


def _check(state: RexState) -> None:
    """Raise PositionError unless cards, churches, figures and titles add up (section 9.4)."""
    deck = state.options.deck
    need(not state.owned & ~mask_of(list(deck)), "owners: a region is owned whose card is not in play (A9)")
    unowned = [region for region in deck if state.owner[region] == NOBODY]
    cards = sorted([*state.pile, *state.discards, *state.drawn])
    need(cards == unowned, "the cards of pile, discards and drawn are not those of the unowned regions")
    need(not manned(state) & ~state.owned, "figures: somebody stands in a region that nobody owns (C1)")
    most = state.options.churches_per_diocese
    need(all(mask.bit_count() <= most for mask in state.churches), f"churches: a diocese has at most {most}")
    churches = sum(mask.bit_count() for mask in state.churches)
    need(churches == all_churches(state).bit_count(), "churches: a region has at most one")
    for title, (needed, groups) in enumerate(state.options.titles, start=3):
        for seat, land in enumerate(state.land):
            if not needed & ~land and all(group & land for group in groups):
                need(state.titles[title] == seat, f"titles.{TITLES[title]}: seat {seat} owns its regions")
    pfalz = state.options.titles[0][0]
    holder = state.titles[3]
    need(holder == NOBODY or state.land[holder] & pfalz, "titles.pfalz: its holder is the owner of the region")


POSITION: Final = PositionForm(RexState, "rex_romanorum", version=1, derive=_derive, check=_check)
