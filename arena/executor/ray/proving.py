"""What a coordinator asks of a cluster, and how a machine proves before its first match that it has it.

What a machine lacks is told in sentences for people.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.executor.child_handle import TransportLostError
from arena.executor.ray.actor_handles import ask
from arena.executor.ray.facts import ClockSample, NodeFacts, best_sample, clock_problem, differences, own_facts
from arena.executor.ray.node import FETCH_S, ClusterNode
from arena.match.spec import NO_SANDBOX
from engine.translatable import Text

CLOCK_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Demands:
    """What every machine must have."""

    games: Sequence[str] = ()
    """The games whose rules must be the same; none stands for all that are here."""
    levels: Iterable[str] = ()
    """The levels of the sandbox that must work."""
    ours: Callable[[], NodeFacts] = field(default=own_facts)
    now_s: Callable[[], float] = field(default=time.time)
    """The clock with which theirs is compared, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class RayOptions:
    """Which cluster plays, how much of it, and what its machines must have."""

    address: str = ""
    """HOST:PORT of its head; empty for the one that Ray finds by itself."""
    workers: int = 0
    """At most so many matches at once; 0 for as many as there are cores."""
    cores: int = 1
    """How many cores each worker gets."""
    warm_mb: int | None = None
    """What idle bots may hold on each machine; None for a share of its memory."""
    runtimes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The tables of the runtimes that the organiser defined, by name."""
    demands: Demands = field(default_factory=Demands)
    report: Callable[[str], None] = lambda _: None
    """Is told what people should know of the machines, each thing once."""


async def prove(node: ClusterNode, demands: Demands) -> list[str]:
    """Return why a machine may not play, a sentence for each reason; none if it may. Raises TransportLostError."""
    node.facts = await ask(node.agent.facts.remote(), node.cut, FETCH_S)
    ours = demands.ours()
    try:
        theirs = NodeFacts(**node.facts)
    except TypeError:
        return [Text("it has another version of the arena; install the same version on every machine")]
    found = differences(ours, theirs, demands.games or ours.games)
    samples = []
    for _ in range(CLOCK_SAMPLES):
        asked_s = demands.now_s()
        theirs_s = await ask(node.agent.clock.remote(), node.cut)
        samples.append(ClockSample(asked_s, theirs_s, demands.now_s()))
    node.clock = best_sample(samples)
    if problem := clock_problem(node.clock):
        found.append(problem)
    levels = [level for level in demands.levels if level != NO_SANDBOX]
    if levels and not found:
        tried: dict[str, str] = await ask(node.agent.try_levels.remote(levels), node.cut, FETCH_S)
        node.levels.update(tried)
        found += [
            Text("level {level} of the sandbox does not work there: {why}", level=level, why=why)
            for level, why in tried.items()
            if why
        ]
    return found


def why_not(error: TransportLostError) -> str:
    """Return in a sentence why a machine could not prove anything."""
    if "No module named" in str(error) or "failed to import" in str(error).lower():
        return Text("the arena cannot be imported there; install it where its Ray runs")
    return Text("it does not answer: {why}", why=error)
