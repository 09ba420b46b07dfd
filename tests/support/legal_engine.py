"""A UCI engine that plays legal moves and soon repeats a position: it takes back its last move where it can."""

from __future__ import annotations

import sys

import pyspiel


def choose(moves: list[str]) -> str:
    """A legal move behind these from the start: the last own one back, else the first by its id."""
    state = pyspiel.load_game("chess").new_initial_state()
    for move in moves:
        state.apply_action(state.parse_move_to_action(move))
    board = state.board()
    legal = [pyspiel.chess.action_to_move(action, board).to_lan() for action in state.legal_actions()]
    back = moves[-2][2:4] + moves[-2][:2] if len(moves) > 1 else ""
    return back if back in legal else legal[0]


def main() -> None:
    moves: list[str] = []
    for line in map(str.split, sys.stdin):
        if line[0] == "position":
            moves = line[3:]
        answers = {
            "uci": "option name Hash type spin default 1\noption name Threads type spin default 1\nuciok",
            "isready": "readyok",
            "go": f"bestmove {choose(moves)}" if line[0] == "go" else "",
        }
        if answer := answers.get(line[0]):
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
