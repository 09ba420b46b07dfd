"""What happened in a move, and the final scoring step by step, in sentences of any language that the game speaks.

A move is the action and what came of it: fights throw by throw, elections ballot by ballot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from engine.abilities import Move, ScoringStep
from engine.games.rex_romanorum import actions as ids
from engine.games.rex_romanorum.actions import KINDS
from engine.games.rex_romanorum.board import BIT, DIOCESES, REGION_COUNT, REGIONS, TITLES
from engine.games.rex_romanorum.rules.battle import remove_hit
from engine.games.rex_romanorum.scoring import figures_of
from engine.games.rex_romanorum.state import (
    BISHOP_VOTE,
    END,
    FIGHT,
    FIGHT_ON,
    NOBODY,
    NOTHING,
    OFFER,
    STAND,
    Election,
    RexState,
    all_churches,
    election_of,
)
from engine.games.rex_romanorum.view.text import labels
from engine.kit.game_folder import read_json
from engine.kit.sentences import PhraseBook

_TEXTS: Final[Mapping[str, Any]] = read_json(__name__, "sentences.json")
_LOWER: Final = ("fr", "it")
"""Languages that write titles with a small letter."""
_PLAIN = {
    ids.ACT_BUILD: "build",
    ids.ACT_MUSTER: "muster",
    ids.ACT_ATTACK: "attack",
    ids.PLACE_DONE: "place_done",
    ids.MOVE_DONE: "move_done",
    ids.BUILD_DONE: "build_done",
    ids.DECLINE: "decline",
}


class Voice(PhraseBook):
    """The sentences of the game in a language."""

    __slots__ = ("_is_lower",)

    def __init__(self, language: str) -> None:
        super().__init__(_TEXTS, language, labels)
        self._is_lower = language in _LOWER

    def house(self, seat: int) -> str:
        """Return the name of the house that a seat plays."""
        return self.names[f"arms_{seat}"]

    def houses(self, seats: Iterable[int]) -> str:
        """Return the names of several houses."""
        return self.joined([self.house(seat) for seat in seats])

    def title(self, title: int) -> str:
        """Return an elector's title as it stands in a sentence."""
        name = self.names[f"title_{TITLES[title]}"]
        return name[0].lower() + name[1:] if self._is_lower else name

    def gold(self, amount: int) -> str:
        """Return an amount of gold."""
        return self.count("gold", amount)

    def kind(self, kind: int) -> str:
        """Return a kind of figure, as many of them as there are."""
        return self._units[KINDS[kind]][1]

    def rolling(self, kind: int, number: int) -> str:
        """Return how many figures of a kind roll, as the subject of a sentence."""
        unit = f"roll_{KINDS[kind]}"
        return self.count(unit if unit in self._units else KINDS[kind], number)

    def figures(self, numbers: Sequence[int]) -> str:
        """Return how many figures of each kind."""
        return self.joined(
            [self.count(letter, number) for letter, number in zip(KINDS, numbers, strict=True) if number]
        )

    def regions(self, regions: Iterable[int]) -> str:
        """Return regions as the object of a sentence."""
        return self.joined([self.the(REGIONS[region]) for region in regions])


@cache
def voice(language: str) -> Voice:
    """Return how the game speaks in a language, English if it does not know it."""
    return Voice(language)


def describe(move: Move, language: str) -> Sequence[str]:
    """Return the sentences of a move, dice and cards as they fell among them."""
    spoken = voice(language)
    told = [_action(spoken, move)]
    # A new pile and dice; cards stand in the sentence of the action.
    if move.action == ids.ACT_ACQUIRE and len(move.before.pile) < len(move.after.drawn):
        told.append(spoken.sentence("renew"))
    if move.before.phase in (FIGHT, FIGHT_ON) and move.chance:
        told += rolls(spoken, move)
    return [*told, *_consequences(spoken, move)]


def headline(move: Move, language: str) -> Sequence[str]:
    """Return the sentences without the dice of a fight, which are drawn beside them."""
    spoken = voice(language)
    return [_action(spoken, move), *_consequences(spoken, move)]


def _consequences(spoken: Voice, move: Move) -> Iterator[str]:
    before, after = move.before, move.after
    if before.phase in (FIGHT, FIGHT_ON) and move.chance:
        yield from losses(spoken, move)
    for region, owner in enumerate(after.owner):
        if owner != before.owner[region] != NOBODY:
            key = "conquer" if move.chance and region == battlefield(move) else "conquer_free"
            yield spoken.sentence(key, who=spoken.house(owner), the=spoken.the(REGIONS[region]))
    if before.phase < OFFER and before.election is None:
        for title, holder in enumerate(after.titles):
            if holder not in (before.titles[title], NOBODY):
                yield spoken.sentence("title", who=spoken.house(holder), title=spoken.title(title))
    yield from describe_election(spoken, move)


