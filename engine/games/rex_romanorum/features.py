"""What programs that learn see of a position, as numbers for each region: `FEATURED`. The pile has no order (S8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from engine.features import Featured, FeaturePart, flags, masks, numbers, packed, per_member, per_seat
from engine.games.rex_romanorum.actions import ACT_KING, ACTIONS, CHURCH, HIGHEST_COUNT, KINDS
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, DIOCESES, REGION_COUNT, TITLE_COUNT, TITLES, mask_of
from engine.games.rex_romanorum.options import MOST_GOLD, Options
from engine.games.rex_romanorum.state import COUNT, MOST_SEATS, NOBODY, NOTHING, PHASES, Election, RexState

_FIGURES: Final = 200
_MOVED: Final = per_member(("there", "arrived"))
_WHERE: Final = (
    "figures of the region's owner, in his move those that have not moved; and those that have moved in this turn, "
    "which are the attackers in foreign regions"
)
_BITS: Final = 20
_MOST_ARRIVED: Final = (1 << 31 - _BITS) - 1
_KINDS: Final = per_member(KINDS)
_DIOCESES: Final = per_member(DIOCESES)
_NO_CARDS: Final = tuple((0,) * (3 - count) for count in range(4))
_NO_REGIONS: Final = (0,) * (7 + DIOCESE_COUNT + 1)
_NO_KINDS: Final = (0,) * 4
_NO_COUNTS: Final = tuple((0,) * (5 * seats + 2) for seats in range(MOST_SEATS + 1))
_NO_MARKS: Final = (0,) * 4
_SPOTS: Final = (*BIT, 0)
"""Bit sets of a region alone; none for NOTHING."""


def parts(seats: int, options: Options) -> Sequence[FeaturePart]:
    """Return what the planes are."""
    table = per_seat(seats)
    titles = (flags(f"title:{title}", "whose the title is", table) for title in TITLES)
    return (
        *(packed(f"figures:{kind}", _WHERE, _FIGURES, _MOVED, bits=_BITS) for kind in KINDS),
        masks("land", "the seat's regions", table),
        masks("church", "churches of the diocese", _DIOCESES),
        masks("castle", "castles"),
        masks("discarded", "regions whose card was rejected"),
        masks("drawn", "the region of the first, second and third card drawn", per_member("123")),
        masks("pile", "regions whose card is in the pile, whose order is hidden"),
        masks("bought", "regions just bought"),
        masks("undefended", "attacked regions without a defender, still to be conquered"),
        masks("contested", "attacked regions still to be fought for"),
        masks("source", "whence figures move"),
        masks("target", "whither they move, where figures are placed, or the region it is about"),
        masks("last", "whence figures moved last, or where figures were placed last"),
        masks("last_to", "whither figures moved last"),
        masks("built", "what was built in this action: churches by diocese, castles", (*_DIOCESES, ":castle")),
        numbers("round", "the round, from 1", options.round_limit),
        numbers("gold", "gold", MOST_GOLD, table),
        numbers("votes", "votes in the ballot under way", REGION_COUNT, table),
        numbers("offer", "gold offered to the elector who votes next", HIGHEST_COUNT, table),
        numbers("candidate", "place among the candidates, from 1; 0 is none", seats, table),
        numbers("ballot", "place in the ballot under way, from 1; 0 is none", seats, table),
        numbers("asked", "place among those who are asked to stand and to vote, from 1; 0 is none", seats, table),
        numbers("at", "who of them, or in OFFER of the candidates, is asked, from 0", seats),
        numbers("cast", "votes that the owner of churches who decides has cast", REGION_COUNT),
        flags("phase", "the phase", per_member(PHASES)),
        flags("seat", "the seat that looks, by its number", per_member([str(seat) for seat in range(seats)])),
        flags("decides", "who decides; nobody at the end", table),
        flags("turn", "whose turn it is", table),
        flags("king", "who is king", table),
        *titles,
        flags("final", "whether the last royal election is held"),
        flags("action", "the action of the turn that is carried out", per_member(ACTIONS.names[: ACT_KING + 1])),
        flags("source_kind", "what moves", _KINDS),
        flags("target_kind", "what is placed", _KINDS),
        flags("last_kind", "what moved or was placed last", _KINDS),
        flags("election", "what is elected: a bishop of the diocese, or the king", (*_DIOCESES, ":king")),
        flags("runoff", "whether this is the second ballot"),
        flags("lowest", "for whom the last vote was cast: the next is for no seat with a smaller number", table),
        flags("elector", "the title whose vote is next, or under way", per_member(TITLES)),
    )


def numbers_of(state: RexState, seat: int) -> Sequence[int]:
    """Return the numbers of the planes, those of seats from the one that looks on."""
    seats, land, gold, drawn, decider = state.seats, state.land, state.gold, state.drawn, state.decider
    discarded = mask_of(state.discards)
    cards = [BIT[region] for region in drawn]
    pile = _mask_of_deck(state.options.deck) & ~state.owned & ~discarded & ~sum(cards)
    election = state.election
    # What has just been decided in an action and in an election: nothing in most positions.
    regions, kinds = _of_action(state) if state.task != NOTHING else (_NO_REGIONS, _NO_KINDS)
    counts, marks = _of_election(state, election, seat) if election is not None else (_NO_COUNTS[seats], _NO_MARKS)
    return [
        *(_with_arrived(state.army, state.arrived) if state.arrived else state.army),
        *land[seat:],
        *land[:seat],
        *state.churches,
        state.castles,
        discarded,
        *cards,
        *_NO_CARDS[len(cards)],
        pile,
        *regions,
        state.round,
        *gold[seat:],
        *gold[:seat],
        *counts,
        1 << state.phase,
        1 << seat,
        0 if decider is None else 1 << (decider - seat) % seats,
        1 << (state.active - seat) % seats,
        0 if state.king == NOBODY else 1 << (state.king - seat) % seats,
        *[0 if holder == NOBODY else 1 << (holder - seat) % seats for holder in state.titles],
        int(state.is_final),
        *kinds,
        *marks,
    ]


@cache
def _mask_of_deck(deck: tuple[int, ...]) -> int:
    return mask_of(list(deck))


def _with_arrived(army: Sequence[int], arrived: Mapping[int, int]) -> Sequence[int]:
    found = list(army)
    for figures, number in arrived.items():
        found[figures] += min(number, _MOST_ARRIVED) << _BITS
    return found


def _of_action(state: RexState) -> tuple[Sequence[int], Sequence[int]]:
    """Return the planes `bought` to `built`, and the flags `action` to `last_kind`."""
    source, target, last = state.source, state.target, state.last
    is_placed = state.phase == COUNT and source == NOTHING
    buildings = [0] * (DIOCESE_COUNT + 1)
    for building in state.built:
        buildings[(building - CHURCH) // REGION_COUNT] |= BIT[(building - CHURCH) % REGION_COUNT]
    regions = (
        state.fresh,
        state.undefended,
        state.contested,
        _region(source),
        _region(target) if is_placed else _SPOTS[target],
        _region(last),
        _SPOTS[state.last_to],
        *buildings,
    )
    return regions, (1 << state.task, _kind(source), _kind(target) if is_placed else 0, _kind(last))


def _region(figures: int) -> int:
    return 0 if figures == NOTHING else BIT[figures % REGION_COUNT]


def _kind(figures: int) -> int:
    return 0 if figures == NOTHING else 1 << figures // REGION_COUNT


def _of_election(state: RexState, election: Election, seat: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the numbers `votes` to `cast`, and the flags `election` to `elector`."""
    seats, votes, offers = state.seats, election.votes, election.offers
    table = [other % seats for other in range(seat, seat + seats)]
    counts = (
        *votes[seat:],
        *votes[:seat],
        *offers[seat:],
        *offers[:seat],
        *_places_in(election.candidates, table),
        *_places_in(election.ballot, table),
        *_places_in(election.asked, table),
        election.at,
        election.cast,
    )
    what = DIOCESE_COUNT if election.diocese == NOTHING else election.diocese
    elector = 1 << state.options.vote_order[election.elector] if election.elector < TITLE_COUNT else 0
    return counts, (1 << what, int(election.is_runoff), 1 << (election.lowest - seat) % seats, elector)


def _places_in(row: Sequence[int], table: Sequence[int]) -> list[int]:
    return [row.index(other) + 1 if other in row else 0 for other in table]


FEATURED: Final = Featured(board=lambda _seats, _options: (REGION_COUNT,), parts=parts, numbers=numbers_of)
