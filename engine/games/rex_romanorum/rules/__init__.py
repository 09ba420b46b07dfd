"""The rules by phase group, and the tables that find them.

`LEGAL[phase]` lists, `IS_LEGAL[phase]` tests, `APPLY[phase]` carries out: plain functions of a `Position`, found by
index, so that a decision costs no search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.games.rex_romanorum.position import Position
from engine.games.rex_romanorum.rules import acquire, battle, bishop, build, count, king, move, place, stand, turn


def _no_actions(_position: Position) -> Sequence[int]:
    return ()


def _nothing_is_legal(_position: Position, _action: int) -> bool:
    return False


def _nothing_happens(_position: Position, _action: int) -> None:
    return None


LEGAL: Final[tuple[Callable[[Position], Sequence[int]], ...]] = (
    *(turn.legal, acquire.legal_keeps, acquire.legal_garrisons, build.legal, move.legal_sources, move.legal_targets),
    *(count.legal, place.legal, battle.legal_razes, battle.legal_fights, battle.legal_rounds, stand.legal),
    *(bishop.legal, king.legal_offers, king.legal_votes, _no_actions),
)
IS_LEGAL: Final[tuple[Callable[[Position, int], bool], ...]] = (
    *(turn.is_legal, acquire.is_legal_keep, acquire.is_legal_garrison, build.is_legal, move.is_legal_source),
    *(move.is_legal_target, count.is_legal, place.is_legal, battle.is_legal_raze, battle.is_legal_fight),
    *(battle.is_legal_round, stand.is_legal, bishop.is_legal, king.is_legal_offer, king.is_legal_vote),
    _nothing_is_legal,
)
APPLY: Final[tuple[Callable[[Position, int], None], ...]] = (
    *(turn.apply, acquire.apply_keep, acquire.apply_garrison, build.apply, move.apply_source, move.apply_target),
    *(count.apply, place.apply, battle.apply_raze, battle.apply_fight, battle.apply_round, stand.apply),
    *(bishop.apply, king.apply_offer, king.apply_vote, _nothing_happens),
)