def _action(spoken: Voice, move: Move) -> str:
    action, who = move.action, spoken.house(move.seat)
    if action in _PLAIN:
        return spoken.sentence(_PLAIN[action], who=who)
    for first, told in _TELLERS:
        if action >= first:
            return told(spoken, move, who)
    raise AssertionError(f"no action {action}")


def _turn(spoken: Voice, move: Move, who: str) -> str:
    before, after, action = move.before, move.after, move.action
    if action == ids.ACT_ACQUIRE:
        cards = [spoken.names[REGIONS[region]] for region in after.drawn]
        return spoken.sentence("draw", who=who, cards=spoken.joined(cards))
    spent = before.gold[move.seat] - after.gold[move.seat]
    if action == ids.ACT_HARVEST:
        return spoken.sentence("harvest", who=who, gold=spoken.gold(-spent))
    key = "royal" if action == ids.ACT_KING else "bishop"
    title = "" if action == ids.ACT_KING else spoken.title(action - ids.ACT_BISHOP)
    return spoken.sentence(key if spent else f"{key}_free", who=who, gold=spoken.gold(spent), title=title)


def _keep(spoken: Voice, move: Move, who: str) -> str:
    subset, before = move.action - ids.KEEP, move.before
    kept = [region for place, region in enumerate(before.drawn) if subset >> place & 1]
    if not kept:
        return spoken.sentence("keep_none", who=who)
    price = spoken.gold(before.options.region_price * len(kept))
    return spoken.sentence("keep", who=who, regions=spoken.regions(kept), gold=price)


def _place(spoken: Voice, move: Move, who: str) -> str:
    kind, region = divmod(move.action - ids.PLACE, REGION_COUNT)
    return spoken.sentence("will_place", who=who, figures=spoken.kind(kind), place=spoken.names[REGIONS[region]])


def _count(spoken: Voice, move: Move, who: str) -> str:
    before, number = move.before, move.action - ids.COUNT
    figures = before.target if before.source == NOTHING else before.source
    kind, region = divmod(figures, REGION_COUNT)
    counted = spoken.count(ids.KINDS[kind], number)
    if before.source == NOTHING:
        gold = spoken.gold(number * before.options.cost[kind])
        return spoken.sentence("place", who=who, figures=counted, at=spoken.at(REGIONS[region]), gold=gold)
    return spoken.sentence("move", who=who, figures=counted, **_way(spoken, region, before.target))


def _way(spoken: Voice, source: int, target: int) -> dict[str, str]:
    return {"source": spoken.out_of(REGIONS[source]), "target": spoken.into(REGIONS[target])}


def _move_from(spoken: Voice, move: Move, who: str) -> str:
    kind, region = divmod(move.action - ids.MOVE_FROM, REGION_COUNT)
    return spoken.sentence("will_move", who=who, figures=spoken.kind(kind), source=spoken.out_of(REGIONS[region]))


def _move_to(spoken: Voice, move: Move, who: str) -> str:
    kind, source = divmod(move.before.source, REGION_COUNT)
    way = _way(spoken, source, move.action - ids.MOVE_TO)
    return spoken.sentence("move_to", who=who, figures=spoken.kind(kind), **way)


def _church(spoken: Voice, move: Move, who: str) -> str:
    diocese, region = divmod(move.action - ids.CHURCH, REGION_COUNT)
    gold = spoken.gold(move.before.options.church_price)
    name = spoken.names[DIOCESES[diocese]]
    return spoken.sentence("church", who=who, diocese=name, at=spoken.at(REGIONS[region]), gold=gold)


def _castle(spoken: Voice, move: Move, who: str) -> str:
    gold = spoken.gold(move.before.options.castle_price)
    return spoken.sentence("castle", who=who, at=spoken.at(REGIONS[move.action - ids.CASTLE]), gold=gold)


def _fight(spoken: Voice, move: Move, who: str) -> str:
    goes_on = move.action == ids.FIGHT_ON
    region = move.before.target if goes_on else move.action - ids.FIGHT
    foe = spoken.house(move.before.owner[region])
    return spoken.sentence("fight_on" if goes_on else "fight", who=who, foe=foe, at=spoken.at(REGIONS[region]))


