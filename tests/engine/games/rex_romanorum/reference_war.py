"""Figures in the reference engine: placed, moved, and in battle (7.2 to 7.4, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator

from tests.engine.games.rex_romanorum.reference_table import (
    NAMES,
    NEIGHBOURS,
    REGIONS,
    Army,
    Decision,
    Story,
    Table,
    order,
    parts,
)


class War(Table):
    """Adds what players do with figures."""

    def place(self, phase: str, regions: list[str], kinds: str) -> Story:
        """GARRISON with its limit of three, or PLACE (K3)."""
        last = (-1, -1)
        while True:
            found = [
                (kind, region)
                for kind in kinds
                for region in regions
                if self.most_placed(phase, kind, region) > 0
                and order(kind, region) > last
                and (kind != "K" or region in self.castles)
            ]
            if not found:
                return
            names = [f"PLACE:{kind}:{region}" for kind, region in found]
            action = yield phase, self.me, [*names, "PLACE_DONE"]
            if action == "PLACE_DONE":
                return
            kind, region = parts(action)
            number = yield from self.count(self.most_placed(phase, kind, region))
            self.gold[self.me] -= number * self.price(kind)
            self.figures[region][kind] += number
            last = order(kind, region)

    def most_placed(self, phase: str, kind: str, region: str) -> int:
        payable = self.gold[self.me] // self.price(kind)
        return int(payable if phase == "PLACE" else min(payable, 3 - self.figures[region].total()))

    def muster(self) -> Story:
        for region, army in (yield from self.move(False)).items():
            self.figures[region] += army
        yield from self.place("PLACE", self.land(self.me), "FAK")

    def move(self, attacks: bool) -> Generator[Decision, str, dict[str, Army]]:
        """All moves; where figures went."""
        moved: dict[str, Army] = {}
        last, last_to = None, ""
        while True:
            found = [f"MOVE_FROM:{kind}:{region}" for kind, region in self.sources(attacks, last, last_to)]
            if not found and not attacks:
                return moved
            action = yield "MOVE_FROM", self.me, found + ["MOVE_DONE"] * (not attacks or last is not None)
            if action == "MOVE_DONE":
                return moved
            kind, region = parts(action)
            ends = self.onward(kind, region, attacks, last, last_to)
            action = yield "MOVE_TO", self.me, [f"MOVE_TO:{end}" for end in ends]
            (last_to,) = parts(action)
            last = order(kind, region)
            number = yield from self.count(self.figures[region][kind])
            self.figures[region][kind] -= number
            moved.setdefault(last_to, Counter())[kind] += number

    def sources(self, attacks: bool, last: tuple[int, int] | None, last_to: str) -> list[tuple[str, str]]:
        places = [(kind, region) for kind in "FAK" for region in self.land(self.me) if self.figures[region][kind]]
        return [place for place in places if self.onward(*place, attacks, last, last_to)]

    def onward(self, kind: str, region: str, attacks: bool, last: tuple[int, int] | None, last_to: str) -> list[str]:
        """The destinations that may still be named (K4)."""
        ends = self.destinations(kind, region, attacks)
        if last is None or order(kind, region) > last:
            return ends
        return (
            [end for end in ends if REGIONS.index(end) > REGIONS.index(last_to)] if order(kind, region) == last else []
        )

    def destinations(self, kind: str, region: str, attacks: bool) -> list[str]:
        """B5, C1 to C4."""
        near = NEIGHBOURS[region]
        reached = set(near)
        if self.options["figures"][NAMES[kind]]["move"] == 2:
            for through in near:
                is_own = self.owners.get(through) == self.me
                if is_own or (attacks and not self.figures[through].total()):
                    reached |= NEIGHBOURS[through]
        may_end = self.owners if attacks else self.land(self.me)
        return [end for end in REGIONS if end in reached and end in may_end and end != region]

    def attack(self) -> Story:
        moved = yield from self.move(True)
        targets = [region for region in REGIONS if region in moved and self.owners[region] != self.me]
        for region, army in moved.items():
            if region not in targets:
                self.figures[region] += army
        self.attackers = {region: moved[region] for region in targets}
        contested = [region for region in targets if self.figures[region].total()]
        for region in targets:
            if region not in contested:
                yield from self.conquer(region)
        while contested:
            action = yield "FIGHT", self.me, [f"FIGHT:{region}" for region in contested]
            contested.remove(parts(action)[0])
            yield from self.fight(parts(action)[0])

    def conquer(self, region: str) -> Story:
        self.take(region)
        self.figures[region] = self.attackers.pop(region)
        if region in self.castles:
            action = yield "RAZE", self.me, ["RAZE", "KEEP_CASTLE"]
            if action == "RAZE":
                self.castles.remove(region)

    def fight(self, region: str) -> Story:
        while True:
            self.roll_round(region)
            if not self.figures[region].total():
                yield from self.conquer(region)
                return
            if not self.attackers[region].total():
                del self.attackers[region]
                return
            refuges = [near for near in self.land(self.me) if near in NEIGHBOURS[region]]
            action = yield "FIGHT_ON", self.me, ["FIGHT_ON", *(f"RETREAT:{near}" for near in refuges)]
            if action != "FIGHT_ON":
                self.figures[parts(action)[0]] += self.attackers.pop(region)
                return

    def roll_round(self, region: str) -> None:
        """Section 4."""
        terrain = "castle" if region in self.castles else "field"
        armies = {"att": self.attackers[region], "def": self.figures[region]}
        for side, name in self.options["roll_order"][terrain]:
            if not armies["att"].total() or not armies["def"].total():
                return
            kind = name[0].upper()
            value = self.options["figures"][name][terrain][0 if side == "att" else 1]
            dice = [self.die() for _ in range(armies[side][kind])]
            is_low = self.options["hit"] == "d6 <= value"
            hits = sum(die <= value if is_low else die >= value for die in dice)
            other = armies["def" if side == "att" else "att"]
            for row in self.options["rows"][terrain]:
                while hits and other[row[0].upper()]:
                    other[row[0].upper()] -= 1
                    hits -= 1
