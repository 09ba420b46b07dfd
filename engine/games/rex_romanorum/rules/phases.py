"""What is done in each phase, and what a phase needs on the table (section 9.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.games.rex_romanorum import actions as ids
from engine.games.rex_romanorum import scoring
from engine.games.rex_romanorum import state as at
from engine.games.rex_romanorum.rules import acquire, battle, bishop, build, count, king, move, place, stand, turn
from engine.games.rex_romanorum.state import NOTHING, PHASES, RexState
from engine.kit.phases import Phase, PhaseTable, fits, nobody
from engine.kit.reading import need

_BISHOPS: Final = tuple(range(ids.ACT_BISHOP, ids.ACT_KING))
_MOVES: Final = (ids.ACT_MUSTER, ids.ACT_ATTACK)


def _within(*tasks: int, check: Callable[[RexState], None] = fits) -> Callable[[RexState], None]:
    """Return the check of a phase that occurs only while one of the actions `tasks` is carried out."""

    def check_all(state: RexState) -> None:
        _check_task(state, tasks)
        check(state)

    return check_all


def _check_task(state: RexState, tasks: Sequence[int]) -> None:
    name, task = PHASES[state.phase], state.task
    action = "no action" if task == NOTHING else ids.ACTIONS.names[task]
    need(task in tasks, f"pending: phase {name} is no part of {action}")
    need(bool(state.drawn) == (state.phase == at.KEEP), f"drawn: phase {name} has {len(state.drawn)} cards")
    need(len(state.drawn) <= acquire.CARDS_DRAWN, "drawn: at most three cards are drawn")
    if task >= ids.ACT_BISHOP:
        need(state.election is not None, f"election: phase {name} needs one")
    else:
        need(state.election is None, f"election: phase {name} has none")
    need(not state.is_final or state.phase == at.END or task == ids.ACT_KING, "final: only in an election")


TABLE: Final = PhaseTable(
    RexState,
    PHASES,
    {
        at.TURN: Phase(
            legal=turn.legal_turn,
            is_legal=turn.is_legal_turn,
            apply=turn.apply_turn,
            caretaker=ids.ACT_HARVEST,
            check=_within(NOTHING),
        ),
        at.KEEP: Phase(
            legal=acquire.legal_keep,
            is_legal=acquire.is_legal_keep,
            apply=acquire.apply_keep,
            check=_within(ids.ACT_ACQUIRE),
        ),
        at.GARRISON: Phase(
            legal=acquire.legal_garrison,
            is_legal=acquire.is_legal_garrison,
            apply=acquire.apply_garrison,
            caretaker=ids.PLACE_DONE,
            check=_within(ids.ACT_ACQUIRE, check=acquire.check_garrison),
        ),
        at.BUILD: Phase(
            legal=build.legal_build,
            is_legal=build.is_legal_build,
            apply=build.apply_build,
            caretaker=ids.BUILD_DONE,
            check=_within(ids.ACT_BUILD, check=build.check_build),
        ),
        at.MOVE_FROM: Phase(
            legal=move.legal_move_from,
            is_legal=move.is_legal_move_from,
            apply=move.apply_move_from,
            caretaker=ids.MOVE_DONE,
            check=_within(*_MOVES, check=move.check_moves),
        ),
        at.MOVE_TO: Phase(
            legal=move.legal_move_to,
            is_legal=move.is_legal_move_to,
            apply=move.apply_move_to,
            check=_within(*_MOVES, check=move.check_source),
        ),
        at.COUNT: Phase(
            legal=count.legal_count,
            is_legal=count.is_legal_count,
            apply=count.apply_count,
            check=_within(ids.ACT_ACQUIRE, *_MOVES, check=count.check_count),
        ),
        at.PLACE: Phase(
            legal=place.legal_place,
            is_legal=place.is_legal_place,
            apply=place.apply_place,
            caretaker=ids.PLACE_DONE,
            check=_within(ids.ACT_MUSTER),
        ),
        at.RAZE: Phase(
            legal=battle.legal_raze,
            is_legal=battle.is_legal_raze,
            apply=battle.apply_raze,
            caretaker=ids.KEEP_CASTLE,
            check=_within(ids.ACT_ATTACK, check=battle.check_raze),
        ),
        at.FIGHT: Phase(
            legal=battle.legal_fight,
            is_legal=battle.is_legal_fight,
            apply=battle.apply_fight,
            check=_within(ids.ACT_ATTACK, check=battle.check_attack),
        ),
        at.FIGHT_ON: Phase(
            legal=battle.legal_fight_on,
            is_legal=battle.is_legal_fight_on,
            apply=battle.apply_fight_on,
            check=_within(ids.ACT_ATTACK, check=battle.check_fight_on),
        ),
        at.STAND: Phase(
            legal=stand.legal_stand,
            is_legal=stand.is_legal_stand,
            apply=stand.apply_stand,
            decides=bishop.asked_seat,
            caretaker=ids.DECLINE,
            check=_within(*_BISHOPS, ids.ACT_KING, check=stand.check_stand),
        ),
        at.BISHOP_VOTE: Phase(
            legal=bishop.legal_bishop_vote,
            is_legal=bishop.is_legal_bishop_vote,
            apply=bishop.apply_bishop_vote,
            decides=bishop.asked_seat,
            check=_within(*_BISHOPS, check=bishop.check_bishop_vote),
        ),
        at.OFFER: Phase(
            legal=king.legal_offer,
            is_legal=king.is_legal_offer,
            apply=king.apply_offer,
            decides=king.offering_seat,
            check=_within(ids.ACT_KING, check=king.check_king_vote),
        ),
        at.KING_VOTE: Phase(
            legal=king.legal_king_vote,
            is_legal=king.is_legal_king_vote,
            apply=king.apply_king_vote,
            decides=king.voting_seat,
            caretaker=ids.ABSTAIN,
            check=_within(ids.ACT_KING, check=king.check_king_vote),
        ),
        at.END: Phase(decides=nobody, check=_within(NOTHING)),
    },
    actions=ids.ACTION_COUNT,
    outcome=scoring.outcome,
    begin=turn.begin,
    reveals=True,
)
