"""Has a machine prove what it is before its first match. What it lacks is told in sentences for people."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from arena.executor.ray.asking import ask
from arena.executor.ray.facts import ClockSample, NodeFacts, best_sample, clock_problem, differences, own_facts
from arena.executor.ray.node import FETCH_S, ClusterNode
from arena.executor.transport import TransportLostError
from arena.match.spec import NO_SANDBOX
from engine.text import Text

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


async def prove(node: ClusterNode, demands: Demands) -> list[str]:
    """Return why a machine may not play, a sentence for each reason; none if it may. Raises TransportLostError."""
    node.facts = await ask(node.agent.facts.remote(), node.cut, FETCH_S)
    ours = demands.ours()
    try:
        theirs = NodeFacts(**node.facts)
    except TypeError:
        return [
            Text(
                "executor.another_version_arena_install_same",
                "it has another version of the arena; install the same version on every machine",
            )
        ]
    found = differences(ours, theirs, demands.games or ours.games)
    node.clock = best_sample([await _look_at_clock(node, demands) for _ in range(CLOCK_SAMPLES)])
    if problem := clock_problem(node.clock):
        found.append(problem)
    if not found:
        found += await _try_levels(node, [level for level in demands.levels if level != NO_SANDBOX])
    return found


async def _look_at_clock(node: ClusterNode, demands: Demands) -> ClockSample:
    asked_s = demands.now_s()
    theirs_s = await ask(node.agent.clock.remote(), node.cut)
    return ClockSample(asked_s, theirs_s, demands.now_s())


async def _try_levels(node: ClusterNode, levels: Sequence[str]) -> list[str]:
    if not levels:
        return []
    tried: dict[str, str] = await ask(node.agent.try_levels.remote(list(levels)), node.cut, FETCH_S)
    node.levels.update(tried)
    return [
        Text(
            "executor.level_sandbox_does_not_work",
            "level {level} of the sandbox does not work there: {why}",
            level=level,
            why=why,
        )
        for level, why in tried.items()
        if why
    ]


def why_not(error: TransportLostError) -> str:
    """Return in a sentence why a machine could not prove anything."""
    if "No module named" in str(error) or "failed to import" in str(error).lower():
        return Text(
            "executor.arena_cannot_imported_install_where",
            "the arena cannot be imported there; install it where its Ray runs",
        )
    return Text("executor.does_not_answer", "it does not answer: {why}", why=error)
