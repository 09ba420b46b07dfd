"""The rules once more, written down in their own order as one long story: a slow engine to compare the fast one with.

`Reference.play` is a generator: it yields each decision as (phase, seat, legal notations) and is sent the answer. It
shares nothing with the engine but the board's file and the options as JSON; outcomes of chance are handed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator

from tests.engine.games.rex_romanorum.reference_table import DIOCESES, REGIONS, Decision, Story, parts
from tests.engine.games.rex_romanorum.reference_war import War


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
