"""Lays tables by hand: only what a test is about is given, the rest is made to add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.foreign_king import GAME
from engine.games.foreign_king.state import ForeignKingState

SPACES = ("BUILD", "PLACE", "MOVE", "CONGRESS", "COINS", "KING", "QUEEN", "CHANGE")


def lay(
    seats: int,
    *,
    active: int = 0,
    discs: Mapping[str, Sequence[int]] | None = None,
    factories: Mapping[str, str] | None = None,
    pawns: Mapping[int, str] | None = None,
    congress: Sequence[int] | None = None,
    options: Mapping[str, Any] | None = None,
    **values: Any,
) -> ForeignKingState:
    """A position in TURN unless `phase` is given.

    `discs` has the counts by colour of a province, `factories` letters as in the rules ("MTm"), `pawns` spaces without
    ACT_. What is on the table is taken out of hand and supply; medals go to seat 0 unless `medals` says otherwise.
    """
    data = GAME.new_state(seats, GAME.parse_options(options or {})).to_json()
    data |= {"active": active, "seat": active}
    for province, counts in (discs or {}).items():
        data["discs"][province] = [*counts, *[0] * (len(data["hand"]) - len(counts))]
    data["congress"] = list(congress or [0] * seats)
    for colour in range(len(data["hand"])):
        in_congress = data["congress"][colour] if colour < seats else 0
        data["hand"][colour] -= in_congress + sum(counts[colour] for counts in data["discs"].values())
    for province, letters in (factories or {}).items():
        data["factories"][province] |= Counter(letters)
    for kind in "MT":
        built = sum(there[kind] + there[kind.lower()] for there in data["factories"].values())
        data["supply"][kind] -= built
    data["medals"][0] = sum(any(there.values()) for there in data["factories"].values())
    for seat, space in (pawns or {}).items():
        data["pawns"][seat] = f"ACT_{space}"
    return GAME.state_from_json(data | values)


def play(state: ForeignKingState, notation: str) -> ForeignKingState:
    """Apply the actions written in `notation`, every one checked; the state itself is changed and returned."""
    for text in notation.split():
        state.apply(GAME.actions.parse(text))
    return state


def legal(state: ForeignKingState) -> list[str]:
    """The legal actions as they are written."""
    return [GAME.actions.format(action) for action in state.legal_actions()]


def phase(state: ForeignKingState) -> str:
    """The phase by its name."""
    name: str = state.to_json()["phase"]
    return name


def factories_in(state: ForeignKingState, province: str) -> str:
    """The factories of a province in letters, as `lay` takes them."""
    there = state.to_json()["factories"][province]
    return "".join(key * count for key, count in there.items())


def discs_in(state: ForeignKingState, province: str) -> list[int]:
    """The discs of a province by colour."""
    counts: list[int] = state.to_json()["discs"][province]
    return counts


def finish(state: ForeignKingState) -> ForeignKingState:
    """End the turn if POST asks."""
    return play(state, "END_TURN") if phase(state) == "POST" else state
