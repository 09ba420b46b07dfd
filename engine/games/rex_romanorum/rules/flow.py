"""From turn to turn, from round to round, to the end (K2, D5)."""

from __future__ import annotations

from engine.games.rex_romanorum.actions import ACT_KING
from engine.games.rex_romanorum.position import END, NOBODY, NOTHING, STAND, TURN, Election, Position


def end_turn(position: Position) -> None:
    """Forget the action that was carried out; the next seat's turn begins, or the last royal election."""
    _forget_action(position)
    position.active += 1
    if position.active == position.seats:
        position.active = 0
        if position.round == position.options.round_limit:
            hold_last_election(position)
            return
        position.round += 1
    position.phase = TURN
    position.decider = position.active


def _forget_action(position: Position) -> None:
    position.task = NOTHING
    position.drawn = []
    position.fresh = 0
    position.built = []
    position.source = position.target = position.last = position.last_to = NOTHING
    if position.arrived:
        position.arrived = {}
    position.election = None


def hold_last_election(position: Position) -> None:
    """After the last round: one more royal election, free, called by seat 0, whatever titles are held (D5, K2)."""
    position.is_final = True
    position.task = ACT_KING
    open_royal_election(position)


def open_royal_election(position: Position) -> None:
    """Ask every player, clockwise from the caller, whether he stands (6.2.2)."""
    ask(position, Election(NOTHING, clockwise(position), position.seats))


def ask(position: Position, election: Election) -> None:
    """Ask the first of the election's `asked` whether he stands."""
    position.election = election
    position.phase = STAND
    position.decider = election.asked[0]


def clockwise(position: Position) -> list[int]:
    """All seats in the order of turns, the active one first (K1)."""
    return [*range(position.active, position.seats), *range(position.active)]


def end_game(position: Position, king: int = NOBODY) -> None:
    """The game is over; `king` is NOBODY when the last election made none."""
    _forget_action(position)
    position.king = king
    position.phase = END
    position.decider = NOBODY
