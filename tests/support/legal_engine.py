"""A UCI engine that plays legal moves and soon repeats a position: it takes back its last move where it can."""

from __future__ import annotations

import sys

import pyspiel


def choose(start: str, moves: list[str]) -> str:
    """A legal move behind these from the start, a FEN or nothing: the last own one back, else the first by its id."""
    game = pyspiel.load_game("chess")
    state = game.new_initial_state(start) if start else game.new_initial_state()
    for move in moves:
        state.apply_action(state.parse_move_to_action(move))
    board = state.board()
    legal = [pyspiel.chess.action_to_move(action, board).to_lan() for action in state.legal_actions()]
    back = moves[-2][2:4] + moves[-2][:2] if len(moves) > 1 else ""
    return back if back in legal else legal[0]


def main() -> None:
    start, moves = "", list[str]()
    for line in map(str.split, sys.stdin):
        if line[0] == "position":
            given, _, played = " ".join(line[1:]).partition(" moves ")
            start, moves = given.removeprefix("startpos").removeprefix("fen "), played.split()
        answers = {
            "uci": "option name Hash type spin default 1\noption name Threads type spin default 1\nuciok",
            "isready": "readyok",
            "go": f"bestmove {choose(start, moves)}" if line[0] == "go" else "",
        }
        if answer := answers.get(line[0]):
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
