"""What is done in each phase, and what a phase needs on the table (section 9.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.games.rex_romanorum import actions as ids
from engine.games.rex_romanorum import scoring
from engine.games.rex_romanorum import state as at
from engine.games.rex_romanorum.rules import battle, elections, flow, land, moves, turn
from engine.games.rex_romanorum.rules.calls import Calls
from engine.games.rex_romanorum.state import NOTHING, PHASES, TABLE, RexState
from engine.kit.field_codecs import need
from engine.kit.phases import OVER, Phase, fits

_BISHOPS: Final = tuple(range(ids.ACT_BISHOP, ids.ACT_KING))
_MOVES: Final = (ids.ACT_MUSTER, ids.ACT_ATTACK)


def _within(*tasks: int, check: Callable[[RexState], None] = fits) -> Callable[[RexState], None]:
    """Return the check of a phase that occurs only while one of the actions `tasks` is carried out."""

    def check_all(state: RexState) -> None:
        name, task = PHASES[state.phase], state.task
        action = "no action" if task == NOTHING else ids.ACTIONS.names[task]
        need(task in tasks, f"pending: phase {name} is no part of {action}")
        need(bool(state.drawn) == (state.phase == at.KEEP), f"drawn: phase {name} has {len(state.drawn)} cards")
        need(len(state.drawn) <= land.CARDS_DRAWN, "drawn: at most three cards are drawn")
        if task >= ids.ACT_BISHOP:
            need(state.election is not None, f"election: phase {name} needs one")
        else:
            need(state.election is None, f"election: phase {name} has none")
        need(not state.is_final or state.phase == at.END or task == ids.ACT_KING, "final: only in an election")
        check(state)

    return check_all


_PLACING: Final = {range(ids.PLACE, ids.PLACE_DONE): moves.apply_place, ids.PLACE_DONE: flow.apply_done}
_BUILDING: Final = {range(ids.CHURCH, ids.BUILD_DONE): land.apply_build, ids.BUILD_DONE: flow.apply_done}
_MOVING: Final = {range(ids.MOVE_FROM, ids.MOVE_TO): moves.apply_move_from, ids.MOVE_DONE: moves.apply_move_done}
_FIGHTING_ON: Final = {ids.FIGHT_ON: battle.apply_fight_on, range(ids.RETREAT, ids.RAZE): battle.apply_retreat}

TABLE.table = Calls(
    RexState,
    PHASES,
    {
        at.TURN: Phase(
            turn.legal_turn,
            turn.is_legal_turn,
            turn.apply_turn,
            caretaker=ids.ACT_HARVEST,
            check=_within(NOTHING),
        ),
        at.KEEP: Phase(land.legal_keep, land.is_legal_keep, land.apply_keep, check=_within(ids.ACT_ACQUIRE)),
        at.GARRISON: Phase(
            land.legal_garrison,
            land.is_legal_garrison,
            _PLACING,
            caretaker=ids.PLACE_DONE,
            check=_within(ids.ACT_ACQUIRE, check=land.check_garrison),
        ),
        at.BUILD: Phase(
            land.legal_build,
            land.is_legal_build,
            _BUILDING,
            caretaker=ids.BUILD_DONE,
            check=_within(ids.ACT_BUILD, check=land.check_build),
        ),
        at.MOVE_FROM: Phase(
            moves.legal_move_from,
            moves.is_legal_move_from,
            _MOVING,
            caretaker=ids.MOVE_DONE,
            check=_within(*_MOVES, check=moves.check_moves),
        ),
        at.MOVE_TO: Phase(
            moves.legal_move_to,
            moves.is_legal_move_to,
            moves.apply_move_to,
            check=_within(*_MOVES, check=moves.check_source),
        ),
        at.COUNT: Phase(
            moves.legal_count,
            moves.is_legal_count,
            moves.apply_count,
            check=_within(ids.ACT_ACQUIRE, *_MOVES, check=moves.check_count),
        ),
        at.PLACE: Phase(
            moves.legal_place,
            moves.is_legal_place,
            _PLACING,
            caretaker=ids.PLACE_DONE,
            check=_within(ids.ACT_MUSTER),
        ),
        at.RAZE: Phase(
            battle.legal_raze,
            battle.is_legal_raze,
            battle.apply_raze,
            caretaker=ids.KEEP_CASTLE,
            check=_within(ids.ACT_ATTACK, check=battle.check_raze),
        ),
        at.FIGHT: Phase(
            battle.legal_fight,
            battle.is_legal_fight,
            battle.apply_fight,
            check=_within(ids.ACT_ATTACK, check=battle.check_attack),
        ),
        at.FIGHT_ON: Phase(
            battle.legal_fight_on,
            battle.is_legal_fight_on,
            _FIGHTING_ON,
            check=_within(ids.ACT_ATTACK, check=battle.check_fight_on),
        ),
        at.STAND: Phase(
            elections.legal_stand,
            elections.is_legal_stand,
            elections.apply_stand,
            decides=elections.asked_seat,
            caretaker=ids.DECLINE,
            check=_within(*_BISHOPS, ids.ACT_KING, check=elections.check_stand),
        ),
        at.BISHOP_VOTE: Phase(
            elections.legal_bishop_vote,
            elections.is_legal_bishop_vote,
            elections.apply_bishop_vote,
            decides=elections.asked_seat,
            check=_within(*_BISHOPS, check=elections.check_bishop_vote),
        ),
        at.OFFER: Phase(
            elections.legal_offer,
            elections.is_legal_offer,
            elections.apply_offer,
            decides=elections.offering_seat,
            check=_within(ids.ACT_KING, check=elections.check_king_vote),
        ),
        at.KING_VOTE: Phase(
            elections.legal_king_vote,
            elections.is_legal_king_vote,
            elections.apply_king_vote,
            decides=elections.voting_seat,
            caretaker=ids.ABSTAIN,
            check=_within(ids.ACT_KING, check=elections.check_king_vote),
        ),
        at.END: Phase(decides=OVER.decides, check=_within(NOTHING)),
    },
    actions=ids.ACTION_COUNT,
    outcome=scoring.outcome,
    begin=turn.begin,
    reveals=True,
)
