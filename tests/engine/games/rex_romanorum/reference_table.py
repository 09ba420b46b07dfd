"""The table of the reference engine: who owns what, and what can be counted from it (see `reference`)."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import engine.games.rex_romanorum

_BOARD = json.loads((Path(engine.games.rex_romanorum.__file__).parent / "board.json").read_text(encoding="utf-8"))
NEIGHBOURS = {region["id"]: set(region["neighbours"]) for region in _BOARD["regions"]}
REGIONS = list(NEIGHBOURS)
SHORT = [region["id"] for region in _BOARD["regions"] if region["short_variant"]]
DIOCESES = ["mainz", "koeln", "trier"]
NAMES = {"F": "foot", "A": "archer", "K": "knight"}

Decision = tuple[str, int, list[str]]
Story = Generator[Decision, str, Any]
Army = Counter[str]


def order(kind: str, region: str) -> tuple[int, int]:
    """The place of (kind, region) in the order of section 9.1."""
    return "FAK".index(kind), REGIONS.index(region)


def parts(action: str) -> list[str]:
    return action.split(":")[1:]


class Table:
    """What lies on the table, and what is counted from it."""

    def __init__(self, seats: int, options: dict[str, Any]) -> None:
        self.seats = seats
        self.options = options
        self.chance: deque[list[int]] = deque()
        """Outcomes to come."""
        self.me = 0
        self.round = 1
        self.king: int | None = None
        self.gold = [options["start_gold"]] * seats
        self.owners: dict[str, int] = {}
        self.castles: set[str] = set()
        self.churches = {diocese: {options["start_churches"][diocese]} for diocese in DIOCESES}
        self.titles: dict[str, int | None] = dict.fromkeys([*DIOCESES, *options["titles"]])
        self.figures: dict[str, Army] = {region: Counter() for region in REGIONS}
        self.attackers: dict[str, Army] = {}
        self.deck = SHORT if options["variant"] == "short" else REGIONS
        self.pile: list[str] = []
        self.discards: list[str] = []
        self.drawn: list[str] = []
        self.tied: list[int] = []

    def shuffled(self, cards: Sequence[str]) -> list[str]:
        return [cards[index] for index in self.chance.popleft()]

    def die(self) -> int:
        (face,) = self.chance.popleft()
        return face

    def land(self, seat: int) -> list[str]:
        return [region for region in REGIONS if self.owners.get(region) == seat]

    def price(self, kind: str) -> int:
        return int(self.options["figures"][NAMES[kind]]["cost"])

    def clockwise(self) -> list[int]:
        return [(self.me + step) % self.seats for step in range(self.seats)]

    def has_church(self, region: str) -> bool:
        return any(region in churches for churches in self.churches.values())

    def church_count(self, seat: int, diocese: str) -> int:
        return sum(self.owners.get(region) == seat for region in self.churches[diocese])

    def production(self, seat: int) -> int:
        harvest, land = self.options["harvest"], self.land(seat)
        churches = sum(self.has_church(region) for region in land)
        titles = list(self.titles.values()).count(seat)
        return int(harvest["region"] * len(land) + harvest["church"] * churches + harvest["elector"] * titles)

    def wealth(self, seat: int) -> int:
        """Section 5.2."""
        worth, land = self.options["wealth"], self.land(seat)
        total = worth["gold"] * self.gold[seat] + worth["elector"] * list(self.titles.values()).count(seat)
        for region in land:
            total += worth["region"] + worth["church"] * self.has_church(region)
            total += worth["castle"] * (region in self.castles)
            total += sum(worth[NAMES[kind]] * number for kind, number in self.figures[region].items())
        return int(total)

    def ranks(self) -> list[int]:
        """5.3, K13."""
        wealth = [self.wealth(seat) for seat in range(self.seats)]
        winners = {seat for seat in range(self.seats) if wealth[seat] == max(wealth)} | {self.king}
        keys = [(seat in winners, wealth[seat] if seat not in winners else 0) for seat in range(self.seats)]
        return [1 + sum(other > key for other in keys) for key in keys]

    def take(self, region: str) -> None:
        """The region changes hands, and titles with it (C16)."""
        self.owners[region] = self.me
        for title, needed in self.options["titles"].items():
            groups = [entry if isinstance(entry, list) else [entry] for entry in needed]
            for seat in range(self.seats):
                if all(any(self.owners.get(name) == seat for name in group) for group in groups):
                    self.titles[title] = seat

    def count(self, most: int) -> Generator[Decision, str, int]:
        action = yield "COUNT", self.me, [f"COUNT:{number}" for number in range(1, min(most, 100) + 1)]
        return int(parts(action)[0])
