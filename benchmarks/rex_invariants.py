"""Plays random games of Rex Romanorum and looks whether positions keep the invariants of the rules (section 9.4).

    python -m benchmarks.rex_invariants
    python -m benchmarks.rex_invariants --games 500 --every 1

Games go round over 2 to 5 seats and both variants. Tells how they ended; stops at the first violation with its game and
ply. The tests play a smaller share with every position looked at.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from random import Random

from engine import registry
from engine.chance import SeededChance
from engine.games.rex_romanorum.actions import ACT_ATTACK
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, TITLE_COUNT
from engine.games.rex_romanorum.position import END, NOBODY, Position
from engine.games.rex_romanorum.rules.land import production
from engine.games.rex_romanorum.rules.scoring import wealth
from engine.games.rex_romanorum.state import RexState

GAME = registry.get("rex_romanorum")
VARIANTS = ("full", "short")


class InvariantError(AssertionError):
    """A position breaks a rule that no play can break."""


def _hold(fact: bool, what: str) -> None:
    if not fact:
        raise InvariantError(what)


def check(state: Position) -> None:
    """Raise InvariantError unless the position keeps every invariant."""
    _hold(all(gold >= 0 for gold in state.gold), "gold is never negative")
    _check_land(state)
    _check_figures(state)
    _check_churches(state)
    _check_titles(state)
    _check_cards(state)
    _hold(1 <= state.round <= state.options.round_limit, "a game ends within its rounds")
    for seat in range(state.seats):
        _check_sums(state, seat)


def _check_land(state: Position) -> None:
    for region, owner in enumerate(state.owner):
        holders = [seat for seat, land in enumerate(state.land) if land & BIT[region]]
        _hold(holders == ([] if owner == NOBODY else [owner]), "a region has at most one owner")
        _hold(bool(state.owned & BIT[region]) == (owner != NOBODY), "owned regions are those with an owner")


def _check_figures(state: Position) -> None:
    for figures, number in enumerate(state.army):
        kind, region = divmod(figures, REGION_COUNT)
        _hold(number >= 0, "no army is negative")
        _hold(bool(state.standing[kind] & BIT[region]) == (number > 0), "standing figures are those of the army")
        _hold(number == 0 or state.owner[region] != NOBODY, "figures stand only in owned regions")
    for figures, number in state.arrived.items():
        owner = state.owner[figures % REGION_COUNT]
        _hold(number > 0 and owner != NOBODY, "figures move only into owned regions")
        _hold(owner == state.active or state.task == ACT_ATTACK, "figures stand in foreign land only in an attack")


def _check_churches(state: Position) -> None:
    most = state.options.churches_per_diocese
    _hold(all(mask.bit_count() <= most for mask in state.churches), "a diocese has at most five churches")
    for one in range(3):
        for other in range(one):
            _hold(not state.churches[one] & state.churches[other], "a region has at most one church")
    _hold(not state.castles & ~state.owned, "castles stand in owned regions")


def _check_titles(state: Position) -> None:
    _hold(len(state.titles) == TITLE_COUNT, "there are seven titles")
    _hold(all(NOBODY <= seat < state.seats for seat in state.titles), "a title is held by a seat or by nobody")
    kurpfalz = state.options.titles[0][0].bit_length() - 1
    _hold(state.titles[3] == state.owner[kurpfalz], "who owns Kurpfalz is its elector")


def _check_cards(state: Position) -> None:
    owned = [region for region in range(REGION_COUNT) if state.owner[region] != NOBODY]
    cards = sorted([*state.pile, *state.discards, *state.drawn, *owned])
    _hold(cards == list(state.options.deck), "every card is in the pile, discarded, drawn or owned, once")


def _check_sums(state: Position, seat: int) -> None:
    """Production and wealth, counted once more from the lists."""
    regions = [region for region in range(REGION_COUNT) if state.owner[region] == seat]
    churches = sum(bool(mask & BIT[region]) for mask in state.churches for region in regions)
    castles = sum(bool(state.castles & BIT[region]) for region in regions)
    titles = state.titles.count(seat)
    figures = [sum(state.army[kind * REGION_COUNT + region] for region in regions) for kind in range(3)]
    if seat == state.active:
        for index, number in state.arrived.items():
            figures[index // REGION_COUNT] += number
    _hold(production(state, seat) == 2 * len(regions) + churches + 2 * titles, "production is counted from the board")
    counted = state.gold[seat] + 5 * (len(regions) + churches + castles + titles)
    counted += figures[0] + 2 * figures[1] + 4 * figures[2]
    _hold(wealth(state, seat) == counted, "wealth is a function of the position")


def new_game(index: int) -> RexState:
    """The start of one of the games: seats and variants go round."""
    options = GAME.parse_options({"variant": VARIANTS[index // 4 % 2]})
    state = GAME.new_state(2 + index % 4, options, SeededChance(index))
    assert isinstance(state, RexState)
    return state


def play(index: int, every: int = 1) -> RexState:
    """Play game `index` to its end, checking every so many positions and the last. Raises InvariantError."""
    state, random = new_game(index), Random(index)
    ply = 0
    for ply in positions(state, random):
        if ply % every == 0:
            _check_at(state, index, ply)
    _check_at(state, index, ply)
    return state


def positions(state: RexState, random: Random) -> Iterator[int]:
    """Play on uniformly at random; after each action its ply plus 1."""
    ply = 0
    while state.phase != END:
        state.apply_unchecked(random.choice(state.legal_actions()))
        ply += 1
        yield ply


def _check_at(state: RexState, index: int, ply: int) -> None:
    try:
        check(state)
    except InvariantError as error:
        raise InvariantError(f"game {index}, ply {ply}: {error}") from error


def main(argv: Sequence[str]) -> int:
    """Play, check and print; 0, or an InvariantError."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rex_invariants", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument(
        "--every", type=int, default=10, help="check every so many positions, and the last (default 10)"
    )
    arguments = parser.parse_args(argv)
    ends: dict[int, list[RexState]] = {seats: [] for seats in GAME.seats}
    start = time.process_time()
    for index in range(arguments.games):
        state = play(index, arguments.every)
        ends[state.seats].append(state)
    seconds = time.process_time() - start
    print(
        f"{arguments.games} random games in {seconds:.0f} s of CPU time: every position looked at kept every invariant"
    )
    for seats, states in ends.items():
        if states:
            print_ends(seats, states)
    return 0


def print_ends(seats: int, states: Sequence[RexState]) -> None:
    """How the games of one number of seats ended."""
    kings = sum(state.king != NOBODY for state in states) / len(states)
    rounds = sum(state.round for state in states) / len(states)
    print(f"  {seats} seats: {len(states)} games, {kings:.1%} with a king, {rounds:.1f} rounds a game")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
