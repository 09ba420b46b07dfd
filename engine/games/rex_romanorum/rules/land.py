"""Who holds which region, title and figure: the changes that several phases share."""

from __future__ import annotations

from engine.games.rex_romanorum.board import BIT, REGION_COUNT
from engine.games.rex_romanorum.position import NOBODY, Position


def take(position: Position, region: int, seat: int) -> None:
    """Give a region with its church and its titles to `seat` (A6, A8, C13)."""
    bit = BIT[region]
    loser = position.owner[region]
    if loser != NOBODY:
        position.land[loser] &= ~bit
    position.owner[region] = seat
    position.land[seat] |= bit
    position.owned |= bit
    settle_titles(position, seat)


def settle_titles(position: Position, seat: int) -> None:
    """Give `seat`, who has just taken land, the titles whose condition it meets; others stay where they are (C16)."""
    missing = ~position.land[seat]
    title = 3
    for needed, groups in position.options.titles:
        if not needed & missing:
            for group in groups:
                if not group & ~missing:
                    break
            else:
                position.titles[title] = seat
        title += 1


def add_figures(position: Position, figures: int, number: int) -> None:
    """Stand `number` figures of one kind in a region; `figures` is kind * 62 + region."""
    position.army[figures] += number
    kind, region = divmod(figures, REGION_COUNT)
    position.standing[kind] |= BIT[region]


def remove_figures(position: Position, figures: int, number: int) -> None:
    """Take `number` of the figures that stand there away."""
    position.army[figures] -= number
    if not position.army[figures]:
        kind, region = divmod(figures, REGION_COUNT)
        position.standing[kind] &= ~BIT[region]


def manned(position: Position) -> int:
    """The regions in which a figure of their owner stands, while he moves those that have not moved."""
    standing = position.standing
    return standing[0] | standing[1] | standing[2]


def all_churches(position: Position) -> int:
    """The regions with a church."""
    churches = position.churches
    return churches[0] | churches[1] | churches[2]


def production(position: Position, seat: int) -> int:
    """What a harvest would pay without the cap (section 2, S7)."""
    per_region, per_church, per_title, _ = position.options.harvest
    land = position.land[seat]
    churches = (all_churches(position) & land).bit_count()
    return per_region * land.bit_count() + per_church * churches + per_title * position.titles.count(seat)