def _retreat(spoken: Voice, move: Move, who: str) -> str:
    return spoken.sentence("retreat", who=who, **_way(spoken, move.before.target, move.action - ids.RETREAT))


def _raze(spoken: Voice, move: Move, who: str) -> str:
    key = "raze" if move.action == ids.RAZE else "keep_castle"
    return spoken.sentence(key, who=who, at=spoken.at(REGIONS[move.before.target]))


def _stand(spoken: Voice, move: Move, who: str) -> str:
    diocese = election_of(move.before).diocese
    if diocese == NOTHING:
        return spoken.sentence("stand_king", who=who)
    return spoken.sentence("stand_bishop", who=who, title=spoken.title(diocese))


def _vote(spoken: Voice, move: Move, who: str) -> str:
    election = election_of(move.before)
    whom = spoken.house(move.action - ids.VOTE)
    if election.diocese != NOTHING:
        return spoken.sentence("vote_bishop", who=who, whom=whom)
    told = spoken.sentence("vote_king", who=who, whom=whom, title=_elector(spoken, move.before))
    offer = election.offers[move.action - ids.VOTE]
    return told + (" " + spoken.sentence("paid", who=who, whom=whom, gold=spoken.gold(offer)) if offer else "")


def _elector(spoken: Voice, state: RexState) -> str:
    return spoken.title(state.options.vote_order[election_of(state).elector])


def _abstain(spoken: Voice, move: Move, who: str) -> str:
    return spoken.sentence("abstain", who=who, title=_elector(spoken, move.before))


def _offer(spoken: Voice, move: Move, who: str) -> str:
    before, amount = move.before, move.action - ids.OFFER
    if not amount:
        return spoken.sentence("offer_none", who=who, title=_elector(spoken, before))
    holder = before.titles[before.options.vote_order[election_of(before).elector]]
    values = {"whom": spoken.house(holder), "title": _elector(spoken, before), "gold": spoken.gold(amount)}
    return spoken.sentence("offer", who=who, **values)


_TELLERS = (
    (ids.OFFER, _offer),
    (ids.ABSTAIN, _abstain),
    (ids.VOTE, _vote),
    (ids.STAND, _stand),
    (ids.RAZE, _raze),
    (ids.RETREAT, _retreat),
    (ids.FIGHT, _fight),
    (ids.CASTLE, _castle),
    (ids.CHURCH, _church),
    (ids.MOVE_TO, _move_to),
    (ids.MOVE_FROM, _move_from),
    (ids.COUNT + 1, _count),
    (ids.PLACE, _place),
    (ids.KEEP, _keep),
    (ids.ACT_ACQUIRE, _turn),
)
"""Who tells the actions from an id on, the last groups first."""


def battlefield(move: Move) -> int:
    """Return the region that was fought for."""
    target: int = move.before.target
    return target if move.action == ids.FIGHT_ON else move.action - ids.FIGHT


def _sides(state: RexState, region: int) -> tuple[list[int], list[int]]:
    places = (region, REGION_COUNT + region, 2 * REGION_COUNT + region)
    return [state.arrived.get(place, 0) for place in places], [state.army[place] for place in places]


@dataclass(frozen=True, slots=True)
class BattleStep:
    """A step of a round in which somebody rolled."""

    side: int
    """0 the attacker, 1 the defender."""
    kind: int
    dice: tuple[int, ...]
    hits: tuple[bool, ...]


def steps_of(move: Move) -> Iterator[BattleStep]:
    """Yield the steps of the round that was fought, as they were rolled."""
    state: RexState = move.before
    region = battlefield(move)
    sides, options = _sides(state, region), state.options
    terrain = 1 if state.castles & BIT[region] else 0
    throws = [seen.values for seen in move.chance if seen.kind == "d6"]
    for side, kind in options.roll_order[terrain]:
        if not throws:
            return
        if not sides[side][kind]:
            continue
        dice, value = throws.pop(0), options.strength[terrain][side][kind]
        hits = tuple(die <= value if options.hits_low else die >= value for die in dice)
        yield BattleStep(side, kind, dice, hits)
        remove_hit(sides[1 - side], options.rows[terrain], sum(hits))


