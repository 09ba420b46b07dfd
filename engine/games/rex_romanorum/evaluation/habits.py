"""What a sensible player does without much thought: how searching bots play positions out, at once.

The plan of a turn is weighed in gold (`turn_habits.py`), armies move by simple rules (`war_habits.py`), votes and
bribes follow the count of titles (`vote_habits.py`). Equal positions and equal random streams give equal actions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from engine.games.rex_romanorum.actions import BUILD_DONE, CASTLE, CHURCH, KEEP, KEEP_CASTLE
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, REGION_COUNT
from engine.games.rex_romanorum.evaluation.turn_habits import choose_turn, frontier, title_regions
from engine.games.rex_romanorum.evaluation.vote_habits import choose_bishop, choose_king, choose_offer, choose_stand
from engine.games.rex_romanorum.evaluation.war_habits import (
    choose_count,
    choose_fight,
    choose_garrison,
    choose_place,
    choose_round,
    choose_source,
    choose_target,
)
from engine.games.rex_romanorum.evaluation.weights import Weights
from engine.games.rex_romanorum.state import RexState


def choose(state: RexState, random: Random, weights: Weights) -> int:
    """Return a legal action for the seat that decides; the game is not over."""
    return _HABITS[state.phase](state, random, weights)


def _keep(state: RexState, random: Random, weights: Weights) -> int:
    """Keep as many regions as can be paid, and of these the ones that titles need."""
    del random, weights
    wanted = title_regions(state, state.active)
    return max(state.legal_actions(), key=lambda action: _worth_of_cards(state, action - KEEP, wanted))


def _worth_of_cards(state: RexState, subset: int, wanted: int) -> int:
    kept = [region for index, region in enumerate(state.drawn) if subset >> index & 1]
    return sum(3 if wanted & BIT[region] else 2 for region in kept)


def _build(state: RexState, random: Random, weights: Weights) -> int:
    """Build a church of the diocese where the next one helps most, away from the enemy; else a castle."""
    del weights
    legal = state.legal_actions()
    churches = [action for action in legal if action < CASTLE]
    if churches:
        needs = [_need(state, diocese) + 0.2 * random.random() for diocese in range(DIOCESE_COUNT)]
        border = frontier(state, state.active)
        return max(churches, key=lambda action: _church_worth(action - CHURCH, needs, border))
    return BUILD_DONE if legal[-1] == BUILD_DONE else _castle(legal, frontier(state, state.active))


def _need(state: RexState, diocese: int) -> float:
    """Return how much one more church of the diocese helps: most where the chapter can be won soonest."""
    seat = state.active
    own = (state.churches[diocese] & state.land[seat]).bit_count()
    others = (state.churches[diocese] & state.owned).bit_count() - own
    if state.titles[diocese] == seat:
        return 1.0 if others >= own else 0.0
    return 2.0 - 0.4 * abs(others + 1 - own)


def _church_worth(church: int, needs: Sequence[float], border: int) -> float:
    diocese, region = church // REGION_COUNT, church % REGION_COUNT
    return needs[diocese] - (0.5 if border & BIT[region] else 0.0) - 0.001 * region


def _castle(castles: Sequence[int], border: int) -> int:
    return next((action for action in castles if border & BIT[action - CASTLE]), castles[0])


def _raze(state: RexState, random: Random, weights: Weights) -> int:
    del state, random, weights
    return KEEP_CASTLE


_HABITS: Final[tuple[Callable[[RexState, Random, Weights], int], ...]] = (
    *(choose_turn, _keep, choose_garrison, _build, choose_source, choose_target, choose_count, choose_place),
    *(_raze, choose_fight, choose_round, choose_stand, choose_bishop, choose_offer, choose_king),
)
"""One for each phase, in the order of their numbers."""
