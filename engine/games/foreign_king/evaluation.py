"""How good a position is, for searching bots."""

from __future__ import annotations

from engine.games.foreign_king.scoring import breakdown, medals_of, ranks
from engine.games.foreign_king.state import ForeignKingState


def evaluate(s: ForeignKingState, seat: int) -> float:
    """The normalised rank if the game ended now."""
    scores = [sum(points) for points in zip(*breakdown(s).values(), strict=True)]
    places = ranks(scores, medals_of(s))
    better = sum(place < places[seat] for place in places)
    equal = places.count(places[seat]) - 1
    return 1 - (better + equal / 2) / (s.seats - 1)
