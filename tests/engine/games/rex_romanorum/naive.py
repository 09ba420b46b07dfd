"""The legal entries of section 9.2, found slowly and plainly from a position's JSON and the board's file: no engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engine.games.rex_romanorum

_BOARD = json.loads((Path(engine.games.rex_romanorum.__file__).parent / "board.json").read_text(encoding="utf-8"))
NEIGHBOURS = {region["id"]: set(region["neighbours"]) for region in _BOARD["regions"]}
REGIONS = list(NEIGHBOURS)
SHORT = {region["id"] for region in _BOARD["regions"] if region["short_variant"]}
DIOCESES = ["mainz", "koeln", "trier"]
NAMES = {"F": "foot", "A": "archer", "K": "knight"}


class Naive:
    """One position; `legal()` gives the notations in the order of the table."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.options = data["options"]
        self.me = data["active"]
        self.gold = data["gold"][self.me]
        self.owners = data["owners"]
        self.own = [region for region in REGIONS if self.owners.get(region) == self.me]
        self.churches = {region for regions in data["churches"].values() for region in regions}
        self.pending = data["pending"] or {}
        self.election = data["election"] or {}

    def legal(self) -> list[str]:
        """Everything that section 9.2 lists for the phase."""
        return list(getattr(self, self.data["phase"].lower())())

    def price(self, kind: str) -> int:
        return int(self.options["figures"][NAMES[kind]]["cost"])

    def figures(self, kind: str, region: str) -> int:
        return int(self.data["figures"].get(f"{kind}:{region}", 0))

    def turn(self) -> Iterator[str]:
        deck = SHORT if self.options["variant"] == "short" else set(REGIONS)
        if deck - set(self.owners):  # A3
            yield "ACT_ACQUIRE"
        yield "ACT_HARVEST"
        if any(self.buildings([])):
            yield "ACT_BUILD"
        if self.own:
            yield "ACT_MUSTER"
        if any(self.sources("ACT_ATTACK")):
            yield "ACT_ATTACK"
        for diocese in DIOCESES:  # 6.1.1
            has_owner = any(region in self.owners for region in self.data["churches"][diocese])
            if has_owner and self.gold >= self.options["bishop_election_price"]:
                yield f"ACT_BISHOP:{diocese}"
        held = [seat for seat in self.data["titles"].values() if seat is not None]
        if self.gold >= self.options["king_election_price"] and len(held) >= self.options["votes_to_win"]:  # 6.2.1
            yield "ACT_KING"

    def keep(self) -> Iterator[str]:
        for subset in range(2 ** len(self.data["drawn"])):
            if bin(subset).count("1") * self.options["region_price"] <= self.gold:  # A4
                yield f"KEEP:{subset}"

    def in_order(self, kind: str, region: str, last: str | None) -> int:
        """Below 0 before the last (kind, region), 0 at it, above 0 after it."""
        if last is None:
            return 1
        rank = "FAK".index(kind) * 100 + REGIONS.index(region)
        return rank - ("FAK".index(last[0]) * 100 + REGIONS.index(last[2:]))

    def places(self, kind: str, regions: list[str]) -> Iterator[str]:
        for region in regions:
            if self.price(kind) <= self.gold and self.in_order(kind, region, self.pending["last"]) > 0:
                yield f"PLACE:{kind}:{region}"

    def garrison(self) -> Iterator[str]:
        for kind in "FA":  # A7
            free = [region for region in REGIONS if region in self.pending["bought"] and self.room(region) > 0]
            yield from self.places(kind, free)
        yield "PLACE_DONE"

    def room(self, region: str) -> int:
        return 3 - sum(self.figures(kind, region) for kind in "FAK")

    def place(self) -> Iterator[str]:
        for kind in "FAK":  # B6
            yield from self.places(kind, [r for r in self.own if kind != "K" or r in self.data["castles"]])
        yield "PLACE_DONE"

    def buildings(self, built: list[str]) -> Iterator[str]:
        """Section 5.1: CHURCH and CASTLE that may follow those built in this action."""
        limits = self.options["build"]
        new_churches = [name for name in built if name.startswith("CHURCH")]
        if len(built) >= limits["max_total"]:
            return
        for diocese in DIOCESES:
            for region in self.own:
                name = f"CHURCH:{diocese}:{region}"
                if (
                    self.gold >= self.options["church_price"]
                    and len(new_churches) < limits["max_churches"]
                    and region not in self.churches
                    and self.diocese_allows(diocese, new_churches)
                    and all(self.table_place(name) > self.table_place(earlier) for earlier in built)
                ):
                    yield name
        for region in self.own:
            name = f"CASTLE:{region}"
            if (
                self.gold >= self.options["castle_price"]
                and len(built) - len(new_churches) < limits["max_castles"]
                and region not in self.data["castles"]
                and all(self.table_place(name) > self.table_place(earlier) for earlier in built)
            ):
                yield name

    def table_place(self, building: str) -> tuple[int, int, int]:
        kind, *_, region = building.split(":")
        diocese = DIOCESES.index(building.split(":")[1]) if kind == "CHURCH" else 0
        return int(kind == "CASTLE"), diocese, REGIONS.index(region)

    def diocese_allows(self, diocese: str, new_churches: list[str]) -> bool:
        standing = self.data["churches"][diocese]
        if len(standing) >= self.options["churches_per_diocese"]:
            return False
        new = [name.split(":")[2] for name in new_churches if name.split(":")[1] == diocese]
        owned_before = [region for region in standing if region in self.own and region not in new]
        return len(new) == 0 or (len(new) == 1 and not owned_before)

    def build(self) -> Iterator[str]:
        yield from self.buildings(self.pending["built"])
        if self.pending["built"]:
            yield "BUILD_DONE"

    def destinations(self, kind: str, region: str, action: str) -> list[str]:
        """Where figures may end: B5, C1 to C4, K4."""
        attacks = action == "ACT_ATTACK"
        reached = set(NEIGHBOURS[region])
        if self.options["figures"][NAMES[kind]]["move"] == 2:
            for through in NEIGHBOURS[region]:
                is_manned = any(self.figures(other, through) for other in "FAK")
                is_free = self.owners.get(through) == self.me or (attacks and not is_manned)
                reached |= NEIGHBOURS[through] if is_free else set()
        ends = self.owners if attacks else self.own
        return [end for end in REGIONS if end in reached and end in ends and end != region]

    def onward(self, kind: str, region: str, action: str) -> list[str]:
        """The destinations that come after the last move of this action."""
        order = self.in_order(kind, region, self.pending.get("last"))
        found = self.destinations(kind, region, action)
        if order == 0:
            return [end for end in found if REGIONS.index(end) > REGIONS.index(self.pending["last_to"])]
        return found if order > 0 else []

    def sources(self, action: str) -> Iterator[str]:
        for kind in "FAK":
            for region in self.own:
                if self.figures(kind, region) and self.onward(kind, region, action):
                    yield f"MOVE_FROM:{kind}:{region}"

    def move_from(self) -> Iterator[str]:
        yield from self.sources(self.pending["action"])
        if self.pending["action"] == "ACT_MUSTER" or self.pending["last"]:
            yield "MOVE_DONE"

    def move_to(self) -> Iterator[str]:
        kind, region = self.pending["source"].split(":")
        for end in self.onward(kind, region, self.pending["action"]):
            yield f"MOVE_TO:{end}"

    def count(self) -> Iterator[str]:
        if self.pending["source"]:
            most = self.figures(*self.pending["source"].split(":"))
        else:
            kind, region = self.pending["target"].split(":")
            most = self.gold // self.price(kind)
            if self.pending["action"] == "ACT_ACQUIRE":
                most = min(most, self.room(region))
        for number in range(1, min(most, 100) + 1):  # K9
            yield f"COUNT:{number}"

    def raze(self) -> Iterator[str]:
        yield from ("RAZE", "KEEP_CASTLE")

    def fight(self) -> Iterator[str]:
        yield from (f"FIGHT:{region}" for region in REGIONS if region in self.pending["contested"])

    def fight_on(self) -> Iterator[str]:
        yield "FIGHT_ON"  # C12
        yield from (f"RETREAT:{region}" for region in self.own if region in NEIGHBOURS[self.pending["target"]])

    def stand(self) -> Iterator[str]:
        yield from ("STAND", "DECLINE")

    def bishop_vote(self) -> Iterator[str]:
        for seat in sorted(self.election["ballot"]):
            if not self.election["cast"] or seat >= self.election["lowest"]:
                yield f"VOTE:{seat}"

    def offer(self) -> Iterator[str]:
        for gold in range(min(self.data["gold"][self.data["seat"]], 100) + 1):
            yield f"OFFER:{gold}"

    def king_vote(self) -> Iterator[str]:
        yield from (f"VOTE:{seat}" for seat in sorted(self.election["candidates"]))
        yield "ABSTAIN"

    def end(self) -> Iterator[str]:
        return iter(())
