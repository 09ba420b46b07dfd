"""Whether the phase of a hand-made position fits its table. Raises PositionError."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core import PositionError
from engine.games.foreign_king import actions as ids
from engine.games.foreign_king import state as at
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT
from engine.games.foreign_king.rules.king import ACTIVE, ranked_congress
from engine.games.foreign_king.rules.majority import NOBODY, majority
from engine.games.foreign_king.scoring import end_conditions
from engine.games.foreign_king.state import ForeignKingState

_SPACE: Mapping[int, int] = {
    at.QUEEN_SUB: ids.ACT_QUEEN,
    at.BUILD: ids.ACT_BUILD,
    at.PLACE_P: ids.ACT_PLACE,
    at.PLACE_N: ids.ACT_PLACE,
    at.MOVE_FROM: ids.ACT_MOVE,
    at.MOVE_TO: ids.ACT_MOVE,
    at.CONGRESS: ids.ACT_CONGRESS,
    at.KING_TO: ids.ACT_KING,
    at.KING_LEN: ids.ACT_KING,
    at.CONGRESS_ASK: ids.ACT_KING,
    at.INACTIVATE: ids.ACT_KING,
    at.VIRT: ids.ACT_KING,
    at.VIRT_TO: ids.ACT_KING,
}
"""Where the active pawn stands in a phase, if not on the Queen."""


def check_phase(s: ForeignKingState) -> None:
    """Raise PositionError unless somebody could have come to this phase with this table."""
    name = at.PHASES[s.phase]
    if s.to_act != _decider(s):
        raise PositionError(f"seat: in {name} {_decider(s)} decides, not {s.to_act}")
    if s.phase in _SPACE and s.pawns[s.active] not in (_SPACE[s.phase], ids.ACT_QUEEN):
        raise PositionError(f"pawns: in {name} the active pawn stands on {ids.ACTIONS.names[_SPACE[s.phase]]}")
    problem = _problem(s)
    if problem:
        raise PositionError(f"phase {name}: {problem}")
    if s.phase != at.END and not s.legal_actions():
        raise PositionError(f"phase {name}: there is no legal action")


def _decider(s: ForeignKingState) -> int | None:
    if s.phase == at.END:
        return None
    if s.phase == at.CONGRESS_ASK:
        return s.asked[0]
    if s.phase == at.ORDER:
        return s.claims[0] if s.claims else -1
    if s.phase == at.VIRT or s.phase == at.VIRT_TO:
        return s.to_act if s.to_act is not None else -1
    return s.active


def _problem(s: ForeignKingState) -> str:
    """What is wrong, empty if nothing is."""
    if s.phase == at.END:
        return _end_problem(s)
    if s.phase == at.ORDER:
        return "" if s.active == s.claims[0] else "the active seat is not the claimant"
    if s.phase == at.BUILD and s.francs[s.active] < 3:
        return "a factory costs 3 Francs"
    if s.phase == at.MOVE_TO:
        return _move_problem(s)
    if s.phase == at.KING_LEN and s.king == PORTRAIT:
        return "the King still stands on his portrait"
    if s.phase == at.CONGRESS_ASK or s.phase == at.INACTIVATE:
        return _landing_problem(s)
    if s.phase == at.VIRT or s.phase == at.VIRT_TO:
        return _virtual_problem(s)
    return ""


def _end_problem(s: ForeignKingState) -> str:
    last = s.turn == s.seats - 1 and s.round == s.options.max_rounds
    return "" if last or end_conditions(s) != ["max_rounds"] else "no end condition holds"


def _move_problem(s: ForeignKingState) -> str:
    if not s.occupied[s.active] >> s.province & 1:
        return "the source has no own disc"
    if s.steps > s.francs[s.active]:
        return "there are no Francs for one more step"
    return "a disc cannot go back to its source" if s.steps and s.last == s.province else ""


def _landing_problem(s: ForeignKingState) -> str:
    if s.king == PORTRAIT:
        return "the King still stands on his portrait"
    empty = not any(s.discs[s.king :: PROVINCE_COUNT])
    if s.phase == at.CONGRESS_ASK:
        ranked = ranked_congress(s)
        if s.asked != ranked[len(ranked) - len(s.asked) :]:
            return f"the Congress is asked in the order {list(ranked)}"
        return "the King's province is empty" if empty and not s.options.congress_on_empty else ""
    if empty or not s.factories[s.king] & ACTIVE or majority(s, s.king) != NOBODY:
        return "only in a province with discs, without a majority, with an active factory"
    return ""


def _virtual_problem(s: ForeignKingState) -> str:
    if s.seats != 2:
        return "only with 2 seats"
    if s.phase == at.VIRT_TO and not s.occupied[at.VIRTUAL] >> s.province & 1:
        return "no virtual disc stands there"
    return ""
