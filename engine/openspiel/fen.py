"""Reads positions of chess as people write them: FEN, or a line of EPD, whose operations are left out. No I/O.

OpenSpiel ends the process for a FEN that is none, so nothing reaches it that was not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from engine.core import PositionError
from engine.translatable import Text

FEN: Final = "fen"
"""The option of chess, and the key of a position, that tells where a match begins."""
_LINE: Final = re.compile(
    r"\s*(?P<board>[pnbrqkPNBRQK1-8/]+)\s+(?P<turn>[wb])\s+(?P<castling>-|(?=\w)K?Q?k?q?)"
    r"\s+(?P<passing>-|[a-h][36])(?:\s+(?P<half>\d{1,3})\s+(?P<full>\d{1,4}))?(?:\s+[a-zA-Z].*)?\s*;?\s*",
    re.ASCII,
)
_MOST_MEN: Final = 16
_MOST_PAWNS: Final = 8
_CASTLING: Final = {"K": ("e1", "h1", "KR"), "Q": ("e1", "a1", "KR"), "k": ("e8", "h8", "kr"), "q": ("e8", "a8", "kr")}
"""For each right where the king and the rook stand."""
_STEPS: Final = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
_JUMPS: Final = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))

Board = Mapping[str, str]
"""The men by square: `e1` and `K`."""


def read_fen(text: str) -> str:
    """Return the FEN of a position in one spelling. Raises PositionError if it is no position of chess."""
    found = _LINE.fullmatch(text)
    if found is None:
        shown = repr(text if len(text) <= 40 else f"{text[:40]}...")
        raise PositionError(Text("{text} is no position of chess; write it as FEN or EPD", text=shown))
    board, mover = read_board(found["board"]), found["turn"]
    _need_men(board)
    for right in found["castling"].replace("-", ""):
        king, rook, men = _CASTLING[right]
        if (board.get(king), board.get(rook)) != tuple(men):
            raise PositionError(Text("castling {right} needs the king and a rook on their squares", right=right))
    if not _is_passed(board, found["passing"], mover):
        raise PositionError(Text("no pawn can be taken en passant on {square}", square=found["passing"]))
    waiting = "K" if mover == "b" else "k"
    if _is_attacked(board, next(square for square, man in board.items() if man == waiting)):
        raise PositionError(Text("the side that does not move is in check"))
    counts = int(found["half"] or 0), max(1, int(found["full"] or 1))
    return " ".join([found["board"], mover, found["castling"], found["passing"], *map(str, counts)])


def read_board(text: str) -> Board:
    """Return the men of the first field of a FEN. Raises PositionError unless it has 8 rows of 8 squares."""
    rows = [re.sub(r"\d", lambda empty: "." * int(empty[0]), row) for row in text.split("/")]
    if [len(row) for row in rows] != [8] * 8 or re.search(r"\d\d", text):
        raise PositionError(Text("the board of a FEN has 8 rows of 8 squares"))
    squares = (file + rank for rank in "87654321" for file in "abcdefgh")
    return {square: man for square, man in zip(squares, "".join(rows), strict=True) if man != "."}


def _need_men(board: Board) -> None:
    for side in (str.upper, str.lower):
        king, pawn = side("k"), side("p")
        own = [man for man in board.values() if man == side(man)]
        last = any(man == pawn and square[1] in "18" for square, man in board.items())
        if own.count(king) != 1 or len(own) > _MOST_MEN or own.count(pawn) > _MOST_PAWNS or last:
            raise PositionError(
                Text(
                    "each side has one king, and at most 16 pieces and 8 pawns, none of them on the first or last rank"
                )
            )


def _is_passed(board: Board, square: str, mover: str) -> bool:
    """Tell whether a pawn of the other side may just have passed the square; nothing is said by `-`."""
    if square == "-":
        return True
    rank, come_from, stands_on, pawn = ("6", "7", "5", "p") if mover == "w" else ("3", "2", "4", "P")
    file = square[0]
    return (
        square[1] == rank
        and board.get(file + stands_on) == pawn
        and square not in board
        and file + come_from not in board
    )


def _is_attacked(board: Board, king: str) -> bool:
    """Tell whether a man of the other side attacks the king that stands there."""
    other = str.lower if board[king] == "K" else str.upper
    forward = 1 if board[king] == "K" else -1
    near = {"p": ((1, forward), (-1, forward)), "k": _STEPS, "n": _JUMPS}
    if any(board.get(_moved(king, *step)) == other(man) for man, steps in near.items() for step in steps):
        return True
    for step in _STEPS:
        first = next((board[square] for square in _line(king, *step) if square in board), "")
        if first and first in other("qb" if all(step) else "qr"):
            return True
    return False


def _line(square: str, files: int, ranks: int) -> Iterator[str]:
    for far in range(1, 8):
        yield _moved(square, files * far, ranks * far)


def _moved(square: str, files: int, ranks: int) -> str:
    return f"{chr(ord(square[0]) + files)}{int(square[1]) + ranks}"
