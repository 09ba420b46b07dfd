"""The bots and the large tournaments that are invented for the database on which pages are measured. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, Final

BOTS: Final = 10_000
MATCHES: Final = 1_000_000
VETERANS: Final = 20
"""So many bots play the long round robin."""
LONG_MATCHES: Final = 100_000
PAIRS: Final = 2000
LADDER, LONG, QUESTION = "ladder", "veterans", "is-it-better"
BEGAN_MS: Final = 1_780_000_000_000
"""Before the tournaments that are really played, so that those are the newest."""


class People:
    """The bots, some with several versions, and how strong each is."""

    def __init__(self, bots: int) -> None:
        random = Random(1)
        self.bots = bots
        self.versions = [3 if number % 10 == 0 else 1 for number in range(bots)]
        self.strength = [random.gauss(number / bots * 6, 0.4) for number in range(bots)]

    def version(self, bot: int, part: float) -> str:
        """Return the version of a bot that plays when that part of the ladder is over."""
        return id_of("e", bot * 4 + min(int(part * self.versions[bot]), self.versions[bot] - 1))

    def all_versions(self) -> Iterator[tuple[int, int, str]]:
        """Yield bot, number and id of every version."""
        for bot in range(self.bots):
            for number in range(self.versions[bot]):
                yield bot, number + 1, id_of("e", bot * 4 + number)


@dataclass(frozen=True, slots=True)
class Block:
    """Two matches between two versions, or four of a comparison's pair are two of them."""

    first: str
    second: str
    edge: float
    """How much stronger the first one is."""
    seed: int


@dataclass(frozen=True, slots=True)
class Large:
    """A tournament that is written."""

    number: int
    name: str
    format: str
    settings: Mapping[str, Any]
    entrants: Sequence[tuple[str, int, int | None]]
    """Version, the first wave that it plays, and the first that it does not play any more."""
    waves: Sequence[Sequence[Block]]
    open_waves: int = 0
    """So many of the last waves are still to be played."""
    is_rated: bool = True

    @property
    def id(self) -> str:
        return id_of("t", self.number)

    @property
    def over(self) -> int:
        """Return how many matches are over."""
        return 2 * sum(map(len, self.waves[: len(self.waves) - self.open_waves]))


def ladder(people: People, matches: int) -> Large:
    random, waves, count = Random(2), [], matches // people.bots
    for wave in range(count + 1):
        order = sorted(range(people.bots), key=lambda bot: people.strength[bot] + random.gauss(0, 0.5))
        pairs = zip(order[::2], order[1::2], strict=False)
        part = wave / (count + 1)
        waves.append(
            [
                Block(
                    people.version(one, part),
                    people.version(other, part),
                    people.strength[one] - people.strength[other],
                    wave * people.bots + one,
                )
                for one, other in pairs
            ]
        )
    entrants = [
        (version, -(-(number - 1) * (count + 1) // of), None if number == of else -(-number * (count + 1) // of))
        for bot, number, version in people.all_versions()
        for of in [people.versions[bot]]
    ]
    return Large(1, LADDER, "ladder", {"waves": 0, "retire_after": 3}, entrants, waves, open_waves=1)


def long_round_robin(people: People) -> Large:
    blocks = LONG_MATCHES // 2
    pairs = list(combinations(range(1, 10 * VETERANS, 10), 2))
    wave = [
        Block(id_of("e", 4 * one), id_of("e", 4 * other), people.strength[one] - people.strength[other], number)
        for number in range(blocks)
        for one, other in [pairs[number % len(pairs)]]
    ]
    entrants = [(id_of("e", 4 * bot), 0, None) for bot in range(1, 10 * VETERANS, 10)]
    return Large(2, LONG, "round-robin", {"blocks": blocks // len(pairs)}, entrants, [wave])


def question() -> Large:
    """Return a comparison that does not end before its last pair: the two are nearly as strong as one another."""
    new, old = id_of("e", 2), id_of("e", 1)
    waves = [
        [
            Block(version, old, 0.06 if version == new else 0.0, pair)
            for pair in range(start, min(start + 6, PAIRS))
            for version in (new, old)
        ]
        for start in range(0, PAIRS, 6)
    ]
    settings = {"pairs": PAIRS, "lower": 0.0, "upper": 0.03, "alpha": 0.05, "beta": 0.05}
    return Large(3, QUESTION, "compare", settings, [(new, 0, None), (old, 0, None)], waves, is_rated=False)


def id_of(kind: str, number: int) -> str:
    """Return an id as those of the arena are, ascending."""
    digits = f"{BEGAN_MS + number:012x}"
    return f"{digits[:8]}-{digits[8:]}-7{ord(kind):03x}-8000-{number:012x}"


def of(one: Large, kind: str, number: int) -> str:
    return id_of(kind, one.number * 10_000_000 + number)
