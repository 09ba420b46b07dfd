"""What happened in a move, in sentences: the action, then what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.abilities import Move
from engine.games.rex_romanorum import actions as ids
from engine.games.rex_romanorum.board import DIOCESES, REGION_COUNT, REGIONS
from engine.games.rex_romanorum.state import (
    FIGHT,
    FIGHT_ON,
    NOBODY,
    NOTHING,
    OFFER,
    RexState,
    election_of,
)
from engine.games.rex_romanorum.view.tell_battle import losses, rolls
from engine.games.rex_romanorum.view.tell_election import tell_election
from engine.games.rex_romanorum.view.voice import Voice, voice

_PLAIN = {
    ids.ACT_BUILD: "build",
    ids.ACT_MUSTER: "muster",
    ids.ACT_ATTACK: "attack",
    ids.PLACE_DONE: "place_done",
    ids.MOVE_DONE: "move_done",
    ids.BUILD_DONE: "build_done",
    ids.DECLINE: "decline",
}


def tell(move: Move, language: str) -> Sequence[str]:
    """Return the sentences of a move, dice and cards as they fell among them."""
    spoken = voice(language)
    return [_action(spoken, move), *_chance(spoken, move), *_consequences(spoken, move)]


def headline(move: Move, language: str) -> Sequence[str]:
    """Return the sentences without the dice of a fight, which are drawn beside them."""
    spoken = voice(language)
    return [_action(spoken, move), *_consequences(spoken, move)]


def _consequences(spoken: Voice, move: Move) -> Iterator[str]:
    if move.before.phase in (FIGHT, FIGHT_ON) and move.chance:
        yield from losses(spoken, move)
    yield from _conquests(spoken, move)
    yield from tell_election(spoken, move)


def _action(spoken: Voice, move: Move) -> str:
    """Return what was done, in a whole sentence."""
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


def _chance(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield a new pile and dice; cards stand in the sentence of the action."""
    if move.action == ids.ACT_ACQUIRE and len(move.before.pile) < len(move.after.drawn):
        yield spoken.sentence("renew")
    if move.before.phase in (FIGHT, FIGHT_ON) and move.chance:
        yield from rolls(spoken, move)


def _conquests(spoken: Voice, move: Move) -> Iterator[str]:
    """Yield the regions that changed hands, and titles that went with land."""
    before, after = move.before, move.after
    for region, owner in enumerate(after.owner):
        if owner != before.owner[region] != NOBODY:
            fought = move.chance and region == (
                before.target if move.action == ids.FIGHT_ON else move.action - ids.FIGHT
            )
            key = "conquer" if fought else "conquer_free"
            yield spoken.sentence(key, who=spoken.house(owner), the=spoken.the(REGIONS[region]))
    if before.phase < OFFER and before.election is None:
        for title, holder in enumerate(after.titles):
            if holder not in (before.titles[title], NOBODY):
                yield spoken.sentence("title", who=spoken.house(holder), title=spoken.title(title))
