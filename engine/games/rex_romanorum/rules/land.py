"""Who holds which region, title and figure: the changes that several phases share."""

from __future__ import annotations

from engine.games.rex_romanorum.board import BIT, REGION_COUNT
from engine.games.rex_romanorum.state import NOBODY, RexState


def take(state: RexState, region: int, seat: int) -> None:
    """Give a region with its church and its titles to `seat` (A6, A8, C13)."""
    bit = BIT[region]
    loser = state.owner[region]
    if loser != NOBODY:
        state.land[loser] &= ~bit
    state.owner[region] = seat
    state.land[seat] |= bit
    state.owned |= bit
    settle_titles(state, seat)


def settle_titles(state: RexState, seat: int) -> None:
    """Give `seat`, who has just taken land, the titles whose condition it meets; others stay where they are (C16)."""
    missing = ~state.land[seat]
    title = 3
    for needed, groups in state.options.titles:
        if not needed & missing:
            for group in groups:
                if not group & ~missing:
                    break
            else:
                state.titles[title] = seat
        title += 1


def add_figures(state: RexState, figures: int, number: int) -> None:
    """Stand `number` figures of one kind in a region; `figures` is kind * 62 + region."""
    state.army[figures] += number
    kind, region = figures // REGION_COUNT, figures % REGION_COUNT
    state.standing[kind] |= BIT[region]


def remove_figures(state: RexState, figures: int, number: int) -> None:
    """Take away `number` of the figures that stand in a region; `figures` is kind * 62 + region."""
    state.army[figures] -= number
    if not state.army[figures]:
        kind, region = figures // REGION_COUNT, figures % REGION_COUNT
        state.standing[kind] &= ~BIT[region]