def rolls(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield a sentence for each step in which somebody rolled: who, the dice, the hits."""
    state: RexState = move.before
    houses = (spoken.house(state.active), spoken.house(state.owner[battlefield(move)]))
    for step in steps_of(move):
        yield spoken.sentence(
            "roll_one" if len(step.dice) == 1 else "roll",
            figures=spoken.rolling(step.kind, len(step.dice)),
            who=houses[step.side],
            dice=" ".join(map(str, step.dice)),
            hits=spoken.count("hits", sum(step.hits)),
        )


def losses(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield what each side lost, and that the attack failed if nobody is left of it."""
    state, after, region = move.before, move.after, battlefield(move)
    attackers, defenders = _sides(state, region)
    conquered = after.owner[region] == state.active
    if conquered:
        standing = [after.army[kind * REGION_COUNT + region] for kind in range(3)]
        left = (standing, [0, 0, 0])
    else:
        left = _sides(after, region)
    houses = (spoken.house(state.active), spoken.house(state.owner[region]))
    for who, before, now in zip(houses, (attackers, defenders), left, strict=True):
        fallen = [had - has for had, has in zip(before, now, strict=True)]
        if any(fallen):
            yield spoken.sentence("lose", who=who, figures=spoken.figures(fallen))
    if not conquered and not any(left[0]):
        yield spoken.sentence("thrown_back", at=spoken.at(REGIONS[region]))


def describe_election(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield the sentences; none if no election was under way, or it just goes on."""
    before, after = move.before, move.after
    if before.election is not None and (after.election is None or after.phase == END):
        if before.election.diocese != NOTHING:
            yield from _bishop(spoken, move)
        elif after.phase != END:
            yield spoken.sentence("no_king" if _candidates(move) else "nobody")
        elif after.king == NOTHING:
            yield spoken.sentence("end")
        else:
            votes = spoken.count("votes", after.options.votes_to_win)
            yield spoken.sentence("king", who=spoken.house(after.king), votes=votes)
    elif before.election is not None and after.election.is_runoff and not before.election.is_runoff:
        yield spoken.sentence("runoff", who=spoken.houses(after.election.ballot))
    if after.is_final and not before.is_final:
        yield spoken.sentence("final")


def _candidates(move: Move) -> list[int]:
    """Return who stood, with the answer of the last one asked."""
    election: Election = move.before.election
    stands = move.before.phase == STAND and move.action == ids.STAND
    return [*election.candidates, move.seat] if stands else list(election.candidates)


def _bishop(spoken: Voice, move: Move) -> Iterator[str]:
    state: RexState = move.before
    diocese = move.before.election.diocese
    if not _candidates(move):
        yield spoken.sentence("nobody")
        return
    if move.before.phase == BISHOP_VOTE:
        rolling, told = list(move.before.election.ballot), "tie"
        for seen in move.chance:  # the dice of those who tied, throw by throw
            thrown = list(zip(rolling, seen.values, strict=True))
            dice = (spoken.phrase("die", who=spoken.house(seat), die=die) for seat, die in thrown)
            yield spoken.sentence(told, dice=", ".join(dice))
            rolling, told = [seat for seat, die in thrown if die == max(seen.values)], "reroll"
    holder = move.after.titles[diocese]
    key = "reelected" if holder == state.titles[diocese] else "title"
    yield spoken.sentence(key, who=spoken.house(holder), title=spoken.title(diocese))


def scoring_steps(state: RexState, language: str) -> Sequence[ScoringStep]:
    """Return the steps of a finished game, none of one that goes on."""
    if state.phase != END:
        return ()
    spoken, sums = voice(language), [0] * state.seats
    steps = []
    gold, region, church, castle, *figures, elector = state.options.wealth
    seats, churches = range(state.seats), all_churches(state)
    armies = (zip(figures, figures_of(state, seat), strict=True) for seat in seats)
    parts = {  # what each part of a fortune counts, seat by seat (K14)
        "gold": [gold * state.gold[seat] for seat in seats],
        "land": [region * state.land[seat].bit_count() for seat in seats],
        "churches": [church * (churches & state.land[seat]).bit_count() for seat in seats],
        "castles": [castle * (state.castles & state.land[seat]).bit_count() for seat in seats],
        "army": [sum(each * number for each, number in army) for army in armies],
        "titles": [elector * state.titles.count(seat) for seat in seats],
    }
    for key, points in parts.items():
        sums = [total + more for total, more in zip(sums, points, strict=True)]
        steps.append(ScoringStep(spoken.sentence(f"score_{key}"), tuple(points), tuple(sums)))
    if state.king == NOBODY:
        note = spoken.sentence("score_rich_note")
    else:
        key = "score_both_note" if sums[state.king] == max(sums) else "score_king_note"
        note = spoken.sentence(key, who=spoken.house(state.king))
    return (*steps[:-1], replace(steps[-1], note=note))
