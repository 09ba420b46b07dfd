"""What a machine is, as far as matches depend on it, and whether one machine may play for another. Plain values."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine import registry
from engine.translatable import Text

MOST_OFFSET_S = 5.0
"""By how much the clock of a node may differ: matches are told by the time at which they began."""
_CODE = ("arena.executor", "arena.hosting", "arena.match", "arena.referee", "arena.wire", "arena.worker", "engine")
_UPDATE = Text("install the same version on every machine")


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What a machine has installed."""

    arena: str
    """The version of the package."""
    code: str
    """The hash of the sources that play matches."""
    python: str
    machine: str
    """Its processor, like x86_64."""
    games: Mapping[str, str]
    """The version of the rules of each game."""
    ray: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON data; `NodeFacts(**data)` is the inverse."""
        return asdict(self)


@cache
def own_facts() -> NodeFacts:
    """Return the facts of this machine."""
    games = {name: registry.get(name).rules_version for name in sorted(registry.names())}
    arena, ray = _version("kingmaker-arena"), _version("ray")
    digest = hashlib.sha256()
    for name in _CODE:
        spec = find_spec(name)
        for root in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(root).rglob("*.py")):
                digest.update(f"{name}/{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return NodeFacts(arena, digest.hexdigest(), platform.python_version(), platform.machine(), games, ray)


def differences(ours: NodeFacts, theirs: NodeFacts, games: Iterable[str]) -> list[str]:
    """Return why a machine must not play these games for another, a sentence for each reason; none if it may."""
    found = list[str]()
    if theirs.arena != ours.arena:
        found.append(
            Text(
                "it has version {theirs} of the arena, and {ours} is here; {remedy}",
                theirs=theirs.arena,
                ours=ours.arena,
                remedy=_UPDATE,
            )
        )
    elif theirs.code != ours.code:
        found.append(
            Text("its arena is another one of the same version {ours}; {remedy}", ours=ours.arena, remedy=_UPDATE)
        )
    if theirs.python.split(".")[:2] != ours.python.split(".")[:2]:
        found.append(
            Text(
                "it has Python {theirs}, and {ours} is here; {remedy}",
                theirs=theirs.python,
                ours=ours.python,
                remedy=_UPDATE,
            )
        )
    if theirs.ray != ours.ray:
        found.append(
            Text("it has Ray {theirs}, and {ours} is here; {remedy}", theirs=theirs.ray, ours=ours.ray, remedy=_UPDATE)
        )
    for game in games:
        known = theirs.games.get(game, "none")
        if known != ours.games.get(game):
            found.append(
                Text(
                    "it has rules version {theirs} of {game}, and {ours} is here; {remedy}",
                    theirs=known,
                    game=game,
                    ours=ours.games.get(game),
                    remedy=_UPDATE,
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class ClockSample:
    """One look at the clock of another machine; instants are seconds since 1970."""

    asked_s: float
    theirs_s: float
    answered_s: float

    @property
    def trip_s(self) -> float:
        """How long the question and its answer took together."""
        return self.answered_s - self.asked_s

    @property
    def offset_s(self) -> float:
        """By how much their clock is ahead, if the question took as long as the answer."""
        return self.theirs_s - (self.asked_s + self.answered_s) / 2


def best_sample(samples: Sequence[ClockSample]) -> ClockSample:
    """Return the sample with the shortest way: it can be wrong by no more than half of that."""
    return min(samples, key=lambda sample: sample.trip_s)


def clock_problem(sample: ClockSample) -> str:
    """Return why a clock is refused, or an empty text; what the way alone may explain is forgiven."""
    if abs(sample.offset_s) - sample.trip_s / 2 <= MOST_OFFSET_S:
        return ""
    seconds = f"{abs(sample.offset_s):.0f}"
    if sample.offset_s > 0:
        return Text("its clock is {count} s ahead of ours; set it, for example with chrony", count=seconds)
    return Text("its clock is {count} s behind ours; set it, for example with chrony", count=seconds)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
