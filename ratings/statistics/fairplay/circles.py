"""Tells a circle of styles from a deal. No I/O.

Scissors gain from paper, paper from stone, stone from scissors: what the first gives comes back to it in the end, so
that nobody stands higher than without the circle. A deal that nobody gains by is none. What a deal moves stays where it
was brought, and where both of a pair gain, others at the table pay.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist, median

from ratings.statistics.fairplay.questions import PairFlow

_STRAY = 0.35
"""How many flows that are only chance a version may have on average, so that these do not close circles."""
_SHARE = 1 / 3
"""Which part of a flow must come back: the flows of a circle are not all alike, and neither are their estimates."""


def beyond_usual(flows: Mapping[tuple[str, str], PairFlow]) -> dict[tuple[str, str], PairFlow]:
    """Return the flows beyond the median one of each version.

    To whom a deal brought strength, more than that flows back to nobody; but as the model takes the gain for strength,
    a little of it seems to flow to all others, and that is the median.
    """
    own: dict[str, list[float]] = {}
    for (giver, _), flow in flows.items():
        own.setdefault(giver, []).append(flow.elo)
    usual = {version: median(elos) for version, elos in own.items()}
    return {(giver, taker): _less(flow, usual[giver] - usual[taker]) for (giver, taker), flow in flows.items()}


def _less(flow: PairFlow, elo: float) -> PairFlow:
    """Return a flow less some Elo; its standard deviation stays what it is."""
    return PairFlow(flow.elo - elo, flow.z * (flow.elo - elo) / flow.elo) if flow.elo else flow


def comes_back(flows: Mapping[tuple[str, str], PairFlow], first: str, second: str) -> bool:
    """Return whether at least a third of what goes from `first` to `second` goes on from there and back to `first`.

    It may go over any number of others; every flow on its way must be as large as that, and more than chance.
    """
    start = flows.get((first, second))
    if start is None or start.elo <= 0:
        return False
    ways = _ways(flows, _SHARE * start.elo)
    reached, new = {second}, [second]
    while new:
        new = list(dict.fromkeys(to for place in new for to in ways.get(place, ()) if to not in reached))
        reached.update(new)
    return first in reached


def _ways(flows: Mapping[tuple[str, str], PairFlow], least: float) -> dict[str, list[str]]:
    """Return to whom each version gives as much as that, and more than chance."""
    versions = {version for pair in flows for version in pair}
    sure = NormalDist().inv_cdf(1 - _STRAY / len(versions))
    ways: dict[str, list[str]] = {}
    for (giver, taker), flow in flows.items():
        if flow.elo >= least and flow.z >= sure:
            ways.setdefault(giver, []).append(taker)
    return ways
