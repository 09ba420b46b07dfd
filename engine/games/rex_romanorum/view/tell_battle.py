"""A round of fighting in sentences: the dice step by step, and who fell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.abilities import Move
from engine.games.rex_romanorum import actions as ids
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, REGIONS
from engine.games.rex_romanorum.rules.battle import remove_hit
from engine.games.rex_romanorum.state import RexState
from engine.games.rex_romanorum.view.voice import Voice


def battlefield(move: Move) -> int:
    """Return the region that was fought for."""
    target: int = move.before.target
    return target if move.action == ids.FIGHT_ON else move.action - ids.FIGHT


def _sides(state: RexState, region: int) -> tuple[list[int], list[int]]:
    """Return attackers and defenders by kind."""
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
