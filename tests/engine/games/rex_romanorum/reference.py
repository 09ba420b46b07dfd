"""The rules once more, written down in their own order as one long story: a slow engine to compare the fast one with.

`Reference.play` is a generator: it yields each decision as (phase, seat, legal notations) and is sent the answer. It
shares nothing with the engine but the board's file and the options as JSON; outcomes of chance are handed in.
"""

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


class Reference(War):
    """A game under way; everybody may read its fields."""

    def play(self) -> Story:
        """All rounds, and the last election (D5, K2)."""
        self.pile = self.shuffled(self.deck)
        for round_ in range(1, self.options["round_limit"] + 1):
            for seat in range(self.seats):
                self.round, self.me = round_, seat
                yield from self.turn()
                if self.king is not None:
                    return
        self.me = 0
        yield from self.elect_king()

    def turn(self) -> Story:
        action = yield "TURN", self.me, self.turns()
        if action == "ACT_HARVEST":
            self.gold[self.me] += min(self.options["harvest"]["cap"], self.production(self.me))
        elif action == "ACT_ACQUIRE":
            yield from self.acquire()
        elif action == "ACT_BUILD":
            yield from self.build()
        elif action == "ACT_MUSTER":
            yield from self.muster()
        elif action == "ACT_ATTACK":
            yield from self.attack()
        elif action == "ACT_KING":
            self.gold[self.me] -= self.options["king_election_price"]
            yield from self.elect_king()
        else:
            self.gold[self.me] -= self.options["bishop_election_price"]
            yield from self.elect_bishop(*parts(action))

    def turns(self) -> list[str]:
        gold, found = self.gold[self.me], []
        if any(region not in self.owners for region in self.deck):
            found.append("ACT_ACQUIRE")
        found.append("ACT_HARVEST")
        if self.buildings([]):
            found.append("ACT_BUILD")
        if self.land(self.me):
            found.append("ACT_MUSTER")
        if self.sources(True, None, ""):
            found.append("ACT_ATTACK")
        if gold >= self.options["bishop_election_price"]:
            owned = [d for d in DIOCESES if any(self.church_count(seat, d) for seat in range(self.seats))]
            found += [f"ACT_BISHOP:{diocese}" for diocese in owned]
        held = [seat for seat in self.titles.values() if seat is not None]
        if gold >= self.options["king_election_price"] and len(held) >= self.options["votes_to_win"]:
            found.append("ACT_KING")
        return found

    # Action 1 (7.2).

    def acquire(self) -> Story:
        while len(self.drawn) < 3 and (self.pile or self.discards):
            if not self.pile:
                self.pile, self.discards = self.shuffled(self.discards), []
            self.drawn.append(self.pile.pop(0))
        price = self.options["region_price"]
        payable = [m for m in range(2 ** len(self.drawn)) if bin(m).count("1") * price <= self.gold[self.me]]
        action = yield "KEEP", self.me, [f"KEEP:{m}" for m in payable]
        bought = []
        for index, region in enumerate(self.drawn):
            if int(parts(action)[0]) & 2**index:
                self.gold[self.me] -= price
                self.take(region)
                bought.append(region)
            else:
                self.discards.append(region)
        self.drawn = []
        yield from self.place("GARRISON", sorted(bought, key=REGIONS.index), "FA")

    # Action 3 (5.1).

    def build(self) -> Story:
        built: list[str] = []
        while found := self.buildings(built):
            action = yield "BUILD", self.me, found + ["BUILD_DONE"] * bool(built)
            if action == "BUILD_DONE":
                return
            built.append(action)
            *diocese, region = parts(action)
            if diocese:
                self.churches[diocese[0]].add(region)
            else:
                self.castles.add(region)
            self.gold[self.me] -= self.options["church_price" if diocese else "castle_price"]

    def buildings(self, built: list[str]) -> list[str]:
        """What may be built next: later in the table than what was built, within the limits."""
        table = [f"CHURCH:{diocese}:{region}" for diocese in DIOCESES for region in REGIONS]
        table += [f"CASTLE:{region}" for region in REGIONS]
        first = table.index(built[-1]) + 1 if built else 0
        return [name for name in table[first:] if self.may_build(name, built)]

    def may_build(self, name: str, built: list[str]) -> bool:
        what, region = name.split(":")[0], name.split(":")[-1]
        limits, same = self.options["build"], [other for other in built if other.startswith(what)]
        most = limits["max_castles" if what == "CASTLE" else "max_churches"]
        price = self.options[f"{what.lower()}_price"]
        if self.owners.get(region) != self.me or self.gold[self.me] < price:
            return False
        if len(built) >= limits["max_total"] or len(same) >= most:
            return False
        if what == "CASTLE":
            return region not in self.castles
        diocese = parts(name)[0]
        new = [other for other in built if other.startswith(f"CHURCH:{diocese}:")]
        owned_before = self.church_count(self.me, diocese) - len(new)
        is_allowed = not new or (len(new) == 1 and owned_before == 0)
        return (
            is_allowed
            and not self.has_church(region)
            and len(self.churches[diocese]) < self.options["churches_per_diocese"]
        )

    # Action 6 (6.1).

    def elect_bishop(self, diocese: str) -> Story:
        voters = [seat for seat in self.clockwise() if self.church_count(seat, diocese)]
        candidates = yield from self.ask(voters)
        if len(candidates) > 1:
            winner = yield from self.ballot(diocese, voters, candidates)
            if winner is None and len(self.tied) > 1 and len(candidates) > 2:
                candidates = self.tied
                winner = yield from self.ballot(diocese, voters, candidates)
            while winner is None:
                dice = {seat: self.die() for seat in candidates}
                candidates = [seat for seat in candidates if dice[seat] == max(dice.values())]
                winner = candidates[0] if len(candidates) == 1 else None
            self.titles[diocese] = winner
        elif candidates:
            self.titles[diocese] = candidates[0]

    def ask(self, seats: list[int]) -> Generator[Decision, str, list[int]]:
        candidates = []
        for seat in seats:
            action = yield "STAND", seat, ["STAND", "DECLINE"]
            if action == "STAND":
                candidates.append(seat)
        return candidates

    def ballot(self, diocese: str, voters: list[int], candidates: list[int]) -> Generator[Decision, str, int | None]:
        """Who has more than half; else None, and `tied` are those of a run-off."""
        votes: Counter[int] = Counter(dict.fromkeys(candidates, 0))
        for voter in voters:
            lowest = 0
            for _ in range(self.church_count(voter, diocese)):
                names = [f"VOTE:{seat}" for seat in range(lowest, self.seats) if seat in candidates]
                action = yield "BISHOP_VOTE", voter, names
                lowest = int(parts(action)[0])
                votes[lowest] += 1
        _, second = sorted(votes.values(), reverse=True)[:2]
        self.tied = [seat for seat in candidates if votes[seat] >= second]
        return next((seat for seat in candidates if 2 * votes[seat] > votes.total()), None)

    # Action 7 (6.2).

    def elect_king(self) -> Story:
        candidates = yield from self.ask(self.clockwise())
        votes: Counter[int] = Counter()
        for title in self.options["vote_order"]:
            elector = self.titles[title]
            if elector is None or not candidates:
                continue
            offers = {}
            for seat in candidates:
                if seat != elector:
                    most = min(self.gold[seat], 100)
                    action = yield "OFFER", seat, [f"OFFER:{gold}" for gold in range(most + 1)]
                    offers[seat] = int(parts(action)[0])
            action = yield "KING_VOTE", elector, [*(f"VOTE:{seat}" for seat in sorted(candidates)), "ABSTAIN"]
            if action == "ABSTAIN":
                continue
            chosen = int(parts(action)[0])
            self.gold[chosen] -= offers.get(chosen, 0)
            self.gold[elector] += offers.get(chosen, 0)
            votes[chosen] += 1
            if votes[chosen] == self.options["votes_to_win"]:
                self.king = chosen
                return
